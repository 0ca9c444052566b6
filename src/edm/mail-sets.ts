// This file declares the administrative sets of outgoing mail: rules, templates, the messages that are queued or have been sent, and the
// addresses at which they fail. A rule names parts of the model as data, so the engine needs no name of a model.
import { about, COMPUTED, FLAG, INDEXED, INSTANT, KEYED, OPTIONAL, text } from './engine-schema.ts';
import type { JsonObject } from './value/lossless-json.ts';

export const MAIL_RULE_TYPE = 'Docket.System.MailRule';
export const MAIL_TEMPLATE_TYPE = 'Docket.System.MailTemplate';
export const OUTGOING_MESSAGE_TYPE = 'Docket.System.OutgoingMessage';
export const UNDELIVERABLE_ADDRESS_TYPE = 'Docket.System.UndeliverableAddress';

/** The tables of the types. */
export const MAIL_TABLES = {
  [MAIL_RULE_TYPE]: 'docket:mailrule',
  [MAIL_TEMPLATE_TYPE]: 'docket:mailtemplate',
  [OUTGOING_MESSAGE_TYPE]: 'docket:outgoingmessage',
  [UNDELIVERABLE_ADDRESS_TYPE]: 'docket:undeliverableaddress',
} as const;

/** What a rule reacts to. */
export const MAIL_EVENTS = ['created', 'changed', 'assigned', 'added'] as const;

/** Where a message is in its life. */
export type MessageState = 'queued' | 'sending' | 'sent' | 'failed' | 'cancelled' | 'suppressed';

const ADDRESS_LENGTH = 320;
const URL_LENGTH = 1000;
const STATUS_LENGTH = 16;
const DIAGNOSTIC_LENGTH = 2000;

const UNLIMITED = { $Nullable: true };
const CREATED = { ...INSTANT, '@Docket.Generated': { By: 'created' } };
const MODIFIED = { ...INSTANT, '@Docket.Generated': { By: 'modified' } };

/** A property that only the service changes. */
const kept = (property: JsonObject): JsonObject => ({ ...property, ...OPTIONAL, ...COMPUTED });

