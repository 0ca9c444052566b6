// This file adds lines to the history of an entity when somebody votes about it: the vote and its reason in lines of their own, so that
// accounts that may not read reasons still see who decided what.
import { textOf } from '../../bind/codes.ts';
import { entityType, type Model, memberAt } from '../../edm/model.ts';
import type { JsonInput, JsonObject } from '../../edm/value/lossless-json.ts';
import { outcomeOf, type TypeApproval } from '../../edm/workflow/approvals.ts';
import {
  changeCodeOf,
  displayNameOf,
  type HistoryMembers,
  historyMembers,
} from '../../edm/workflow/history-members.ts';
import type { Work } from '../../store/database.ts';
import type { ApprovalRecords } from './approval-records.ts';
import { type FollowSetting, setOf, type Values, valueAt } from './own-requests.ts';

/** What lines show for a value that is absent. */
const NONE = '–';

export class VoteHistory {
  readonly #approval: TypeApproval;
  readonly #setting: FollowSetting;
  readonly #records: ApprovalRecords;
  readonly #history: HistoryMembers | undefined;

  constructor(approval: TypeApproval, setting: FollowSetting, records: ApprovalRecords) {
    this.#approval = approval;
    this.#setting = setting;
    this.#records = records;
    this.#history = historyMembers(this.#model, approval.type);
  }

  /** Adds a line for the vote, and one for its reason, if they have changed. Entities without a history have none. */
  *add(entity: bigint, vote: FollowedVote): Work<void> {
    const history = this.#history;
    if (history === undefined) return;
    for (const change of [this.#decision(vote), yield* this.#reason(entity, vote, history)])
      if (change !== undefined && change.before !== change.after)
        yield* this.#records.addEntry(entity, history, this.#line(vote.vote, change));
  }

  /** Votes are compared, not their texts, which administrators can change. */
  #decision({ key, before, after }: FollowedVote): Change | undefined {
    if (before === after) return undefined;
    const member = this.#approval.rules.vote;
    const [former, next] = [before, after].map((one) => this.#decisionText(one));
    return { path: this.#pathOf(key, member), member, before: former ?? null, after: next ?? null };
  }

  /** The last line shows the reason before. */
  *#reason(
    entity: bigint,
    { key, vote }: FollowedVote,
    history: HistoryMembers,
  ): Work<Change | undefined> {
    const { voteReason: member } = this.#approval.rules;
    if (member === undefined) return undefined;
    const path = this.#pathOf(key, member);
    const before = yield* this.#records.lastEntry(entity, history, path);
    return { path, member, before, after: textIn(vote, member) };
  }

  #pathOf(key: bigint, member: string): string {
    return `${this.#approval.rules.votes}(${key})/${member}`;
  }

  #line(stored: JsonObject, { path, member, before, after }: Change): Values {
    const { parts = {}, account, codes = [] } = this.#history ?? {};
    const { accountKey } = this.#setting.context;
    const isDecision = member === this.#approval.rules.vote;
    const label = isDecision ? '' : `${this.#labelOf(member)}: `;
    const summary = `${this.#voter(stored)}: ${label}${before ?? NONE} → ${after ?? NONE}`;
    return {
      [parts.property?.name ?? '']: path,
      [parts.before?.name ?? '']: before,
      [parts.after?.name ?? '']: after,
      [parts.summary?.name ?? '']: summary.slice(0, parts.summary?.facets.maxLength),
      [account?.name ?? '']:
        account === undefined || typeof accountKey !== 'bigint'
          ? undefined
          : {
              '@odata.id': `${setOf(this.#model, entityType(this.#model, account.target))}(${accountKey})`,
            },
      ...Object.fromEntries(codes.map((code) => [code.name, this.#codeOf(code)])),
    };
  }

  /** `Walker, Isla`, or `Walker, Isla (Voted by: Jansen, Eva)`. */
  #voter(stored: JsonObject): string {
    const { voter, votedBy = '' } = this.#approval.rules;
    const name = displayNameOf(this.#model, this.#records.voterType) ?? this.#records.voterKey;
    const own = textIn(stored, `${voter}/${name}`) ?? NONE;
    const path = this.#records.personVoting(stored) ?? voter;
    const other = path === voter ? null : textIn(stored, `${path}/${name}`);
    return other === null ? own : `${own} (${this.#labelOf(votedBy)}: ${other})`;
  }

  /** The text of the outcome that the vote is for, in the first language as in other lines. */
  #decisionText(vote: boolean | null): string | null {
    if (vote === null) return null;
    const { outcome } = this.#approval.rules;
    const symbol = vote ? outcome?.approved : outcome?.rejected;
    const entries = this.#setting.service.codes.get(this.#outcome?.codeList ?? '')?.entries ?? [];
    const entry = entries.find(({ meaning }) => meaning !== undefined && meaning === symbol);
    return entry === undefined ? String(vote) : textOf(entry, this.#language);
  }

  #codeOf(member: HistoryMembers['codes'][number]): JsonInput {
    const code = BigInt(changeCodeOf(this.#model, member, this.#outcome) ?? 0);
    const coded = this.#model.types.get(member.type);
    return coded?.kind === 'complex' ? { [coded.coded?.value ?? '']: code } : code;
  }

  #labelOf(member: string): string {
    const { votes } = this.#approval;
    return memberAt(this.#model, votes, member)?.labels?.[this.#language] ?? member;
  }

  get #outcome() {
    return outcomeOf(this.#model, this.#approval)?.property;
  }

  get #language(): string {
    return this.#model.definition.languages[0] ?? '';
  }

  get #model(): Model {
    return this.#setting.service.model;
  }
}

/** A vote that the request has changed. */
interface FollowedVote {
  readonly key: bigint;
  readonly vote: JsonObject;
  /** Whether it approved before, and does now; null without a vote. */
  readonly before: boolean | null;
  readonly after: boolean | null;
}

/** What a line shows. */
interface Change {
  readonly path: string;
  readonly member: string;
  readonly before: string | null;
  readonly after: string | null;
}

function textIn(entity: JsonObject, path: string): string | null {
  const value = valueAt(entity, path);
  return value === null ? null : String(value);
}
