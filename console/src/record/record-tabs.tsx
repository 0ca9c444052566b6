// This file arranges the parts of a record as tabs. Where there is room, the history stands beside the form.

import { Badge, Tabs } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo } from 'react';
import { Attachments } from '../components/attachments/attachments.tsx';
import { isSingleKey } from '../components/single-keys.ts';
import { useText } from '../i18n/text.tsx';
import { attachmentsMember, relatedCollections } from '../model/layout.ts';
import type { Member } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ClockLines } from './clocks/clock-lines.tsx';
import type { FormStore } from './form-store.ts';
import classes from './record.module.css';
import { historyMember, recordPath, refreshRecord } from './record-data.ts';
import type { LoadedProps } from './record-view.tsx';
import { RelatedList } from './related-list.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { useErrors } from './use-form.ts';

/** Pixels of the view from which the history stands beside the form. */
const ROOM = 1000;

export function RecordTabs(
  props: LoadedProps & { readonly details: ReactNode; readonly store: FormStore },
) {
  const { record, around, details, store, tab = 'details', onTab, place } = props;
  const { type } = record;
  const text = useText();
  const model = useModel();
  const { ref, width } = useElementSize();
  const mistakes = useErrors(store).size;
  const history = historyMember(model, type);
  const files = attachmentsMember(model, type);
  const related = useRelated(props);
  const hasAside = place === 'page' && width >= ROOM && history !== undefined;
  const fileCount = around?.attachments?.value.length ?? 0;
  const tabs = [
    { id: 'details', label: text('record.details'), count: 0 },
    ...(history !== undefined && !hasAside
      ? [{ id: 'history', label: history.label, count: 0 }]
      : []),
    ...(files === undefined ? [] : [{ id: 'files', label: files.label, count: fileCount }]),
    ...related.map((member) => ({ id: member.name, label: member.label, count: 0 })),
  ];
  const current = tabs.some(({ id }) => id === tab) ? tab : 'details';
  useTabKeys(
    tabs.map(({ id }) => id),
    current,
    onTab,
  );
  const member = related.find(({ name }) => name === current);
  return (
    <div ref={ref}>
      <div className={classes.columns} data-aside={hasAside}>
        <div>
          <ClockLines {...props} />
          <Tabs
            value={current}
            onChange={(next) => next !== null && onTab(next)}
            keepMounted={false}
          >
            <TabList tabs={tabs} mistakes={mistakes} />
            <Tabs.Panel value="details" keepMounted>
              {details}
            </Tabs.Panel>
            <Tabs.Panel value="history">
              {history !== undefined && <Timeline {...props} member={history} />}
            </Tabs.Panel>
            <Tabs.Panel value="files">
              {files !== undefined && <RecordFiles {...props} member={files} />}
            </Tabs.Panel>
            {member !== undefined && (
              <Tabs.Panel value={member.name}>
                <RelatedList {...props} key={member.name} member={member} />
              </Tabs.Panel>
            )}
          </Tabs>
        </div>
        {hasAside && history !== undefined && (
          <aside aria-label={history.label}>
            <Timeline {...props} member={history} />
          </aside>
        )}
      </div>
    </div>
  );
}

/** The collections that have a tab of their own. */
function useRelated({ record: { type }, around }: LoadedProps): readonly Member[] {
  const model = useModel();
  return useMemo(() => {
    const others = [historyMember(model, type), attachmentsMember(model, type)];
    const isHidden = (name: string) =>
      around?.rights?.Members.find(({ Name }) => Name === name)?.Read === false;
    return relatedCollections(type).filter(
      (member) => !others.includes(member) && !isHidden(member.name),
    );
  }, [model, type, around]);
}

function RecordFiles({ member, ...props }: LoadedProps & { readonly member: Member }) {
  const { set, recordKey, record, around } = props;
  const mayAttach = around?.rights?.Attach !== false;
  return (
    <Attachments
      path={`${recordPath(set, recordKey, record.type)}/${member.name}`}
      member={member}
      files={around?.attachments?.value ?? []}
      mayAttach={mayAttach}
      mayRemove={mayAttach}
      changed={() => void refreshRecord(set.name, recordKey)}
    />
  );
}

interface TabEntry {
  readonly id: string;
  readonly label: string;
  readonly count: number;
}

function TabList({
  tabs,
  mistakes,
}: {
  readonly tabs: readonly TabEntry[];
  readonly mistakes: number;
}) {
  return (
    <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto', scrollbarWidth: 'thin' }}>
      {tabs.map(({ id, label, count }) => (
        <Tabs.Tab
          key={id}
          value={id}
          rightSection={<TabCount count={count} mistakes={id === 'details' ? mistakes : 0} />}
        >
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}

function TabCount({ count, mistakes }: { readonly count: number; readonly mistakes: number }) {
  const text = useText();
  if (mistakes > 0)
    return (
      <Badge
        color="red"
        size="sm"
        style={{ minWidth: 'max-content' }}
        aria-label={text('record.mistakes', { count: mistakes })}
      >
        {mistakes}
      </Badge>
    );
  return count > 0 ? (
    <Badge variant="default" size="sm" style={{ minWidth: 'max-content' }}>
      {count}
    </Badge>
  ) : null;
}

/** `[` and `]` go to the previous and the next tab where no field has the focus. */
function useTabKeys(ids: readonly string[], current: string, onTab: (id: string) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.key !== '[' && event.key !== ']') || !isSingleKey(event)) return;
      const step = event.key === ']' ? 1 : ids.length - 1;
      const next = ids[(ids.indexOf(current) + step) % ids.length];
      if (next !== undefined) onTab(next);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
