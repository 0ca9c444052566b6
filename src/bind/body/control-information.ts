// This file tells the members of a JSON object from the control information and annotations between them. `@odata.type` and `@type`
// are the same, as are `Caller@odata.bind` and `Caller@bind`. OData JSON 4.01, "Control Information", "Annotations".
import type { JsonInput, JsonObject } from '../../edm/value/lossless-json.ts';

/** An object of a body, sorted. Control information goes by its name without prefix: `type`, `id`, `bind`. */
export interface SortedObject {
  readonly members: ReadonlyMap<string, JsonInput>;
  readonly controls: ReadonlyMap<string, JsonInput>;
  /** By the member that they are about. */
  readonly memberControls: ReadonlyMap<string, ReadonlyMap<string, JsonInput>>;
  /** Annotations of the object itself, by qualified term. */
  readonly annotations: ReadonlyMap<string, JsonInput>;
}

/** All that the standard knows; OData JSON 4.01, "Control Information". */
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

/** Those by which something is asked for: a misspelt one must not be passed over. */
const ASKING = ['bind', 'delta', 'removed', 'type', 'id'];

export function sortMembers(object: JsonObject): SortedObject {
  const members = new Map<string, JsonInput>();
  const controls = new Map<string, JsonInput>();
  const memberControls = new Map<string, Map<string, JsonInput>>();
  const annotations = new Map<string, JsonInput>();
  for (const [name, value] of Object.entries(object)) {
    const at = name.indexOf('@');
    if (at < 0) {
      members.set(name, value);
      continue;
    }
    const term = controlName(name.slice(at + 1));
    if (at === 0) (isControl(term) ? controls : annotations).set(term, value);
    if (at === 0 || !isControl(term)) continue;
    const stem = name.slice(0, at);
    memberControls.set(stem, (memberControls.get(stem) ?? new Map()).set(term, value));
  }
  return { members, controls, memberControls, annotations };
}

/** `odata.bind` and `bind` are `bind`; a term of a vocabulary stays as it is. */
function controlName(term: string): string {
  return term.startsWith('odata.') ? term.slice('odata.'.length) : term;
}

function isControl(term: string): boolean {
  return !term.includes('.');
}

/** Control information that does not exist, and what it was probably meant to be: with the member that it is about. */
export interface Misspelt {
  /** '' for the object itself. */
  readonly member: string;
  readonly control: string;
  readonly meant: string;
}

/** The misspelled control information of an object, where the right one would ask for something: ignoring it would lose a request. */
export function misspeltControls(
  { controls, memberControls }: SortedObject,
  isRelation: (member: string) => boolean,
): readonly Misspelt[] {
  const places = [['', controls] as const, ...memberControls];
  return places.flatMap(([member, given]) =>
    [...given.keys()].flatMap((control) => {
      const meant = isRelation(member) && control === 'id' ? 'bind' : meantControl(control);
      return meant === undefined ? [] : [{ member, control, meant }];
    }),
  );
}

/** The control information that an unknown name was meant to be, where it asks for something. */
function meantControl(term: string): string | undefined {
  if (KNOWN.has(term)) return undefined;
  if (/^bind/i.test(term)) return 'bind';
  return ASKING.find((known) => isNear(term.toLowerCase(), known));
}

/** One letter more, less or other, or two exchanged. */
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

/** The name of a type as an annotation gives it: `#NS.T`, `NS.T` and `http://host/odata/$metadata#NS.T` are `NS.T`. */
export function annotatedType(text: string): {
  readonly name: string;
  readonly collection: boolean;
} {
  const name = text.slice(text.lastIndexOf('#') + 1);
  const [, item] = /^Collection\((.*)\)$/.exec(name) ?? [];
  return { name: item ?? name, collection: item !== undefined };
}
