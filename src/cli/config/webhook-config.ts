// The configuration keys under `webhooks`.
import { z } from 'zod';
import { NO_LIMIT, numberFrom, positiveNumber, wholeNumber } from './number-keys.ts';
import { addressRange } from './text-keys.ts';

export const webhookSchema = z.strictObject({
  allowedRanges: z
    .array(addressRange)
    .default([])
    .describe(
      'private addresses and CIDR ranges to which events may be sent, also by http; by default public addresses only',
    ),
  subscriptions: wholeNumber(1, NO_LIMIT, 100).describe(
    'maximum number of subscriptions of an account',
  ),
  callbacks: wholeNumber(1, NO_LIMIT, 100).describe(
    'maximum number of callbacks of an account (Prefer: callback) that wait for a request or for changes',
  ),
  connections: wholeNumber(1, 100, 8).describe(
    'messages of a subscription that are sent at the same time',
  ),
  timeoutSeconds: positiveNumber(120, 15).describe(
    'seconds within which a receiver must answer a message',
  ),
  retryHours: positiveNumber(720, 72).describe(
    'hours after the first attempt for which a message is sent again, before its subscription is disabled',
  ),
  overlapHours: numberFrom(0, 8760, 24).describe(
    'hours for which messages are also signed with the secret before the last one',
  ),
  logDays: positiveNumber(3650, 7).describe('days for which finished deliveries are kept'),
});
