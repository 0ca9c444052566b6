// This file reads and changes entities that are approved by votes, and the votes. Both happen within the transaction of the request that caused
// it, with the rights of the service.
import { servicePrincipal } from '../../access/principal.ts';
import { invariant } from '../../base/fault.ts';
import { keyName } from '../../edm/clocks/clock-members.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import { targetAt } from '../../edm/source.ts';
import type { JsonInput, JsonObject } from '../../edm/value/lossless-json.ts';
import type { ApprovalRules } from '../../edm/workflow/approval-rules.ts';
import type { TypeApproval } from '../../edm/workflow/approvals.ts';
import type { HistoryMembers } from '../../edm/workflow/history-members.ts';
import type { Work } from '../../store/database.ts';
import {
  type FollowSetting,
  integerAt,
  KEPT,
  OwnRequests,
  setOf,
  type Values,
  valueAt,
} from './own-requests.ts';

/** The account with which decisions are recorded. It may add lines to the history that only the service writes. */
const VOTES = { ...servicePrincipal('docket votes'), service: true };

export interface VoteRecord {
  readonly key: bigint;
  readonly voter: bigint | undefined;
  readonly vote: JsonInput;
}

/** The entities of one approval, and their votes. */
export class ApprovalRecords {
  readonly rules: ApprovalRules;
  readonly #approval: TypeApproval;
  readonly #setting: FollowSetting;
  readonly #requests: OwnRequests;
  readonly #cause: string | undefined;

  /** @param cause the path of what was changed, for the history */
  constructor(approval: TypeApproval, setting: FollowSetting, cause?: string) {
    this.rules = approval.rules;
    this.#approval = approval;
    this.#setting = setting;
    this.#requests = new OwnRequests(setting, VOTES);
    this.#cause = cause;
  }

  // ---- reading ------------------------------------------------------------------------------------------------------

  /** The entity, if it has this approval and the condition is true. */
  *entity(key: bigint, condition = 'true'): Work<JsonObject | undefined> {
    const { type } = this.#approval;
    const filter = `${keyName(this.#model, type)} eq ${key} and (${condition})`;
    const [entity] = yield* this.#read(setOf(this.#model, type), `$filter=${filter}`);
    return entity;
  }