export const MAIL_TYPES: JsonObject = {
  MailRule: {
    ...KEYED,
    ...about('When which recipients get a message, and from which template'),
    Name: { ...text(128, 'What the rule is for'), '@Docket.Unique': true },
    Active: { ...FLAG, $DefaultValue: true, ...about('Whether the rule applies') },
    EntitySet: text(128, 'The set whose entities the rule watches'),
    Event: {
      ...text(
        16,
        '"created"; "changed": Member has changed; "assigned": Member has got a value, also at creation; "added": an entity in the contained collection Member',
      ),
      '@Validation.Pattern': `^(${MAIL_EVENTS.join('|')})$`,
      '@Validation.Pattern@Core.Description': MAIL_EVENTS.join(', '),
    },
    Member: { ...text(255, 'Path of the property or navigation property'), ...OPTIONAL },
    Filter: {
      ...text(2000, 'Condition on the entity when the message is written, in $filter syntax'),
      ...OPTIONAL,
    },
    MemberFilter: {
      ...text(2000, 'Condition on the added entity, in $filter syntax'),
      ...OPTIONAL,
    },
    Recipients: {
      $Collection: true,
      ...text(
        ADDRESS_LENGTH,
        'Addresses, and paths to recipients or to properties with an address',
      ),
    },
    Template: text(128, 'Name of the template'),
    SkipAuthor: {
      ...FLAG,
      $DefaultValue: true,
      ...about('Whether the person who made the change gets no message'),
    },
    Receipt: {
      ...FLAG,
      $DefaultValue: false,
      ...about('Whether the message confirms something that the recipient has sent'),
    },
    Created: CREATED,
    Modified: { ...MODIFIED, ...about('Earlier changes cause no message') },
  },
  MailTemplate: {
    ...KEYED,
    ...about('The text of messages in one language; {Path} is replaced by a value of the entity'),
    '@Core.AlternateKeys': [{ Key: [{ Name: 'Name' }, { Name: 'Language' }] }],
    Name: text(128, 'Templates of one name differ in their language'),
    Language: text(16, 'Language of the text, such as "en"'),
    Subject: text(255, 'Subject, with values in braces'),
    Text: { ...UNLIMITED, $Nullable: false, ...about('Plain text, with values in braces') },
    Html: { ...UNLIMITED, ...about('HTML, with values in braces, which are escaped') },
  },
  OutgoingMessage: {
    ...KEYED,
    ...about('A message to one recipient: in the queue, sent, or not sent and why'),
    Created: { ...INSTANT, ...INDEXED },
    State: {
      ...text(16, '"queued", "sending", "sent", "failed", "cancelled" or "suppressed"'),
      ...INDEXED,
    },
    Rule: kept(text(128, 'Name of the rule')),
    Entity: kept({ ...text(URL_LENGTH, 'The entity, relative to the service root'), ...INDEXED }),
    Recipient: kept(text(URL_LENGTH, 'The entity of the recipient, relative to the service root')),
    Address: kept({ ...text(ADDRESS_LENGTH, 'E-mail address'), ...INDEXED }),
    AddressName: kept(text(255, 'Name of the recipient')),
    Subject: kept(text(255)),
    Text: kept(UNLIMITED),
    Html: kept(UNLIMITED),
    MessageId: kept({ ...text(500, 'Message-ID, the same for each attempt'), ...INDEXED }),
    References: kept({ ...UNLIMITED, ...about('Message-IDs of the thread, the root first') }),
    Receipt: kept({ ...FLAG, ...about('Whether the message confirms something received') }),
    Attempts: { $Type: 'Edm.Int32', ...OPTIONAL, ...about('Attempts since the last retry') },
    FirstAttempt: {
      $Type: 'Edm.DateTimeOffset',
      $Precision: 3,
      ...OPTIONAL,
      ...about('Attempts end three days later'),
    },
    NextAttempt: {
      $Type: 'Edm.DateTimeOffset',
      $Precision: 3,
      ...OPTIONAL,
      ...about('Null if there is nothing to wait for'),
    },
    Finished: kept({ ...INSTANT, ...about('When it was sent or given up') }),
    Response: kept(
      text(DIAGNOSTIC_LENGTH, 'Last response of the mail server, or why it was not sent'),
    ),
    Delivery: kept(
      text(
        16,
        'What other mail servers have reported: "failed", "delayed", "delivered", "relayed" or "expanded"',
      ),
    ),
    DeliveryStatus: kept(text(STATUS_LENGTH, 'Status code of the report, such as "5.1.1"')),
    DeliveryDiagnostic: kept(text(DIAGNOSTIC_LENGTH, 'The reason in the report')),
    DeliveryReported: kept({ ...INSTANT, ...about('When the report arrived') }),
    Lease: kept(text(64, 'The process that sends it')),
    LeaseEnds: kept(INSTANT),
  },
  UndeliverableAddress: {
    ...KEYED,
    ...about('An address at which messages have failed; delete it to count its failures again'),
    Address: { ...text(ADDRESS_LENGTH, 'In lower case'), ...COMPUTED, '@Docket.Unique': true },
    Blocked: { ...FLAG, ...about('Whether the address gets no more messages') },
    Failures: { $Type: 'Edm.Int32', ...COMPUTED, ...about('Messages that have failed for good') },
    LastFailure: INSTANT,
    Status: kept(text(STATUS_LENGTH, 'Status code of the last failure, such as "5.1.1"')),
    Diagnostic: kept(text(DIAGNOSTIC_LENGTH, 'The reason of the last failure')),
  },
};

/** The actions of messages. */
export const MAIL_ACTIONS = {
  Retry: {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: [{ $Name: 'message', $Type: OUTGOING_MESSAGE_TYPE }],
    ...about('Sends a message that was not sent, without further delay'),
    '@Docket.Available': "State in ('queued','failed','cancelled','suppressed') and Text ne null",
    '@Docket.Effects': [
      {
        Change: '$it',
        Values: [
          { Member: 'State', Expression: "'queued'" },
          { Member: 'Attempts', Expression: '0' },
          { Member: 'FirstAttempt', Expression: 'null' },
          { Member: 'NextAttempt', Expression: 'null' },
        ],
      },
    ],
  },
  Cancel: {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: [{ $Name: 'message', $Type: OUTGOING_MESSAGE_TYPE }],
    ...about('Takes a message out of the queue'),
    '@Docket.Available': "State eq 'queued'",
    '@Docket.Effects': [
      { Change: '$it', Values: [{ Member: 'State', Expression: "'cancelled'" }] },
    ],
  },
};

/** The sets with their singular names, apart from what they have in common with other administrative sets. */
export const MAIL_SETS: readonly (readonly [string, string, JsonObject])[] = [
  ['MailRules', 'MailRule', { $Type: MAIL_RULE_TYPE }],
  ['MailTemplates', 'MailTemplate', { $Type: MAIL_TEMPLATE_TYPE }],
  [
    'OutgoingMessages',
    'OutgoingMessage',
    {
      $Type: OUTGOING_MESSAGE_TYPE,
      '@Capabilities.InsertRestrictions': { Insertable: false },
    },
  ],
  [
    'UndeliverableAddresses',
    'UndeliverableAddress',
    {
      $Type: UNDELIVERABLE_ADDRESS_TYPE,
      '@Capabilities.InsertRestrictions': { Insertable: false },
    },
  ],
];
