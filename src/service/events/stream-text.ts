// The text of a live stream. WHATWG HTML, "Server-sent events"; CloudEvents 1.0 in its JSON format, one event per message.
import type { Fault } from '../../base/fault.ts';
import { type Event, writeEvent } from './event.ts';
import { type StreamPosition, writeStreamPosition } from './stream-position.ts';

const encoder = new TextEncoder();

/** A comment, which keeps connections open. */
export const HEARTBEAT = encoder.encode(':\n\n');

/**
 * Messages for the events of a page. JSON texts have no line breaks.
 * A list of known records is that after the page, so that only its last message has an id.
 */
export function messagesOf(events: readonly Event[], after: StreamPosition): Uint8Array {
  const { known } = after;
  const last = events.at(-1);
  const messages = events.map((event) => {
    const end = event === last ? `id: ${writeStreamPosition(after)}\n` : '';
    const id = known === undefined ? `id: ${event.id}\n` : end;
    return `${id}data: ${writeEvent(event)}\n\n`;
  });
  return encoder.encode(messages.join(''));
}

/** Contains the position of the stream, without an event: from there the client continues, by `Last-Event-ID` or by the delta link. */
export function positionMessage(
  position: StreamPosition,
  deltaLink: string | undefined,
): Uint8Array {
  const data = JSON.stringify({ deltaLink });
  return encoder.encode(`event: position\nid: ${writeStreamPosition(position)}\ndata: ${data}\n\n`);
}

/** Contains the reason why the stream ends. @param retry milliseconds after which the client should connect again */
export function endMessage({ code, message }: Fault, retry: number): Uint8Array {
  const data = JSON.stringify({ error: { code, message } });
  return encoder.encode(`retry: ${retry}\nevent: end\ndata: ${data}\n\n`);
}
