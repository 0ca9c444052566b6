// This file reads labels.csv, the labels of model elements by language, and adds them to the definition. A row names a type, operation
// or the container, and optionally a member. A row without a type applies to every member of that name without a label of its own.
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

/** Adds the labels of the table to the definition. A row with a type overrides existing labels; one without only fills gaps. */
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
      reportCell(row, 'type', 'The element has more than one row.', 'Remove one of them.');
    }
    labels.set(element, textsOfRow(row));
  }
  return labelDefinition(definition, labels);
}

/** The elements that a row can name. */
interface Elements {
  /** Members (properties, parameters, sets) by the qualified name of their owner. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Qualified names by simple name; the first one wins. */
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

/** The element that a row names; undefined, with a mistake, if the model does not have it. */
function elementOf(row: TableRow, elements: Elements): string | undefined {
  const { members, qualified, anywhere } = elements;
  const type = cellText(row, 'type');
  if (type === undefined) {
    const member = requiredCell(row, 'member');
    if (member === undefined || anywhere.has(member)) return member && `/${member}`;
    const message = `No type has a member "${member}".`;
    reportCell(row, 'member', message, `Correct the name.${didYouMean(member, anywhere)}`);
    return undefined;
  }
  const owner = members.has(type) ? type : qualified.get(type);
  if (owner === undefined) {
    const near = didYouMean(type, qualified.keys());
    const message = `The model has no type or operation "${type}".`;
    reportCell(row, 'type', message, `Correct the name.${near}`);
    return undefined;
  }
  const member = cellText(row, 'member');
  if (member === undefined) return owner;
  const names = members.get(owner) ?? new Set();
  if (names.has(member)) return `${owner}/${member}`;
  const near = didYouMean(member, names);
  reportCell(row, 'member', `${type} has no member "${member}".`, `Correct the name.${near}`);
  return undefined;
}

function labelDefinition(definition: ModelDefinition, labels: Labels): ModelDefinition {
  const { container } = definition;
  return {
    ...definition,
    types: definition.types.map((type) => labelType(type, labels)),
    operations: definition.operations.map((operation) => labelOperation(operation, labels)),
    sets: definition.sets.map((set) => addLabels(set, labels.get(`${container}/${set.name}`))),
    imports: definition.imports.map((item) =>
      addLabels(item, labels.get(`${container}/${item.name}`)),
    ),
  };
}

function labelType(type: NamedType, labels: Labels): NamedType {
  const named = addLabels(type, labels.get(type.name));
  if (named.kind === 'definition') return named;
  if (named.kind === 'enum') {
    const members = named.members.map((member) =>
      addLabels(member, labels.get(`${type.name}/${member.name}`)),
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
  return addLabels(filled, labels.get(`${owner}/${member.name}`));
}

function labelOperation(operation: Operation, labels: Labels): Operation {
  const { name } = operation;
  const parameters = operation.parameters.map((parameter) =>
    addLabels(parameter, labels.get(`${name}/${parameter.name}`)),
  );
  return { ...addLabels(operation, labels.get(name)), parameters };
}

function addLabels<Thing extends Described>(thing: Thing, texts: Texts | undefined): Thing {
  return texts === undefined ? thing : { ...thing, labels: { ...thing.labels, ...texts } };
}
