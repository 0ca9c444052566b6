// This file describes what the deliveries of subscriptions and callbacks share.
import type { AuthDatabase } from '../auth/database.ts';
import type { Service } from '../service/service.ts';
import type { DeliveryLease } from './delivery-lease.ts';
import type { Subscription } from './read-subscriptions.ts';
import type { OutcomeRecorder } from './record-batch.ts';
import type { TargetRules } from './target-addresses.ts';

interface DeliverySettings {
  readonly rules: TargetRules;
  /** Messages of a subscription that are sent at the same time. */
  readonly connections: number;
  /** Milliseconds for an attempt. */
  readonly timeout: number;
  /** Milliseconds after the first attempt for which others follow. */
  readonly span: number;
  /** The service root in events. */
  readonly root: string;
  /** The header User-Agent. */
  readonly agent: string;
}

export interface DeliveryParts {
  readonly service: Service;
  readonly database: AuthDatabase;
  readonly lease: DeliveryLease;
  readonly recorder: OutcomeRecorder;
  readonly settings: DeliverySettings;
  readonly disable: (subscription: Subscription, reason: string) => Promise<void>;
}
