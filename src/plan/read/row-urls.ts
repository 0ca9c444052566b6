// Builds the URLs of rows: the canonical path of the row that a request starts from, and the URL of each row in the response.
// Entities of sets have their own URL; contained entities extend the URL of their parent. OData 4.01 URL Conventions, "Canonical
// URL"; Protocol, "Entity-Ids and Entity References".

import { invariant } from '../../base/fault.ts';
import type { AddressStep, Expression, LiteralExpression, Rows } from '../../bind/bound.ts';
import {
  entityValue,
  instanceOf,
  propertyOf,
  variable,
} from '../../bind/expression/constructors.ts';
import { keyParts } from '../../bind/path/key-predicate.ts';
import { unlimitedRows } from '../../bind/path/position.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { encodeSegment } from '../../request/print/url.ts';
import type { LinkPart, TextKey } from '../read-plan.ts';

/** The URL of a row. A union of sets has one per set, each with a condition. */
export interface RowUrl {
  readonly parts: readonly LinkPart[];
  readonly when?: Expression | undefined;
}

/** A key property as an expression on the row. */
export interface KeyValue {
  readonly name: string;
  readonly value: Expression;
}

const ROOT: LinkPart = { kind: 'root' };

export function textPart(text: string): LinkPart {
  return { kind: 'text', text };
}

/** The key of the row as expressions. */
export function keyValues(model: Model, row: EntityRow): readonly KeyValue[] {
  return keyParts(model, row.type, model.key(row.type)).map(({ name, path, type }) => ({
    name,
    value: propertyOf(row, path, type),
  }));
}

/** `(7)` or `(Wing='A',Number=3)`. */
function keyPredicate(model: Model, row: EntityRow): readonly LinkPart[] {
  const keys = keyValues(model, row);
  const single = keys.length === 1;
  const pairs = keys.flatMap(({ name, value }, index) => [
    textPart(`${index === 0 ? '(' : ','}${single ? '' : `${encodeSegment(name)}=`}`),
    { kind: 'key', value } as const,
  ]);
  return [...pairs, textPart(')')];
}

/** The URLs of rows at the end of the request path. */
export function urlsOfRows(
  model: Model,
  rows: Rows,
  address: readonly AddressStep[],
): readonly RowUrl[] {
  const { row } = rows;
  const { origin } = unlimitedRows(rows);
  if (row.source.kind !== 'containment') return urlsInSet(model, row, row.source);
  const last = address.findLastIndex((step) => step.kind === 'containment');
  if (origin.kind !== 'related' || last < 0) return [];
  const { before, trail } = splitOwner(address.slice(0, last + 1), origin.path.length);
  const owner = ownerPath(origin.from, before);
  const tail = stepParts(trail.map(({ key: _, value: __, ...step }) => step));
  const key = origin.navigation.collection ? keyPredicate(model, row) : [];
  return [{ parts: [ROOT, ...joined([...owner, textPart('/'), ...tail, ...key])] }];
}

/** The URLs of expanded rows; `path` is relative to the parent. */
export function urlsOfExpanded(
  model: Model,
  parent: readonly RowUrl[],
  row: EntityRow,
  { path, collection }: { readonly path: string; readonly collection: boolean },
): readonly RowUrl[] {
  if (row.source.kind !== 'containment') return urlsInSet(model, row, row.source);
  const key = collection ? keyPredicate(model, row) : [];
  return parent.map((url) => ({ ...url, parts: [...url.parts, textPart(`/${path}`), ...key] }));
}

function urlsInSet(model: Model, row: EntityRow, source: Source): readonly RowUrl[] {
  if (source.kind === 'union') return urlsInUnion(model, row, source);
  const name = encodeSegment(source.set?.name ?? source.id);
  if (source.set?.kind === 'singleton') return [{ parts: [ROOT, textPart(name)] }];
  const [first, ...others] = keyPredicate(model, row);
  const open = first?.kind === 'text' ? first.text : '';
  return [{ parts: [ROOT, textPart(`${name}${open}`), ...others] }];
}

/** The type of a row identifies its set; if several sets share a type, the first is used. */
function urlsInUnion(model: Model, row: EntityRow, union: Source): readonly RowUrl[] {
  const handled = new Set<EntityType>();
  return (union.members ?? []).flatMap((member) => {
    if (handled.has(member.type)) return [];
    handled.add(member.type);
    const when = instanceOf(entityValue(variable(row), row.type), member.type);
    return urlsInSet(model, row, member).map((url) => ({ ...url, when }));
  });
}

