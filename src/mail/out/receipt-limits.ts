// This file decides which receipts must not be sent, so that two services that confirm mail never answer each other without end (RFC 3834, When (not) to
// Send Automatic Responses).
import { authDatabase } from '../../auth/database.ts';
import type { BoundRule } from './bind-rule.ts';
import { entitiesOf, threadOf } from './queue.ts';
import type { Directory } from './recipients.ts';

/** In milliseconds. */
const DAY = 86_400_000;

/** Messages about the entity that are read. */
const THREAD_LENGTH = 20;

/** Why the address gets no receipt about the entity; undefined if it may get one. */
export async function receiptMistake(
  { service, send }: Pick<Directory, 'service' | 'send'>,
  { type }: BoundRule,
  entity: string,
  address: string,
): Promise<string | undefined> {
  const database = authDatabase(service.database);
  const thread = await threadOf(database, entity, address, THREAD_LENGTH);
  const since = service.world.now() - DAY;
  if (thread.some(({ receiptAt = 0 }) => receiptAt > since))
    return 'The address got a receipt about this entity in the last 24 hours.';
  const { automatic, inReplyTo } = type.mail ?? {};
  const names = [automatic, inReplyTo].filter((name) => name !== undefined);
  if (names.length === 0) return undefined;
  const { status, body } = await send('GET', `${entity}?$select=${names.join(',')}`);
  const message: Readonly<Record<string, unknown>> = status === 200 ? Object(body) : {};
  if (message[automatic ?? ''] === true) return 'The message that it confirms is automatic.';
  const parent = String(message[inReplyTo ?? ''] ?? '');
  const isReply = (await entitiesOf(database, [parent])).size > 0;
  return isReply ? 'The message that it confirms replies to one of this service.' : undefined;
}
