// This file assembles the check of subscriptions to events, which plans their queries like requests of their owners.
import { accountQuery } from '../auth/accounts.ts';
import type { World } from '../base/world.ts';
import { addressList } from '../http/address-ranges.ts';
import { callOf, follow } from '../service/events/watch.ts';
import { LOCAL_ROOT } from '../service/internal-requests.ts';
import type { Service } from '../service/service.ts';
import type { Layout } from '../sql/schema/layout.ts';
import { WebhookCheck, type WebhookCheckParts } from '../webhooks/check-subscriptions.ts';
import { urlMistake } from '../webhooks/target-addresses.ts';
import type { Config } from './config/config.ts';

interface CheckSources extends Pick<WebhookCheckParts, 'checkQuery'> {
  readonly layout: Layout;
  readonly world: World;
  readonly config: Config;
  readonly service: () => Service;
}

export function webhookCheck(sources: CheckSources): WebhookCheck {
  const { layout, world, checkQuery, service } = sources;
  const { webhooks } = sources.config;
  return new WebhookCheck({
    layout,
    accounts: accountQuery(layout),
    now: world.now,
    urlMistake: webhookUrlCheck(webhooks),
    checkQuery,
    checkWatch: (watch, principal) => {
      const part = { span: { since: 0n }, limit: 1 };
      follow(callOf(watch, LOCAL_ROOT), service(), principal, part);
    },
    limit: webhooks.subscriptions,
  });
}

/** Returns the function that states why messages may not be sent to a URL; undefined if they may. */
export function webhookUrlCheck({ allowedRanges }: Config['webhooks']) {
  const rules = { allowed: addressList(allowedRanges) };
  return (url: string) => urlMistake(url, rules, allowedRanges.length > 0);
}
