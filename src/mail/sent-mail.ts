// This file defines what incoming mail needs to know of outgoing mail: which messages were sent, and where their delivery reports are recorded.

/** What a mail server reports about the delivery to a recipient. RFC 3464, The Action field. */
export type DeliveryAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

/** The part of a delivery report for one recipient. */
export interface ReportedDelivery {
  readonly action: DeliveryAction;
  /** `5.1.1` (RFC 3463); undefined if the report has none. */
  readonly status: string | undefined;
  readonly diagnostic: string | undefined;
}

/** A report about the delivery of a message. */
export interface DeliveryReport {
  readonly deliveries: readonly ReportedDelivery[];
  /** Message-IDs of the returned message. */
  readonly messageIds: readonly string[];
  /** Texts that may be tokens of the message. */
  readonly tokens: readonly string[];
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** The messages that this service has sent. Entities are URLs relative to the service root. */
export interface SentMail {
  /** The entities that messages are about, by Message-ID; the common reference of all messages about an entity is one, too. */
  readonly entitiesOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The entity that the message with one of the tokens is about. */
  readonly entityOf: (tokens: readonly string[]) => Promise<string | undefined>;
  /** Records a report with the message that it is about, if that is known. A report takes effect once. */
  readonly record: (report: DeliveryReport) => Promise<void>;
}

/** The beginning of the IDs of requests that record delivery reports. What they change causes no messages. */
export const REPORT_ORIGIN = 'mail report';
