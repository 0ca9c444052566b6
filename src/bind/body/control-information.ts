// Separates the members of a JSON object from its control information and annotations. `@odata.type` and `@type` are equivalent, as
// are `Caller@odata.bind` and `Caller@bind`. OData JSON 4.01, "Control Information", "Annotations".
// Advertised operations are ignored like links, so that clients may send what they have read.

import type { Model } from '../../edm/model.ts';
import { type JsonInput, type JsonObject, showInput } from '../../edm/value/lossless-json.ts';
import { isPrimitive, resolvePrimitive } from '../../edm/value/primitives.ts';
import { fullName } from '../names.ts';
import { type Mistakes, memberPath, type Slot, type ValueScope } from './body-errors.ts';

/** The parts of a JSON object. Names of control information have no prefix: `type`, `id`, `bind`. */
export interface SortedObject {
  readonly members: ReadonlyMap<string, JsonInput>;
  readonly controls: ReadonlyMap<string, JsonInput>;
  /** Control information of members, by member name. */
  readonly memberControls: ReadonlyMap<string, ReadonlyMap<string, JsonInput>>;
  /** Control information that the object contains in both spellings: `@odata.id`, `Caller@odata.bind`. */
  readonly repeated: readonly string[];
  /** Annotations of the object itself, by qualified term. */
  readonly annotations: ReadonlyMap<string, JsonInput>;
}

/** All control information of the standard. OData JSON 4.01, "Control Information". */
const KNOWN = new Set([
  'associationLink',
  'bind',
  'collectionAnnotations',
  'context',
  'count',
  'delta',
  'deltaLink',
  'editLink',
  'etag',
  'id',
  'mediaContentType',
  'mediaEditLink',
  'mediaEtag',
  'mediaReadLink',
  'metadataEtag',
  'navigationLink',
  'nextLink',
  'readLink',
  'removed',
  'type',
]);

/** Control information that changes the effect of a request, so a misspelled one must not be ignored. */
const SIGNIFICANT = ['bind', 'delta', 'removed', 'type', 'id'];

