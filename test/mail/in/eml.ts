// This file writes messages for tests.
import type { Message } from '../../../src/mail/in/message.ts';
import { parseMessage } from '../../../src/mail/in/parse-message.ts';

/** A message of header lines and a body. Characters are bytes. */
export function eml(headers: Readonly<Record<string, string>>, body = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${lines.join('')}\r\n${body}`, 'latin1');
}

/** A multipart message: parts are header lines, an empty line, and a body. */
export function multipart(
  type: string,
  headers: Readonly<Record<string, string>>,
  parts: readonly string[],
): Buffer {
  const body = parts.map((part) => `--edge\r\n${part}\r\n`).join('');
  return eml({ ...headers, 'Content-Type': `${type}; boundary=edge` }, `${body}--edge--\r\n`);
}

export const parsed = async (
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Message> => await parseMessage(eml(headers, body));