interface OwnerSteps {
  /** Steps that address the owner of a navigation. */
  readonly before: readonly AddressStep[];
  /** Complex properties and the navigation step. */
  readonly trail: readonly AddressStep[];
}

function splitOwner(steps: readonly AddressStep[], complexSteps: number): OwnerSteps {
  const cut = Math.max(0, steps.length - 1 - complexSteps);
  return { before: steps.slice(0, cut), trail: steps.slice(cut) };
}

/**
 * The URL of the single row that the steps address, relative to the service root: `ServiceRequests(10)`. It is canonical if the
 * steps contain the keys. A trailing type cast is dropped.
 */
export function ownerPath(rows: Rows, steps: readonly AddressStep[]): readonly LinkPart[] {
  const end = steps.findLastIndex((step) => step.kind !== 'cast') + 1;
  const own = steps.slice(0, end);
  const step = own.at(-1);
  const { source } = rows.row;
  if (source.set?.kind === 'singleton') return [textPart(encodeSegment(source.set.name))];
  if (source.kind === 'set' && step?.key !== undefined)
    return keyed(encodeSegment(source.id), step.key, step.value);
  const { origin } = rows;
  if (source.kind === 'containment' && origin.kind === 'related' && step?.kind === 'containment') {
    const { before, trail } = splitOwner(own, origin.path.length);
    return [...ownerPath(origin.from, before), textPart('/'), ...stepParts(trail)];
  }
  return stepParts(own);
}

/** The URL of the collection around a contained row: `ServiceRequests(10)/Attachments`. */
export function collectionPath(rows: Rows, steps: readonly AddressStep[]): readonly LinkPart[] {
  const last = steps.findLastIndex((step) => step.kind === 'containment');
  const own = steps.slice(0, last + 1);
  const { origin } = rows;
  if (origin.kind !== 'related' || last < 0) return stepParts(withoutKey(steps));
  const { before, trail } = splitOwner(own, origin.path.length);
  return [...ownerPath(origin.from, before), textPart('/'), ...stepParts(withoutKey(trail))];
}

function withoutKey(steps: readonly AddressStep[]): readonly AddressStep[] {
  const last = steps.at(-1);
  if (last?.key === undefined) return steps;
  const { key: _, value: __, ...bare } = last;
  return [...steps.slice(0, -1), bare];
}

/** The steps as a percent-encoded path. Keys that vary between requests of the same URL template are separate parts. */
function stepParts(steps: readonly AddressStep[]): readonly LinkPart[] {
  const segments = steps.flatMap(({ name, key, value, cast }, index): (readonly LinkPart[])[] => [
    ...(cast === undefined || steps[index - 1]?.kind === 'cast'
      ? []
      : [[textPart(encodeSegment(cast))]]),
    keyed(encodeSegment(name), key, value),
  ]);
  return joined(segments.flatMap((parts, index) => [...(index === 0 ? [] : [SLASH]), ...parts]));
}

const SLASH = textPart('/');

function keyed(
  name: string,
  key: string | undefined,
  value: LiteralExpression | undefined,
): readonly LinkPart[] {
  if (key === undefined) return [textPart(name)];
  return value === undefined
    ? [textPart(`${name}(${encodeSegment(key)})`)]
    : [textPart(`${name}(`), { kind: 'key', value }, textPart(')')];
}

/** Merges adjacent texts. */
function joined(parts: readonly LinkPart[]): readonly LinkPart[] {
  const all: LinkPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.kind === 'text' && part.kind === 'text')
      all[all.length - 1] = textPart(last.text + part.text);
    else all.push(part);
  }
  return all;
}

/** A text, and the keys of the request URL within it. */
export interface KeyedText {
  readonly text: string;
  readonly keys: readonly TextKey[];
}

/** Joins parts that do not depend on a row. */
export function textOf(parts: readonly LinkPart[]): KeyedText {
  let text = '';
  const keys: TextKey[] = [];
  for (const part of parts) {
    if (part.kind === 'key' && part.value.kind === 'literal') {
      const { parameter } = part.value;
      const digits = String(parameter === undefined ? part.value.value : parameter.shown);
      if (parameter !== undefined)
        keys.push({ at: text.length, length: digits.length, slot: parameter.slot });
      text += digits;
    } else {
      invariant(part.kind === 'text', 'a constant URL has no parts that depend on a row');
      text += part.text;
    }
  }
  return { text, keys };
}
