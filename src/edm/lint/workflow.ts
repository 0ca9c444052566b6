// This file checks the workflows of entity types: the names of members, states and transitions. bind/ checks the expressions.
import {
  type EntityType,
  isStructured,
  type Member,
  type Model,
  memberAt,
  type Property,
} from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';
import type { Workflow, WorkflowState, WorkflowTransition } from '../workflow/declaration.ts';
import { workflowOwner } from '../workflow/workflow.ts';

interface Place {
  readonly model: Model;
  readonly type: EntityType;
  readonly workflow: Workflow;
  readonly path: string;
}

export function lintWorkflow(model: Model, type: EntityType): readonly Mistake[] {
  const { workflow } = type;
  if (workflow === undefined) return [];
  const path = elementPath(type.name, '@Docket.Workflow');
  const place: Place = { model, type, workflow, path };
  const stored = model.stored(type).get(workflow.member);
  if (stored?.kind !== 'property') {
    const names = model.members(type).keys();
    return [missing(path, `the property ${workflow.member}`, workflow.member, names)];
  }
  return [
    ...lintMember(place, stored),
    ...lintInitial(place),
    ...lintComments(place),
    ...lintDuplicates(place),
    ...workflow.states.flatMap((state) => lintState(place, state)),
    ...workflow.transitions.flatMap((transition) => lintTransition(place, transition)),
    ...workflow.relations.flatMap(({ member }) => lintRelation(place, member)),
  ];
}

function lintMember({ model, workflow, path }: Place, property: Property): readonly Mistake[] {
  const list = model.codeLists.get(property.codeList ?? '');
  if (property.collection || list === undefined) {
    const remedy = 'Use a single property with @Docket.CodeList.';
    return [mistake(path, `${property.name} does not hold the code of a state.`, remedy)];
  }
  const symbols = list.codes.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning]));
  return workflow.states.flatMap(({ symbol }) =>
    mistakeIf(!symbols.includes(symbol), () =>
      missing(path, `the symbol ${symbol} in the code list ${list.name}`, symbol, symbols),
    ),
  );
}

function lintRelation({ model, type, path }: Place, name: string): readonly Mistake[] {
  const member = model.members(type).get(name);
  if (member?.kind === 'navigation' && !member.collection) return [];
  return [mistake(path, `${name} is not a single navigation property.`, 'Name one in Relations.')];
}

function lintInitial({ workflow, path, ...place }: Place): readonly Mistake[] {
  const { initial } = workflow;
  return [
    ...mistakeIf(initial.length === 0, () =>
      mistake(path, 'No entity can be created: Initial is empty.', 'Add the symbol of a state.'),
    ),
    ...initial.flatMap((symbol) => lintSymbol({ ...place, workflow, path }, symbol)),
  ];
}

/** A comment becomes an entity of a contained collection. */
function lintComments({ model, type, workflow, path }: Place): readonly Mistake[] {
  const { comments, grantedComments, transitions } = workflow;
  if (comments === undefined) {
    const isUsed = transitions.some(({ comment }) => comment === 'required');
    const remedy = 'Add Comments, such as Notes/Text.';
    return mistakeIf(isUsed || grantedComments !== undefined, () =>
      mistake(path, 'The workflow keeps no comments.', remedy),
    );
  }
  const [name = '', ...rest] = comments.split('/');
  const collection = memberAt(model, type, name);
  const text = memberAt(model, type, comments);
  const isContained = collection?.kind === 'navigation' && collection.contained;
  const isText = text?.kind === 'property' && text.type === 'Edm.String' && !text.collection;
  if (isContained && collection.collection && rest.length === 1 && isText)
    return Object.keys(grantedComments ?? {}).flatMap((member) =>
      memberAt(model, type, `${name}/${member}`) === undefined
        ? [missingMember(model, type, `${name}/${member}`, path)]
        : [],
    );
  const remedy = 'Write the path of a string property, such as Notes/Text.';
  return [mistake(path, `${comments} is not a text in a contained collection.`, remedy)];
}

function lintDuplicates({ workflow: { states, transitions }, path }: Place): readonly Mistake[] {
  const keys = [
    ...states.map(({ symbol }) => `state ${symbol}`),
    ...transitions.flatMap(({ symbol, from }) =>
      (from.length === 0 ? ['any state'] : from).map((one) => `transition ${symbol} from ${one}`),
    ),
  ];
  const repeated = keys.filter((key, index) => keys.indexOf(key) < index);
  return [...new Set(repeated)].map((key) =>
    mistake(path, `The ${key} is declared twice.`, 'Remove one of them.'),
  );
}

function lintState(place: Place, { symbol, members, onEnter, onExit }: WorkflowState) {
  const effects = [...Object.keys(onEnter), ...Object.keys(onExit)];
  return [
    ...members.flatMap(({ member }) => lintValueMember(place, member)),
    ...effects.flatMap((member) => lintEffectMember(place, member)),
    ...lintHiddenMembers(
      place,
      symbol,
      members.flatMap(({ member, flag }) => (flag === 'required' ? [member] : [])),
    ),
  ];
}

