// The commands `docket audit list`, `export` and `prune`.

import { AUDIT_KINDS, ENTRY_COLUMNS, pruneAudit, readAudit, storeEntry } from '../../auth/audit.ts';
import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { type Fragment, sql, value } from '../../sql/fragment.ts';
import type { Flags } from '../config/config.ts';
import { COMMAND_NAME } from '../in-process-client.ts';
import { type Columns, type Invocation, printList, withInstallation } from '../invocation.ts';
import type { Installation } from '../wire.ts';

type Entry = readonly unknown[];

const DAY = 24 * 3600 * 1000;
/** Entries per query. */
const BATCH = 1000;
const DEFAULT_LIMIT = 50;

/** `docket audit list`: the newest entries, the latest one last. Throws: cli.unknown. */
export async function listAudit(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  await withInstallation(invocation, async ({ auth }) => {
    const limit = flags.limit === undefined ? DEFAULT_LIMIT : Number(flags.limit);
    const entries: Entry[] = [];
    for await (const entry of entriesOf(auth, conditionOf(flags))) {
      entries.push(entry);
      if (entries.length > limit) entries.shift();
    }
    printList(invocation, entries.map(asObject), LIST_COLUMNS);
  });
}

const LIST_COLUMNS: Columns<ReturnType<typeof asObject>> = ENTRY_COLUMNS.slice(1).map((column) => [
  column,
  (entry) => asText(entry[column]),
]);

/** `docket audit export`: all entries, oldest first, one per line. Throws: cli.unknown. */
export async function exportAudit(invocation: Invocation): Promise<void> {
  const { flags, terminal } = invocation;
  await withInstallation(invocation, async ({ auth }) => {
    const isTable = flags.format === 'csv';
    if (isTable) terminal.print(csvLine(ENTRY_COLUMNS));
    for await (const entry of entriesOf(auth, conditionOf(flags)))
      terminal.print(isTable ? csvLine(entry.map(asText)) : JSON.stringify(asObject(entry)));
  });
}

/** `docket audit prune --days N`. */
export async function pruneEntries(invocation: Invocation): Promise<void> {
  const { config, flags, terminal } = invocation;
  await withInstallation(invocation, async ({ auth, world }) => {
    const days = flags.days === undefined ? config.auditDays : Number(flags.days);
    const count = await pruneAudit(auth, world.now() - days * DAY);
    const detail = `audit prune: ${counted(count, 'entry', 'entries')} older than ${counted(days, 'day')}`;
    await auth.write(() =>
      storeEntry({ time: world.now(), kind: 'command', account: COMMAND_NAME, detail }),
    );
    terminal.print(`Removed ${counted(count, 'entry', 'entries')}.`);
  });
}

/** Reads the entries in batches, so that a long trail needs little memory. */
async function* entriesOf(auth: Installation['auth'], condition: Fragment): AsyncGenerator<Entry> {
  let last: bigint | undefined = -1n;
  while (last !== undefined) {
    const after = sql`${condition} AND "Uid" > ${value(last)}`;
    const entries: readonly Entry[] = await readAudit(auth, after, BATCH);
    yield* entries;
    const uid = entries.at(-1)?.[0];
    last = entries.length === BATCH && typeof uid === 'bigint' ? uid : undefined;
  }
}

function conditionOf({ since, kind, account }: Flags): Fragment {
  const conditions = [
    ...(since === undefined ? [] : [sql`"Time" >= ${value(String(since))}`]),
    ...(kind === undefined ? [] : [sql`"Kind" = ${value(knownKind(String(kind)))}`]),
    ...(account === undefined ? [] : [sql`lower("Account") = lower(${value(String(account))})`]),
  ];
  return conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql`1 = 1`);
}

function knownKind(kind: string): string {
  if (AUDIT_KINDS.some((known) => known === kind)) return kind;
  const hint = didYouMean(kind, AUDIT_KINDS) || ` The kinds are ${AUDIT_KINDS.join(', ')}.`;
  throw new Fault('cli.unknown', { thing: 'kind of entry', name: kind, hint });
}

function asText(cell: unknown): string {
  return cell === null || cell === undefined ? '' : String(cell);
}

function asObject(entry: Entry): Readonly<Record<string, unknown>> {
  const cells = entry.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell));
  return Object.fromEntries(ENTRY_COLUMNS.map((column, index) => [column, cells[index] ?? null]));
}

/**
 * RFC 4180. Text that a spreadsheet would evaluate as a formula gets a leading apostrophe, because some of it comes from clients.
 */
function csvLine(cells: readonly string[]): string {
  const escaped = cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell));
  return escaped
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}
