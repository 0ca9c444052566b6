// This file turns events into messages: one for each event, or one for several.
import { type Event, writeEvent } from '../service/events/event.ts';
import { batchOf } from './current-content.ts';
import type { Draft } from './delivery-queue.ts';
import type { Subscription } from './read-subscriptions.ts';

/** The largest number of events in a batch. */
const MOST = 100;

/** The identifiers of messages contain the subscription, since a receiver may have several for the same entities. */
export function draftsOf(
  { uid, format }: Pick<Subscription, 'uid' | 'format'>,
  events: readonly Event[],
): readonly Draft[] {
  if (format === 'structured') return events.map((event) => draftOf(uid, event));
  const parts = Array.from({ length: Math.ceil(events.length / MOST) }, (_, index) =>
    events.slice(index * MOST, (index + 1) * MOST),
  );
  return parts.flatMap((part) => batchDraft(uid, part));
}

function draftOf(uid: bigint, event: Event): Draft {
  const { id, type, subject } = event;
  return { messageId: `${uid}-${id}`, type, subject, position: id, body: writeEvent(event) };
}

function batchDraft(uid: bigint, events: readonly Event[]): readonly Draft[] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    {
      messageId: `${uid}-${first.id}-${last.id}`,
      type: last.type,
      subject: undefined,
      position: last.id,
      body: batchOf(events.map(writeEvent)),
    },
  ];
}
