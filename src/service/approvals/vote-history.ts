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

  /** Adds a line for the vote, and one for its reason, if they differ from those before. Entities without a history have none. */
  *add(entity: bigint, vote: bigint): Work<void> {
    if (this.#history === undefined) return;
    const stored = yield* this.#records.namedVote(vote);
    const { vote: decision, voteReason } = this.#approval.rules;
    const values = [
      [decision, this.#decisionText(valueAt(stored, decision))],
      ...(voteReason === undefined ? [] : [[voteReason, textIn(stored, voteReason)] as const]),
    ] as const;
    for (const [member, after] of values) {
      const path = `${this.#approval.rules.votes}(${vote})/${member}`;
      const before = yield* this.#records.lastEntry(entity, this.#history, path);
      if (before === after) continue;
      const change = { path, before, after };
      yield* this.#records.addEntry(entity, this.#history, this.#line(stored, member, change));
    }
  }

  #line(stored: JsonObject, member: string, { path, before, after }: VoteChange): Values {
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
    const [own, deputy] = [`${voter}/${name}`, `${votedBy}/${name}`].map((path) =>
      textIn(stored, path),
    );
    const isDeputy = this.#records.isByDeputy(stored) && deputy !== null;
    return isDeputy ? `${own} (${this.#labelOf(votedBy)}: ${deputy})` : (own ?? NONE);
  }

  /** The text of the outcome that the vote is for, in the first language as in other lines. */
  #decisionText(vote: JsonInput): string | null {
    if (typeof vote !== 'boolean') return null;
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

interface VoteChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

function textIn(entity: JsonObject, path: string): string | null {
  const value = valueAt(entity, path);
  return value === null ? null : String(value);
}
