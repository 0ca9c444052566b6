// This file reads and writes the workflow of an entity type in CSDL JSON (`Docket.Workflow`). lint/workflow.ts checks the names in it,
// and bind/ the expressions.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  childPart,
  childParts,
  objectPart,
  type Part,
  report,
  requiredText,
  textMember,
} from '../csdl/document-reader.ts';
import type { Terms } from '../csdl/terms.ts';
import { definedMembers } from '../defined-members.ts';
import type { Json } from '../model.ts';
import { printJson } from '../value/lossless-json.ts';
import {
  MEMBER_FLAGS,
  STATE_CATEGORIES,
  WORKFLOW_MODES,
  type Workflow,
  type WorkflowState,
  type WorkflowTransition,
} from './declaration.ts';

/** Writes a workflow as CSDL JSON, without what is empty. */
export function writeWorkflow(workflow: Workflow): Json {
  const { member, mode, initial, comments, grantedComments, states, transitions } = workflow;
  const relations = workflow.relations.map((one) => ({
    ...{ Member: one.member, Guard: one.guard },
    ...definedMembers({ Message: one.message }),
  }));
  return {
    Member: member,
    Mode: mode,
    ...definedMembers({
      Comments: comments,
      GrantedComments: grantedComments && JSON.parse(printJson(grantedComments)),
    }),
    Initial: [...initial],
    States: states.map(writeState),
    Transitions: transitions.map(writeTransition),
    ...listTerm('Relations', relations),
  };
}

function writeState({ symbol, category, members, onEnter, onExit }: WorkflowState): Json {
  const flags = members.map(({ member, flag }) => ({ Member: member, Flag: flag }));
  return {
    Symbol: symbol,
    Category: category,
    ...listTerm('Members', flags),
    ...listTerm('OnEnter', writeEffects(onEnter)),
    ...listTerm('OnExit', writeEffects(onExit)),
  };
}

function writeEffects(effects: WorkflowState['onEnter']): readonly Json[] {
  return Object.entries(effects).map(([member, expression]) => ({
    Member: member,
    Expression: expression,
  }));
}

function writeTransition(transition: WorkflowTransition): Json {
  const { symbol, from, to, require, guard, roles, grants, comment, by, on, added } = transition;
  return {
    Symbol: symbol,
    ...listTerm('From', from),
    To: to,
    ...listTerm('Require', require),
    ...definedMembers({ Guard: guard }),
    ...listTerm('Roles', roles),
    ...listTerm('Grants', grants),
    ...definedMembers({ Comment: comment, By: by, On: on, Added: added }),
  };
}

function listTerm(name: string, items: readonly Json[]): { readonly [name: string]: Json } {
  return items.length === 0 ? {} : { [name]: [...items] };
}

/** Reads the workflow of a type; undefined without the annotation. Mistakes are added to those of the part. */
export function readWorkflow(part: Part, terms: Terms): Workflow | undefined {
  const value = terms.take('Docket.Workflow');
  if (value === undefined) return undefined;
  const record = objectPart(value, `${part.path}['@Docket.Workflow']`, part.mistakes);
  requireKnownMembers(record, WORKFLOW_MEMBERS);
  return {
    member: requiredText(record, 'Member'),
    mode: choice(record, 'Mode', WORKFLOW_MODES) ?? 'advise',
    ...definedMembers({
      comments: textMember(record, 'Comments'),
      grantedComments: childPart(record, 'GrantedComments')?.value,
    }),
    initial: texts(record, 'Initial'),
    states: childParts(record, 'States').map(readState),
    transitions: childParts(record, 'Transitions').map(readTransition),
    relations: childParts(record, 'Relations').map((item) => {
      requireKnownMembers(item, ['Member', 'Guard', 'Message']);
      return {
        member: requiredText(item, 'Member'),
        guard: requiredText(item, 'Guard'),
        ...definedMembers({ message: textMember(item, 'Message') }),
      };
    }),
  };
}

const WORKFLOW_MEMBERS = [
  ...['Member', 'Mode', 'Comments', 'GrantedComments', 'Initial', 'States', 'Transitions'],
  'Relations',
];

function readState(part: Part): WorkflowState {
  requireKnownMembers(part, ['Symbol', 'Category', 'Members', 'OnEnter', 'OnExit']);
  return {
    symbol: requiredText(part, 'Symbol'),
    category: choice(part, 'Category', STATE_CATEGORIES) ?? 'open',
    members: childParts(part, 'Members').map((item) => {
      requireKnownMembers(item, ['Member', 'Flag']);
      const flag = choice(item, 'Flag', MEMBER_FLAGS) ?? 'required';
      return { member: requiredText(item, 'Member'), flag };
    }),
    onEnter: readEffects(part, 'OnEnter'),
    onExit: readEffects(part, 'OnExit'),
  };
}

function readEffects(part: Part, name: string): WorkflowState['onEnter'] {
  const effects = childParts(part, name).map((item) => {
    requireKnownMembers(item, ['Member', 'Expression']);
    return [requiredText(item, 'Member'), requiredText(item, 'Expression')] as const;
  });
  return Object.fromEntries(effects);
}

const TRANSITION_MEMBERS = [
  ...[
    'Symbol',
    'From',
    'To',
    'Require',
    'Guard',
    'Roles',
    'Grants',
    'Comment',
    'By',
    'On',
    'Added',
  ],
] as const;

function readTransition(part: Part): WorkflowTransition {
  requireKnownMembers(part, TRANSITION_MEMBERS);
  return {
    symbol: requiredText(part, 'Symbol'),
    from: texts(part, 'From'),
    to: requiredText(part, 'To'),
    require: texts(part, 'Require'),
    roles: texts(part, 'Roles'),
    grants: texts(part, 'Grants'),
    ...definedMembers({
      guard: textMember(part, 'Guard'),
      comment: choice(part, 'Comment', ['required']),
      by: choice(part, 'By', ['service']),
      on: textMember(part, 'On'),
      added: textMember(part, 'Added'),
    }),
  };
}

function requireKnownMembers(part: Part, known: readonly string[]): void {
  for (const name of Object.keys(part.value)) {
    if (name.includes('@') || known.includes(name)) continue;
    const remedy = `Use only ${known.join(', ')}.${didYouMean(name, known)}`;
    report(part, name, `${name} is not allowed here.`, remedy);
  }
}

function choice<const Value extends string>(
  part: Part,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = textMember(part, name);
  const found = values.find((value) => value === text);
  if (text !== undefined && found === undefined) {
    const remedy = `Write ${values.join(', ')}.${didYouMean(text, values)}`;
    report(part, name, `${text} is not a value of ${name}.`, remedy);
  }
  return found;
}

/** A list of strings; empty if the member is absent. */
function texts(part: Part, name: string): readonly string[] {
  const { [name]: value = [] } = part.value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  report(part, name, `${name} is not a list of strings.`, 'Write an array of strings.');
  return [];
}
