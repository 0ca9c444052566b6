// This file does what follows from a change of a state or a vote (`Docket.Approval`): rounds are opened and closed, votes are checked and counted,
// and a decision takes a transition of the workflow. Writing transactions run one after another, so that only one vote is the last.
import { Fault, invariant } from '../../base/fault.ts';
import type { Model } from '../../edm/model.ts';
import type { JsonInput, JsonObject } from '../../edm/value/lossless-json.ts';
import { approvalsOf, outcomeOf, type TypeApproval } from '../../edm/workflow/approvals.ts';
import type { WorkflowTransition } from '../../edm/workflow/declaration.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import type { Work } from '../../store/database.ts';
import type { FollowedChange } from '../../store/script-state.ts';
import { ApprovalRecords, type VoteRecord } from './approval-records.ts';
import { type FollowSetting, integerAt, setOf, valueAt } from './own-requests.ts';
import { VoteHistory } from './vote-history.ts';

/** Throws: approval.approvers, approval.required, approval.closed, approval.voter, approval.excluded, and the faults of the transition. */
export function* followApproval(change: FollowedChange, setting: FollowSetting): Work<void> {
  const { model, workflows } = setting.service;
  const approval = approvalsOf(model).get(change.type);
  const workflow = workflows().get(change.type);
  invariant(approval !== undefined, `${change.type} has an approval`);
  const round = new Round(approval, workflow, setting, causeOf(change, approval, setting));
  if (change.event === 'state') yield* round.followState(change.key, change.before);
  else if (change.event === 'outcome') yield* round.followOutcome(change.key, change.after);
  else if (change.event === 'required') yield* round.followNumber(change);
  else if (change.event === 'deadline') yield* round.followDeadline(change.key);
  else yield* round.followVote(change);
}

/** The path of what was changed. */
function causeOf(
  { event, key, type }: FollowedChange,
  { rules, votes }: TypeApproval,
  { service }: FollowSetting,
): string {
  if (event === 'vote') return `${setOf(service.model, votes)}(${key})/${rules.vote}`;
  if (event === 'required') return rules.required;
  if (event === 'deadline') return rules.deadline ?? '';
  const state = service.workflows().get(type)?.declared.member;
  return (event === 'outcome' ? rules.outcome?.member : state) ?? '';
}

class Round {
  readonly #approval: TypeApproval;
  readonly #declaredWorkflow: TypeWorkflow | undefined;
  readonly #setting: FollowSetting;
  readonly #records: ApprovalRecords;

  constructor(
    approval: TypeApproval,
    workflow: TypeWorkflow | undefined,
    setting: FollowSetting,
    cause: string,
  ) {
    this.#approval = approval;
    this.#declaredWorkflow = workflow;
    this.#setting = setting;
    this.#records = new ApprovalRecords(approval, setting, cause);
  }

  // ---- states -------------------------------------------------------------------------------------------------------

