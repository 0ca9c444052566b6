// This file lists the errors of any request, read or write: syntax, authentication, access rights, binding to the model,
// and errors found while the response is built.
// Rows are grouped by the prefix of their code. A code is never reused for another error.

import type { FaultRow } from './fault-row.ts';

export const REQUEST_FAULTS = {
  // request: syntax and negotiation
  'request.syntax': {
    status: 400,
    message: 'Expected {expected} at position {position} of {target}, but found {found}.{hint}',
  },
  'request.too-deep': {
    status: 400,
    message: 'The expression is nested deeper than {limit} levels.',
  },
  'request.chain': {
    status: 400,
    message:
      'The expression joins more than {limit} values by operators such as add or eq; split it into several.',
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
    message: 'The query option {name} appears more than once.',
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
    message: 'The query option {name} is required {place} (at position {position} of the path).',
  },
  'request.unknown-segment': {
    status: 404,
    message: 'The path segment "{segment}" does not exist.{hint}',
  },
  'request.misplaced-segment': {
    status: 400,
    message:
      'The path segment {segment} is not allowed {place} (at position {position} of the path).',
  },
  'request.method': {
    status: 405,
    message: 'The method {method} is not supported here; use {allow}.',
  },
  'request.not-acceptable': {
    status: 406,
    message: 'The response is not available as "{accept}": {supported}.',
  },
  'request.media-type': {
    status: 415,
    message: 'The media type "{type}" is not supported here; send {supported}.',
  },
  'request.version': {
    status: 400,
    message: 'The header {header} requests version "{value}"; the service supports 4.0 and 4.01.',
  },
  'request.header': {
    status: 400,
    message: 'The value "{value}" of the header {header} is not valid: {expected}.',
  },
  'request.body': { status: 400, message: 'The body cannot be read: {reason}.' },
  'request.body-too-large': { status: 413, message: 'The body is larger than {limit} bytes.' },
  'request.schema-version': {
    status: 404,
    message: 'The service has no schema version "{version}"; leave $schemaversion out or send *.',
  },
  'request.isolation': {
    status: 412,
    message: 'Snapshot isolation is not supported; remove the header.',
  },
  // access: rights of the account
  'access.member': { status: 403, message: 'The account may not read {member} of {type}.' },
  'access.read': { status: 403, message: 'The account may not read any {type}.' },
  'access.rights-of': {
    status: 403,
    message: 'Only administrators may read the rights of another account; leave the account out.',
  },
  'access.write': { status: 403, message: 'The account may not {action} this {type}.' },
  'access.write-member': {
    status: 403,
    message: 'The account may not change {member} of this {type}.',
  },
  'access.write-many': {
    status: 403,
    message:
      'The account may not change many records in one request. Change them one by one, or request a role with UpdateAllAllowed.',
  },
  'access.rule': { status: 400, message: 'The condition is not valid for {type}: {reason}' },
  'access.rule-member': {
    status: 400,
    message: 'The entity type {type} has no property or navigation "{name}".{hint}',
  },
  'access.rule-type': { status: 400, message: 'The model has no entity type "{name}".{hint}' },
  // auth: accounts, sessions and tokens
  'auth.token-missing': {
    status: 401,
    message:
      'An access token is required. Send "Authorization: Bearer <access token>"; POST /token issues one.',
  },
  'auth.token-invalid': {
    status: 401,
    message:
      'The access token is unknown, expired, revoked, or bound to another machine. Obtain a new one from /token.',
  },
  'auth.account-sessions': {
    status: 429,
    message:
      'The account has {limit} sessions, the maximum for one account (accountSessions). End a session (POST /connect/endsession), or reuse the token of an existing one.',
  },
  'auth.seats': {
    status: 503,
    message:
      'The limit of {limit} concurrent users is reached{reserved}; end a session (POST /connect/endsession) or try again later.',
  },
  'auth.busy': {
    status: 503,
    message: 'Too many logins are being checked; try again in a few seconds.',
  },
  'auth.password': { status: 400, message: 'The password is not acceptable: {reason}.' },
  'auth.current-password': {
    status: 403,
    message: 'The current password is not correct.',
  },
  'auth.slowed': {
    status: 429,
    message: 'Too many failed attempts; try again in {seconds} seconds.',
  },
  'auth.setting': {
    status: 400,
    message: 'The value of the setting {name} is not valid: {reason}. Permitted: {range}.',
  },
  'auth.last-administrator': {
    status: 409,
    message:
      'No account with the role "{role}" could log in any more; nothing was changed. Assign the role to another account with a password first.',
  },
  'auth.login-name': { status: 400, message: 'The login name is not acceptable: {reason}.' },
  'auth.account-exists': {
    status: 409,
    message: 'An account named "{name}" already exists; login names are not case-sensitive.',
  },
  'auth.account-unknown': {
    status: 404,
    message: 'There is no account named "{name}".{hint}',
  },
  // bind: names and types that do not fit the model
  'bind.aggregated-away': {
    status: 400,
    message: '"{name}" is not available after $apply ({place}); the rows have {columns}.{hint}',
  },
  'bind.alias-circle': {
    status: 400,
    message: 'The parameter alias @{name} refers to itself ({place}); give it a value of its own.',
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
      'The operator {operator} cannot compare {left} of type {leftType} with {right} of type {rightType} ({place}).{hint}',
  },
  'bind.condition': {
    status: 400,
    message:
      'Expected a condition {place}, but {thing} is of type {type}; compare it with a value.',
  },
  'bind.division-by-zero': { status: 400, message: 'The divisor is zero ({place}).' },
  'bind.duplicate': { status: 400, message: '"{name}" appears more than once {place}.' },
  'bind.expand-depth': {
    status: 400,
    message: '$expand is nested {depth} levels deep; the limit is {limit}.',
  },
  'bind.expand-width': {
    status: 400,
    message: '$expand names {width} navigation properties; the limit is {limit}.',
  },
  'bind.key': {
    status: 400,
    message: 'The key ({key}) is not valid for {type} ({place}): {expected}.',
  },
  'bind.list': {
    status: 400,
    message: 'The list after in is empty ({place}); name at least one value.',
  },
  'bind.literal': { status: 400, message: 'The value {text} is not valid ({place}): {expected}.' },
  'bind.name-taken': {
    status: 400,
    message: 'The name "{name}" is already in use ({place}); choose another one.',
  },
  'bind.no-row': {
    status: 400,
    message: '{thing} refers to no entity here ({place}).',
  },
  'bind.not-a-path': {
    status: 400,
    message: '{thing} is of type {type} and has no member "{name}" ({place}).',
  },
  'bind.object': {
    status: 400,
    message:
      'The JSON object {thing} cannot be used as a single value ({place}). Compare it with a complex value by eq or ne.',
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
    message: '{thing} is not ordered, so its items have no position ({place}).',
  },
  'bind.select-key': {
    status: 400,
    message: '$select combined with $expand must include {keys}; write $select={keys},{written}.',
  },
  'bind.select-navigation': {
    status: 400,
    message: '"{name}" in $select is a navigation property; use {instead} instead{beside}.',
  },
  'bind.path-depth': {
    status: 400,
    message: 'A path may follow at most {limit} relations ({place}).',
  },
  'bind.unavailable': {
    status: 409,
    message: 'The operation {name} is currently not available here.',
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
    message: 'The type {type} has no path segment "{name}".{hint}',
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
  // plan: delta links and next links
  'plan.delta-gone': {
    status: 410,
    message:
      'The delta link is no longer valid: {reason}. Read the collection again with the preference track-changes.',
  },
  'plan.deltatoken': {
    status: 400,
    message:
      'The $deltatoken is not valid: {reason}. Use the delta link exactly as the service returned it, or read the collection again.',
  },
  'plan.skiptoken': {
    status: 400,
    message:
      'The $skiptoken is not valid: {reason}. Use the next link exactly as the service returned it, or read the collection from its start.',
  },
  // response: found only when the response is built
  'response.changed': {
    status: 412,
    message:
      'If-Match does not include the current ETag of the record, {etag}; read the record again.',
  },
  'response.not-found': {
    status: 404,
    message: 'Nothing exists at "{path}", or the account may not see it.',
  },
  // sql: found only when the database evaluates an expression
  'sql.division-by-zero': {
    status: 400,
    message: 'An expression divides by zero; use divby to get INF, or filter out zero first.',
  },
  'sql.negative-length': {
    status: 400,
    message: 'The third argument of substring is negative for at least one record.',
  },
  'sql.overflow': {
    status: 400,
    message:
      'The result of a calculation is out of range for its type (64-bit integers, durations of up to 106751 days, years 0001 to 9999). Exclude extreme values with a condition before the calculation, joined with and.',
  },
  'sql.pattern': {
    status: 400,
    message: 'The pattern "{pattern}" of matchesPattern cannot be used: it {reason}.',
  },
} as const satisfies Record<string, FaultRow>;
