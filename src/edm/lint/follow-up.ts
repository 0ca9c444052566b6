// This file separates the mistakes of a model from those that only follow from others: later checks ignore elements that earlier ones
// found broken, so that one run reports all mistakes, each of them once.
import {
  areRelated,
  type Described,
  type EntitySet,
  isPlainRecord,
  isStructured,
  type Member,
  type ModelDefinition,
  makeModel,
  type NamedType,
  simpleName,
} from '../model.ts';
import { codeListPath, elementPath, type Mistake } from '../model-error.ts';
import { allSources } from '../source.ts';
import { hasMistakes, lintModel } from './lint.ts';

/** What is wrong with a model before its lint. */
export interface BrokenElements {
  /** The JSON paths of elements with mistakes. */
  readonly paths: ReadonlySet<string>;
  /** The names of elements that cannot be understood. Other mistakes that contain one of them may follow from it. */
  readonly names: ReadonlySet<string>;
}

/** Members of CSDL elements without which the element means something else. */
const DEFINING =
  /\.\$(Kind|Type|BaseType|Key|UnderlyingType|Collection|Function|Action|Parameter)\b/;

/** The elements that the mistakes of reading a document are about. The mistakes have paths in that document. */
export function brokenElements(
  definition: ModelDefinition,
  mistakes: readonly Mistake[],
): BrokenElements {
  const known = elementsOf(definition);
  const paths = new Set<string>();
  const names = new Set(unreadNames(definition));
  for (const { path } of mistakes) {
    const element = innermost(path, known);
    if (element === undefined) continue;
    paths.add(element);
    if (DEFINING.test(path.slice(element.length))) addNames(names, known.get(element) ?? '');
  }
  return { paths, names };
}

/** The names of elements of unknown kinds, which only the remainder contains, and those of members that only they have. */
function unreadNames({ remainder, types }: ModelDefinition): readonly string[] {
  const known = new Set(
    types.filter(isStructured).flatMap(({ members }) => members.map(({ name }) => name)),
  );
  return Object.entries(remainder?.schemas ?? {}).flatMap(([namespace, schema]) =>
    Object.entries(schema).flatMap(([name, element]) => {
      if (/[@$]/.test(name) || !isPlainRecord(element) || element.$Kind === 'Term') return [];
      const members = Object.keys(element).filter((one) => !/[@$]/.test(one) && !known.has(one));
      return [name, `${namespace}.${name}`, ...members];
    }),
  );
}

/** Adds a qualified name, and the simple name, which some messages contain. */
function addNames(names: Set<string>, name: string): void {
  names.add(name).add(simpleName(name));
}

/** Qualified names are one word, because a navigation often has the simple name of a type. */
const WORD = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu;

/** The mistakes that are neither in a broken element nor about one. */
export function withoutFollowUps(
  definition: ModelDefinition,
  mistakes: readonly Mistake[],
  { paths, names }: BrokenElements,
): readonly Mistake[] {
  const known = elementsOf(definition);
  return mistakes.filter(({ path, message }) => {
    const words = message.match(WORD) ?? [];
    return !paths.has(innermost(path, known) ?? '') && !words.some((word) => names.has(word));
  });
}

/** A part of a model without mistakes. */
export interface SoundPart {
  readonly definition: ModelDefinition;
  /** The names of the elements that it lacks. */
  readonly names: ReadonlySet<string>;
}

/** Removes elements until lint finds no mistake; undefined if a mistake is not in an element that can be removed. */
export function soundPart(
  definition: ModelDefinition,
  broken: BrokenElements,
  found: readonly Mistake[],
): SoundPart | undefined {
  const names = new Set(broken.names);
  const isNamed = elementsOf(definition);
  const unsound = [...broken.paths].filter((path) => names.has(isNamed.get(path) ?? ''));
  let rest: ModelDefinition | undefined = definition;
  let wrong: readonly string[] = [...unsound, ...pathsOf(found)];
  while (rest !== undefined && wrong.length > 0) {
    rest = withoutElements(rest, wrong, names);
    if (rest !== undefined) wrong = pathsOf(lintModel(rest));
  }
  return rest && { definition: withStoredTypes(rest), names };
}

/** Entity types that no set contains get one, because expressions about them cannot be compiled otherwise. */
function withStoredTypes(definition: ModelDefinition): ModelDefinition {
  const model = makeModel(definition);
  const sources = allSources(model);
  const unstored = definition.types.filter(
    (type) =>
      type.kind === 'entity' &&
      model.key(type).length > 0 &&
      !sources.some((source) => areRelated(model, source.type, type)),
  );
  const sets = unstored.map(({ name }): EntitySet => {
    return { kind: 'set', name: `*${name}`, type: name, listed: false, bindings: {} };
  });
  return sets.length === 0 ? definition : { ...definition, sets: [...definition.sets, ...sets] };
}

function pathsOf(mistakes: readonly Mistake[]): readonly string[] {
  return mistakes.filter((one) => hasMistakes([one])).map(({ path }) => path);
}

// ---- elements -------------------------------------------------------------------------------------------------------

