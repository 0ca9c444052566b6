// This file compares two models element by element, for people: types, members, sets, operations, codes, labels and roles.
import type { RoleDefinition } from '../account-sets.ts';
import { isStructured, type ModelDefinition, type NamedType } from '../model.ts';

/** A difference of two models. */
export interface Difference {
  readonly change: 'added' | 'removed' | 'changed';
  /** `entity type`, `property`, `code`. */
  readonly kind: string;
  /** `Desk.Vehicle/Plate`; empty for the model as a whole. */
  readonly name: string;
  /** The fields of a changed element. A value that is absent is null. */
  readonly details: readonly FieldChange[];
}

interface FieldChange {
  /** `facets.maxLength`, `labels.en`. */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A model with its roles. */
export interface ComparedModel {
  readonly definition: ModelDefinition;
  readonly roles: readonly RoleDefinition[];
}

interface Element {
  readonly kind: string;
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  /** The key of the type or list that contains the element. */
  readonly parent?: string;
}

/** What the second model adds, removes and changes; members of an added or removed element are not listed. */
export function diffModels(before: ComparedModel, after: ComparedModel): readonly Difference[] {
  const [old, next] = [elementsOf(before), elementsOf(after)];
  const isListed = ({ parent }: Element) =>
    parent === undefined || (old.has(parent) && next.has(parent));
  const removed = [...old].filter(([key, element]) => !next.has(key) && isListed(element));
  return [
    ...removed.map(([, { kind, name }]) => ({
      change: 'removed' as const,
      kind,
      name,
      details: [],
    })),
    ...[...next].flatMap(([key, element]): readonly Difference[] => {
      const former = old.get(key);
      const { kind, name } = element;
      if (former === undefined)
        return isListed(element) ? [{ change: 'added', kind, name, details: [] }] : [];
      const details = changedFields(former, element);
      return details.length === 0 ? [] : [{ change: 'changed', kind, name, details }];
    }),
  ];
}

/** One line for each difference, and one for each changed field. */
export function printDifferences(differences: readonly Difference[]): string {
  const signs = { added: '+', removed: '-', changed: '~' };
  return differences
    .flatMap(({ change, kind, name, details }) => [
      `${signs[change]} ${`${kind} ${name}`.trim()}`,
      ...details.map(
        ({ field, before, after }) => `    ${field}: ${before ?? '(none)'} → ${after ?? '(none)'}`,
      ),
    ])
    .join('\n');
}

function changedFields(old: Element, next: Element): readonly FieldChange[] {
  const names = new Set([...old.fields.keys(), ...next.fields.keys()]);
  return [...names].flatMap((field) => {
    const before = old.fields.get(field) ?? null;
    const after = next.fields.get(field) ?? null;
    return before === after ? [] : [{ field, before, after }];
  });
}

function elementsOf({ definition, roles }: ComparedModel): ReadonlyMap<string, Element> {
  const { namespaces: _, types, sets, operations, imports, codeLists, ...settings } = definition;
  const elements = [
    element('model', '', settings),
    ...types.flatMap(typeElements),
    ...sets.map(({ name, ...fields }) => element('set', name, fields)),
    ...operations.map(({ name, ...fields }) => {
      const types = fields.parameters.map(({ type }) => type);
      return element(fields.kind, `${name}(${types.join(', ')})`, fields);
    }),
    ...imports.map(({ name, ...fields }) => element('import', name, fields)),
    ...codeLists.flatMap(({ name, codes, ...fields }) => [
      element('code list', name, fields),
      ...codes.map(({ value, ...code }) => element('code', `${name}/${value}`, code, name)),
    ]),
    ...roles.map(({ name, ...fields }) => element('role', name, fields)),
  ];
  return new Map(elements.map((one) => [keyOf(one.kind, one.name), one]));
}

function typeElements(type: NamedType): readonly Element[] {
  const { name, ...fields } = type;
  if (!isStructured(type)) return [element('type', name, fields)];
  const { members, name: _, ...own } = type;
  return [
    element('type', name, own),
    ...members.map(({ name: member, ...rest }) =>
      element('member', `${name}/${member}`, rest, name),
    ),
  ];
}

const PARENTS: Readonly<Record<string, string>> = { member: 'type', code: 'code list' };

function element(kind: string, name: string, fields: object, parent?: string): Element {
  const own = { kind, name, fields: new Map(leavesOf(fields, '')) };
  return parent === undefined ? own : { ...own, parent: keyOf(PARENTS[kind] ?? '', parent) };
}

function keyOf(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/** The values in an object by path; lists of plain values as one. */
function leavesOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return [[path, value.join(', ')]];
  return Object.entries(value).flatMap(([name, item]) =>
    leavesOf(item, path === '' ? name : `${path}.${name}`),
  );
}
