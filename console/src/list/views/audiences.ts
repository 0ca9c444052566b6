// This file finds whom an account may share a view with: workgroups that its person belongs to; for administrators all, roles, and everybody.
import { useQuery } from '@tanstack/react-query';
import { requestJson } from '../../api/client.ts';
import { useRights } from '../../app/rights.ts';
import { useText } from '../../i18n/text.tsx';
import { type Entity, keyOf, referenceSelect, titleOf, valueAt } from '../../model/entity.ts';
import { titlePath } from '../../model/layout.ts';
import { type EntitySet, type Model, type StructuredType, typeOfSet } from '../../model/model.ts';
import { pathWith } from '../../model/query-path.ts';
import { useModel } from '../../model/use-model.tsx';
import type { Sharing } from './view.ts';
import { useViewer, viewSet } from './view-store.ts';

interface Audience {
  readonly sharing: Sharing;
  readonly label: string;
}

/** More would not be found in a list. */
const MOST = '250';

export function useAudiences(current: Sharing): {
  readonly audiences: readonly Audience[];
  readonly error: unknown;
} {
  const text = useText();
  const { isAdministrator } = useViewer();
  const model = useModel();
  const { setsToRead } = useRights();
  const { data = [], error } = useQuery({
    queryKey: ['audiences', isAdministrator],
    queryFn: async ({ signal }) =>
      await readAudiences(model, { setsToRead, isAdministrator }, signal),
  });
  const labelOf = ({ scope, key }: Sharing, name: string) =>
    scope === 'own' || scope === 'everybody'
      ? text(`view.scope.${scope}`)
      : text(`view.scope.${scope}`, { name: name || (key ?? '') });
  const offered: readonly Named[] = [
    { sharing: { scope: 'own' }, name: '' },
    ...data,
    ...(isAdministrator ? [{ sharing: { scope: 'everybody' }, name: '' } as const] : []),
  ];
  // The stored audience remains in the list, even if the account could not choose it for a new view.
  const isOffered = offered.some(
    ({ sharing: { scope, key } }) => scope === current.scope && key === current.key,
  );
  const all = isOffered ? offered : [...offered, { sharing: current, name: '' }];
  return {
    audiences: all.map(({ sharing, name }) => ({ sharing, label: labelOf(sharing, name) })),
    error,
  };
}

interface Named {
  readonly sharing: Sharing;
  readonly name: string;
}

interface Reader {
  readonly setsToRead: ReadonlySet<string>;
  readonly isAdministrator: boolean;
}

async function readAudiences(
  model: Model,
  { setsToRead, isAdministrator }: Reader,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const bindings = model.sets.get(viewSet(model) ?? '')?.bindings;
  const setFor = (member: string) => {
    const name = bindings?.get(member) ?? '';
    return setsToRead.has(name) ? model.sets.get(name) : undefined;
  };
  const [groups, roles] = [setFor('Workgroup'), isAdministrator ? setFor('Role') : undefined];
  const membership =
    groups === undefined || isAdministrator
      ? undefined
      : await membershipIn(model, typeOfSet(model, groups), signal);
  const isMember = isAdministrator || membership !== undefined;
  return [
    ...(groups !== undefined && isMember
      ? await readNames(model, groups, 'workgroup', membership, signal)
      : []),
    ...(roles === undefined ? [] : await readNames(model, roles, 'role', undefined, signal)),
  ];
}

/** The condition that the person behind the account is a member of a group; undefined for an account without a person. */
async function membershipIn(
  model: Model,
  group: StructuredType,
  signal: AbortSignal,
): Promise<string | undefined> {
  const operation = model.operations.find(({ name }) => name === model.imports.get('Me'));
  const person = model.types.get(operation?.returnType ?? '');
  const members = [...group.members.values()].find(
    ({ kind, collection, type }) => kind === 'navigation' && collection && type === person?.name,
  );
  const [key] = person?.key ?? [];
  if (members === undefined || key === undefined) return undefined;
  const me = await requestJson<Entity | undefined>(`Me()?$select=${key.path}`, { signal });
  const value = valueAt(me, key.path);
  if (value === undefined) return undefined;
  return `${members.name}/any(m:m/${key.path} eq ${String(value)})`;
}

async function readNames(
  model: Model,
  set: EntitySet,
  scope: 'workgroup' | 'role',
  filter: string | undefined,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const type = typeOfSet(model, set);
  const path = pathWith(set.name, [
    ['$select', referenceSelect(model, type)],
    ['$filter', filter],
    ['$orderby', titlePath(model, type)],
    ['$top', MOST],
  ]);
  const { value } = await requestJson<{ readonly value: readonly Entity[] }>(path, { signal });
  return value.map((row) => ({
    sharing: { scope, key: keyOf(type, row) },
    name: titleOf(model, type, row),
  }));
}
