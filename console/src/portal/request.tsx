// This file shows one request to the person who made it: its values, the conversation, and what the person may do with it.
import { Anchor, Loader, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { requestJson } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Value } from '../components/value.tsx';
import { useText } from '../i18n/text.tsx';
import { type Entity, entityPath, referenceExpand, titleOf, valueAt } from '../model/entity.ts';
import { attachmentsMember, formGroups, isForPortal, isSingleNavigation } from '../model/layout.ts';
import { type EntitySet, typeOfSet } from '../model/model.ts';
import { pathWith } from '../model/query-path.ts';
import { useModel } from '../model/use-model.tsx';
import { ConversationView } from './conversation.tsx';
import { Files } from './files.tsx';
import classes from './portal.module.css';
import { conversationOf } from './portal-model.ts';
import { Transitions } from './transitions.tsx';

export function Request({
  set,
  keyText,
  unreadable,
}: {
  readonly set: EntitySet;
  readonly keyText: string;
  readonly unreadable: readonly string[];
}) {
  const text = useText();
  const model = useModel();
  const type = typeOfSet(model, set);
  const entity = entityPath(set.name, keyText);
  const fields = formGroups(model, type)
    .filter(({ collapsed }) => !collapsed)
    .flatMap((group) => group.fields)
    .filter(
      ({ path }) =>
        isForPortal(type, path) &&
        !unreadable.includes(path) &&
        !unreadable.includes(path.split('/')[0] ?? ''),
    );
  const expand = fields
    .filter(({ member }) => isSingleNavigation(member))
    .map(({ path, member }) => referenceExpand(model, path, member));
  const path = pathWith(entity, [['$expand', expand.join(',')]]);
  const { data, error, refetch } = useQuery({
    queryKey: ['record', path],
    queryFn: async ({ signal }) => requestJson<Entity>(path, { signal }),
  });
  const conversation = conversationOf(model, type);
  const files = attachmentsMember(model, type);
  const filled = fields.filter(({ path: field }) => {
    const value = data === undefined ? undefined : valueAt(data, field);
    return value !== null && value !== undefined && value !== '' && value !== false;
  });
  return (
    <>
      <div>
        <Anchor component={Link} to="/portal" size="sm">
          ← {text('portal.mine')}
        </Anchor>
      </div>
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader size="sm" />}
      {data !== undefined && (
        <>
          <Title order={1} size="h3">
            {titleOf(model, type, data)}
          </Title>
          <Transitions entity={entity} type={type} changed={() => void refetch()} />
          <Paper withBorder p="md">
            <dl className={classes.fields}>
              {filled.map(({ path: field, label, member }) => (
                <div key={field} style={{ display: 'contents' }}>
                  <dt>{label}</dt>
                  <dd>
                    <Value member={member} value={valueAt(data, field)} />
                  </dd>
                </div>
              ))}
            </dl>
          </Paper>
          {conversation !== undefined && (
            <ConversationView entity={entity} conversation={conversation} />
          )}
          {files !== undefined && <Files entity={entity} member={files} />}
        </>
      )}
    </>
  );
}
