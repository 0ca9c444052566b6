// This file reads the change log and queues the messages that the rules require. The position in the log and the messages of a change are
// stored in one transaction, so that each change is answered once, whichever process does it and whenever that process ends.
import type { CheckRule } from '../../access/read-roles.ts';
import { type AuthDatabase, authDatabase } from '../../auth/database.ts';
import { Fault } from '../../base/fault.ts';
import type { Send } from '../../service/internal-requests.ts';
import type { Service } from '../../service/service.ts';
import { list, name, sql, tableName, value } from '../../sql/fragment.ts';
import { PARENT_COLUMN, tableOf } from '../../sql/schema/layout.ts';
import { NEWEST_CHANGE } from '../../sql/write/change-log.ts';
import type { Work } from '../../store/database.ts';
import {
  currentSetting,
  removeSetting,
  settingOf,
  storeSetting,
} from '../../store/installation-settings.ts';
import { kept } from '../../store/work.ts';
import type { Sign } from '../message-tokens.ts';
import { REPORT_ORIGIN } from '../sent-mail.ts';
import { type BoundRule, bindRule } from './bind-rule.ts';
import { type Composer, composeMessages, type MailEvent } from './compose.ts';
import { MergedMessages } from './merged-messages.ts';
import { addMessages, type Draft } from './queue.ts';
import { ReadError } from './read-error.ts';
import { RULES, ruleOf, TEMPLATES, templateOf } from './stored-rules.ts';

/** The stored setting with the number of the last change that was processed. */
const POSITION = 'mail position';
/** Changes that are read at the same time. */
const BATCH = 200;
/** Changes without a rule after which the position is stored, so that a start need not read them again. */
const STEP = 1000n;
/** Older changes, which were made while the service did not run, cause no messages. */
const OLDEST = 3 * 24 * 3600 * 1000;

/** Rounds that fail at the same change before its rule is skipped. */
const MOST_FAILURES = 60;

/** A change of an entity that some rule concerns. */
interface Change {
  readonly number: bigint;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly author: string;
  readonly request: string;
  readonly kind: string;
  readonly source: string;
  readonly identity: bigint;
}

export interface Follower {
  readonly service: Service;
  readonly check: CheckRule;
  /** Sends requests with all rights. */
  readonly send: Send;
  readonly composer: Omit<Composer, 'templates' | 'sign' | 'waiting'>;
  readonly signer: () => Promise<Sign>;
  /** Whether everything has been performed that became due while the service did not run. */
  readonly isCaughtUp: () => boolean;
}

/** Forgets the position, so that changes which are made while the service sends no mail cause none later. */
export async function forgetPosition({ database }: Pick<Service, 'database'>): Promise<void> {
  if ((await currentSetting(database, POSITION)) === undefined) return;
  await database.write(() => kept(removeSetting(POSITION)));
}

/** Follows the change log from the stored position, or from its end if there is none. */
export class ChangeFollower {
  readonly #parts: Follower;
  readonly #database: AuthDatabase;
  /** The position as stored, and how far this process has read. */
  #stored: bigint | undefined;
  #position = 0n;
  /** The change at which the last round failed, and how often. */
  #failedAt = 0n;
  #failures = 0;
  /** The messages of the first round; undefined after it. */
  #merged: MergedMessages | undefined = new MergedMessages();

  constructor(parts: Follower) {
    this.#parts = parts;
    this.#database = authDatabase(parts.service.database);
  }

