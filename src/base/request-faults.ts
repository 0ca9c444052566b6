// This file lists the errors of any request, read or write: syntax, authentication, access rights, binding to the model,
// and errors found while the response is built.
// Rows are grouped by the prefix of their code. A code is never reused for another error.

export const REQUEST_FAULTS = {
  // request: syntax and negotiation
  'request.syntax':
    '400 Expected {expected} at position {position} of {target}, but found {found}.{hint}',
  'request.too-deep': '400 The expression is nested deeper than {limit} levels.',
  'request.chain':
    '400 The expression joins more than {limit} values by operators such as add or eq; split it into several.',
  'request.too-large': '400 The {what} has more than {limit} parts.',
  'request.url-too-long':
    '414 The URL is longer than {limit} bytes; send the query in the body of POST …/$query instead.',
  'request.encoding': '400 The URL is not valid percent-encoded UTF-8 at "{text}".',
  'request.unknown-option': '400 The query option "{name}" does not exist{place}.{hint}',
  'request.duplicate-option': '400 The query option {name} appears more than once.',
  'request.option-value': '400 The value "{value}" of {name} is not valid: {expected}.',
  'request.misplaced-option': '400 The query option {name} cannot be used {place}; {instead}.',
  'request.missing-option':
    '400 The query option {name} is required {place} (at position {position} of the path).',
  'request.unknown-segment': '404 The path segment "{segment}" does not exist.{hint}',
  'request.misplaced-segment':
    '400 The path segment {segment} is not allowed {place} (at position {position} of the path).',
  'request.method': '405 The method {method} is not supported here; use {allow}.',
  'request.not-acceptable': '406 The response is not available as "{accept}": {supported}.',
  'request.media-type': '415 The media type "{type}" is not supported here; send {supported}.',
  'request.version':
    '400 The header {header} requests version "{value}"; the service supports 4.0 and 4.01.',
  'request.header': '400 The value "{value}" of the header {header} is not valid: {expected}.',
  'request.body': '400 The body cannot be read: {reason}.',
  'request.body-too-large': '413 The body is larger than {limit} bytes.',
  'request.schema-version':
    '404 The service has no schema version "{version}"; leave $schemaversion out or send {available}.',
  'request.isolation': '412 Snapshot isolation is not supported; remove the header.',
  // access: rights of the account
  'access.member': '403 The account may not read {member} of {type}{reason}.',
  'access.read': '403 The account may not read any {type}.',
  'access.read-only': '403 The API key may only read. Use another key, or log in with a password.',
  'access.rights-of':
    '403 Only administrators may read the rights of another account; leave the account out.',
  'access.write': '403 The account may not {action} this {type}.{only}',
  'access.write-member': '403 The account may not change {member} of this {type}.',
  'access.write-many':
    '403 The account may not change many records in one request. Change them one by one, or request a role with UpdateAllAllowed.',
  'access.template':
    '403 The template is limited to roles that the account does not have. Use another template, or request one of these roles.',
  'access.clock': '403 Only administrators may move the clock.',
  'access.models': '403 Only administrators may read, plan and apply models of the installation.',
  'access.role-name': '400 The name of a role must not be empty.',
  'access.rule': '400 The condition is not valid for {type}: {reason}',
  'access.rule-member': '400 The entity type {type} has no property or navigation "{name}".{hint}',
  'access.rule-type': '400 The model has no entity type "{name}".{hint}',
  // mail: rules and templates of outgoing mail
  'mail.rule': '400 The rule "{rule}" is not valid: {reason}{more}',
  'mail.template': '400 The template is not valid: {reason}.',
  'mail.preview': '400 The template cannot be previewed: {reason}',
  'mail.message':
    '409 The state of a message changes by the actions Retry and Cancel only. A message without a text cannot be sent.',
  // console: saved views and dashboards
  'console.set': '400 The model has no entity set "{name}".{hint}',
  'console.query': '400 {member} is not a valid query of {set}: {reason}',
  'console.json': '400 {member} must be a JSON object: {reason}.',
  'console.scope': '400 The scope "{scope}" requires {member}.',
  // webhook: subscriptions to events
  'webhook.url': '400 The URL cannot be used: {reason}.',
  'webhook.set': '400 The model has no entity set "{name}".{hint}',
  'webhook.query': '400 {member} is not valid for {set}: {reason}',
  'webhook.watch': '400 Changes of {set} cannot be sent. {reason}',
  'webhook.callback': '400 The callback cannot be accepted: {reason}.',
  'webhook.callbacks':
    '429 {limit} callbacks of the account wait already (webhooks.callbacks). Wait until some of them have been sent.',
  'webhook.kind': '400 There are no events of the kind "{name}"; permitted are {permitted}.{hint}',
  'webhook.limit':
    '409 The account {account} has {limit} subscriptions already (webhooks.subscriptions). Delete one of them.',
  'webhook.owner':
    '409 The account {account} no longer exists, is blocked, or has been renamed, so its subscription cannot be active. Create another one.',
  'webhook.delivery':
    '409 The state of a delivery changes by the actions Retry and Cancel only, while it is queued.',
  'webhook.secret': '409 The subscription has no secret yet. Call RotateSecret first.',
  'webhook.position':
    '400 From must be the id of an event, a delta link or its token, or a point in time with its zone: {reason}.',
  // auth: accounts, sessions and tokens
  'auth.token-missing':
    '401 An access token is required. Send "Authorization: Bearer <access token>"; POST /token issues one.',
  'auth.token-invalid':
    '401 The access token is unknown, expired, revoked, or bound to another machine. Obtain a new one from /token.{hint}',
  'auth.issuer-token': '401 The access token is not accepted: {reason}.',
  'auth.issuer-unavailable':
    '503 The issuer {issuer} cannot be reached: {reason}. Try again in {seconds} seconds.',
  'auth.account-sessions':
    '429 The account has {limit} sessions, the maximum for one account (accountSessions). End a session (POST /connect/endsession), or reuse the token of an existing one.',
  'auth.console':
    '403 This is not a request of the console: {reason}. Programs obtain tokens from /token.',
  'auth.insecure':
    '403 Passwords and tokens from other machines are not accepted over unencrypted HTTP. Use HTTPS (settings tls.certificate and tls.key, or a proxy listed in trustedProxies), or set allowInsecureTokens: true.',
  'auth.credentials': '401 The user name or the password is wrong.',
  'auth.signed-out': '401 There is no session, or it has ended. Sign in again.',
  'auth.seats':
    '503 The limit of {limit} concurrent users is reached{reserved}; end a session (POST /connect/endsession) or try again later.',
  'auth.basic-insecure':
    '403 Basic authentication from other machines is not accepted over unencrypted HTTP. Use HTTPS (settings tls.certificate and tls.key, or a proxy listed in trustedProxies).',
  'auth.key-invalid':
    '401 The API key is unknown, expired or revoked, or belongs to another account. Create a new one with CreateApiKey or "docket key add".',
  'auth.key-of-key': '403 An API key cannot create another one. Log in to create keys.',
  'auth.key-of-other':
    '403 Only administrators may create API keys for other accounts; leave the account out.',
  'auth.key-role': '400 The account {account} does not have the role "{name}".{hint}',
  'auth.key-session':
    '400 An API key has no session. Delete its record in ApiKeys to revoke the key.',
  'auth.key-value': '400 The value of {name} is not valid: {reason}.',
  'auth.key-alone':
    '400 The response of {action} is not stored. Send it without Repeatability headers, and not in a change set or an asynchronous batch.',
  'auth.busy': '503 Too many logins are being checked; try again in a few seconds.',
  'auth.password': '400 The password is not acceptable: {reason}.',
  'auth.password-change':
    '403 The password of this account was set by somebody else and must be changed first: POST {action} with CurrentPassword and NewPassword.',
  'auth.second-factor-required':
    '403 A role of this account requires a second factor: POST {begin} with CurrentPassword, add the returned URI to an authenticator app, and POST {confirm} with its Code.',
  'auth.code-missing':
    '401 The account has a second factor: send a code of the authenticator app, or a recovery code, as Code.',
  'auth.code': '401 The code is not valid, or has been used. Wait for the next one.',
  'auth.second-factor-code': '403 The code is not valid, or has been used. Wait for the next one.',
  'auth.second-factor-exists':
    '409 The account has a second factor. Remove it first (RemoveSecondFactor).',
  'auth.second-factor-none':
    '409 The account has no second factor to {action}. Call BeginSecondFactor to add one.',
  'auth.second-factor-reset': '400 SecondFactor can only be null, which removes it.',
  'auth.current-password': '403 The current password is not correct.',
  'auth.slowed': '429 Too many failed attempts; try again in {seconds} seconds.',
  'auth.setting': '400 The value of the setting {name} is not valid: {reason}.',
  'auth.last-administrator':
    '409 No account with the role "{role}" could log in any more; nothing was changed. Assign the role to another account with a password first.',
  'auth.login-name': '400 The login name is not acceptable: {reason}.',
  'auth.account-exists':
    '409 An account named "{name}" already exists; login names are not case-sensitive.',
  'auth.account-unknown': '404 There is no account named "{name}".{hint}',
  // bind: names and types that do not fit the model
  'bind.aggregated-away':
    '400 "{name}" is not available after $apply ({place}); the rows have {columns}.{hint}',
  'bind.alias-circle':
    '400 The parameter alias @{name} refers to itself ({place}); give it a value of its own.',
  'bind.argument':
    '400 The function {name} cannot be called with ({types}) {place}; write {expected}.',
  'bind.cast': '400 {thing} is of type {from} and cannot be cast to {to} ({place}).',
  'bind.parameter': '400 The value of "{name}" is not valid. {reason}',
  'bind.clock-time':
    '400 Elapsed and remaining time change without a write, so that this condition cannot use them. Compare the deadline with @now, or the state, outcome or mark of the clock.',
  'bind.coded':
    '400 {thing} is a coded value ({place}); write {thing}/{value} or {thing}/{text} instead.',
  'bind.collection': '400 {thing} is a collection of {type} ({place}); {instead}.',
  'bind.comparison':
    '400 The operator {operator} cannot compare {left} of type {leftType} with {right} of type {rightType} ({place}).{hint}',
  'bind.condition':
    '400 Expected a condition {place}, but {thing} is of type {type}; compare it with a value.',
  'bind.division-by-zero': '400 The divisor is zero ({place}).',
  'bind.duplicate': '400 "{name}" appears more than once {place}.',
  'bind.dynamic-expression': '400 The dynamic expression {shown} is not supported: {reason}.',
  'bind.expand-depth': '400 $expand is nested {depth} levels deep; the limit is {limit}.',
  'bind.expand-width': '400 $expand names {width} navigation properties; the limit is {limit}.',
  'bind.filter-required':
    '400 {name} can only be read with a filter{by}. Add $filter to the request.',
  'bind.function-circle':
    '400 The function {name} calls itself ({place}); write an expression that does not use it.',
  'bind.key': '400 The key ({key}) is not valid for {type} ({place}): {expected}.',
  'bind.list': '400 The list after in is empty ({place}); name at least one value.',
  'bind.literal': '400 The value {text} is not valid ({place}): {expected}.',
  'bind.name-taken': '400 The name "{name}" is already in use ({place}); choose another one.',
  'bind.no-row': '400 {thing} refers to no entity here ({place}).',
  'bind.not-a-path': '400 {thing} is of type {type} and has no member "{name}" ({place}).',
  'bind.object':
    '400 The JSON object {thing} cannot be used as a single value ({place}). Compare it with a complex value by eq or ne.',
  'bind.operand': '400 The operator {operator} cannot be used with {types} ({place}).{hint}',
  'bind.option-on': '400 "{name}" is {what} ({place}); {instead}.',
  'bind.position': '400 {thing} is not ordered, so its items have no position ({place}).',
  'bind.select-key':
    '400 $select combined with $expand must include {keys}; write $select={keys},{written}.',
  'bind.select-navigation':
    '400 "{name}" in $select is a navigation property; use {instead} instead{beside}.',
  'bind.path-depth': '400 A path may follow at most {limit} relations ({place}).',
  'bind.unavailable': '409 The operation {name} is currently not available here.',
  'bind.too-large':
    '400 With its parameter aliases, computed properties and grouping sets inserted, the query has more than {limit} parts (limits.expressionNodes); use fewer of them.',
  'bind.unknown-function': '400 There is no function "{name}" for {thing} ({place}).{hint}',
  'bind.unknown-hierarchy': '400 There is no hierarchy "{name}" ({place}).{hint}',
  'bind.unknown-id': '404 No entity of this service has the id "{id}".',
  'bind.unknown-member': '400 The enumeration {type} has no member "{name}" ({place}).{hint}',
  'bind.unknown-parameter':
    '400 The function {name} has no overload with the parameters ({given}) {place}; write {expected}.',
  'bind.unknown-property': '400 The type {type} has no property "{name}" ({place}).{hint}',
  'bind.unknown-resource':
    '404 The service has no entity set, singleton or function import "{name}".{hint}',
  'bind.unknown-segment': '404 The type {type} has no path segment "{name}".{hint}',
  'bind.unknown-set': '400 There is no entity set or singleton "{name}" ({place}).{hint}',
  'bind.unknown-type': '400 There is no type "{name}" ({place}).{hint}',
  'bind.unrelated-type': '400 The type {to} is not derived from {from} ({place}).{hint}',
  // plan: delta links and next links
  'plan.delta-gone':
    '410 The delta link is no longer valid: {reason}. Read the collection again with the preference track-changes.',
  'events.position':
    '400 "{value}" is not the id of an event. Send the id of the last event that you have received, or omit Last-Event-ID to receive only later changes.',
  'plan.deltatoken':
    '400 The $deltatoken is not valid: {reason}. Use the delta link exactly as the service returned it, or read the collection again.',
  'plan.skiptoken':
    '400 The $skiptoken is not valid: {reason}. Use the next link exactly as the service returned it, or read the collection from its start.',
  'plan.untracked': '400 Changes cannot be followed here: {reason}.',
  // response: found only when the response is built
  'response.changed':
    '412 If-Match does not include the current ETag of the record, {etag}; read the record again.',
  'response.not-found': '404 Nothing exists at "{path}", or the account may not see it.',
  // sql: found only when the database evaluates an expression
  'sql.division-by-zero':
    '400 An expression divides by zero; use divby to get INF, or filter out zero first.',
  'sql.negative-length': '400 The third argument of substring is negative for at least one record.',
  'sql.overflow':
    '400 The result of a calculation is out of range for its type (64-bit integers, durations of up to 106751 days, years 0001 to 9999). Exclude extreme values with a condition before the calculation, joined with and.',
  'sql.long-text':
    '400 concat makes a text of more than 16777216 characters for at least one record. Join fewer texts, or shorten them with substring.',
  'sql.pattern': '400 The pattern "{pattern}" of matchesPattern cannot be used: it {reason}.',
} as const;