function lintTransition(place: Place, transition: WorkflowTransition) {
  const { symbol, from, to, require, grants, by } = transition;
  return [
    ...mistakeIf(by === 'service' && grants.length > 0, () =>
      mistake(place.path, `${symbol} is taken by the service and granted.`, 'Remove By or Grants.'),
    ),
    ...lintParts(place, transition),
    ...[...from, to].flatMap((symbol) => lintSymbol(place, symbol)),
    ...require.flatMap((member) => lintValueMember(place, member)),
    ...lintHiddenMembers(place, to, require),
  ];
}

/** A transition that follows other entities is taken by the service, when their states change. */
function lintParts(
  { model, type, path }: Place,
  { symbol, on, added, by }: WorkflowTransition,
): readonly Mistake[] {
  if (on === undefined)
    return mistakeIf(added !== undefined, () =>
      mistake(path, `${symbol} has Added, but no collection.`, 'Add On, or remove Added.'),
    );
  const member = memberAt(model, type, on);
  if (member === undefined) return [missingMember(model, type, on, path)];
  const part = member.kind === 'navigation' ? model.types.get(member.target) : undefined;
  const isCollection = member.collection && part?.kind === 'entity';
  const hasStates = isCollection && workflowOwner(model, part) !== undefined;
  return [
    ...mistakeIf(!(added === undefined ? hasStates : isCollection), () => {
      const remedy = 'Name a collection of entities that have one, or add Added.';
      return mistake(path, `${symbol}: the entities in ${on} have no workflow.`, remedy);
    }),
    ...mistakeIf(by !== 'service', () =>
      mistake(path, `${symbol} has On, but is not taken by the service.`, 'Add "By": "service".'),
    ),
  ];
}

function lintSymbol({ workflow, path }: Place, symbol: string): readonly Mistake[] {
  const states = workflow.states.map((state) => state.symbol);
  return mistakeIf(!states.includes(symbol), () =>
    missing(path, `the state ${symbol} in the workflow`, symbol, states),
  );
}

/** A form cannot ask for what it leaves out. */
function lintHiddenMembers(
  { workflow, path }: Place,
  symbol: string,
  required: readonly string[],
): readonly Mistake[] {
  const members = workflow.states.find((state) => state.symbol === symbol)?.members ?? [];
  const hidden = members.flatMap(({ member, flag }) => (flag === 'hidden' ? [member] : []));
  return required
    .filter((member) => hidden.includes(member))
    .map((member) =>
      mistake(path, `${member} is both required and hidden in ${symbol}.`, 'Remove one of both.'),
    );
}

/** What a state or transition requires is a value: a property, or the target of a navigation. */
function lintValueMember({ model, type, path }: Place, member: string): readonly Mistake[] {
  if (memberAt(model, type, member) !== undefined) return [];
  return [missingMember(model, type, member, path)];
}

/** The service writes effects to columns of the entity itself. */
function lintEffectMember({ model, type, workflow, path }: Place, member: string) {
  const steps = member.split('/');
  const ends = steps.map((_, index) => memberAt(model, type, steps.slice(0, index + 1).join('/')));
  const end = ends.at(-1);
  if (end === undefined) return [missingMember(model, type, member, path)];
  const isOwn = ends.every((one) => one?.kind === 'property' && !one.collection);
  const isPresent = ends.slice(0, -1).every((one) => isAlwaysPresent(model, one));
  const isPrimitive = end.kind === 'property' && end.type.startsWith('Edm.');
  if (isOwn && isPresent && isPrimitive && steps[0] !== workflow.member) return [];
  const remedy =
    'Use a primitive property of the entity, or one in a complex value of it that is not nullable.';
  return [mistake(path, `A state cannot set ${member}.`, remedy)];
}

/** A complex value that cannot be null, or a coded one. */
function isAlwaysPresent(model: Model, member: Member | undefined): boolean {
  if (member?.kind !== 'property') return false;
  const type = model.types.get(member.type);
  return !member.nullable || (type?.kind === 'complex' && type.coded !== undefined);
}

function missingMember(model: Model, type: EntityType, member: string, path: string): Mistake {
  const steps = member.split('/');
  const before = steps.slice(0, -1).join('/');
  const owner = before === '' ? type : memberAt(model, type, before);
  const target = owner?.kind === 'navigation' ? owner.target : undefined;
  const name = owner?.kind === 'property' ? owner.type : (target ?? type.name);
  const structure = model.types.get(name);
  const names =
    structure !== undefined && isStructured(structure) ? model.members(structure).keys() : [];
  return missing(path, `the member ${member}`, steps.at(-1) ?? '', names);
}