/** `#NS.Close` or `Workorders#NS.Close`: an advertised operation. OData JSON 4.01, "Bound Function", "Bound Action". */
const ADVERTISED = /^[^#@.]*#[^#@]*\./;

export function sortMembers(object: JsonObject): SortedObject {
  const members = new Map<string, JsonInput>();
  const controls = new Map<string, JsonInput>();
  const memberControls = new Map<string, Map<string, JsonInput>>();
  const annotations = new Map<string, JsonInput>();
  const repeated: string[] = [];
  for (const [name, value] of Object.entries(object)) {
    const at = name.indexOf('@');
    if (at < 0) {
      if (!ADVERTISED.test(name)) members.set(name, value);
      continue;
    }
    const term = controlName(name.slice(at + 1));
    const stem = name.slice(0, at);
    if (!isControl(term)) {
      if (stem === '') annotations.set(term, value);
      continue;
    }
    const known = stem === '' ? controls : (memberControls.get(stem) ?? new Map());
    if (known.has(term)) repeated.push(`${stem}@odata.${term}`);
    known.set(term, value);
    if (stem !== '') memberControls.set(stem, known);
  }
  return { members, controls, memberControls, annotations, repeated };
}

/** Notes control information that is there in both spellings, one of which would be ignored: `@id` and `@odata.id`. */
export function noteRepeated(mistakes: Mistakes, { repeated }: SortedObject, target: string): void {
  for (const name of repeated) {
    const place = memberPath(target, name);
    mistakes.add('write.twice', { name: place }, place);
  }
}

/** Removes the `odata.` prefix; terms of vocabularies stay unchanged. */
function controlName(term: string): string {
  return term.startsWith('odata.') ? term.slice('odata.'.length) : term;
}

function isControl(term: string): boolean {
  return !term.includes('.');
}

/** Unknown control information of a member, and what was probably intended. */
export interface MisspelledControl {
  /** '' for the object itself. */
  readonly member: string;
  readonly control: string;
  readonly meant: string;
}

/** Finds misspelled control information that would change the effect of the request. */
export function misspelledControls(
  { controls, memberControls }: SortedObject,
  isRelation: (member: string) => boolean,
): readonly MisspelledControl[] {
  const places = [['', controls] as const, ...memberControls];
  return places.flatMap(([member, entries]) =>
    [...entries.keys()].flatMap((control) => {
      const meant = isRelation(member) && control === 'id' ? 'bind' : intendedControl(control);
      return meant === undefined ? [] : [{ member, control, meant }];
    }),
  );
}

/** The significant control information that an unknown name resembles. */
function intendedControl(term: string): string | undefined {
  if (KNOWN.has(term)) return undefined;
  if (/^bind/i.test(term)) return 'bind';
  return SIGNIFICANT.find((known) => isNear(term.toLowerCase(), known));
}

/** Whether the words differ by one inserted, missing or changed letter, or by two swapped letters. */
function isNear(left: string, right: string): boolean {
  if (left === right) return true;
  if (Math.abs(left.length - right.length) > 1 || right.length < 4) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  const ends = [
    [left.slice(start + 1), right.slice(start)],
    [left.slice(start), right.slice(start + 1)],
    [left.slice(start + 1), right.slice(start + 1)],
    [`${left[start + 1]}${left[start]}${left.slice(start + 2)}`, right.slice(start)],
  ];
  return ends.some(([one, other]) => one === other);
}

/** The type name in an annotation: `#NS.T`, `NS.T` and `http://host/odata/$metadata#NS.T` all mean `NS.T`. */
export function annotatedType(text: string): {
  readonly name: string;
  readonly collection: boolean;
} {
  const name = text.slice(text.lastIndexOf('#') + 1);
  const [, item] = /^Collection\((.*)\)$/.exec(name) ?? [];
  return { name: item ?? name, collection: item !== undefined };
}

/**
 * Adds a mistake if control information such as `"Deadline@odata.type": "#Date"` names another type than the declared one: the value is read
 * as one of the declared type. OData JSON 4.01, "Control Information: type".
 */
export function checkDeclaredType(
  { model, mistakes }: Pick<ValueScope, 'model' | 'mistakes'>,
  slot: Slot,
  annotated: JsonInput | undefined,
  target: string,
): void {
  if (annotated === undefined || annotated === null) return;
  const text = typeof annotated === 'string' ? annotated : '';
  if (text.length > 0 && isDeclaredType(model, slot, annotatedType(text))) return;
  const declared = slot.collection ? `Collection(${slot.type})` : slot.type;
  const example = `#${declared}`;
  noteType(mistakes, annotated, { expected: `use ${example} or omit it`, example }, target);
}

/** Adds the mistake that `@odata.type` has another type than `expected`, or is not even a text such as `example`. */
export function noteType(
  mistakes: Mistakes,
  annotated: JsonInput,
  {
    expected,
    example,
    hint = '',
  }: { readonly expected: string; readonly example: string; readonly hint?: string },
  target: string,
): void {
  const shown = showInput(annotated);
  if (typeof annotated === 'string')
    mistakes.add('write.type', { name: shown, expected, hint }, target);
  else mistakes.add('write.type-form', { found: shown, example }, target);
}

function isDeclaredType(
  model: Model,
  slot: Slot,
  { name, collection }: ReturnType<typeof annotatedType>,
): boolean {
  const builtIn = name.startsWith('Edm.') ? name : `Edm.${name}`;
  const written = isPrimitive(builtIn) ? builtIn : fullName(model, name);
  const isKnown = isPrimitive(builtIn) || (name.includes('.') && model.types.has(written));
  if (!isKnown || (collection !== slot.collection && slot.type !== 'Edm.Untyped')) return false;
  return isTypeOf(slot.type, written) || resolvePrimitive(model, slot)?.type === written;
}

/** Whether values of the written type have the declared one, which may be abstract. OData CSDL JSON 4.01, "Built-In Abstract Types". */
function isTypeOf(declared: string, written: string): boolean {
  switch (declared) {
    case 'Edm.Untyped':
      return true;
    case 'Edm.PrimitiveType':
      return isPrimitive(written);
    case 'Edm.Geography':
    case 'Edm.Geometry':
      return written.startsWith(declared);
    default:
      return written === declared;
  }
}
