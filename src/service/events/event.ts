// Turns changed records into events. CloudEvents 1.0, "Context Attributes" and "JSON Event Format".
import type { ChangedRow } from '../../plan/outcome.ts';
import { writePosition } from '../../plan/read/tokens.ts';
import type { DeltaPlan } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { removed } from '../../response/delta.ts';
import { contextUrl } from '../../response/links.ts';

/**
 * What has happened to a record: it left the result of the query (`removed`) because it no longer matches, or because the account may no
 * longer see it. A record that has entered the result by a change is `updated`.
 */
export type EventKind = 'created' | 'updated' | 'removed' | 'deleted';

export const EVENT_KINDS: readonly EventKind[] = ['created', 'updated', 'removed', 'deleted'];

/** The attributes of a CloudEvent, and the kind of change. */
export interface Event {
  readonly specversion: '1.0';
  /**
   * The position after the event, which is the same whenever the event is read: last change of the record, and the record.
   * Withdrawals have the position at which they were noticed, and the address.
   */
  readonly id: string;
  /** The service root. */
  readonly source: string;
  /** `docket.ServiceRequests.updated` */
  readonly type: string;
  /** The URL of the record, relative to the service root. */
  readonly subject: string;
  /** When the record was last changed. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** JSON text: the record with its context, or what a delta response contains for a removed one. */
  readonly data: string;
  readonly kind: EventKind;
}

/** The query that the events belong to. */
export interface EventSite {
  readonly plan: DeltaPlan;
  readonly tree: Pick<Tree, 'negotiated'>;
  readonly set: string;
  readonly root: string;
}

export function eventOf(site: EventSite, row: ChangedRow): Event {
  const kind = kindOf(row);
  return {
    specversion: '1.0',
    id: writePosition(positionOf(row)),
    source: site.root,
    type: `docket.${site.set}.${kind}`,
    subject: row.address ?? site.set,
    time: row.at,
    datacontenttype: 'application/json',
    data: dataOf(site, row),
    kind,
  };
}

/**
 * The event of a record that a reader knows, and that its account does not see although no change of the record has shown that: its rights
 * have changed, or it has stated itself what it knows. Nothing of the event depends on the record.
 * @param position identifies the event together with the record
 */
export function withdrawal(
  site: EventSite,
  address: string,
  { position, time }: { readonly position: string; readonly time: string },
): Event {
  const nothing = { identity: 0n, json: null, isDeleted: false, isCreated: false, change: 1n };
  const event = eventOf(site, { ...nothing, address, at: time });
  // Identifiers are headers of webhooks, too, where a full stop separates them from the time.
  return { ...event, id: `${position}:${encodeURIComponent(address)}` };
}

/** The position after a row. */
export function positionOf({ change, identity }: Pick<ChangedRow, 'change' | 'identity'>) {
  return { since: change - 1n, part: identity };
}

/** The event in the structured mode: one JSON object on one line. */
export function writeEvent({ kind: _, data, ...attributes }: Event): string {
  const head = JSON.stringify(attributes).slice(0, -1);
  return `${head},"data":${data}}`;
}

function kindOf({ json, isCreated, isDeleted }: ChangedRow): EventKind {
  if (json !== null) return isCreated ? 'created' : 'updated';
  return isDeleted ? 'deleted' : 'removed';
}

/** Records are JSON objects with at least one member. */
function dataOf({ plan, tree, root }: EventSite, row: ChangedRow): string {
  if (row.json === null) return removed(plan, row, tree, root);
  const name = `${plan.shape.form.prefix}context`;
  return `{${JSON.stringify(name)}:${JSON.stringify(contextUrl(root, plan.context))},${row.json.slice(1)}`;
}