  /** Processes all changes up to now. */
  async run(signal: AbortSignal): Promise<void> {
    const newest = await this.#newest();
    if (this.#stored === undefined) await this.#start(newest);
    if (!this.#parts.isCaughtUp()) return;
    if (newest > this.#position) await this.#follow(newest, signal);
    if (!signal.aborted) this.#merged = undefined;
  }

  async #follow(newest: bigint, signal: AbortSignal): Promise<void> {
    if (this.#merged !== undefined) {
      // A first round that has failed begins again, because none of its messages is stored.
      this.#merged = new MergedMessages();
      this.#position = this.#stored ?? this.#position;
    }
    const rules = await this.#rules();
    const templates = (await this.#database.read(TEMPLATES)).map(templateOf);
    const sign = await this.#parts.signer();
    const waiting = (address: string) => this.#merged?.countTo(address) ?? 0;
    const composer = { ...this.#parts.composer, templates, sign, waiting };
    const merged = new Set<string>();
    for (let count = BATCH; count === BATCH && !signal.aborted; ) {
      const changes = await this.#changes(rules, newest);
      count = changes.length;
      for (const change of changes) {
        if (signal.aborted) return;
        await this.#process(change, rules, composer, merged);
      }
    }
    if (signal.aborted) return;
    this.#position = newest;
    if (this.#merged !== undefined) await this.#store(this.#merged.drafts(), newest);
    else if (newest - (this.#stored ?? 0n) >= STEP) await this.#store([], newest);
  }

  async #newest(): Promise<bigint> {
    const [row] = await this.#database.read(sql`SELECT ${NEWEST_CHANGE}`);
    return BigInt(String(row?.[0] ?? 0));
  }

  async #start(newest: bigint): Promise<void> {
    const stored = await currentSetting(this.#parts.service.database, POSITION);
    this.#stored = stored === undefined ? undefined : BigInt(stored);
    this.#position = this.#stored ?? newest;
    if (this.#stored === undefined) await this.#store([], newest);
  }

  /** The active rules. One that no longer fits the model is reported and ignored. */
  async #rules(): Promise<readonly BoundRule[]> {
    const { service, check } = this.#parts;
    const rows = await this.#database.read(RULES);
    return rows
      .map(ruleOf)
      .filter(({ isActive }) => isActive)
      .flatMap((rule) => {
        try {
          return [bindRule({ layout: service.layout, check }, rule)];
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          service.observe({ kind: 'failure', id: 'mail rules', error });
          return [];
        }
      });
  }

  /** The next changes of the sources of rules. */
  async #changes(rules: readonly BoundRule[], newest: bigint): Promise<readonly Change[]> {
    const sources = [...new Set(rules.map(({ source }) => source.id))];
    if (sources.length === 0) return [];
    const rows = await this.#database.read(
      sql`SELECT "seq", "at", "account", "request", "deed", "source", "identity" FROM ${tableName('docket_change')}
        WHERE "source" IN (${list(sources.map((one) => value(one)))}) AND "seq" > ${value(this.#position)} AND "seq" <= ${value(newest)}
        AND "deed" IN ('create', 'update') ORDER BY "seq" LIMIT ${value(BigInt(BATCH))}`,
    );
    return rows.map(([number, at, author, request, kind, source, identity]) => ({
      number: BigInt(String(number)),
      at: Date.parse(String(at)),
      author: String(author ?? ''),
      request: String(request ?? ''),
      kind: String(kind),
      source: String(source),
      identity: BigInt(String(identity)),
    }));
  }

  /** @param merged what already has a message: a record and a rule, or a record, a request and an address */
  async #process(
    change: Change,
    rules: readonly BoundRule[],
    composer: Composer,
    merged: Set<string>,
  ): Promise<void> {
    const drafts: Draft[] = [];
    for (const rule of rules.filter((one) => isConcerned(one, change)))
      drafts.push(...(await this.#messages(change, rule, composer, merged)));
    this.#position = change.number;
    if (this.#merged !== undefined) return this.#merged.add(drafts);
    const first = drafts.filter((draft) => isFirst(change, draft, merged));
    if (first.length > 0) await this.#store(first, change.number);
  }

  /** A rule that cannot be applied to a change is skipped, which the queue shows. Errors that may pass end the round. */
  async #messages(
    change: Change,
    rule: BoundRule,
    composer: Composer,
    merged: Set<string>,
  ): Promise<readonly Draft[]> {
    try {
      return await this.#messagesOf(change, rule, composer, merged);
    } catch (error) {
      this.#failures = this.#failedAt === change.number ? this.#failures + 1 : 1;
      this.#failedAt = change.number;
      const isFinal = error instanceof ReadError && error.isFinal;
      if (!isFinal && this.#failures < MOST_FAILURES) throw error;
      this.#parts.service.observe({ kind: 'failure', id: 'mail rules', error });
      return [failedDraft(change, rule, error)];
    }
  }

  async #messagesOf(
    change: Change,
    rule: BoundRule,
    composer: Composer,
    merged: Set<string>,
  ): Promise<readonly Draft[]> {
    const { service } = this.#parts;
    // The report about a message must not cause another one.
    if (change.request.startsWith(REPORT_ORIGIN)) return [];
    if (change.at < Math.max(rule.modified, service.businessTime() - OLDEST)) return [];
    const event = await this.#eventOf(change, rule);
    if (event === undefined) return [];
    const key = `${rule.uid}\n${event.added ?? event.entity}`;
    if (merged.has(key)) return [];
    merged.add(key);
    return await composeMessages(composer, event);
  }

  /** The event, if the change is one for the rule and the conditions hold. */
  async #eventOf(change: Change, rule: BoundRule): Promise<MailEvent | undefined> {
    const { part } = rule;
    const parent = part === undefined ? change.identity : await this.#parentOf(change, rule);
    if (parent === undefined) return undefined;
    const entity = `${rule.set}(${parent})`;
    const added =
      part === undefined ? undefined : `${entity}/${part.navigation.name}(${change.identity})`;
    const conditions = [
      `${rule.key} eq ${parent}`,
      ...(rule.filter === undefined ? [] : [`(${rule.filter})`]),
      ...(rule.event === 'assigned' ? [`${rule.member} ne null`] : []),
    ];
    if (!(await this.#exists(rule.set, conditions))) return undefined;
    if (part !== undefined && !(await this.#existsIn(entity, rule, change))) return undefined;
    if (change.kind === 'update' && !(await this.#hasChanged(entity, rule, change)))
      return undefined;
    const { number, author, request } = change;
    return { rule, change: number, author, request, entity, added };
  }

  async #existsIn(entity: string, { part, memberFilter }: BoundRule, change: Change) {
    const condition = memberFilter === undefined ? [] : [`(${memberFilter})`];
    return await this.#exists(`${entity}/${part?.navigation.name}`, [
      `${part?.key} eq ${change.identity}`,
      ...condition,
    ]);
  }

  /** Whether the history has a line of the change for the member or a part of it. */
  async #hasChanged(
    entity: string,
    { history, member = '' }: BoundRule,
    { at }: Change,
  ): Promise<boolean> {
    if (history === undefined) return false;
    const { navigation, property, created } = history;
    return await this.#exists(`${entity}/${navigation}`, [
      `${created} eq ${new Date(at).toISOString()}`,
      `(${property} eq '${member}' or startswith(${property},'${member}/'))`,
    ]);
  }

  async #exists(collection: string, conditions: readonly string[]): Promise<boolean> {
    const filter = encodeURIComponent(conditions.join(' and '));
    const url = `${collection}?$filter=${filter}&$top=1`;
    const { status, body } = await this.#parts.send('GET', url);
    if (status === 404) return false;
    if (status !== 200) throw new ReadError(url, status, body);
    return Array.isArray(body.value) && body.value.length > 0;
  }

  /** The identity of the entity that contains the added one; undefined if it has been deleted. */
  async #parentOf({ identity }: Change, { source }: BoundRule): Promise<bigint | undefined> {
    const { table } = tableOf(this.#parts.service.layout, source);
    const [row] = await this.#database.read(
      sql`SELECT ${name(PARENT_COLUMN)} FROM ${tableName(table.name)} WHERE ${name(table.identity)} = ${value(identity)}`,
    );
    return row === undefined ? undefined : BigInt(String(row[0]));
  }

  /** Stores the messages and the position, unless another process has been faster. Throws an Error in that case. */
  async #store(drafts: readonly Draft[], position: bigint): Promise<void> {
    const before = this.#stored;
    const now = this.#parts.service.world.now();
    // After an error, the next round continues from the position that is stored then.
    this.#stored = undefined;
    await this.#database.write(function* () {
      yield* requirePosition(before);
      yield* addMessages(drafts, now);
      yield* storeSetting(POSITION, String(position));
    });
    this.#stored = position;
  }
}

