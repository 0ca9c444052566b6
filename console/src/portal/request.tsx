// This file shows one request to the person who made it: its values, the conversation, and what the person may do with it.

import { Anchor, Loader, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { requestJson } from '../api/client.ts';
import { usePageTitle } from '../app/page-title.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Icon } from '../components/icons.tsx';
import { Value } from '../components/value.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, entityPath, referenceExpand, titleOf, valueAt } from '../model/entity.ts';
import {
  attachmentsMember,
  type Column,
  formGroups,
  isForPortal,
  isSingleNavigation,
  titlePath,
} from '../model/layout.ts';
import { type EntitySet, type Member, typeOfSet } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { useModel } from '../model/use-model.tsx';
import { ConversationView } from './conversation.tsx';
import { Files } from './files.tsx';
import { FoldedText } from './folded-text.tsx';
import classes from './portal.module.css';
import { conversationOf } from './portal-model.ts';
import { RequestFacts } from './request-facts.tsx';
import { Transitions } from './transitions.tsx';

interface RequestProps {
  readonly set: EntitySet;
  readonly keyText: string;
  readonly unreadable: readonly string[];
}

/** The request, and which of its fields the person sees. */
function useRequest({ set, keyText, unreadable }: RequestProps) {
  const model = useModel();
  const type = typeOfSet(model, set);
  const isInHead = (path: string) => path === 'Status' || path === titlePath(model, type);
  const fields = formGroups(model, type)
    .filter(({ collapsed }) => !collapsed)
    .flatMap((group) => group.fields)
    .filter(
      ({ path }) =>
        isForPortal(type, path) &&
        !isInHead(path) &&
        !unreadable.includes(path) &&
        !unreadable.includes(path.split('/')[0] ?? ''),
    );
  const expand = fields
    .filter(({ member }) => isSingleNavigation(member))
    .map(({ path, member }) => referenceExpand(model, path, member));
  const path = pathWith(entityPath(set.name, keyText), [['$expand', expand.join(',')]]);
  const read = useQuery({
    queryKey: ['record', path],
    queryFn: async ({ signal }) => requestJson<Entity>(path, { signal }),
  });
  return { ...read, fields };
}

export function Request(props: RequestProps) {
  const { set, keyText } = props;
  const text = useText();
  const model = useModel();
  const type = typeOfSet(model, set);
  const entity = entityPath(set.name, keyText);
  const { data, error, refetch, fields } = useRequest(props);
  const title = data === undefined ? undefined : titleOf(model, type, data);
  usePageTitle(title, text('app.portal'));
  const conversation = conversationOf(model, type);
  const files = attachmentsMember(model, type);
  return (
    <>
      <div>
        <Anchor component={Link} to="/portal" size="sm">
          <Icon name="back" /> {text('portal.mine')}
        </Anchor>
      </div>
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader size="sm" />}
      {data !== undefined && (
        <>
          <div>
            <Title order={1} size="h3">
              {title}
            </Title>
            <RequestFacts type={type} request={data} />
          </div>
          <Transitions entity={entity} type={type} changed={() => void refetch()} />
          <Filled entity={data} fields={fields} />
          {conversation !== undefined && (
            <ConversationView entity={entity} conversation={conversation} />
          )}
          {files !== undefined && <Files entity={entity} member={files} />}
        </>
      )}
    </>
  );
}

/** The fields that have a value. */
function Filled({
  entity,
  fields,
}: {
  readonly entity: Entity;
  readonly fields: readonly Column[];
}) {
  const filled = fields.filter(({ path }) => {
    const value = valueAt(entity, path);
    return value !== null && value !== undefined && value !== '' && value !== false;
  });
  return (
    <Paper withBorder p="md">
      <dl className={classes.fields}>
        {filled.map(({ path, label, member }) => (
          <div key={path} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>
              <FieldValue label={label} member={member} value={valueAt(entity, path)} />
            </dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}

function FieldValue({
  label,
  member,
  value,
}: {
  readonly label: string;
  readonly member: Member;
  readonly value: unknown;
}) {
  const render = (shown: unknown) => <Value member={member} value={shown} isWhole />;
  if (typeof value !== 'string') return render(value);
  return <FoldedText whole={value} label={label} render={render} />;
}
