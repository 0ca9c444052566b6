// This file reads the headers of the messages that a report returns: which message of this service was meant. RFC 6522.
import { type Headers, type MailFile, messageIds, type ReportedHeaders } from './message.ts';

/** The header of outgoing messages with their token. */
export const TOKEN_HEADER = 'x-docket-message';

const HEADER_LIMIT = 262_144;
const RETURNED =
  /^(message\/(rfc822|global)|text\/rfc822-headers|message\/(rfc822|global)-headers)$/;

/** Empty unless the message is a multipart/report. */
export function reportedHeaders(headers: Headers, files: readonly MailFile[]): ReportedHeaders {
  const isReport = /^\s*multipart\/report\b/i.test(headers.get('content-type')?.[0] ?? '');
  const heads = isReport
    ? files.filter(({ mediaType }) => RETURNED.test(mediaType)).map(headOf)
    : [];
  return {
    messageIds: heads.flatMap((head) => messageIds(valuesIn(head, 'message-id')).slice(0, 1)),
    tokens: heads.flatMap((head) => valuesIn(head, TOKEN_HEADER).slice(0, 1)),
  };
}

/** The header lines, unfolded. */
function headOf({ bytes }: MailFile): string {
  const text = Buffer.from(bytes.subarray(0, HEADER_LIMIT)).toString('latin1');
  const [top = ''] = text.split(/\r?\n\r?\n/);
  return top.replace(/\r?\n[ \t]+/g, ' ');
}

function valuesIn(head: string, name: string): readonly string[] {
  const lines = head.matchAll(new RegExp(`^${name}[ \t]*:[ \t]*(.*)$`, 'gim'));
  return [...lines].map(([, value = '']) => value.trim());
}
