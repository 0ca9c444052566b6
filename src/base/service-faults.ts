// This file lists the errors of the service as a whole: database, files, batches, deferred requests, command line and
// internal errors. Rows are grouped by the prefix of their code. A code is never reused for another error.

export const SERVICE_FAULTS = {
  // service: limits and imports
  'service.rate':
    '429 The {who} has sent more than {limit} requests within a minute; wait {seconds} seconds, or send several in one batch.',
  'service.import': '400 {stored} Number of errors: {count}{shown}.',
  'service.import-set': '400 The model has no entity set "{name}".{hint}',
  'service.import-file': '400 The file cannot be loaded: {reason}.',
  'service.import-record': '400 The record cannot be loaded: {reason}.',
  'service.import-column': '400 The column "{name}" cannot be loaded: {reason}',
  // import: files whose rows become writes of the account
  'import.column': '400 The column "{name}" cannot be imported: {reason}',
  'import.duplicate':
    '400 The row has the same key {key} as row {row}. Remove one of them, or combine them.',
  'import.file': '400 The file cannot be imported: {reason}.',
  'import.key':
    '400 Records of {type} are not identified by "{key}" alone; permitted are {permitted}. To find records by another property, declare it as an alternate key of the model.',
  'import.no-key': '400 The row has no {key}, which identifies the record to update.',
  'import.no-record': '404 There is no record {key} that the account can read.{hint}',
  'import.option': '400 Imports have no option "{name}"; permitted are {permitted}.{hint}',
  'import.related':
    '400 {name} is a property of the related record, which an import does not change. {remedy}',
  'import.row': '400 The row cannot be imported: {reason}.',
  'import.rows':
    '400 The file has more than {limit} rows (limits.importRows). Split it into several files.',
  'import.target':
    '400 Docket.System.Import adds to a collection of entities: call it on a set or relation that allows POST, or PATCH with mode=update. Media entities are created from their content instead.',
  'import.value': '400 The option "{name}" must be {expected}.',
  // export: files with all rows of a collection
  'export.columns':
    '400 A table has no column for {names}, because only single values fit into cells; leave that out, or request $format=ndjson.',
  'export.no-columns':
    '400 The table would have no columns, because the rows of the request have no single values. {remedy}',
  'export.rows':
    '400 The export would have {rows} rows; the maximum is {limit} ({reason}). Export a part with $filter, or with $top and $skip.',
  // holidays: imports of iCalendar files
  'holidays.file': '400 Line {line}, {component}: {reason}.',
  'holidays.parts':
    '400 The file has events that take a part of a day, which holidays of this calendar cannot have.',
  'holidays.period':
    '400 The period from {from} until {until} must end after it begins, and may have at most {years} years.',
  'holidays.too-many':
    '400 The file has more than {limit} {things}. Import a part of it, or a shorter period.',
  // schedule: calculations with working time
  'schedule.distance': '400 {name} must be {expected}.',
  'schedule.no-time':
    '409 The schedule does not open for long enough in the 10 years after {start}. Add windows, or remove holidays.',
  'schedule.unusable': '409 The schedule does not define working time: {reason}.',
  // clock: the business time of a demo installation
  'clock.alone':
    '400 {name} changes more than one transaction. Send it without Repeatability headers, and not in a change set or an asynchronous request.',
  'clock.busy':
    '503 Due actions are being performed, or another request moves the clock; try again in a few seconds.',
  'clock.range': '400 {name} must be {expected}: the clock only moves forward.',
  // model: models that administrators plan and apply
  'model.alone':
    '400 {name} takes more than one transaction. Send it without Repeatability headers, and not in a change set or an asynchronous request.',
  'model.applying': '503 Another model is being applied; try again in a few seconds.',
  'model.busy':
    '409 Another model is being applied. Wait until ModelInForce() reports the outcome, and plan the change again.',
  'model.files': '400 The files cannot be a model: {reason}',
  'model.mistakes':
    '400 The model has mistakes: {count}. Each has an entry in details with its place and a remedy.',
  'model.settings': '400 The settings of the service do not permit this model: {reason}',
  'model.too-large':
    '413 The files have {bytes} bytes; the maximum is {limit} (limits.modelBytes). Apply them with "docket model apply", or raise the limit.',
  // events: live streams
  'events.account-listeners':
    '429 The account has {limit} live streams on this process, the maximum for one account (limits.accountListeners). Close some, or follow several queries by one stream.',
  'events.listeners':
    '503 The process serves {limit} live streams, the maximum (limits.listeners). Connect again later, or poll the delta link.',
  // store: the database cannot execute the request
  'store.busy': '503 Too many requests are waiting for the database; try again in a moment.',
  'store.foreign-key':
    '409 A referenced record does not exist, or the record is still referenced; nothing was changed.',
  'store.full': '507 The database disk is full or failing; nothing was changed.',
  'store.damaged':
    '503 The database is damaged. Stop the service, keep a copy of the directory, and restore the latest backup.',
  'store.copy-differs':
    '500 The copy of the table "{table}" differs from its source, which has {source} rows; the copy has {target}. Remove the copy, make sure that nothing else writes to either database, and copy again.',
  'store.index-blocks':
    '409 Building the index would take about {seconds} seconds, during which writes of the running service wait; those that wait for more than 5 seconds fail. Stop the service first, or accept that with --block-writes.',
  'store.items-repeated':
    '409 The model lets each of these values occur once, but records have {items}; nothing was changed. Change or remove them in all but one record.',
  'store.keys-unfit':
    '409 The new type of a key does not hold these values: {values}; nothing was changed. Keep the type, or delete these records or give them other values first.',
  'store.locked':
    '503 The database was locked by another process for more than {seconds} seconds{setting}; try again in a moment.',
  'store.in-use': '409 The database is in use by another process; stop the service first.',
  'store.migrating': '503 The database is being migrated; try again later.',
  'store.migration-broken': '409 The migration was rolled back: {reason}',
  'store.migration-due':
    '503 The database schema does not match this version of Docket; "docket migrate --plan" shows what would change. A database that a newer version has used needs that version.',
  'store.migration-loses':
    '409 The migration would lose {losses}; nothing was changed. Keep them with a model that defines them, or accept the loss with --allow-loss, or "AllowLoss": true of ApplyModel.',
  'store.model-changed':
    '409 Version {version} of the model was applied in the meantime; nothing was changed. Compare it by "docket model diff" or PlanModel, and repeat the command or request.',
  'store.newer-version':
    '409 Version {stored} of Docket has made or migrated this database, and this is version {version}; nothing was changed. Use that version or a newer one, or restore a backup that is older than its migration.',
  'store.not-installed':
    '503 There is no installation in {place}. Create one with "docket init" or "docket demo", or name its directory with --data.',
  'store.not-enabled': '503 An administrator has not enabled the service yet ("docket enable").',
  'store.other-copy':
    '409 The target holds a part of another copy, or of one made before the model changed. Complete it with "docket copy", or specify an empty database or a new directory.',
  'store.other-version':
    '503 The database schema was changed by another program and does not match this process any more. Restart it with the version of Docket that the database has now.',
  'store.queue-full':
    '503 The database is overloaded: {limit} queries are already waiting ({setting}). Try again later.',
  'store.queue-time':
    '503 The database is overloaded: the query waited {seconds} seconds without being started ({setting}). Try again later.',
  'store.reader':
    '503 The thread that was to run the query has ended, or could not start because too many files are open; try again in a moment.',
  'store.slow':
    '503 The query took longer than {seconds} seconds (limits.statementSeconds); filter on indexed properties, or request less data.',
  'store.no-copy':
    '400 A PostgreSQL database cannot be copied to a file; use pg_dump, or "docket copy".',
  'store.server': '503 The database server cannot be used. {reason}',
  'store.stopping': '503 The service is shutting down; try again later.',
  'store.too-complex':
    '400 The query is too complex for one database statement; use fewer operators, expansions or transformations.',
  'store.text':
    '400 The database cannot store text that contains the character U+0000 or an unpaired surrogate.',
  'store.too-large':
    '400 The result is larger than {size}{setting}. Select fewer properties, join fewer texts with concat, or request smaller pages with Prefer: maxpagesize.',
  'store.too-long': '400 A value{place} is too long for an index of the database. {remedy}',
  'store.unavailable': '503 The database is unavailable; try again in a moment.',
  'store.unknown-commit':
    '503 The connection to the database was lost while the change was being committed; check whether it was stored before sending it again.',
  'store.unique': '409 Another record already has the same {names}, which must be unique.',
  // file: uploads, downloads and file stores
  'file.digest':
    '400 The content does not match {header}; nothing was stored. Send the file again.',
  'file.exists':
    '409 An attachment with the name {name} already exists; a unique name is required. Choose another name{remedy}.',
  'file.form': '400 The multipart body is not valid: {reason}',
  'file.full': '507 The file store "{store}" is full; nothing was stored.',
  'file.interrupted': '400 The request ended before the file was complete; nothing was stored.',
  'file.missing':
    '400 The request contains no file. Send its content with its Content-Type, or multipart/form-data with one file part.',
  'file.lost':
    '500 The content of this file is missing from the store "{store}"; an administrator can run "docket files check".',
  'file.not-configured':
    '503 The file store "{store}" is not configured; an administrator must add "files.{store}" to the configuration.',
  'file.quota':
    '413 The files of this account would exceed {limit} bytes in total; nothing was stored. Delete other files first.',
  'file.range': '416 The file has {size} bytes; none of the ranges in {range} can be satisfied.',
  'file.shown':
    '413 The files in this response total {size} bytes; the limit is {limit}. Request fewer records, or read each file from its own URL.',
  'file.too-large': '413 The file is larger than {limit} bytes; nothing was stored.',
  'file.type': '415 Files of type "{type}" are not accepted; {permitted}.',
  'file.unavailable': '503 The file store "{store}" is unavailable; try again later.',
  'cli.backup-damaged':
    '400 The backup {directory} is damaged ({reason}); nothing was changed. Use another backup.',
  'cli.exists': '409 There is already an installation in {data}.',
  'cli.model': '400 The model file {file} has errors.',
  'cli.model-unknown':
    '409 The tables were created from the model file {file}, which does not exist. Restore it, or name the file with "docket model apply FILE".',
  'cli.file': '400 The file {file} cannot be read: {reason}',
  'cli.load-incomplete':
    '409 Another load is incomplete: {count} of its records are stored, and these are not the same. Load its files to continue it, or begin another load with --restart.',
  'cli.load-running':
    '409 Another load of this installation is running, or was interrupted a moment ago. Wait until it has ended.',
  'cli.refused': '400 {reason}',
  'cli.unknown': '404 There is no {thing} "{name}".{hint}',
  'cli.tls':
    '400 The certificate {certificate} and the key {key} cannot be used: {reason}. Both must be PEM files, and the key must match the certificate.',
  'http.headers-too-large': '431 The header fields exceed {limit} bytes.',
  'http.malformed': '400 This is not a valid HTTP/1.1 request ({reason}).',
  'http.timeout': '408 The request did not arrive in time.',
  'docs.unknown': '404 The documentation has no page "{name}".{nearest} /docs/ lists all pages.',
  'http.unknown-address': '404 Nothing exists at {path}; the service root is {root}.',
  'load.type': '400 Records of {set} must state their type: {type} or a type derived from it.',
  'async.cancelled': '410 The request was cancelled before it completed.',
  'async.ended':
    '401 The request was not completed: its account was blocked, or its session ended. Log in, and check what was done before sending it again.',
  'async.full':
    '507 The pending asynchronous requests exceed {limit} megabytes ({name}). Wait until some of them have completed, or send the request without Prefer: respond-async.',
  'async.rights':
    '403 The request ran with status {status}, but its response needs rights that the account no longer has. Read the records again with the current rights.',
  'async.started':
    '409 The request has already changed something and cannot be cancelled; wait for it to complete.',
  'async.too-many':
    '503 This account already has {limit} pending requests; wait until some of them have completed.',
  'async.too-large':
    '507 The request ran with status {status}, but its response of {bytes} bytes exceeds the {limit} megabytes that may be stored ({name}). Read the records in smaller parts.',
  'async.unknown':
    '404 There is no status monitor "{id}"; it was deleted, expired, was removed to make space, or never existed.',
  'batch.alone':
    '400 The action {name} cannot be part of a change set or atomicity group; send it outside of the group.',
  'batch.condition':
    '424 The condition "if" cannot be evaluated; instead, list the requests that must succeed in "dependsOn".',
  'batch.dependency':
    '424 The request was not executed, because the request "{id}", on which it depends, failed.',
  'batch.foreign-url':
    '400 The URL {url} does not belong to this service; the requests of a batch must address resources under {root}.',
  'batch.group':
    '424 Nothing in this change set or atomicity group was executed, because a request in it failed{request}: {reason}',
  'batch.nested': '400 A batch cannot contain another batch; list its requests in the outer one.',
  'batch.part': '400 A part of the batch cannot be read: {reason}.',
  'batch.read-in-group':
    '400 A {method} request cannot be part of a change set or atomicity group; send it outside of the group.',
  'batch.reference': '400 The reference {reference} cannot be used: {reason}.',
  'batch.same-id': '400 Two requests of one group have the id "{id}"; give each its own.',
  'batch.too-large': '413 The responses of the batch exceed {limit} bytes; send smaller batches.',
  'batch.too-many': '413 The batch has {count} requests; the limit is {limit}.',
  'repeat.collected':
    '412 Repeatability-First-Sent is {value}, but the stored responses of that time were removed to make space. Check whether the request was executed before, then send it as a new one.',
  'repeat.expired':
    '412 Repeatability-First-Sent is {value}, but responses are stored for {hours} hours only. Check whether the request was executed before, then send it as a new one.',
  'repeat.header': '400 The header {header} is not valid for a repeatable request: {expected}.',
  'repeat.too-large':
    '507 The response of {bytes} bytes exceeds the {limit} megabytes that may be stored for repeatable requests ({name}); nothing was changed. Send the request with Prefer: return=minimal, or not as a repeatable one.',
  'repeat.rights':
    '403 The request was executed before with status {status}, but its response needs rights that the account no longer has. Read the records again with the current rights.',
  'repeat.reused':
    '400 The id "{id}" was used before for another request (another method, URL or body); use a new id for every request.',
  'repeat.unfinished':
    '409 The request was accepted before with Prefer: respond-async and has not completed yet. Send it again later, or read its status monitor: {monitor}.',
  // without a prefix: internal errors (the response contains no details) and features that are not implemented
  internal:
    '500 The service failed to process the request; its log has the details under the request id.',
  'not-built': '501 The feature {feature} is not implemented.',
} as const;