/** The names of all elements by their JSON path. */
function elementsOf(definition: ModelDefinition): ReadonlyMap<string, string> {
  const { container, types, operations, sets, imports, codeLists } = definition;
  return new Map([
    [elementPath(container), ''],
    ...[...types, ...operations].map(({ name }) => [elementPath(name), name] as const),
    ...types
      .filter(isStructured)
      .flatMap(({ name, members }) =>
        members.map((member) => [elementPath(name, member.name), member.name] as const),
      ),
    ...[...sets, ...imports].map(({ name }) => [elementPath(container, name), name] as const),
    ...codeLists.map(({ name }) => [codeListPath(container, name), name] as const),
  ]);
}

function innermost(path: string, known: ReadonlyMap<string, string>): string | undefined {
  for (let end = path.length; end > 0; end--) {
    const isEnd = end === path.length || path[end] === '.' || path[end] === '[';
    if (isEnd && known.has(path.slice(0, end))) return path.slice(0, end);
  }
  return undefined;
}

/** The fields of elements that can be removed alone, by the end of the path. */
const FIELDS: Readonly<Record<string, string>> = {
  '.$Partner': 'partner',
  '.$DefaultValue': 'defaultValue',
  '["@Core.AlternateKeys"]': 'alternateKeys',
  '["@Docket.DisplayName"]': 'displayName',
  '["@Docket.Indexes"]': 'indexes',
  '["@Docket.Recipient"]': 'recipient',
  '["@Docket.MailRecord"]': 'mail',
  '["@Docket.Relates"]': 'relates',
  '["@Docket.RenamedFrom"]': 'renamedFrom',
  '["@Docket.Discloses"]': 'discloses',
  '["@Docket.People"]': 'people',
  '["@Docket.History"]': 'history',
  '["@Docket.Templates"]': 'templates',
};

type Element = Described & { readonly name: string };

/** @param names receives those of the removed elements */
function withoutElements(
  definition: ModelDefinition,
  paths: readonly string[],
  names: Set<string>,
): ModelDefinition | undefined {
  const { container } = definition;
  const wrong = endsByElement(definition, paths);
  const inContainer = wrong.get(elementPath(container)) ?? [];
  const rest = withoutParts(definition, inContainer);
  if (rest === undefined || wrong.has('')) return undefined;
  const kept = <Thing extends Element>(path: string, thing: Thing): readonly Thing[] => {
    const sound = withoutParts(thing, wrong.get(path) ?? []);
    if (sound === undefined) addNames(names, thing.name);
    return sound === undefined ? [] : [sound];
  };
  const child = <Thing extends Element>(thing: Thing) =>
    kept(elementPath(container, thing.name), thing);
  const set = (one: EntitySet) => {
    const bound = withoutBindings(one, names);
    return bound === one ? child(one) : [bound];
  };
  const types = rest.types
    .flatMap((type) => kept(elementPath(type.name), type))
    .map((type): NamedType => {
      if (!isStructured(type)) return type;
      const own = (member: Member) => kept(elementPath(type.name, member.name), member);
      return { ...type, members: type.members.flatMap(own) };
    });
  return {
    ...rest,
    types,
    operations: rest.operations.flatMap((one) => kept(elementPath(one.name), one)),
    imports: rest.imports.flatMap(child),
    codeLists: rest.codeLists.flatMap((one) => kept(codeListPath(container, one.name), one)),
    sets: rest.sets.flatMap(set),
  };
}

/** The ends of the paths by the path of their element; '' for paths outside any element. */
function endsByElement(
  definition: ModelDefinition,
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const known = elementsOf(definition);
  const ends = new Map<string, string[]>();
  for (const path of paths) {
    const element = innermost(path, known) ?? '';
    ends.set(element, [...(ends.get(element) ?? []), path.slice(element.length)]);
  }
  return ends;
}

/** The element without the fields and annotations at the ends; undefined if it cannot do without them. */
function withoutParts<Thing extends Described>(
  thing: Thing,
  ends: readonly string[],
): Thing | undefined {
  if (ends.length === 0) return thing;
  const { annotations = {} } = thing;
  const fields = ends.map((end) => FIELDS[end] ?? '');
  const terms = ends.map((end) => /^\["@(.+?)"\]/.exec(end)?.[1] ?? '');
  const isRemovable = ends.every(
    (_, at) =>
      Object.hasOwn(thing, fields[at] ?? '') || Object.hasOwn(annotations, terms[at] ?? ''),
  );
  if (!isRemovable) return undefined;
  const rest = Object.entries(thing).filter(([name]) => !fields.includes(name));
  const others = Object.entries(annotations).filter(([term]) => !terms.includes(term));
  return { ...Object.fromEntries(rest), annotations: Object.fromEntries(others) } as Thing;
}

/** The set without bindings of removed navigations and to removed sets; the same set if it has none. */
function withoutBindings(set: EntitySet, names: ReadonlySet<string>): EntitySet {
  const all = Object.entries(set.bindings);
  const kept = all.filter(
    ([path, target]) => ![target, ...path.split(/[./]/)].some((name) => names.has(name)),
  );
  return kept.length === all.length ? set : { ...set, bindings: Object.fromEntries(kept) };
}
