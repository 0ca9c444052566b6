// This file defines Fault, the one error class of the service, and FAULTS, the table of every refusal it can give:
// code, HTTP status and message template. docs/errors.md is made from the table. Codes are grouped by room and never reused.

/** One row of FAULTS. `{name}` in the message is replaced by the parameter of that name. */
interface FaultRow {
  readonly status: number;
  readonly message: string;
}

export const FAULTS = {
  // request: what the client wrote cannot be read
  'request.syntax': {
    status: 400,
    message: 'Expected {expected} at position {position} of {target}, but found {found}.',
  },
  'request.too-deep': {
    status: 400,
    message: 'The expression is nested deeper than {limit} levels.',
  },
  'request.too-large': { status: 400, message: 'The {what} has more than {limit} parts.' },
  'request.url-too-long': {
    status: 414,
    message:
      'The URL is longer than {limit} bytes; send the query in the body of POST …/$query instead.',
  },
  'request.encoding': {
    status: 400,
    message: 'The URL is not valid percent-encoded UTF-8 at "{text}".',
  },
  'request.unknown-option': {
    status: 400,
    message: 'The query option "{name}" does not exist.{hint}',
  },
  'request.duplicate-option': {
    status: 400,
    message: 'The query option {name} is given more than once.',
  },
  'request.option-value': {
    status: 400,
    message: 'The value "{value}" of {name} is not valid: {expected}.',
  },
  'request.misplaced-option': {
    status: 400,
    message: 'The query option {name} cannot be used {place}; {instead}.',
  },
  'request.missing-option': {
    status: 400,
    message: 'The query option {name} is required {place}.',
  },
  'request.unknown-segment': {
    status: 404,
    message: 'The path segment "{segment}" does not exist.{hint}',
  },
  'request.misplaced-segment': {
    status: 400,
    message: 'The path segment {segment} cannot stand {place}.',
  },
  'request.method': {
    status: 405,
    message: 'The method {method} is not supported here; use {allow}.',
  },
  'request.not-acceptable': {
    status: 406,
    message: 'The answer cannot be given as "{accept}": {supported}.',
  },
  'request.media-type': {
    status: 415,
    message: 'A body of type "{type}" cannot be read here; send {supported}.',
  },
  'request.version': {
    status: 400,
    message: 'The header {header} asks for version "{value}"; versions 4.0 and 4.01 are spoken.',
  },
  'request.header': {
    status: 400,
    message: 'The header {header} has the value "{value}", which is not valid: {expected}.',
  },
  'request.body': { status: 400, message: 'The body cannot be read: {reason}.' },
  'request.body-too-large': { status: 413, message: 'The body is larger than {limit} bytes.' },
  // auth: who is asking
  'auth.token-missing': { status: 401, message: 'A token is needed: send "Authorization: Bearer <access token>"; POST /token gives one.' },
  'auth.token-invalid': { status: 401, message: 'The access token is unknown, expired, ended, or bound to another machine; obtain a new one from /token.' },
  'auth.seats': { status: 503, message: 'The maximum of {limit} concurrent users is reached; end a session (POST /connect/endsession) or try again later.' },
  'auth.busy': { status: 503, message: 'Too many log-ins are being checked at this moment; try again in a few seconds.' },
  'auth.password': { status: 400, message: 'The password cannot be taken: {reason}.' },
  'auth.account-exists': { status: 409, message: 'An account with the name "{name}" exists.' },
  'auth.account-unknown': { status: 404, message: 'There is no account with the name "{name}".{hint}' },
  // anywhere: a feature of the standard that is not built
  'not-built': { status: 501, message: 'The feature {feature} is not implemented.' },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

/** One mistake among several: code, message and the path of the member or option that is wrong. */
export interface FaultDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

export interface FaultPlace {
  /** Zero-based offset into the decoded text that was being read. */
  readonly position?: number;
  /** The option, header or property path that is wrong. */
  readonly target?: string;
  readonly details?: readonly FaultDetail[];
  /** Headers that the answer must carry, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Parameters = Readonly<Record<string, string | number | bigint>>;

/** A refusal that the client is told about: stable code, HTTP status, and where the mistake is. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly position: number | undefined;
  readonly target: string | undefined;
  readonly details: readonly FaultDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, parameters: Parameters = {}, place: FaultPlace = {}) {
    super(fillTemplate(FAULTS[code].message, parameters));
    this.name = 'Fault';
    this.code = code;
    this.status = FAULTS[code].status;
    this.position = place.position;
    this.target = place.target;
    this.details = place.details ?? [];
    this.headers = place.headers ?? {};
  }
}

/** The fault as one entry of another fault's details. */
export function toDetail(fault: Fault): FaultDetail {
  const target = fault.target === undefined ? {} : { target: fault.target };
  return { code: fault.code, message: fault.message, ...target };
}

/** A mistake of ours: the client sees 500 and a request id, the message is for the log. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Raises InvariantError unless the condition holds. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks the end of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new InvariantError(`unexpected ${JSON.stringify(value)}`);
}

function fillTemplate(template: string, parameters: Parameters): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : String(value);
  });
}
