// This file finds the values that a filter or a cell can have: codes, members of enumerations, words, yes and no, and related entities.
import { useQuery } from '@tanstack/react-query';
import { requestJson } from '../../api/client.ts';
import { useText } from '../../i18n/text.tsx';
import { useCodes } from '../../model/codes.ts';
import {
  type Entity,
  keyOf,
  literal,
  referenceSelect,
  titleOf,
  valueAt,
} from '../../model/entity.ts';
import { type Column, subtitlePath, titlePath } from '../../model/layout.ts';
import { type Model, type StructuredType, typeNamed } from '../../model/model.ts';
import { pathWith } from '../../model/query-path.ts';
import { searchText } from '../../model/search-text.ts';
import { useModel } from '../../model/use-model.tsx';
import { groupsPath } from '../list-request.ts';

export interface Choice {
  /** The value that a filter compares: of a code its value, of an entity its key. */
  readonly value: string;
  readonly label: string;
  /** A second line that distinguishes choices with the same name. */
  readonly detail?: string | undefined;
}

/** Hits of a search for related entities. */
const HITS = 20;

/** The values for a column of a set; undefined while they load. `search` narrows related entities on the service. */
export function useChoices(
  set: string,
  type: StructuredType,
  column: Column,
  search: string,
): readonly Choice[] | undefined {
  const model = useModel();
  const text = useText();
  const { member } = column;
  const codes = useCodes(member.kind === 'code' ? member.codeList : undefined);
  const needsUsed = member.kind === 'code' && member.codeList === undefined;
  const used = useUsedValues(set, type, column, needsUsed);
  const related = useRelated(set, column, search);
  if (member.kind === 'navigation') return related;
  if (member.type === 'Edm.Boolean')
    return [
      { value: 'true', label: text('common.yes') },
      { value: 'false', label: text('common.no') },
    ];
  const enumeration = model.enums.get(member.type);
  if (enumeration !== undefined)
    return enumeration.members.map(({ name, label }) => ({ value: name, label }));
  if (member.words !== undefined)
    return Object.entries(member.words).map(([value, name]) => ({ value, label: text(name) }));
  if (member.kind !== 'code') return [];
  if (needsUsed) return used;
  return codes
    ?.filter(({ disabled }) => !disabled)
    .map(({ value, text: label }) => ({ value, label }));
}

/** The values that occur in a set, for codes whose list the metadata does not name. */
function useUsedValues(set: string, type: StructuredType, column: Column, enabled: boolean) {
  const model = useModel();
  const path = groupsPath(model, type, { set, filter: undefined, search: undefined }, column);
  const { data } = useQuery({
    queryKey: ['used-values', path],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(path, { signal })).value,
    enabled,
  });
  const coded = model.types.get(column.member.type)?.coded;
  if (data === undefined || coded === undefined) return enabled ? undefined : [];
  return data.flatMap((row) => {
    const value = valueAt(row, `${column.path}/${coded.value}`);
    const label = valueAt(row, `${column.path}/${coded.text}`);
    return value === null || value === undefined
      ? []
      : [{ value: String(value), label: String(label ?? value) }];
  });
}

/** The set that contains the targets of a navigation property. */
export function targetSet(model: Model, set: string, { path }: Column): string | undefined {
  return model.sets.get(set)?.bindings.get(path);
}

function useRelated(set: string, column: Column, search: string): readonly Choice[] | undefined {
  const model = useModel();
  const target = column.member.kind === 'navigation' ? targetSet(model, set, column) : undefined;
  const path = target === undefined ? undefined : relatedPath(model, target, column, search);
  const { data, error } = useQuery({
    queryKey: ['related', path],
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(path ?? '', { signal })).value,
    enabled: path !== undefined,
    placeholderData: (before) => before,
  });
  if (path === undefined || error !== null) return [];
  return data?.map((row) => toChoice(model, column, row));
}

function toChoice(model: Model, { member }: Column, row: Entity): Choice {
  const type = typeNamed(model, member.type);
  const subtitle = subtitlePath(model, type);
  const detail = subtitle === undefined ? undefined : valueAt(row, subtitle);
  return {
    value: plainKey(type, row),
    label: titleOf(model, type, row),
    detail: detail === null || detail === undefined ? undefined : String(detail),
  };
}

/** The value of a key of one property as plain text, which filters compare; of other keys the predicate. */
function plainKey(type: StructuredType, row: unknown): string {
  const [part, ...others] = type.key;
  const value = part === undefined ? undefined : valueAt(row, part.path);
  return others.length === 0 && value !== undefined ? String(value) : (keyOf(type, row) ?? '');
}

function relatedPath(model: Model, target: string, { member }: Column, search: string): string {
  const type = typeNamed(model, member.type);
  const subtitle = subtitlePath(model, type);
  const title = titlePath(model, type);
  return pathWith(target, [
    [
      '$select',
      [referenceSelect(model, type), ...(subtitle === undefined ? [] : [subtitle])].join(','),
    ],
    ['$search', searchText(search)],
    ['$orderby', search.trim() === '' ? title : undefined],
    ['$top', String(HITS)],
  ]);
}

/** The names of related entities whose keys a filter contains. */
export function useRelatedNames(
  set: string,
  column: Column,
  keys: readonly string[],
): ReadonlyMap<string, string> {
  const model = useModel();
  const { member } = column;
  const target = member.kind === 'navigation' ? targetSet(model, set, column) : undefined;
  const type = model.types.get(member.type);
  const key = type?.key[0]?.path;
  const isNeeded = target !== undefined && keys.length > 0 && key !== undefined;
  const keyType = type?.members.get(key ?? '')?.type ?? 'Edm.String';
  const literals = keys.map((one) => literal(one, keyType)).join(',');
  const { data } = useQuery({
    queryKey: ['related-names', target, literals],
    queryFn: async ({ signal }) => {
      const path = pathWith(target ?? '', [
        ['$select', referenceSelect(model, typeNamed(model, member.type))],
        ['$filter', `${key} in (${literals})`],
        ['$top', '250'],
      ]);
      return (await requestJson<{ readonly value: readonly Entity[] }>(path, { signal })).value;
    },
    enabled: isNeeded,
  });
  if (data === undefined || type === undefined) return new Map();
  return new Map(data.map((row) => [plainKey(type, row), titleOf(model, type, row)]));
}
