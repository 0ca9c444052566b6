// This file names the texts of fixed words: properties of the engine's sets whose values are a few words in English.
import type { Messages } from './messages/en/index.ts';

/** The names of the texts by the words. */
export type Words = Readonly<Record<string, keyof Messages>>;

const DELIVERY: Words = {
  queued: 'word.queued',
  delivered: 'word.delivered',
  failed: 'word.failed',
  cancelled: 'word.cancelled',
};

/** By type and property. */
export const WORDS: Readonly<Record<string, Words>> = {
  'Docket.System.AuditEntry/Kind': {
    'log-in': 'word.logIn',
    'log-in refused': 'word.logInRefused',
    'session end': 'word.sessionEnd',
    unauthorized: 'word.unauthorized',
    forbidden: 'word.forbidden',
    administration: 'word.administration',
    command: 'word.command',
  },
  'Docket.System.Session/Method': { password: 'word.password', issuer: 'word.issuer' },
  'Docket.System.Token/Kind': { access: 'word.accessToken', refresh: 'word.refreshToken' },
  'Docket.System.Setting/Kind': {
    number: 'word.number',
    choice: 'word.choice',
    list: 'word.list',
  },
  'Docket.System.Setting/Applies': {
    'at once': 'word.atOnce',
    'at the next start': 'word.atNextStart',
  },
  'Docket.System.OutgoingMessage/State': {
    queued: 'word.queued',
    sending: 'word.sending',
    sent: 'word.sent',
    failed: 'word.failed',
    cancelled: 'word.cancelled',
    suppressed: 'word.suppressed',
  },
  'Docket.System.OutgoingMessage/Delivery': {
    failed: 'word.failed',
    delayed: 'word.delayed',
    delivered: 'word.delivered',
    relayed: 'word.relayed',
    expanded: 'word.expanded',
  },
  'Docket.System.WebhookSubscription/State': {
    active: 'webhook.state.active',
    paused: 'webhook.state.paused',
    disabled: 'webhook.state.disabled',
  },
  'Docket.System.WebhookSubscription/Format': {
    structured: 'webhook.format.structured',
    batched: 'webhook.format.batched',
  },
  'Docket.System.WebhookDelivery/State': DELIVERY,
};
