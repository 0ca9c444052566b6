// This file merges the additions of an installation into a base definition. New elements are added, and existing ones are overridden
// member by member. Nothing is removed.

import { definedMembers } from './defined-members.ts';
import {
  type CodeList,
  type Described,
  type EnumType,
  isStructured,
  type Json,
  type ModelDefinition,
  type NamedType,
  type Operation,
  type StructuredType,
} from './model.ts';
import { elementPath, type Mistake, memberPath } from './model-error.ts';

export interface MergedModel {
  readonly definition: ModelDefinition;
  readonly mistakes: readonly Mistake[];
}

/**
 * Merges the additions into the base. Elements match by name, codes by value and overloads of operations by their parameters. Where
 * both describe the same element, the additions win. The kind of a type cannot change.
 */
export function mergeDefinition(base: ModelDefinition, additions: ModelDefinition): MergedModel {
  const mistakes = [...kindMistakes(base, additions), ...containerMistakes(base, additions)];
  const definition: ModelDefinition = {
    ...base,
    ...mergeDescribed(base, additions),
    namespaces: mergeBy(base.namespaces, additions.namespaces, nameOf, replace),
    types: mergeBy(base.types, additions.types, nameOf, mergeType),
    sets: mergeBy(base.sets, additions.sets, nameOf, (old, set) => ({
      ...old,
      ...set,
      ...mergeDescribed(old, set),
      // Sets are listed by default, so additions to a hidden set must not list it by accident.
      listed: old.listed && set.listed,
      bindings: { ...old.bindings, ...set.bindings },
    })),
    operations: mergeBy(base.operations, additions.operations, signatureOf, replace),
    imports: mergeBy(base.imports, additions.imports, nameOf, replace),
    codeLists: mergeBy(base.codeLists, additions.codeLists, nameOf, mergeCodeList),
    languages: [...new Set([...base.languages, ...additions.languages])],
    ...mergeModelSettings(base, additions),
  };
  return { definition, mistakes };
}

/** Settings of the model as a whole that additions may override. */
function mergeModelSettings(
  base: ModelDefinition,
  additions: ModelDefinition,
): Partial<ModelDefinition> {
  const remainder = definedMembers({
    references: mergeRecords(base.remainder?.references, additions.remainder?.references),
    schemas: mergeRecords(base.remainder?.schemas, additions.remainder?.schemas),
  });
  return definedMembers({
    people: additions.people ?? base.people,
    history: additions.history ?? base.history,
    templates: additions.templates ?? base.templates,
    containerAnnotations: mergeRecords(base.containerAnnotations, additions.containerAnnotations),
    remainder: Object.keys(remainder).length === 0 ? undefined : remainder,
  });
}

function kindMistakes(base: ModelDefinition, additions: ModelDefinition): readonly Mistake[] {
  const kinds = new Map(base.types.map(({ name, kind }) => [name, kind]));
  return additions.types.flatMap(({ name, kind }) => {
    const known = kinds.get(name);
    return known === undefined || known === kind
      ? []
      : [
          {
            path: elementPath(name, '$Kind'),
            message: `${name} already exists in the base model with a different $Kind.`,
            remedy: 'Rename the new type.',
          },
        ];
  });
}

function containerMistakes(base: ModelDefinition, additions: ModelDefinition): readonly Mistake[] {
  if (additions.container === '' || additions.container === base.container) return [];
  return [
    {
      path: memberPath('$', '$EntityContainer'),
      message: `Additions must use the container ${base.container}, not ${additions.container}.`,
      remedy: `Rename the container to ${base.container}.`,
    },
  ];
}

function mergeType(old: NamedType, added: NamedType): NamedType {
  if (isStructured(old) && isStructured(added)) return mergeStructured(old, added);
  if (old.kind === 'enum' && added.kind === 'enum') return mergeEnum(old, added);
  return old.kind === added.kind ? { ...added, ...mergeDescribed(old, added) } : old;
}

function mergeStructured(old: StructuredType, added: StructuredType): StructuredType {
  const members = mergeBy(old.members, added.members, nameOf, replace);
  const described = mergeDescribed(old, added);
  if (old.kind === 'entity' && added.kind === 'entity') {
    return { ...old, ...added, ...described, members };
  }
  return old.kind === 'complex' && added.kind === 'complex'
    ? { ...old, ...added, ...described, members }
    : old;
}

function mergeEnum(old: EnumType, added: EnumType): EnumType {
  const members = mergeBy(old.members, added.members, nameOf, replace);
  return { ...old, ...mergeDescribed(old, added), members };
}

function mergeCodeList(old: CodeList, added: CodeList): CodeList {
  const codes = mergeBy(
    old.codes,
    added.codes,
    ({ value }) => value.toString(),
    (code, change) => ({
      ...code,
      ...change,
      texts: { ...code.texts, ...change.texts },
    }),
  );
  const ordered = old.ordered || added.ordered;
  const hierarchical = old.hierarchical || added.hierarchical;
  return { ...old, ...mergeDescribed(old, added), ordered, hierarchical, codes };
}

function mergeDescribed(old: Described, added: Described): Described {
  return definedMembers({
    labels: mergeRecords(old.labels, added.labels),
    description: added.description ?? old.description,
    annotations: mergeRecords(old.annotations, added.annotations),
  });
}

type Entries<Value> = Readonly<Record<string, Value>>;

function mergeRecords<Value extends Json>(
  old: Entries<Value> | undefined,
  added: Entries<Value> | undefined,
): Entries<Value> | undefined {
  return old === undefined && added === undefined ? undefined : { ...old, ...added };
}

/** The base items in order, merged with additions of the same key, followed by the new items. */
function mergeBy<Item>(
  base: readonly Item[],
  additions: readonly Item[],
  keyOf: (item: Item) => string,
  merge: (old: Item, added: Item) => Item,
): readonly Item[] {
  const added = new Map(additions.map((item) => [keyOf(item), item]));
  const known = new Set(base.map(keyOf));
  const changed = base.map((item) => {
    const change = added.get(keyOf(item));
    return change === undefined ? item : merge(item, change);
  });
  return [...changed, ...additions.filter((item) => !known.has(keyOf(item)))];
}

function replace<Item>(_old: Item, added: Item): Item {
  return added;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function signatureOf({ name, parameters }: Operation): string {
  const list = parameters.map((item) => `${item.name}:${item.type}:${item.collection}`);
  return `${name}(${list.join(',')})`;
}
