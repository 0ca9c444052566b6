// This file ends a subscription, which its record, the audit trail and the log show with the reason.
import { storeEntry } from '../auth/audit.ts';
import type { AuthDatabase } from '../auth/database.ts';
import type { SubscriptionState } from '../edm/webhooks/webhook-sets.ts';
import type { Service } from '../service/service.ts';
import { NEXT_VERSION, SUBSCRIPTIONS } from '../service/webhooks/webhook-state.ts';
import { sql, value } from '../sql/fragment.ts';
import { firstRow } from '../store/work.ts';
import type { DeliveryLease } from './delivery-lease.ts';
import type { Subscription } from './read-subscriptions.ts';

const REASON_LENGTH = 2000;
/** The account in the audit trail. */
const ACCOUNT = 'docket webhooks';

/** Returns the function that disables an active subscription. */
export function disabler(
  { world, observe }: Pick<Service, 'world' | 'observe'>,
  database: AuthDatabase,
  lease: DeliveryLease,
) {
  return async ({ uid }: Pick<Subscription, 'uid'>, reason: string): Promise<void> => {
    const target = `WebhookSubscriptions(${uid})`;
    const isDone = await database.write(function* () {
      yield* lease.require();
      const state: SubscriptionState = 'disabled';
      const row = yield* firstRow(
        sql`UPDATE ${SUBSCRIPTIONS} SET ${NEXT_VERSION}, "State" = ${value(state)}, "Reason" = ${value(reason.slice(0, REASON_LENGTH))}
          WHERE "Uid" = ${value(uid)} AND "State" = 'active' RETURNING "Uid"`,
      );
      if (row === undefined) return false;
      const detail = `disabled: ${reason}`;
      const entry = { time: world.now(), kind: 'administration', account: ACCOUNT } as const;
      yield* storeEntry({ ...entry, target, detail });
      return true;
    });
    if (isDone) observe({ kind: 'webhook disabled', subscription: target, reason });
  };
}
