// This file decides whether a message was sent by a machine. Such a message is recorded, but changes nothing else: otherwise two services
// would answer each other without end. RFC 3834; RFC 2919; RFC 2369; RFC 3464.
import { withoutTag } from '../message-tokens.ts';
import type { Message } from './message.ts';
import { TOKEN_HEADER } from './reported-headers.ts';

/** The delivery of a message. */
export interface Envelope {
  /** The return path: '' for delivery reports; undefined if it is unknown. */
  readonly sender?: string | undefined;
}

const HOP_LIMIT = 100;
const PRECEDENCE = /^\s*(bulk|junk|list|auto_reply)\b/i;
const MACHINES = /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)([+=-].*)?@/i;

/**
 * Why the message counts as automatic; undefined if a person sent it.
 * @param own addresses of this service, in lower case
 */
export function automaticReason(
  { headers, from }: Pick<Message, 'headers' | 'from'>,
  envelope: Envelope,
  own: ReadonlySet<string>,
): string | undefined {
  const has = (name: string) => headers.has(name);
  const value = (name: string) => headers.get(name)?.[0] ?? '';
  const address = from?.address.toLowerCase() ?? '';
  if (own.has(withoutTag(address))) return 'sent from an address of this service';
  if (has('auto-submitted') && !/^\s*no\s*(;|$)/i.test(value('auto-submitted')))
    return 'Auto-Submitted';
  if (envelope.sender === '' || /^\s*<>\s*$/.test(value('return-path'))) return 'empty return path';
  if (/^\s*multipart\/report\b/i.test(value('content-type'))) return 'report';
  const list = [...headers.keys()].find((name) => name.startsWith('list-'));
  if (list !== undefined) return list;
  if (PRECEDENCE.test(value('precedence'))) return 'Precedence';
  const suppress = value('x-auto-response-suppress');
  if (suppress !== '' && !/^\s*none\s*$/i.test(suppress)) return 'X-Auto-Response-Suppress';
  const isOwn = has('x-docket-recipient') || has(TOKEN_HEADER);
  if (has('x-loop') || isOwn) return 'loop header';
  if (MACHINES.test(address)) return 'sender address';
  const hops = headers.get('received')?.length ?? 0;
  return hops >= HOP_LIMIT ? 'too many Received headers' : undefined;
}
