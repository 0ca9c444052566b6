// This file holds the refusals of whatever is asked, read or written: who asks, what was written, what the model
// and the account allow, and what turns out while the answer is made.
// Rows stand by room and, within one, by code; a code is never used again for something else.

import type { FaultRow } from './fault-row.ts';

export const FAULTS_OF_ASKING = {
  // request: what the client wrote cannot be read
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
      'More than {limit} values are joined by operators such as add or eq in one expression; split it into several.',
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
  'request.schema-version': {
    status: 404,
    message:
      'The service has no version "{version}" of its schema; leave $schemaversion out or send *.',
  },
  'request.isolation': {
    status: 412,
    message: 'Snapshot isolation is not supported; leave the header out.',
  },
  // access: what the account may not do
  'access.member': { status: 403, message: 'The account may not read {member} of {type}.' },
  'access.read': { status: 403, message: 'The account may not read any {type}.' },
  'access.rights-of': {
    status: 403,
    message: 'Only administrators may ask what another account may do; leave the account out.',
  },
  'access.write': { status: 403, message: 'The account may not {action} this {type}.' },
  'access.write-member': {
    status: 403,
    message: 'The account may not change {member} of this {type}.',
  },
  'access.write-many': {
    status: 403,
    message:
      'The account may not change many records by one request; change them one by one, or ask for a role with UpdateAllAllowed.',
  },
  'access.rule': { status: 400, message: 'The condition does not fit {type}: {reason}' },
  'access.rule-member': {
    status: 400,
    message: 'The entity type {type} has no property or navigation "{name}".{hint}',
  },
  'access.rule-type': { status: 400, message: 'The model has no entity type "{name}".{hint}' },
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
  'auth.account-sessions': {
    status: 429,
    message:
      'The account has {limit} sessions, the maximum for one account (accountSessions). End a session (POST /connect/endsession), or use the token of one that is there.',
  },
  'auth.seats': {
    status: 503,
    message:
      'The maximum of {limit} concurrent users is reached{reserved}; end a session (POST /connect/endsession) or try again later.',
  },
  'auth.busy': {
    status: 503,
    message: 'Too many log-ins are being checked at this moment; try again in a few seconds.',
  },
  'auth.password': { status: 400, message: 'The password cannot be taken: {reason}.' },
  'auth.current-password': {
    status: 403,
    message: 'The current password is not that of the account.',
  },
  'auth.slowed': {
    status: 429,
    message: 'Too many attempts have failed; try again in {seconds} seconds.',
  },
  'auth.setting': {
    status: 400,
    message: 'The setting {name} cannot have this value: {reason}. It takes {range}.',
  },
  'auth.last-administrator': {
    status: 409,
    message:
      'Nobody could administrate any more: no account that may log in would have the role "{role}". Give the role to another account with a password first; nothing was changed.',
  },
  'auth.login-name': { status: 400, message: 'The login name cannot be taken: {reason}.' },
  'auth.account-exists': {
    status: 409,
    message: 'An account with the name "{name}" exists; upper and lower case are alike.',
  },
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
    message: '{thing} has no order that a position could count in ({place}).',
  },
  'bind.select-key': {
    status: 400,
    message: '$select beside $expand must name {keys}; write $select={keys},{written}.',
  },
  'bind.select-navigation': {
    status: 400,
    message: '"{name}" in $select is a navigation property; use {instead} instead{beside}.',
  },
  'bind.path-depth': {
    status: 400,
    message: 'A path leads over {limit} relations at most ({place}).',
  },
  'bind.unavailable': {
    status: 409,
    message: 'The operation {name} is not available here, or not now.',
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
      'The result of a calculation does not fit its type (64-bit integers, durations of up to 106751 days, years 0001 to 9999). Exclude records with extreme values by a condition before the calculation, joined with and.',
  },
  'sql.pattern': {
    status: 400,
    message: 'The pattern "{pattern}" of matchesPattern cannot be used: it {reason}.',
  },
} as const satisfies Record<string, FaultRow>;
