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
    message: 'The query option "{name}" does not exist{place}.{hint}',
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
  // access: what the account may not do
  'access.member': { status: 403, message: 'The account may not read {member} of {type}.' },
  'access.read': { status: 403, message: 'The account may not read any {type}.' },
  'access.write': { status: 403, message: 'The account may not {action} this {type}.' },
  'access.write-member': {
    status: 403,
    message: 'The account may not change {member} of this {type}.',
  },
  // auth: who is asking
  'auth.token-missing': {
    status: 401,
    message:
      'A token is needed: send "Authorization: Bearer <access token>"; POST /token gives one.',
  },
  'auth.token-invalid': {
    status: 401,
    message:
      'The access token is unknown, expired, ended, or bound to another machine; obtain a new one from /token.',
  },
  'auth.seats': {
    status: 503,
    message:
      'The maximum of {limit} concurrent users is reached; end a session (POST /connect/endsession) or try again later.',
  },
  'auth.busy': {
    status: 503,
    message: 'Too many log-ins are being checked at this moment; try again in a few seconds.',
  },
  'auth.password': { status: 400, message: 'The password cannot be taken: {reason}.' },
  'auth.account-exists': { status: 409, message: 'An account with the name "{name}" exists.' },
  'auth.account-unknown': {
    status: 404,
    message: 'There is no account with the name "{name}".{hint}',
  },
  // bind: names and types that do not fit the model
  'bind.aggregated-away': {
    status: 400,
    message: '"{name}" is no longer there after $apply ({place}); the rows have {columns}.{hint}',
  },
  'bind.alias-circle': {
    status: 400,
    message: 'The value of @{name} leads back to itself ({place}); give it a value of its own.',
  },
  'bind.argument': {
    status: 400,
    message: 'The function {name} cannot be called with ({types}) {place}; write {expected}.',
  },
  'bind.cast': {
    status: 400,
    message: '{thing} is of type {from} and cannot be cast to {to} ({place}).',
  },
  'bind.coded': {
    status: 400,
    message: '{thing} is a coded value ({place}); write {thing}/{value} or {thing}/{text} instead.',
  },
  'bind.collection': {
    status: 400,
    message: '{thing} is a collection of {type} ({place}); {instead}.',
  },
  'bind.comparison': {
    status: 400,
    message:
      '{left} of type {leftType} cannot be compared by {operator} with {right} of type {rightType} ({place}).{hint}',
  },
  'bind.condition': {
    status: 400,
    message:
      'A condition is needed {place}, but {thing} is of type {type}; compare it with a value.',
  },
  'bind.division-by-zero': { status: 400, message: 'The divisor is zero ({place}).' },
  'bind.duplicate': { status: 400, message: '"{name}" is given more than once {place}.' },
  'bind.expand-depth': {
    status: 400,
    message: 'The $expand is nested {depth} levels deep; {limit} are allowed.',
  },
  'bind.expand-width': {
    status: 400,
    message: 'The $expand names {width} navigation properties; {limit} are allowed.',
  },
  'bind.key': {
    status: 400,
    message: 'The key ({key}) cannot be used for {type} ({place}): {expected}.',
  },
  'bind.list': {
    status: 400,
    message: 'The list behind in is empty ({place}); name at least one value.',
  },
  'bind.literal': { status: 400, message: 'The value {text} is not valid ({place}): {expected}.' },
  'bind.name-taken': {
    status: 400,
    message: 'The name "{name}" is taken already ({place}); choose another one.',
  },
  'bind.no-row': {
    status: 400,
    message: 'There is no row that {thing} could stand for ({place}).',
  },
  'bind.not-a-path': {
    status: 400,
    message: '{thing} is of type {type} and has nothing named "{name}" in it ({place}).',
  },
  'bind.operand': {
    status: 400,
    message: 'The operator {operator} cannot be used with {types} ({place}).{hint}',
  },
  'bind.option-on': {
    status: 400,
    message: '"{name}" is {what} ({place}); {instead}.',
  },
  'bind.position': {
    status: 400,
    message: '{thing} has no order that a position could count in ({place}).',
  },
  'bind.select-key': {
    status: 400,
    message: '$select beside $expand must name {keys}; write $select={keys},{written}.',
  },
  'bind.select-navigation': {
    status: 400,
    message: '"{name}" in $select is a navigation property; use $expand={name} instead.',
  },
  'bind.unknown-function': {
    status: 400,
    message: 'There is no function "{name}" for {thing} ({place}).{hint}',
  },
  'bind.unknown-hierarchy': {
    status: 400,
    message: 'There is no hierarchy "{name}" ({place}).{hint}',
  },
  'bind.unknown-id': { status: 404, message: 'No entity of this service has the id "{id}".' },
  'bind.unknown-member': {
    status: 400,
    message: 'The enumeration {type} has no member "{name}" ({place}).{hint}',
  },
  'bind.unknown-parameter': {
    status: 400,
    message:
      'The function {name} has no overload with the parameters ({given}) {place}; write {expected}.',
  },
  'bind.unknown-property': {
    status: 400,
    message: 'The type {type} has no property "{name}" ({place}).{hint}',
  },
  'bind.unknown-resource': {
    status: 404,
    message: 'The service has no entity set, singleton or function import "{name}".{hint}',
  },
  'bind.unknown-segment': {
    status: 404,
    message: 'The type {type} has no "{name}" that a path could go on with.{hint}',
  },
  'bind.unknown-set': {
    status: 400,
    message: 'There is no entity set or singleton "{name}" ({place}).{hint}',
  },
  'bind.unknown-type': {
    status: 400,
    message: 'There is no type "{name}" ({place}).{hint}',
  },
  'bind.unrelated-type': {
    status: 400,
    message: 'The type {to} is not derived from {from} ({place}).{hint}',
  },
  // plan: what cannot be done as it was asked
  'plan.delta-gone': {
    status: 410,
    message:
      'The delta link cannot be used any more: {reason}. Read the collection again, with the preference track-changes.',
  },
  'plan.deltatoken': {
    status: 400,
    message:
      'The $deltatoken cannot be used: {reason}. Follow the delta link as it was given, or read the collection again.',
  },
  'plan.skiptoken': {
    status: 400,
    message:
      'The $skiptoken cannot be used: {reason}. Follow the next link as it was given, or read the collection from its start.',
  },
  // response: what is found only when the answer is made
  'response.changed': {
    status: 412,
    message: 'The record has the ETag {etag}, which If-Match does not name; read it again.',
  },
  'response.not-found': {
    status: 404,
    message: 'There is nothing at "{path}", or the account may not see it.',
  },
  // sql: what turns out only when the database calculates
  'sql.division-by-zero': {
    status: 400,
    message:
      'An expression divides by zero; use divby to get INF, or exclude zero with a filter before.',
  },
  'sql.negative-length': {
    status: 400,
    message: 'The third argument of substring is negative for at least one record.',
  },
  'sql.overflow': {
    status: 400,
    message:
      'The result of a calculation does not fit its type (64-bit integers, years 0001 to 9999).',
  },
  'sql.pattern': {
    status: 400,
    message: 'The pattern "{pattern}" of matchesPattern cannot be used: it {reason}.',
  },
  // write: what a body, a reference or a precondition asks for cannot be done
  // store: the database cannot do it now
  'service.import': {
    status: 400,
    message: 'The records cannot be stored: {count} mistakes were found, and nothing was stored.',
  },
  'service.import-set': { status: 400, message: 'The model has no set "{name}".{hint}' },
  'request.schema-version': {
    status: 404,
    message:
      'The service has no version "{version}" of its schema; leave $schemaversion out or send *.',
  },
  'request.isolation': {
    status: 412,
    message: 'Snapshot isolation is not supported; leave the header out.',
  },
  'store.busy': {
    status: 503,
    message: 'Too many requests wait for the database; try again in a moment.',
  },
  'store.foreign-key': {
    status: 409,
    message:
      'A record that is referred to is not there, or is still referred to; nothing was changed.',
  },
  'store.full': {
    status: 507,
    message: 'The disk of the database is full or fails; nothing was changed.',
  },
  'store.in-use': {
    status: 409,
    message: 'The database is in use by another process; stop the service first.',
  },
  'store.migration-broken': {
    status: 409,
    message: 'The migration was taken back: {reason}',
  },
  'store.migration-due': {
    status: 503,
    message:
      'The database is not in the form of the model; "docket migrate --plan" shows what would change.',
  },
  'store.not-installed': {
    status: 503,
    message: 'There is no installation here; make one with "docket init" or "docket demo".',
  },
  'cli.exists': { status: 409, message: 'There is an installation in {data} already.' },
  'cli.model': { status: 400, message: 'The model file {file} has mistakes.' },
  'cli.file': { status: 400, message: 'The file {file} cannot be read: {reason}' },
  'cli.password-missing': {
    status: 400,
    message: 'A password is needed: set {variable}, or give it on standard input.',
  },
  'http.headers-too-large': {
    status: 431,
    message: 'The header fields are larger than {limit} bytes.',
  },
  'http.malformed': { status: 400, message: 'This is not a request of HTTP/1.1 ({reason}).' },
  'http.timeout': { status: 408, message: 'The request did not arrive in time.' },
  'http.unknown-address': {
    status: 404,
    message: 'There is nothing at {path}; the service is at {root}.',
  },
  'load.type': {
    status: 400,
    message: 'Records of {set} must name their type, {type} or one that is derived from it.',
  },
  'store.not-enabled': {
    status: 503,
    message: 'The service is not enabled by an administrator ("docket enable").',
  },
  'store.slow': {
    status: 503,
    message:
      'The query took longer than {seconds} seconds; narrow it by a filter on indexed properties, or ask for less.',
  },
  'store.stopping': { status: 503, message: 'The service is being stopped; try again later.' },
  'store.unique': {
    status: 409,
    message: 'Another record has the same {names}; it must be unique.',
  },
  'write.annotation': {
    status: 400,
    message: 'There is no control information "{name}"; write "@odata.{meant}".',
  },
  'write.body': { status: 400, message: 'The body cannot be accepted. {first}{more}' },
  'write.changed': {
    status: 412,
    message:
      'The entity is not in the state that the ETag stands for; read it again and repeat the change.',
  },
  'write.code': {
    status: 400,
    message: 'The code list {list} has no code {shown}; permitted are {permitted}.{hint}',
  },
  'write.code-ambiguous': {
    status: 400,
    message: 'Several codes of the list {list} have this text ({codes}); give the {value}.',
  },
  'write.code-disabled': {
    status: 400,
    message: 'The code {shown} of the list {list} is no longer in use; permitted are {permitted}.',
  },
  'write.code-disagrees': {
    status: 400,
    message:
      '{value} and {text} name different codes of the list {list}: {meant} and {codes}; leave one of them out. Permitted are {permitted}.',
  },
  'write.contained': {
    status: 400,
    message:
      'The entities of "{name}" belong to their owner and cannot be linked; give them inline or POST them there.',
  },
  'write.contradiction': {
    status: 400,
    message:
      '"{name}" follows from where the entity is made, and the body names another one; leave it out.',
  },
  'write.delta': {
    status: 400,
    message: 'A list of changes cannot be given for "{name}" here: {why}.',
  },
  'write.exists': {
    status: 412,
    message:
      'The entity is there, in a state that If-None-Match excludes; leave the header out to change it.',
  },
  'write.homeless': {
    status: 400,
    message:
      'An entity of type {type} cannot be made here, since no {set} takes it; make it in its own set and refer to it.',
  },
  'write.immutable': {
    status: 400,
    message: '"{name}" can be set at creation only; leave it out.',
  },
  'write.inline': {
    status: 400,
    message:
      '"{name}" cannot hold inline entities in a PATCH or PUT of version 4.0; set the relation with "{name}@odata.bind", or send OData-Version: 4.01.',
  },
  'write.inner-relation': {
    status: 400,
    message:
      '"{name}" lies inside a value that is kept as a whole and can have no relations; leave it out.',
  },
  'write.key': {
    status: 400,
    message: 'The key "{name}" is given by the service; leave it out of the body.',
  },
  'write.media': {
    status: 400,
    message:
      'An entity of type {type} is made of bytes; POST them to its collection once the entity around it is there.',
  },
  'write.missing-reference': {
    status: 400,
    message: 'The reference {text} leads to nothing: there is no such {type}.',
  },
  'write.no-item': { status: 404, message: '"{name}" has no item at position {index}.' },
  'write.not-found': { status: 404, message: 'There is nothing at {address}.' },
  'write.not-linked': {
    status: 404,
    message: 'The entity is not related by "{name}", so that there is nothing to remove.',
  },
  'write.not-of-type': {
    status: 400,
    message:
      'The entity is not of type {type}; leave "@odata.type" out or name the type that it has.',
  },
  'write.null': {
    status: 400,
    message: '"{name}" of type {type} cannot be null; give it a value.',
  },
  'write.referenced': {
    status: 409,
    message:
      'The record cannot be deleted while others refer to it; set Blocked instead, or remove the references first.',
  },
  'write.read-only': {
    status: 400,
    message:
      '"{name}" is kept by the service, or can be set at creation only, and cannot be changed.',
  },
  'write.reference': { status: 400, message: 'The reference {text} cannot be used: {reason}' },
  'write.required': { status: 400, message: '"{name}" of type {type} is required and missing.' },
  'write.template': {
    status: 400,
    message: 'The template cannot be used: {reason}',
  },
  'write.template-inside': {
    status: 400,
    message:
      'Only the record that the request makes can name a template, none inside it; leave it out here.',
  },
  'write.template-json': {
    status: 400,
    message: 'The value that the template has for "{name}" is no JSON, as it has to be there.',
  },
  'write.too-deep': { status: 400, message: 'The body is nested deeper than {limit} levels.' },
  'write.too-large': { status: 400, message: 'The body has more than {limit} {what}.' },
  'write.too-many': {
    status: 413,
    message: '{count} records would be changed at once; at most {limit} can be. Narrow the filter.',
  },
  'write.twice': {
    status: 400,
    message: '"{name}" leads to one entity and is given twice; leave one of them out.',
  },
  'write.type': {
    status: 400,
    message: 'The type {name} in @odata.type cannot be used here: {expected}.{hint}',
  },
  'write.unknown-navigation': {
    status: 400,
    message: 'The type {type} has no navigation property "{name}".{hint}',
  },
  'write.unknown-parameter': {
    status: 400,
    message: 'The action {type} has no parameter "{name}".{hint}',
  },
  'write.unknown-property': {
    status: 400,
    message: 'The type {type} has no property "{name}".{hint}',
  },
  'write.unnamed': {
    status: 400,
    message:
      'It is not said which entity of type {type} is meant; give its "@odata.id" or its key.',
  },
  'write.value': {
    status: 400,
    message: 'The value {shown} is not valid for "{name}" of type {type}: {expected}',
  },
  // service: batches, requests that are repeated, requests that are answered later
  'async.cancelled': { status: 410, message: 'The request was cancelled before it was done.' },
  'async.started': {
    status: 409,
    message: 'The request has changed something already and cannot be cancelled; wait for its end.',
  },
  'async.too-many': {
    status: 503,
    message: '{limit} requests of this account wait to be done; let some of them end first.',
  },
  'async.unknown': {
    status: 404,
    message: 'There is no status monitor "{id}"; it was deleted, has expired, or never was.',
  },
  'batch.condition': {
    status: 424,
    message:
      'The condition "if" cannot be evaluated; name the requests that must succeed in "dependsOn" alone.',
  },
  'batch.dependency': {
    status: 424,
    message: 'The request was not done, as "{id}", on which it depends, has failed.',
  },
  'batch.foreign-url': {
    status: 400,
    message: 'The URL {url} does not lead to this service; a batch reaches what is behind {root}.',
  },
  'batch.group': {
    status: 424,
    message:
      'Nothing of this group of requests was done, as one of them has failed{request}: {reason}',
  },
  'batch.nested': {
    status: 400,
    message: 'A batch cannot stand in another one; list its requests in the outer batch.',
  },
  'batch.part': { status: 400, message: 'The part of the batch cannot be read: {reason}.' },
  'batch.read-in-group': {
    status: 400,
    message:
      'A {method} request cannot stand in a group that is done as a whole; put it outside of the group.',
  },
  'batch.reference': {
    status: 400,
    message: 'The reference {reference} cannot be used: {reason}.',
  },
  'batch.same-id': {
    status: 400,
    message: 'The id "{id}" is given to two requests of one group; give each its own.',
  },
  'batch.too-large': {
    status: 413,
    message:
      'The answers of the batch have become larger than {limit} bytes; send smaller batches.',
  },
  'batch.too-many': {
    status: 413,
    message: 'The batch has {count} requests; at most {limit} can be in one.',
  },
  'repeat.expired': {
    status: 412,
    message:
      'Repeatability-First-Sent is {value}, but answers are kept for {hours} hours; whether the request was done before cannot be told.',
  },
  'repeat.header': {
    status: 400,
    message: 'The request cannot be made repeatable by its header {header}: {expected}.',
  },
  'repeat.reused': {
    status: 400,
    message:
      'The id "{id}" was given to another request before (another method, URL or body); give every request its own id.',
  },
  // anywhere: a failure of the service itself, of which nothing else is told
  internal: {
    status: 500,
    message:
      'The service has failed to answer; what happened is noted under the id of the request.',
  },
  // anywhere: a feature of the standard that is not built
  'not-built': { status: 501, message: 'The feature {feature} is not implemented.' },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

export function isFaultCode(text: string): text is FaultCode {
  return Object.hasOwn(FAULTS, text);
}

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