function* requirePosition(expected: bigint | undefined): Work<void> {
  if ((yield* settingOf(POSITION)) !== expected?.toString())
    throw new Error('Another process has processed these changes.');
}

/** The entry in the queue for a rule that could not be applied. */
function failedDraft({ number, identity }: Change, rule: BoundRule, error: unknown): Draft {
  const unknown = undefined;
  return {
    rule: rule.name,
    entity: `${rule.set}(${identity})`,
    recipient: unknown,
    address: unknown,
    addressName: unknown,
    subject: '',
    text: unknown,
    html: unknown,
    messageId: `<${number}.${rule.uid}>`,
    references: [],
    isReceipt: rule.isReceipt,
    suppressed: `The message could not be written. ${String(error)}`,
  };
}

/** Whether the request has caused no other message about the entity to the address. Notes it. */
function isFirst({ request }: Change, draft: Draft, merged: Set<string>): boolean {
  const key = `${request}\n${draft.entity}\n${draft.address?.toLowerCase()}`;
  if (draft.suppressed !== undefined) return true;
  if (merged.has(key)) return false;
  merged.add(key);
  return true;
}

/** Whether the change can be an event of the rule. */
function isConcerned({ event, source }: BoundRule, { kind, source: changed }: Change): boolean {
  if (source.id !== changed) return false;
  if (event === 'changed') return kind === 'update';
  return kind === 'create' || (event === 'assigned' && kind === 'update');
}
