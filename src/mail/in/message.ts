// This file defines a parsed message, and the error for messages that cannot be parsed.

/** A message as it was received. */
export interface Delivery {
  readonly raw: Uint8Array;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** The return path, if it is known. */
  readonly sender: string | undefined;
  /** The recipients of the envelope, if they are known. */
  readonly recipients: readonly string[];
  /** Why the message is incomplete, if it is. */
  readonly fault: string | undefined;
}

/** What identifies the messages that a report returns. */
export interface ReportedHeaders {
  readonly messageIds: readonly string[];
  /** Texts that may be tokens of messages. */
  readonly tokens: readonly string[];
}

interface MailAddress {
  readonly address: string;
  readonly name: string;
}

/** The media type of messages. */
export const MESSAGE_TYPE = 'message/rfc822';

export interface MailFile {
  /** Undefined if the part has no name. */
  readonly name: string | undefined;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Without angle brackets. */
  readonly contentId: string | undefined;
}

/** Values by lower-case header name, in the order of the message. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** A header field; its name is in lower case. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export interface Message {
  /** From the top. */
  readonly fields: readonly HeaderField[];
  readonly headers: Headers;
  /** With angle brackets; undefined if the message has none. */
  readonly messageId: string | undefined;
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  /** The messages that a report is about. */
  readonly reported: ReportedHeaders;
  readonly from: MailAddress | undefined;
  /** Addresses in From. */
  readonly senders: number;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly language: string | undefined;
  readonly files: readonly MailFile[];
  /** Whether its exact bytes matter: signatures, encryption, texts in an unknown encoding, and parts that were not found. */
  readonly keepsRaw: boolean;
}

/** A message that cannot be parsed within the limits. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
}

/** The Message-IDs in a header, with angle brackets. */
export function messageIds(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.match(/<[^<>\s]{1,250}>/g) ?? []);
}