  /** The key of the entity that a vote is about. */
  *entityOf(vote: bigint): Work<bigint | undefined> {
    const { type, votes } = this.#approval;
    const key = keyName(this.#model, type);
    const isVote = `${this.rules.votes}/any(v:v/${keyName(this.#model, votes)} eq ${vote})`;
    const set = setOf(this.#model, type);
    const [entity] = yield* this.#read(set, `$filter=${isVote}&$select=${key}`);
    return entity && integerAt(entity, key);
  }

  /** The vote with its voter and the deputy. */
  *vote(key: bigint): Work<JsonObject> {
    const { voter, deputy } = this.rules;
    const deputies = deputy === undefined ? '' : `($expand=${deputy.person})`;
    const path = `${setOf(this.#model, this.#approval.votes)}(${key})`;
    const [vote] = yield* this.#read(path, `$expand=${voter}${deputies}`);
    invariant(vote !== undefined, `${path} is what the request has changed`);
    return vote;
  }

  /** The path from a vote to the person who votes in this request: the voter, or the deputy. @param vote with both */
  personVoting(vote: JsonObject): string | undefined {
    const { voter, deputy } = this.rules;
    const { me } = this.#setting.context;
    const paths = [voter, ...(deputy === undefined ? [] : [`${voter}/${deputy.person}`])];
    return paths.find((path) => me !== null && integerAt(vote, `${path}/${this.voterKey}`) === me);
  }

  *votes(entity: bigint, condition: string): Work<readonly VoteRecord[]> {
    const { votes, voter, vote } = this.rules;
    const path = `${this.#pathOf(entity)}/${votes}`;
    const rows = yield* this.#read(path, `$filter=${condition}&$expand=${voter}`);
    const key = keyName(this.#model, this.#approval.votes);
    return rows.map((row) => ({
      key: integerAt(row, key) ?? 0n,
      voter: integerAt(row, `${voter}/${this.voterKey}`),
      vote: valueAt(row, vote),
    }));
  }

  /** The keys of those who may vote now. */
  *approvers(entity: bigint): Work<readonly bigint[]> {
    const { approvers, where } = this.rules;
    const path = `${this.#pathOf(entity)}/${approvers}`;
    return yield* this.#voterKeys(path, where ?? 'true');
  }

  /** The keys of those among the voters who may still vote. */
  *ableVoters(voters: readonly bigint[]): Work<ReadonlySet<bigint>> {
    if (voters.length === 0) return new Set();
    const { where = 'true' } = this.rules;
    const isAmong = `${this.voterKey} in (${voters.join(',')})`;
    const set = setOf(this.#model, this.voterType);
    return new Set(yield* this.#voterKeys(set, `${isAmong} and (${where})`));
  }

  *#voterKeys(path: string, condition: string): Work<readonly bigint[]> {
    const key = this.voterKey;
    const rows = yield* this.#read(path, `$filter=${condition}&$select=${key}`);
    return rows.flatMap((row) => integerAt(row, key) ?? []);
  }

  /** What the last line about the path shows as the value after the change; null without one. */
  *lastEntry(entity: bigint, { lines, parts }: HistoryMembers, path: string): Work<string | null> {
    const { property, after } = parts;
    const type = this.#model.types.get(lines.target);
    invariant(type?.kind === 'entity' && property !== undefined && after !== undefined, path);
    const newest = `$orderby=${keyName(this.#model, type)} desc&$top=1`;
    const query = `$filter=${property.name} eq '${path}'&${newest}`;
    const [line] = yield* this.#read(`${this.#pathOf(entity)}/${lines.name}`, query);
    const value = line === undefined ? null : valueAt(line, after.name);
    return value === null ? null : String(value);
  }

  #read(path: string, query: string): Work<readonly JsonObject[]> {
    return this.#requests.read(path, query);
  }

  // ---- writing ------------------------------------------------------------------------------------------------------

  /** Stores what only the service maintains. */
  *keep(entity: bigint, values: Values): Work<void> {
    yield* this.#requests.send('PATCH', this.#pathOf(entity), values, this.#kept);
  }

  /** Changes the entity as a request would. */
  *change(entity: bigint, values: Values): Work<void> {
    yield* this.#requests.send('PATCH', this.#pathOf(entity), values, { cause: this.#cause });
  }

  get #kept() {
    return { ...KEPT, cause: this.#cause };
  }

  *addVote(entity: bigint, voter: bigint, values: Values): Work<void> {
    const person = { [this.rules.voter]: this.voterReference(voter) };
    const path = `${this.#pathOf(entity)}/${this.rules.votes}`;
    yield* this.#requests.send('POST', path, { ...values, ...person }, KEPT);
  }

  *keepVote(vote: bigint, values: Values): Work<void> {
    const path = `${setOf(this.#model, this.#approval.votes)}(${vote})`;
    yield* this.#requests.send('PATCH', path, values, KEPT);
  }

  *addEntry(entity: bigint, { lines }: HistoryMembers, values: Values): Work<void> {
    yield* this.#requests.send('POST', `${this.#pathOf(entity)}/${lines.name}`, values, KEPT);
  }

  voterReference(voter: bigint): JsonObject {
    return { '@odata.id': `${setOf(this.#model, this.voterType)}(${voter})` };
  }

  // ---- model --------------------------------------------------------------------------------------------------------

  get #model(): Model {
    return this.#setting.service.model;
  }

  get voterKey(): string {
    return keyName(this.#model, this.voterType);
  }

  get voterType(): EntityType {
    const { votes, rules } = this.#approval;
    const type = targetAt(this.#model, votes, rules.voter);
    invariant(type !== undefined, `${rules.voter} must be a navigation`);
    return type;
  }

  #pathOf(entity: bigint): string {
    return `${setOf(this.#model, this.#approval.type)}(${entity})`;
  }
}
