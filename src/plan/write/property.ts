// Plans writes to a single property or relation of a row: its value, an item of its collection, its references. OData Protocol
// 4.01, "Managing Values and Properties Directly", "Modifying Relationships between Entities".
import { invariant } from '../../base/fault.ts';
import { presenceAround } from '../../bind/body/property-body.ts';
import type { BoundWrite } from '../../bind/write/bound-write.ts';
import { type Property, pathName } from '../../edm/model.ts';
import { flattenedType, isDocument } from '../../edm/property-storage.ts';
import { requireChange } from '../rights/write-rights.ts';
import type { PlannedFault, Register, Steps, StoredValue, WriteStep } from '../write-plan.ts';
import { requirePrincipals, withReferences } from './dependent-references.ts';
import { clearSteps, linkSteps } from './entity.ts';
import { fillValues } from './fill-values.ts';
import { clearInside, requireDocument, requireInside } from './inner-relations.ts';
import {
  fillScope,
  requireComputed,
  requireItemCounts,
  requireRetained,
  requireRules,
} from './row.ts';
import type { Writer } from './write-scope.ts';

type PropertyWrite = BoundWrite & { readonly kind: 'property' };
type RelationWrite = BoundWrite & { readonly kind: 'relate' };

/** Writes the value of a property, or one item of it. Throws: access.write, access.write-member, access.member. */
export function writeProperty(writer: Writer, row: Register, bound: PropertyWrite): Steps {
  const { rows, path } = bound;
  const [first] = path;
  invariant(first !== undefined, 'a property has a path');
  const isItem = bound.mode === 'append' || bound.index !== undefined;
  return [
    ...requireChange(writer, { row, type: rows.row.type, members: new Set([first.name]) }),
    ...requireRetained(writer, row, rows.row.type, bound.values),
    ...(isItem ? countedItemSteps(writer, row, bound) : valueSteps(writer, row, bound)),
  ];
}

function valueSteps(
  writer: Writer,
  row: Register,
  { rows, path, mode, values, links }: PropertyWrite,
): Steps {
  const { type } = rows.row;
  const target = { source: row.source, type };
  const isComplex = mode === 'replace' && isFlattened(writer, path) && isPresent(values, path);
  const filled: readonly StoredValue[] = isComplex
    ? fillValues(fillScope(writer), { ...target, mode: 'replace', path }, values)
    : fillValues(fillScope(writer), { ...target, mode: 'merge' }, values);
  const entity = { type, target: '' };
  const stored = withReferences(writer, row.source, entity, filled);
  return [
    { kind: 'update', row, values: stored, dynamic: new Map(), replaceDynamic: false },
    ...requireComputed(writer, row, entity, stored),
    ...requireRules(writer, row, entity, stored),
    ...requirePrincipals(writer, row, entity, stored),
    ...clearInside(writer, row, [...stored, ...values]),
    ...links.flatMap((link) => linkSteps(writer, { row, rows }, link)),
    ...requireInside(writer, row, entity, stored),
  ];
}

function countedItemSteps(writer: Writer, row: Register, bound: PropertyWrite): Steps {
  const entity = { type: bound.rows.row.type, target: '' };
  return [...itemSteps(row, bound), ...requireItemCounts(writer, row, entity, [bound])];
}

function isFlattened(writer: Writer, path: readonly Property[]): boolean {
  const { model } = writer;
  return path.every((step) => flattenedType(model, step) !== undefined);
}

function isPresent(values: PropertyWrite['values'], path: readonly Property[]): boolean {
  return values.some(
    (value) => value.kind === 'presence' && value.path.length === path.length && value.present,
  );
}

/** Inserts, appends, replaces or removes items. */
function itemSteps(row: Register, bound: PropertyWrite): Steps {
  const texts = bound.values.map((value) =>
    value.kind === 'json' ? (value.text ?? 'null') : 'null',
  );
  return bound.mode === 'clear'
    ? [itemStep(row, bound, 'null')]
    : texts.map((json) => itemStep(row, bound, json));
}

function itemStep(row: Register, { path, mode, index }: PropertyWrite, json: string): WriteStep {
  const missing: PlannedFault = {
    code: 'write.no-item',
    parameters: { name: pathName(path), index: index ?? 0 },
  };
  const step = { kind: 'append', row, path, json } as const;
  if (index === undefined) return step;
  if (mode === 'append') return { ...step, index, action: 'insert', missing };
  return { ...step, index, action: mode === 'clear' ? 'remove' : 'replace', missing };
}

/** Writes the references of a navigation property: `$ref`. Throws: access.write, access.write-member, access.member. */
export function writeRelation(writer: Writer, row: Register, bound: RelationWrite): Steps {
  const { rows, path, navigation, action, references } = bound;
  const first = path[0] ?? navigation;
  const start = { kind: 'link', row, path, navigation } as const;
  const missing: PlannedFault = { code: 'write.not-linked', parameters: { name: navigation.name } };
  const targets = references.map((reference) =>
    action === 'remove' ? writer.find(reference.rows, missing) : writer.refer(reference),
  );
  const isOne = !navigation.collection;
  const cleared = action === 'replace' || action === 'clear';
  const unlinked = isOne && action === 'clear' ? missing : undefined;
  return [
    ...requireChange(writer, { row, type: rows.row.type, members: new Set([first.name]) }),
    ...(action === 'set' || action === 'add' ? presenceSteps(writer, row, bound) : []),
    ...(cleared ? clearSteps(writer, { row, rows }, bound, unlinked) : []),
    ...targets.map(
      (to): WriteStep =>
        action === 'remove'
          ? { ...start, action: 'remove', to, missing }
          : { ...start, action: isOne ? 'set' : 'add', to },
    ),
  ];
}

/** A relation that starts in a complex value requires the value to exist. */
function presenceSteps(writer: Writer, row: Register, { rows, path }: RelationWrite): Steps {
  const { model } = writer;
  if (path.some((step) => isDocument(model, step)))
    return requireDocument(writer, row, rows.row.type, path);
  const values = presenceAround(model, path);
  return values.length === 0
    ? []
    : [{ kind: 'update', row, values, dynamic: new Map(), replaceDynamic: false }];
}
