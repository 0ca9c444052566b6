// The text of a live stream. WHATWG HTML, "Server-sent events"; CloudEvents 1.0 in its JSON format, one event per message.
import type { Fault } from '../../base/fault.ts';
import { type Event, writeEvent } from './event.ts';
import type { EventPosition } from './read-events.ts';

const encoder = new TextEncoder();

/** A comment, which keeps connections open. */
export const HEARTBEAT = encoder.encode(':\n\n');

/** Messages for events. JSON texts have no line breaks. */
export function messagesOf(events: readonly Event[]): Uint8Array {
  const messages = events.map((event) => `id: ${event.id}\ndata: ${writeEvent(event)}\n\n`);
  return encoder.encode(messages.join(''));
}

/** Contains the position of the stream, without an event: from there the client continues, by `Last-Event-ID` or by the delta link. */
export function positionMessage(
  position: EventPosition,
  deltaLink: string | undefined,
): Uint8Array {
  const data = JSON.stringify({ deltaLink });
  return encoder.encode(`event: position\nid: ${position}\ndata: ${data}\n\n`);
}

/** Contains the reason why the stream ends. @param retry milliseconds after which the client should connect again */
export function endMessage({ code, message }: Fault, retry: number): Uint8Array {
  const data = JSON.stringify({ error: { code, message } });
  return encoder.encode(`retry: ${retry}\nevent: end\ndata: ${data}\n\n`);
}
