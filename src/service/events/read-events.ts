// Reads the events of a query after a position of the change log: the plan and the statement of a delta link, in the order of changes.
import type { Principal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { Fault, invariant } from '../../base/fault.ts';
import type { ChangedRow, DeltaOutcome } from '../../plan/outcome.ts';
import { readPosition, writePosition } from '../../plan/read/tokens.ts';
import type { DeltaPlan, KnownRecords } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { requireRetained } from '../../response/delta.ts';
import { compile } from '../../sql/compile.ts';
import { sql } from '../../sql/fragment.ts';
import { NEWEST_CHANGE } from '../../sql/write/change-log.ts';
import { runRead } from '../../store/run-read-script.ts';
import type { Call, Service } from '../service.ts';
import { contextOf } from '../stage-inputs.ts';
import { type Event, type EventSite, eventOf, positionOf, withdrawal } from './event.ts';
import { callOf, follow, type Watch } from './watch.ts';

/** A position of the change log, as in delta links; the id of an event is the position after it. */
export type EventPosition = string;

export interface EventPage {
  readonly events: readonly Event[];
  /** Where to continue. */
  readonly position: EventPosition;
  /** Whether there are more events up to now. */
  readonly more: boolean;
  /** What the reader learns by the page; undefined for accounts that may read all records, and if the reader has no list. */
  readonly learned?: Learned | undefined;
}

/** How the list of the records that a reader knows changes. */
export interface Learned {
  /** Identifies the query together with the rights. */
  readonly signature: string;
  readonly entered: readonly string[];
  readonly left: readonly { readonly address: string; readonly change: bigint }[];
}

export interface EventRequest {
  readonly principal: Principal;
  readonly watch: Watch;
  readonly after: EventPosition;
  /** The largest number of records to look at. */
  readonly limit: number;
  /** The service root in the events. */
  readonly root: string;
  /** Records that the reader knows. */
  readonly known?: KnownRecords | undefined;
}

/**
 * Reads what has changed after a position of the change log in the watched set, as the account may see it at the moment. Several changes of
 * one record are one event, with its latest state.
 * Throws: plan.untracked if the query cannot be followed, plan.delta-gone if the changes are no longer in the log, plan.deltatoken for a
 * text that is no position, access.*, the faults of parsing and binding, and those of the store.
 */
export async function readEvents(
  service: Service,
  { principal, watch, root, ...request }: EventRequest,
): Promise<EventPage> {
  const page = await readChanges(service, principal, callOf(watch, root), request);
  const { kinds } = watch;
  if (kinds === undefined) return page;
  return { ...page, events: page.events.filter(({ kind }) => kinds.includes(kind)) };
}

/** As `readEvents`, for the query of a request. */
export async function readChanges(
  service: Service,
  principal: Principal,
  call: Call,
  { after, limit, known }: Pick<EventRequest, 'after' | 'limit' | 'known'>,
): Promise<EventPage> {
  const span = requirePosition(after);
  const { tree, plan } = follow(call, service, principal, { span, limit, known });
  const outcome = await run(plan, service, call, principal);
  requireRetained(plan, outcome, tree);
  const shown = outcome.rows.slice(0, limit);
  const more = outcome.rows.length > shown.length;
  const last = shown.at(-1);
  const end = more && last !== undefined ? positionOf(last) : { since: outcome.newest };
  const site = siteOf(plan, tree, call);
  return {
    events: shown.map((row) => eventOf(site, row)),
    position: writePosition(end),
    more,
    learned: plan.known && { signature: plan.signature, ...learnedFrom(shown) },
  };
}

async function run(
  plan: DeltaPlan,
  service: Service,
  call: Call,
  principal: Principal,
): Promise<DeltaOutcome> {
  const script = compile(plan, service.layout, service.dialect);
  const context = contextOf(call, service, principal);
  const outcome = await runRead(script, service.database, context);
  invariant(outcome.kind === 'delta', `changes have the outcome ${outcome.kind}`);
  return outcome;
}

function learnedFrom(rows: readonly ChangedRow[]): Omit<Learned, 'signature'> {
  const entered: string[] = [];
  const left: { address: string; change: bigint }[] = [];
  for (const { address, json, change } of rows) {
    if (address === null) continue;
    if (json === null) left.push({ address, change });
    else entered.push(address);
  }
  return { entered, left };
}

/** The records of a query that an account sees, compared with those that a reader knows. */
export interface VisibleRecords {
  /** As `Learned.signature`. */
  readonly signature: string;
  readonly addresses: readonly string[];
  /** The newest change that they include. */
  readonly position: EventPosition;
  /** Events for the records that the reader knows and that the account does not see. */
  readonly withdrawn: readonly Event[];
}

interface Comparison {
  readonly known: readonly string[];
  /** Identifies the events; the position of what was read if undefined. */
  readonly at?: EventPosition | undefined;
  /** Undefined is returned if the account sees more records. */
  readonly limit: number;
}

/**
 * Compares what an account sees with what a reader knows; undefined for accounts that may read all records.
 * Throws: as `readChanges`.
 */
export async function compareVisible(
  service: Service,
  principal: Principal,
  call: Call,
  { known, at, limit }: Comparison,
): Promise<VisibleRecords | undefined> {
  const part = { span: { since: 0n }, limit, output: 'addresses' } as const;
  const { plan, tree } = follow(call, service, principal, part);
  if (plan.hidesInvisible !== true) return undefined;
  const { rows, newest } = await run(plan, service, call, principal);
  if (rows.length > limit) return undefined;
  const addresses = rows.flatMap(({ address }) => address ?? []);
  const visible = new Set(addresses);
  const site = siteOf(plan, tree, call);
  const time = new Date(service.world.now()).toISOString();
  const place = { position: at ?? String(newest), time };
  return {
    signature: plan.signature,
    addresses,
    position: String(newest),
    withdrawn: known.flatMap((one) => (visible.has(one) ? [] : [withdrawal(site, one, place)])),
  };
}

function siteOf(plan: DeltaPlan, tree: Tree, { root }: Call): EventSite {
  return { plan, tree, set: plan.select.rows.row.source.id, root };
}

/** Throws plan.deltatoken for a text that is no position. */
export function requirePosition(text: EventPosition) {
  const span = readPosition(text);
  if (span !== undefined) return span;
  throw new Fault('plan.deltatoken', {
    reason: `"${text.slice(0, 40)}" is no position of the change log`,
  });
}

/** The position after the newest change. */
export async function newestPosition({
  database,
}: Pick<Service, 'database'>): Promise<EventPosition> {
  const [row] = await authDatabase(database).read(sql`SELECT ${NEWEST_CHANGE}`);
  return String(row?.[0] ?? 0);
}
