// The audit trail: logins, rejected requests and administration. Changes of rights are recorded in the transaction that makes them. Other
// events are buffered for a moment and written later, with equal events combined into one entry with a count, so that a flood of rejected
// requests neither slows down the service nor fills the disk. Entries contain no secrets.
import type { Observation, Observe } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import { AUDIT_TYPE, SYSTEM_TABLES } from '../edm/administration-sets.ts';
import { type Fragment, list, name, sql, tableName, value } from '../sql/fragment.ts';
import type { Row, Work } from '../store/database.ts';
import { instant } from '../store/stored-values.ts';
import { firstRow, query } from '../store/work.ts';
import type { AccountQuery } from './accounts.ts';
import { type AuthDatabase, nextIdentity } from './database.ts';

export const AUDIT_KINDS = [
  'log-in',
  'log-in refused',
  'session end',
  'unauthorized',
  'forbidden',
  'administration',
  'command',
] as const;

export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly kind: (typeof AUDIT_KINDS)[number];
  readonly account?: string | undefined;
  readonly address?: string;
  readonly request?: string;
  readonly target?: string;
  readonly detail?: string;
  readonly count?: number;
}

/** How long events are buffered. Milliseconds. */
const WINDOW = 200;
/** Maximum number of different events in the buffer. Any others are counted in one entry. */
const WINDOW_LIMIT = 500;
const LENGTHS = { account: 128, address: 64, request: 64, target: 500, detail: 500 } as const;

const AUDIT_TABLE = tableName(SYSTEM_TABLES[AUDIT_TYPE]);

/** Writes an entry. */
export function* storeEntry(entry: AuditEntry): Work<void> {
  const cell = (part: keyof typeof LENGTHS) => {
    const text = entry[part];
    return value(text === undefined || text === '' ? null : text.slice(0, LENGTHS[part]));
  };
  const uid = value(yield* nextIdentity());
  yield query(sql`INSERT INTO ${AUDIT_TABLE} ("Uid", "Time", "Kind", "Account", "Address", "Request", "Target", "Detail", "Count")
    VALUES (${uid}, ${instant(entry.time)}, ${value(entry.kind)}, ${cell('account')}, ${cell('address')},
      ${cell('request')}, ${cell('target')}, ${cell('detail')}, ${value(BigInt(entry.count ?? 1))})`);
}

/**
 * Deletes old entries and returns their number.
 * @param before milliseconds since 1970
 */
export async function pruneAudit(database: AuthDatabase, before: number): Promise<number> {
  return await database.write(function* () {
    const { rows } = yield query(
      sql`DELETE FROM ${AUDIT_TABLE} WHERE "Time" < ${instant(before)} RETURNING "Uid"`,
    );
    return rows.length;
  });
}

/** Entries in chronological order, with the columns of `ENTRY_COLUMNS`. */
export async function readAudit(
  database: AuthDatabase,
  condition: Fragment,
  limit: number,
): Promise<readonly Row[]> {
  const columns = list(ENTRY_COLUMNS.map((column) => name(column)));
  return await database.read(
    sql`SELECT ${columns} FROM ${AUDIT_TABLE} WHERE ${condition} ORDER BY "Uid" LIMIT ${value(BigInt(limit))}`,
  );
}

export const ENTRY_COLUMNS = [
  'Uid',
  'Time',
  'Kind',
  'Account',
  'Address',
  'Request',
  'Target',
  'Detail',
  'Count',
] as const;

export interface AuditSettings {
  readonly database: AuthDatabase;
  readonly accounts: AccountQuery;
  readonly world: World;
  readonly observe: Observe;
}

