// Where a live stream continues: the position in the change log and, for accounts that may read some records, those that the client knows.
//     8016-1770              for an account that may read all records of the set, or more than a list can contain
//     8016-1770.kAQhQZX      with the list, as in delta tokens
import { Fault } from '../../base/fault.ts';
import { KNOWN, MOST_KNOWN_RECORDS, readKnown, writeKnown } from '../../plan/read/known-records.ts';
import { readPosition } from '../../plan/read/tokens.ts';
import type { KnownRecords } from '../../plan/read-plan.ts';
import { TOO_MANY } from '../../response/delta.ts';
import type { EventPage, EventPosition } from './read-events.ts';

export interface StreamPosition {
  readonly after: EventPosition;
  /** The records that the client knows, as compact text, because a process may have thousands of listeners. */
  readonly known?: string | undefined;
}

/** More records than a list can contain. */
export const MOST_LISTED = MOST_KNOWN_RECORDS;

export function writeStreamPosition({ after, known }: StreamPosition): string {
  return known === undefined ? after : `${after}.k${known}`;
}

const POSITION = new RegExp(`^([\\d-]{1,37})(?:\\.k(${KNOWN}))?$`);

/** Parses a text written by `writeStreamPosition`; undefined for any other. */
export function readStreamPosition(text: string): StreamPosition | undefined {
  const [, after = '', known] = POSITION.exec(text) ?? [];
  if (readPosition(after) === undefined) return undefined;
  return known !== undefined && readKnown(known) === undefined ? undefined : { after, known };
}

/** The addresses in the list; none without a list. */
export function addressesOf({ known }: StreamPosition): readonly string[] {
  return (known === undefined ? undefined : readKnown(known)) ?? [];
}

/** The list as the plan needs it. */
export function listOf(position: StreamPosition): KnownRecords | undefined {
  if (position.known === undefined) return undefined;
  return { kind: 'listed', addresses: addressesOf(position) };
}

/** The position after a page. Throws: plan.delta-gone if the client knows more records than a list can contain. */
export function positionAfter(
  from: StreamPosition,
  { position, learned }: Pick<EventPage, 'position' | 'learned'>,
): StreamPosition {
  if (from.known === undefined || learned === undefined) return { after: position };
  const { entered, left } = learned;
  if (entered.length === 0 && left.length === 0) return { after: position, known: from.known };
  const addresses = new Set([...addressesOf(from), ...entered]);
  for (const { address } of left) addresses.delete(address);
  const known = writeKnown(addresses);
  if (known === undefined) throw new Fault('plan.delta-gone', { reason: TOO_MANY });
  return { after: position, known };
}
