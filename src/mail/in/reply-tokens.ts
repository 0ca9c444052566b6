// This file finds what may be tokens of outgoing messages: in the addresses that a message was sent to, and in what a report returns. Whether they are
// genuine is for others to decide.
import { tokenIn } from '../message-tokens.ts';
import type { Delivery, Message } from './message.ts';
import { TOKEN_HEADER } from './reported-headers.ts';

/** Headers with recipients of the envelope, which mail servers add on delivery. */
const ENVELOPE_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to'];
/** More texts are not examined. */
const MOST_TOKENS = 20;

/** The texts, the most reliable ones first. */
export function tokensOf(
  { headers, to, cc, reported }: Pick<Message, 'headers' | 'to' | 'cc' | 'reported'>,
  { recipients }: Pick<Delivery, 'recipients'>,
): readonly string[] {
  const valuesOf = (name: string) => headers.get(name) ?? [];
  const delivered = ENVELOPE_HEADERS.flatMap(valuesOf).map((text) => text.replace(/[<>\s]/g, ''));
  const found = [...recipients, ...delivered, ...to, ...cc]
    .map(tokenIn)
    .filter((token) => token !== undefined);
  const tokens = [...found, ...valuesOf(TOKEN_HEADER), ...reported.tokens];
  return [...new Set(tokens)].slice(0, MOST_TOKENS);
}
