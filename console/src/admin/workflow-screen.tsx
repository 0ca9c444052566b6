// This file is the editor of workflows: a matrix and a graph of the same transitions, with a panel for the chosen one.
import { Alert, Group, List, SegmentedControl, Select, Skeleton, Stack, Text } from '@mantine/core';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/List.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useText } from '../i18n/text.tsx';
import classes from './admin.module.css';
import { MatrixView, type Place } from './matrix-view.tsx';
import { TransitionPanel } from './transition-panel.tsx';
import { TryRecord } from './try-record.tsx';
import { type Subject, useSubjects, useWorkflow } from './workflow-data.ts';
import { cellOf, findings, type Workflow } from './workflow-matrix.ts';

const GraphView = lazy(async () => ({ default: (await import('./graph-view.tsx')).GraphView }));

interface Search {
  readonly entity?: string;
  readonly view?: string;
}

export function WorkflowScreen() {
  const text = useText();
  const navigate = useNavigate();
  const search: Search = useSearch({ strict: false });
  const subjects = useSubjects();
  if (subjects === undefined) return <Skeleton h={240} />;
  const subject = subjects.find(({ entity }) => entity === search.entity) ?? subjects[0];
  if (subject === undefined) return <Text>{text('admin.noWorkflows')}</Text>;
  const change = (changes: Search) =>
    void navigate({ to: '.', search: { ...search, ...changes } as never, replace: true });
  const isGraph = search.view === 'graph';
  return (
    <Stack>
      <Group align="end">
        <Select
          size="xs"
          label={text('admin.workflowOf')}
          allowDeselect={false}
          data={subjects.map(({ entity, set }) => ({ value: entity, label: set.label }))}
          value={subject.entity}
          onChange={(entity) => change({ entity: entity ?? '' })}
        />
        <SegmentedControl
          size="xs"
          aria-label={text('admin.view')}
          data={[
            { value: 'matrix', label: text('admin.matrix') },
            { value: 'graph', label: text('admin.graph') },
          ]}
          value={isGraph ? 'graph' : 'matrix'}
          onChange={(view) => change({ view })}
        />
      </Group>
      <Editor key={subject.entity} subject={subject} isGraph={isGraph} />
    </Stack>
  );
}

function Editor({ subject, isGraph }: { readonly subject: Subject; readonly isGraph: boolean }) {
  const { workflow, error } = useWorkflow(subject);
  const [chosen, setChosen] = useState<Place>();
  if (error !== null) return <ErrorNotice error={error} />;
  if (workflow === undefined) return <Skeleton h={320} />;
  const view = { workflow, chosen, onChoose: setChosen };
  return (
    <div className={classes.split}>
      <Stack className={classes.main ?? ''}>
        {isGraph ? (
          <Suspense fallback={<Skeleton h={520} />}>
            <GraphView {...view} />
          </Suspense>
        ) : (
          <MatrixView {...view} />
        )}
        <Findings workflow={workflow} />
      </Stack>
      <Stack>
        {chosen !== undefined && <Panel subject={subject} workflow={workflow} place={chosen} />}
        <TryRecord subject={subject} />
      </Stack>
    </div>
  );
}

function Panel({
  subject,
  workflow,
  place: { from, to },
}: {
  readonly subject: Subject;
  readonly workflow: Workflow;
  readonly place: Place;
}) {
  const source = workflow.states.find(({ value }) => value === from);
  const target = workflow.states.find(({ value }) => value === to);
  if (source === undefined || target === undefined) return null;
  return (
    <TransitionPanel
      key={`${from} ${to}`}
      subject={subject}
      cell={cellOf(workflow, from, to)}
      from={source}
      to={target}
    />
  );
}

function Findings({ workflow }: { readonly workflow: Workflow }) {
  const text = useText();
  const found = findings(workflow);
  if (found.length === 0) return null;
  return (
    <Alert title={text('admin.findings')} color="blue" p="xs">
      <List size="sm">
        {found.map(({ kind, state }) => (
          <List.Item key={`${kind} ${state.value}`}>
            {text(`admin.finding.${kind}`, { state: state.label })}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
