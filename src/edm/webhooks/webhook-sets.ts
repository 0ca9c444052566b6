// This file declares the administrative sets of webhooks: subscriptions, which accounts own, and the deliveries that are queued or have
// been made. Secrets are not among their properties, so that nothing can read them.
import {
  about,
  COMPUTED,
  INDEXED,
  INSTANT,
  KEYED,
  many,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  text,
  withEngine,
} from '../engine-schema.ts';
import type { ModelDefinition } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';

export const WEBHOOK_SUBSCRIPTION_TYPE = 'Docket.System.WebhookSubscription';
export const WEBHOOK_DELIVERY_TYPE = 'Docket.System.WebhookDelivery';

/** The tables of the types. */
export const WEBHOOK_TABLES = {
  [WEBHOOK_SUBSCRIPTION_TYPE]: 'docket:webhooksubscription',
  [WEBHOOK_DELIVERY_TYPE]: 'docket:webhookdelivery',
} as const;

/** How events are sent: one in each request, or several. */
export const WEBHOOK_FORMATS = ['structured', 'batched'] as const;

/** active: events are sent; paused: an account has stopped it; disabled: the service has. */
const SUBSCRIPTION_STATES = ['active', 'paused', 'disabled'] as const;

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** Where a delivery is in its life. */
export type DeliveryState = 'queued' | 'delivered' | 'failed' | 'cancelled';

/** The parameter of Replay. */
export const REPLAY_FROM = 'From';

const EXPRESSION_LENGTH = 4000;
const RESPONSE_LENGTH = 2000;
const UNLIMITED = { $Nullable: true };

/** A property that only the service changes. */
const kept = (property: JsonObject): JsonObject => ({ ...property, ...OPTIONAL, ...COMPUTED });

function oneOf(values: readonly string[], description: string): JsonObject {
  return {
    ...text(16, description),
    '@Validation.Pattern': `^(${values.join('|')})$`,
    '@Validation.Pattern@Core.Description': values.join(', '),
  };
}

export const WEBHOOK_TYPES: JsonObject = {
  WebhookSubscription: {
    ...KEYED,
    ...about('Sends events about the entities of a set to a URL, with the rights of its owner'),
    Name: { ...text(128, 'What the subscription is for'), ...OPTIONAL },
    Url: text(2000, 'Where the events are sent by POST'),
    EntitySet: text(128, 'The set whose entities are followed'),
    Filter: {
      ...text(EXPRESSION_LENGTH, 'Condition on the entities, in $filter syntax'),
      ...OPTIONAL,
    },
    Select: {
      ...text(EXPRESSION_LENGTH, 'Properties in the events, in $select syntax'),
      ...OPTIONAL,
    },
    Expand: {
      ...text(EXPRESSION_LENGTH, 'Related entities in the events, in $expand syntax'),
      ...OPTIONAL,
    },
    Kinds: {
      $Collection: true,
      ...text(16, 'Kinds of events: created, updated, removed, deleted; empty for all'),
    },
    Format: {
      ...oneOf(WEBHOOK_FORMATS, '"structured": one event in each request; "batched": several'),
      $DefaultValue: 'structured',
    },
    State: {
      ...oneOf(SUBSCRIPTION_STATES, '"active", "paused", or "disabled" by the service'),
      $DefaultValue: 'active',
      ...INDEXED,
    },
    Reason: kept(text(RESPONSE_LENGTH, 'Why the service has disabled the subscription')),
    Owner: {
      ...text(
        128,
        'Login name of the account that has created it; it gets what this account may read',
      ),
      ...COMPUTED,
      ...INDEXED,
      '@Docket.Generated': { By: 'creator' },
    },
    Created: { ...INSTANT, '@Docket.Generated': { By: 'created' } },
    Modified: { ...INSTANT, '@Docket.Generated': { By: 'modified' } },
    Deliveries: many('WebhookDelivery', { $Partner: 'Subscription', '@Docket.Computed': true }),
  },
  WebhookDelivery: {
    ...KEYED,
    ...about('A message to a receiver: queued, delivered, or not delivered and why'),
    Subscription: {
      $Kind: 'NavigationProperty',
      $Type: WEBHOOK_SUBSCRIPTION_TYPE,
      $Partner: 'Deliveries',
      ...OPTIONAL,
      ...about('Null for a callback, which belongs to a request'),
      '@Docket.Computed': true,
      '@Docket.OnDelete': 'cascade',
    },
    MessageId: kept(text(128, 'The header webhook-id, the same for each attempt')),
    Type: kept(text(128, 'Type of the event; of the last one in a batch')),
    Subject: kept(
      text(
        1000,
        'The entity, status monitor or delta link, relative to the service root; null for a batch',
      ),
    ),
    Position: kept({ ...text(64, 'Position of the last event in the change log, for Replay') }),
    State: { ...text(16, '"queued", "delivered", "failed" or "cancelled"'), ...INDEXED },
    Created: INSTANT,
    Attempts: { $Type: 'Edm.Int32', ...COMPUTED },
    FirstAttempt: kept(INSTANT),
    LastAttempt: kept(INSTANT),
    NextAttempt: {
      $Type: 'Edm.DateTimeOffset',
      $Precision: 3,
      ...OPTIONAL,
      ...about('Null if there is nothing to wait for'),
    },
    Finished: kept({ ...INSTANT, ...INDEXED, ...about('When it was delivered or given up') }),
    Status: kept({ $Type: 'Edm.Int32', ...about('HTTP status of the last response') }),
    Response: kept(text(RESPONSE_LENGTH, 'Start of the last response, or why there was none')),
    Request: kept({ ...UNLIMITED, ...about('Body of the last request') }),
  },
};

