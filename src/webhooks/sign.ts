// This file signs messages. Standard Webhooks, "Webhook headers" and "Signature scheme".
import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from '../service/webhooks/secrets.ts';

/** A message to sign. */
export interface Message {
  readonly id: string;
  readonly body: string;
}

/**
 * The headers of a message, with a signature for each secret.
 * @param now milliseconds since 1970
 */
export function signatureHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