  *followState(key: bigint, before: bigint | null): Work<void> {
    const entity = yield* this.#records.entity(key);
    if (entity === undefined) return;
    const state = integerAt(entity, this.#workflow.path) ?? null;
    if (state === before) return;
    if (state === this.#waiting) yield* this.#open(key, entity, before);
    else if (before === this.#waiting) yield* this.#close(key, entity);
  }

  // ---- outcomes -----------------------------------------------------------------------------------------------------

  /** Open votes stay open while the outcome is another one than those that the rules name: when the deadline has passed. */
  *followOutcome(key: bigint, after: bigint | null): Work<void> {
    const entity = yield* this.#records.entity(key);
    if (entity === undefined) return;
    if (!this.#isUndecided(after)) return yield* this.#closeVotes(key);
    if (after !== this.#waitingOutcome || (yield* this.#hasOpenVotes(key))) return;
    yield* this.#open(key, entity, null);
  }

  /** Whether the outcome is none of those that end a round: it waits for votes, or its deadline has passed. */
  #isUndecided(outcome: bigint | null): boolean {
    const { approved, rejected, withdrawn } = this.#rules.outcome ?? {};
    const ends = [approved, rejected, withdrawn].map((symbol) => this.#outcome?.values.get(symbol));
    return outcome !== null && !ends.includes(outcome);
  }

  get #waitingOutcome(): bigint | undefined {
    return this.#outcome?.values.get(this.#rules.outcome?.waiting);
  }

  *#hasOpenVotes(key: bigint): Work<boolean> {
    return (yield* this.#records.votes(key, `${this.#rules.voteOpen} eq true`)).length > 0;
  }

  /**
   * Without approvers, or a number of those that are required, the state is left to people. An outcome that is set to wait for votes cannot
   * be left to people.
   */
  *#open(key: bigint, entity: JsonObject, before: bigint | null): Work<void> {
    const { voters = '', approvals, round, stateBefore = '', ...rules } = this.#rules;
    const approvers = yield* this.#records.approvers(key);
    const isLeft = this.#neededIn(entity) < 1n || approvers.length === 0;
    if (isLeft && rules.waiting !== undefined) return;
    this.#requireEnough(entity, approvers.length);
    const number = (integerAt(entity, round) ?? 0n) + 1n;
    for (const approver of approvers)
      yield* this.#records.addVote(key, approver, {
        [rules.voteRound]: number,
        [rules.voteOpen]: true,
      });
    yield* this.#records.keep(key, {
      [round]: number,
      [voters]: BigInt(approvers.length),
      [approvals]: 0n,
      [stateBefore]: before,
    });
    yield* this.#setOutcome(key, rules.outcome?.waiting);
  }

  /** The number of approvals that the entity needs; 0 without one. */
  #neededIn(entity: JsonObject): bigint {
    return integerAt(entity, this.#rules.required) ?? 0n;
  }

  /** @param count how many can vote */
  #requireEnough(entity: JsonObject, count: number): void {
    const { required } = this.#rules;
    const needed = this.#neededIn(entity);
    if (needed < 1n) throw new Fault('approval.required', { required }, { target: required });
    if (BigInt(count) >= needed) return;
    const parameters = { count, needed: Number(needed), required };
    throw new Fault('approval.approvers', parameters, { target: required });
  }

  /** Ends the votes that are still open, whatever ended the state. */
  *#close(key: bigint, entity: JsonObject): Work<void> {
    yield* this.#closeVotes(key);
    if (this.#isUndecided(this.#outcomeIn(entity)))
      yield* this.#setOutcome(key, this.#rules.outcome?.withdrawn);
  }

  #outcomeIn(entity: JsonObject): bigint | null {
    return integerAt(entity, this.#outcome?.path ?? '') ?? null;
  }

  *#closeVotes(key: bigint): Work<void> {
    const { voteOpen } = this.#rules;
    for (const vote of yield* this.#records.votes(key, `${voteOpen} eq true`))
      yield* this.#records.keepVote(vote.key, { [voteOpen]: false });
  }

  // ---- numbers ------------------------------------------------------------------------------------------------------

  /** Another number of required approvals in an open round can decide it. */
  *followNumber({ key, before, after }: FollowedChange): Work<void> {
    if (before === after) return;
    const entity = yield* this.#records.entity(key);
    if (entity === undefined || !(yield* this.#hasOpenVotes(key))) return;
    const round = integerAt(entity, this.#rules.round) ?? 0n;
    const { given, open } = yield* this.#votesOf(key, round);
    this.#requireEnough(entity, given.length + open);
    yield* this.#count(key, entity, round);
  }

  // ---- deadlines ----------------------------------------------------------------------------------------------------

  /** An open round whose deadline has passed waits again if the deadline is put off. */
  *followDeadline(key: bigint): Work<void> {
    const { deadline = '', outcome } = this.#rules;
    const entity = yield* this.#records.entity(key);
    if (entity === undefined || !this.#isUndecided(this.#outcomeIn(entity))) return;
    const isWaiting = this.#outcomeIn(entity) === this.#waitingOutcome;
    if (isWaiting || this.#hasPassed(valueAt(entity, deadline))) return;
    if (yield* this.#hasOpenVotes(key)) yield* this.#setOutcome(key, outcome?.waiting);
  }

  #hasPassed(time: JsonInput): boolean {
    const { now } = this.#setting.context;
    return typeof time === 'string' && Date.parse(time) <= Date.parse(String(now));
  }

  // ---- votes --------------------------------------------------------------------------------------------------------

  *followVote({ key, before, after }: FollowedChange): Work<void> {
    const owner = yield* this.#records.entityOf(key);
    if (owner === undefined) return;
    const vote = yield* this.#records.vote(key);
    const number = integerAt(vote, this.#rules.voteRound);
    // A vote without a round was stored by hand and decides nothing.
    if (number === undefined) return;
    const entity = yield* this.#records.entity(owner);
    invariant(entity !== undefined, 'the vote is about an entity');
    this.#requireOpen(vote);
    yield* this.#keepVoter(key, vote);
    const history = new VoteHistory(this.#approval, this.#setting, this.#records);
    yield* history.add(owner, { key, vote, before: voteIn(before), after: voteIn(after) });
    yield* this.#count(owner, entity, number);
  }

  #requireOpen(vote: JsonObject): void {
    const { voteOpen, vote: target } = this.#rules;
    if (valueAt(vote, voteOpen) !== true) throw new Fault('approval.closed', {}, { target });
  }

  /** Stores who voted and when. Only the approver votes, or the deputy while the approver is away. */
  *#keepVoter(key: bigint, vote: JsonObject): Work<void> {
    const { voter, votedAt = '', votedBy = '', deputy } = this.#rules;
    const { me, now } = this.#setting.context;
    const person = this.#records.personVoting(vote);
    const until = deputy === undefined ? null : valueAt(vote, `${voter}/${deputy.until}`);
    const isAway = until !== null && !this.#hasPassed(until);
    if (person === undefined || (person !== voter && !isAway))
      throw new Fault('approval.voter', {}, { target: this.#rules.vote });
    const approver = integerAt(vote, `${voter}/${this.#records.voterKey}`);
    const able = yield* this.#records.ableVoters(approver === undefined ? [] : [approver]);
    if (able.size === 0) throw new Fault('approval.excluded', {}, { target: this.#rules.vote });
    const isGiven = valueAt(vote, this.#rules.vote) !== null;
    yield* this.#records.keepVote(key, {
      [votedAt]: isGiven ? String(now) : null,
      [votedBy]: isGiven && typeof me === 'bigint' ? this.#records.voterReference(me) : null,
    });
  }

  *#count(key: bigint, entity: JsonObject, number: bigint): Work<void> {
    const { given, open } = yield* this.#votesOf(key, number);
    const yes = given.filter(({ vote }) => vote === true).length;
    yield* this.#records.keep(key, { [this.#rules.approvals]: BigInt(yes) });
    const needed = Number(this.#neededIn(entity));
    // Without a number of required approvals, people decide. Records that were loaded may have votes all the same.
    if (needed < 1) return;
    if (yes >= needed) yield* this.#decide(key, entity, 'approve');
    else if (yes + open < needed) yield* this.#decide(key, entity, 'reject');
  }

  /** The votes of a round that were given, and the number of those that can still be given. */
  *#votesOf(key: bigint, number: bigint) {
    const votes = yield* this.#records.votes(key, `${this.#rules.voteRound} eq ${number}`);
    const given = votes.filter(({ vote }) => vote !== null);
    return { given, open: yield* this.#openCount(votes) };
  }

  /** How many may still vote: not those who can no more. */
  *#openCount(votes: readonly VoteRecord[]): Work<number> {
    const voters = votes.flatMap(({ vote, voter }) => (vote === null ? (voter ?? []) : []));
    return (yield* this.#records.ableVoters(voters)).size;
  }

  // ---- decisions ----------------------------------------------------------------------------------------------------

  *#decide(key: bigint, entity: JsonObject, decision: 'approve' | 'reject'): Work<void> {
    const { outcome } = this.#rules;
    const symbol = decision === 'approve' ? outcome?.approved : outcome?.rejected;
    const symbols = this.#rules[decision];
    if (symbols === undefined) {
      yield* this.#setOutcome(key, symbol);
      return yield* this.#closeVotes(key);
    }
    const transition = yield* this.#transition(key, entity, symbols);
    yield* this.#setOutcome(key, symbol);
    const { path, values } = this.#workflow;
    yield* this.#records.change(key, { [path]: values.get(transition.to) ?? null });
  }

  /** The transition to the state before the round, or the first one whose guard is true. */
  *#transition(
    key: bigint,
    entity: JsonObject,
    symbols: readonly string[],
  ): Work<WorkflowTransition> {
    const { declared, values } = this.#workflow;
    const before = integerAt(entity, this.#rules.stateBefore ?? '');
    const named = symbols.flatMap((symbol) =>
      declared.transitions.filter((one) => one.symbol === symbol),
    );
    const returning = named.filter(({ to }) => before !== undefined && values.get(to) === before);
    for (const transition of [...returning, ...named])
      if ((yield* this.#records.entity(key, transition.guard)) !== undefined) return transition;
    throw new Fault('approval.transition', { symbols: symbols.join(', ') });
  }

  *#setOutcome(key: bigint, symbol: string | undefined): Work<void> {
    const outcome = this.#outcome;
    if (outcome === undefined || symbol === undefined) return;
    yield* this.#records.keep(key, { [outcome.path]: outcome.values.get(symbol) ?? null });
  }

  get #outcome() {
    return outcomeOf(this.#model, this.#approval);
  }

  /** States and decisions that take a transition need it. */
  get #workflow(): TypeWorkflow {
    const workflow = this.#declaredWorkflow;
    invariant(workflow !== undefined, `${this.#approval.type.name} has a workflow`);
    return workflow;
  }

  get #rules() {
    return this.#approval.rules;
  }

  get #model(): Model {
    return this.#setting.service.model;
  }

  get #waiting(): bigint | undefined {
    return this.#workflow.values.get(this.#rules.waiting ?? '');
  }
}

/** The vote that a step of a write shows as a number. */
function voteIn(number: bigint | null): boolean | null {
  return number === null ? null : number === 1n;
}