/** Records observed events. */
export class AuditTrail {
  readonly #settings: AuditSettings;
  #buffer = new Map<string, AuditEntry & { count: number }>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: AuditSettings) {
    this.#settings = settings;
  }

  /** Records an observation if it is relevant for the audit. */
  observe(seen: Observation): void {
    const entry = entryOf(seen, this.#settings.world.now());
    if (entry !== undefined) this.#add(entry);
  }

  /** Writes the buffered events. Called when the service stops. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write();
    await this.#writing;
  }

  #add(entry: AuditEntry): void {
    const isKnown = this.#buffer.has(groupKey(entry));
    const isFull = !isKnown && this.#buffer.size >= WINDOW_LIMIT;
    const kept = isFull ? { time: entry.time, kind: entry.kind, detail: 'and others' } : entry;
    const key = groupKey(kept);
    const equal = this.#buffer.get(key);
    if (equal === undefined) this.#buffer.set(key, { ...kept, count: 1 });
    else equal.count++;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, WINDOW).unref();
  }

  #write(): void {
    const entries = [...this.#buffer.values()];
    if (entries.length === 0) return;
    this.#buffer = new Map();
    this.#writing = this.#writing.then(async () => await this.#store(entries));
  }

  async #store(entries: readonly AuditEntry[]): Promise<void> {
    const { database, accounts, observe } = this.#settings;
    try {
      await database.write(() => storeEntries(entries, accounts));
    } catch (error) {
      observe({ kind: 'failure', id: 'audit', error });
    }
  }
}

function* storeEntries(entries: readonly AuditEntry[], accounts: AccountQuery): Work<void> {
  for (const entry of entries) yield* storeEntry(yield* withKnownAccount(accounts, entry));
}

/** Removes a name without an account, because it may be a password that was typed into the wrong field. */
function* withKnownAccount(accounts: AccountQuery, entry: AuditEntry): Work<AuditEntry> {
  if (entry.kind !== 'log-in refused' || entry.account === undefined) return entry;
  const row = yield* firstRow(accounts({ loginName: entry.account }));
  if (row !== undefined) return { ...entry, account: String(row[1]) };
  return { ...entry, account: undefined, detail: `${entry.detail ?? ''}, unknown account` };
}

/** Events with the same key share an entry. Each login has an entry of its own. */
function groupKey({ kind, account, address, request, target, detail }: AuditEntry): string {
  return JSON.stringify([kind, account, address, kind === 'log-in' ? request : '', target, detail]);
}

function entryOf(seen: Observation, now: number): AuditEntry | undefined {
  switch (seen.kind) {
    case 'token':
      return tokenEntry(seen, now);
    case 'session ended': {
      const { account, address, id: request } = seen;
      return { time: now, kind: 'session end', account, address, request };
    }
    case 'clock moved': {
      const { account, address, id: request } = seen;
      const [from, to] = [seen.from, seen.to].map((at) => new Date(at).toISOString());
      const detail = `clock moved from ${from} to ${to}`;
      return { time: now, kind: 'administration', account, address, request, detail };
    }
    case 'refused':
    case 'request':
      return rejectionEntry(seen, now);
    default:
      return undefined;
  }
}

function tokenEntry(
  seen: Observation & { readonly kind: 'token' },
  now: number,
): AuditEntry | undefined {
  const { address, id: request, name: account, grant, outcome, reason } = seen;
  const common = { time: now, address, request, account };
  if (outcome !== 'token')
    return { ...common, kind: 'log-in refused', detail: reason ?? outcome, target: grant };
  return grant === 'refresh_token' ? undefined : { ...common, kind: 'log-in' };
}

function rejectionEntry(
  seen: Observation & { readonly kind: 'refused' | 'request' },
  now: number,
): AuditEntry | undefined {
  const { status, id: request, address, fault = '' } = seen;
  if (status === 401) return { time: now, kind: 'unauthorized', address, request, detail: fault };
  if (status !== 403 || seen.kind === 'refused') return undefined;
  const { account, method, path } = seen;
  const target = `${method} ${path}`;
  return { time: now, kind: 'forbidden', account, address, request, target, detail: fault };
}
