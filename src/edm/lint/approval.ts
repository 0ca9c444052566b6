// This file checks how votes decide about entities (`Docket.Approval`): whether the members, states and transitions exist and suit. bind/ checks
// the condition on approvers.
import { type EntityType, lineage, type Member, type Model, memberAt } from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';
import { targetAt } from '../source.ts';
import type { ApprovalRules } from '../workflow/approval-rules.ts';
import type { Workflow } from '../workflow/declaration.ts';

export interface Place {
  readonly model: Model;
  readonly path: string;
}

/** A type, the path of a member, and what the member must be. */
export type Expected = readonly [type: EntityType, member: string | undefined, kind: Kind];

type Kind = 'many' | 'one' | 'integer' | 'Edm.Boolean' | 'Edm.DateTimeOffset' | 'Edm.String';

export function lintApproval(model: Model, type: EntityType): readonly Mistake[] {
  const { approval: rules } = type;
  if (rules === undefined) return [];
  const place = { model, path: elementPath(type.name, '@Docket.Approval') };
  const votes = targetAt(model, type, rules.votes);
  const voter = votes && targetAt(model, votes, rules.voter);
  const expected = [
    ...membersOf(type, rules),
    ...(votes === undefined ? [] : voteMembers(votes, rules)),
    ...(voter === undefined ? [] : deputyMembers(voter, rules)),
  ];
  const types = [type, votes, voter].filter((one) => one !== undefined);
  return [
    ...expected.flatMap((one) => lintMember(place, one)),
    ...types.flatMap((one) => lintKey(place, one)),
    ...lintStates(place, type, rules),
    ...lintOutcome(place, type, rules),
  ];
}

function membersOf(type: EntityType, rules: ApprovalRules): readonly Expected[] {
  return [
    [type, rules.votes, 'many'],
    [type, rules.approvers, 'many'],
    [type, rules.required, 'integer'],
    [type, rules.deadline, 'Edm.DateTimeOffset'],
    [type, rules.approvals, 'integer'],
    [type, rules.voters, 'integer'],
    [type, rules.round, 'integer'],
    [type, rules.stateBefore, 'integer'],
  ];
}

function voteMembers(votes: EntityType, rules: ApprovalRules): readonly Expected[] {
  return [
    [votes, rules.voter, 'one'],
    [votes, rules.vote, 'Edm.Boolean'],
    [votes, rules.voteReason, 'Edm.String'],
    [votes, rules.voteRound, 'integer'],
    [votes, rules.voteOpen, 'Edm.Boolean'],
    [votes, rules.votedAt, 'Edm.DateTimeOffset'],
    [votes, rules.votedBy, 'one'],
  ];
}

function deputyMembers(voter: EntityType, { deputy }: ApprovalRules): readonly Expected[] {
  return [
    [voter, deputy?.person, 'one'],
    [voter, deputy?.until, 'Edm.DateTimeOffset'],
  ];
}

export function lintMember(
  { model, path }: Place,
  [type, name, kind]: Expected,
): readonly Mistake[] {
  if (name === undefined) return [];
  const member = memberAt(model, type, name);
  if (member === undefined)
    return [missing(path, `the member ${name} of ${type.name}`, name, model.members(type).keys())];
  return mistakeIf(!suits(member, kind), () =>
    mistake(path, `${name} is not ${KINDS[kind]}.`, 'Name another member.'),
  );
}

const KINDS: Readonly<Record<Kind, string>> = {
  many: 'a collection of entities',
  one: 'a single navigation property',
  integer: 'an Edm.Int32 or Edm.Int64 property',
  'Edm.Boolean': 'an Edm.Boolean property',
  'Edm.DateTimeOffset': 'an Edm.DateTimeOffset property',
  'Edm.String': 'an Edm.String property',
};

function suits(member: Member, kind: Kind): boolean {
  if (kind === 'many' || kind === 'one')
    return member.kind === 'navigation' && member.collection === (kind === 'many');
  const types = kind === 'integer' ? ['Edm.Int32', 'Edm.Int64'] : [kind];
  return member.kind === 'property' && !member.collection && types.includes(member.type);
}