const DELIVERY_PARAMETER = [{ $Name: 'delivery', $Type: WEBHOOK_DELIVERY_TYPE }];

/** Overloads of the actions of outgoing mail. */
export const DELIVERY_ACTIONS = {
  Retry: {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: DELIVERY_PARAMETER,
    ...about('Sends a queued delivery without further delay'),
    '@Docket.Available': "State eq 'queued'",
    '@Docket.Effects': [{ Change: '$it', Values: [{ Member: 'NextAttempt', Expression: 'null' }] }],
  },
  Cancel: {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: DELIVERY_PARAMETER,
    ...about('Takes a delivery out of the queue, so that later ones about its entity are sent'),
    '@Docket.Available': "State eq 'queued'",
    '@Docket.Effects': [
      { Change: '$it', Values: [{ Member: 'State', Expression: "'cancelled'" }] },
    ],
  },
};

/** The sets with their singular names, apart from what they have in common with other administrative sets. */
export const WEBHOOK_SETS: readonly (readonly [string, string, JsonObject])[] = [
  [
    'WebhookSubscriptions',
    'WebhookSubscription',
    { $Type: WEBHOOK_SUBSCRIPTION_TYPE, '@Docket.Grantable': true },
  ],
  [
    'WebhookDeliveries',
    'WebhookDelivery',
    {
      $Type: WEBHOOK_DELIVERY_TYPE,
      '@Docket.Grantable': true,
      '@Capabilities.InsertRestrictions': { Insertable: false },
    },
  ],
];

const SUBSCRIPTION_PARAMETER = { $Name: 'subscription', $Type: WEBHOOK_SUBSCRIPTION_TYPE };

const ACTIONS = [
  [
    'RotateSecret',
    'rotate-secret',
    {
      $ReturnType: {},
      ...about(
        'Creates the secret that messages are signed with and returns it. It cannot be read again; the previous one remains valid for a while',
      ),
    },
  ],
  [
    'Test',
    'test-webhook',
    {
      $ReturnType: { $Type: WEBHOOK_DELIVERY_TYPE },
      ...about('Queues a message without content, which is sent once'),
    },
  ],
  [
    'Replay',
    'replay-webhook',
    {
      $Parameter: [
        {
          $Name: REPLAY_FROM,
          ...text(
            4000,
            'Position or id of an event, a delta link or its token, or a point in time',
          ),
        },
      ],
      ...about('Sends all events after a position again, and cancels what is queued'),
    },
  ],
] as const;

/** Adds the actions of subscriptions that the engine implements. */
export function withWebhookActions(definition: ModelDefinition): ModelDefinition {
  return ACTIONS.reduce((before, [name, engine, { ...declaration }]) => {
    const own = '$Parameter' in declaration ? declaration.$Parameter : [];
    const $Parameter = [SUBSCRIPTION_PARAMETER, ...own];
    const action = { $Kind: 'Action', $IsBound: true, ...declaration, $Parameter };
    return withEngine(engine, before, {
      elements: { [name]: [action] },
      namespace: SYSTEM_NAMESPACE,
    });
  }, definition);
}
