// This file reads labels.csv, which names the elements of a model in its languages, and puts the names into the definition. A row names a
// type, operation or the container, and perhaps one of its members; a row without a type names all members that have no label yet.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type Described,
  isStructured,
  type Member,
  type ModelDefinition,
  type NamedType,
  type Operation,
  simpleName,
  type Texts,
} from '../model.ts';
import type { Mistake } from '../model-error.ts';
import type { TextFile } from './csv.ts';
import {
  cellText,
  readTable,
  reportCell,
  requiredCell,
  type TableRow,
  textsOfRow,
} from './table.ts';

export const LABELS_FILE = 'labels.csv';

/** Texts by element: `Person`, `Person/Name`, or `/Name` for members of any type. */
type Labels = ReadonlyMap<string, Texts>;

/** The definition with the labels of the table. A row that names its element decides; one without a type only fills gaps. */
export function applyLabels(
  definition: ModelDefinition,
  file: TextFile,
  mistakes: Mistake[],
): ModelDefinition {
  const columns = { required: ['type', 'member'], optional: [], languages: definition.languages };
  const elements = elementsOf(definition);
  const labels = new Map<string, Texts>();
  for (const row of readTable(file, columns, mistakes)) {
    const element = elementOf(row, elements);
    if (element === undefined) continue;
    if (labels.has(element)) {
      reportCell(row, 'type', 'There is another row for the same element.', 'Remove one of them.');
    }
    labels.set(element, textsOfRow(row));
  }
  return labelDefinition(definition, labels);
}

/** What a row can name. */
interface Elements {
  /** Members by the qualified name of what has them: properties, parameters, sets. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Qualified names by simple name; the first counts. */
  readonly qualified: ReadonlyMap<string, string>;
  /** Members of any structured type. */
  readonly anywhere: ReadonlySet<string>;
}

function elementsOf(definition: ModelDefinition): Elements {
  const { types, operations, container, sets, imports } = definition;
  const members = new Map<string, Set<string>>();
  const add = (owner: string, things: readonly { readonly name: string }[]) => {
    const names = members.get(owner) ?? new Set();
    for (const { name } of things) names.add(name);
    members.set(owner, names);
  };
  for (const type of types) add(type.name, type.kind === 'definition' ? [] : type.members);
  for (const { name, parameters } of operations) add(name, parameters);
  if (container !== '') add(container, [...sets, ...imports]);
  const qualified = new Map(
    [...members.keys()].toReversed().map((name) => [simpleName(name), name]),
  );
  const anywhere = new Set<string>();
  for (const type of types.filter(isStructured))
    for (const { name } of type.members) anywhere.add(name);
  return { members, qualified, anywhere };
}

/** The element that a row is about; undefined where the model does not have it. */
function elementOf(row: TableRow, elements: Elements): string | undefined {
  const { members, qualified, anywhere } = elements;
  const type = cellText(row, 'type');
  if (type === undefined) {
    const member = requiredCell(row, 'member');
    if (member === undefined || anywhere.has(member)) return member && `/${member}`;
    const message = `No type has a member "${member}".`;
    reportCell(row, 'member', message, `Name one of the model.${didYouMean(member, anywhere)}`);
    return undefined;
  }
  const owner = members.has(type) ? type : qualified.get(type);
  if (owner === undefined) {
    const near = didYouMean(type, qualified.keys());
    reportCell(row, 'type', `The model has nothing named "${type}".`, `Name a type of it.${near}`);
    return undefined;
  }
  const member = cellText(row, 'member');
  if (member === undefined) return owner;
  const names = members.get(owner) ?? new Set();
  if (names.has(member)) return `${owner}/${member}`;
  const near = didYouMean(member, names);
  reportCell(row, 'member', `${type} has no member "${member}".`, `Name one that it has.${near}`);
  return undefined;
}

function labelDefinition(definition: ModelDefinition, labels: Labels): ModelDefinition {
  const { container } = definition;
  return {
    ...definition,
    types: definition.types.map((type) => labelType(type, labels)),
    operations: definition.operations.map((operation) => labelOperation(operation, labels)),
    sets: definition.sets.map((set) => labelThing(set, labels.get(`${container}/${set.name}`))),
    imports: definition.imports.map((item) =>
      labelThing(item, labels.get(`${container}/${item.name}`)),
    ),
  };
}

function labelType(type: NamedType, labels: Labels): NamedType {
  const named = labelThing(type, labels.get(type.name));
  if (named.kind === 'definition') return named;
  if (named.kind === 'enum') {
    const members = named.members.map((member) =>
      labelThing(member, labels.get(`${type.name}/${member.name}`)),
    );
    return { ...named, members };
  }
  return {
    ...named,
    members: named.members.map((member) => labelMember(type.name, member, labels)),
  };
}

function labelMember(owner: string, member: Member, labels: Labels): Member {
  const general = labels.get(`/${member.name}`);
  const filled =
    general === undefined ? member : { ...member, labels: { ...general, ...member.labels } };
  return labelThing(filled, labels.get(`${owner}/${member.name}`));
}

function labelOperation(operation: Operation, labels: Labels): Operation {
  const { name } = operation;
  const parameters = operation.parameters.map((parameter) =>
    labelThing(parameter, labels.get(`${name}/${parameter.name}`)),
  );
  return { ...labelThing(operation, labels.get(name)), parameters };
}

function labelThing<Thing extends Described>(thing: Thing, texts: Texts | undefined): Thing {
  return texts === undefined ? thing : { ...thing, labels: { ...thing.labels, ...texts } };
}