/** Entities, votes and voters are addressed by their keys in a set of the type. */
export function lintKey({ model, path }: Place, type: EntityType): readonly Mistake[] {
  const keys = model.key(type).map((key) => memberAt(model, type, key.path));
  const isInteger = keys.length === 1 && keys[0] !== undefined && suits(keys[0], 'integer');
  const hasSet = [...model.storedSets.values()].some((set) => set.type === type.name);
  return mistakeIf(!isInteger || !hasSet, () =>
    mistake(path, `${type.name} has no set, or no integer key.`, 'Add a set, and use one key.'),
  );
}

/** Votes take transitions of a workflow, or set the outcome only. */
function lintStates(place: Place, type: EntityType, rules: ApprovalRules): readonly Mistake[] {
  const { path } = place;
  const { waiting, approve, reject, stateBefore, outcome } = rules;
  if (waiting !== undefined && approve !== undefined && reject !== undefined)
    return lintTransitions(place, type, { waiting, approve, reject });
  const given = Object.entries({ Waiting: waiting, Approve: approve, Reject: reject });
  const names = [...given, ['StateBefore', stateBefore] as const].flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  return [
    ...mistakeIf(names.length > 0, () =>
      mistake(
        path,
        `${names.join(', ')} without all of Waiting, Approve and Reject.`,
        'Name the state and the transitions, or leave all of them out.',
      ),
    ),
    ...mistakeIf(outcome === undefined && names.length === 0, () =>
      mistake(
        path,
        'There is neither a state in which votes are given nor an outcome.',
        'Add Waiting, Approve and Reject, or Outcome.',
      ),
    ),
  ];
}

type Decisions = Readonly<Record<'approve' | 'reject', readonly string[]>> & {
  readonly waiting: string;
};

function lintTransitions(
  { model, path }: Place,
  type: EntityType,
  { waiting, approve, reject }: Decisions,
): readonly Mistake[] {
  const workflow = workflowOf(model, type);
  if (workflow === undefined)
    return [mistake(path, `${type.name} has no workflow.`, 'Add Docket.Workflow.')];
  const states = workflow.states.map(({ symbol }) => symbol);
  const leaving = workflow.transitions.filter(({ from }) => from.includes(waiting));
  const symbols = leaving.map(({ symbol }) => symbol);
  return [
    ...(states.includes(waiting) ? [] : [missing(path, `the state ${waiting}`, waiting, states)]),
    ...[...approve, ...reject].flatMap((symbol) =>
      symbols.includes(symbol)
        ? []
        : [missing(path, `the transition ${symbol} from ${waiting}`, symbol, symbols)],
    ),
    ...mistakeIf(approve.length === 0 || reject.length === 0, () =>
      mistake(path, 'Approve or Reject is empty.', 'Name a transition in each.'),
    ),
  ];
}

function workflowOf(model: Model, type: EntityType): Workflow | undefined {
  const types = lineage(type, model.types);
  const owner = types.find((one) => one.kind === 'entity' && one.workflow !== undefined);
  return owner?.kind === 'entity' ? owner.workflow : undefined;
}

function lintOutcome({ model, path }: Place, type: EntityType, { outcome }: ApprovalRules) {
  if (outcome === undefined) return [];
  const member = memberAt(model, type, outcome.member);
  const list = member?.kind === 'property' ? model.codeLists.get(member.codeList ?? '') : undefined;
  if (list === undefined)
    return [mistake(path, `${outcome.member} is not a coded property.`, 'Name another member.')];
  const known = list.codes.flatMap(({ meaning }) => meaning ?? []);
  return [outcome.waiting, outcome.approved, outcome.rejected, outcome.withdrawn].flatMap(
    (symbol) =>
      known.includes(symbol) ? [] : [missing(path, `the code ${symbol}`, symbol, known)],
  );
}
