// This file lists the errors of the service as a whole: database, files, batches, deferred requests, command line and
// internal errors. Rows are grouped by the prefix of their code. A code is never reused for another error.

import type { FaultRow } from './fault-row.ts';

export const SERVICE_FAULTS = {
  // service: limits and imports
  'service.rate': {
    status: 429,
    message:
      'The {who} has sent more than {limit} requests within a minute; wait {seconds} seconds, or send several in one batch.',
  },
  'service.import': {
    status: 400,
    message: 'Nothing was imported. Number of errors: {count}.',
  },
  'service.import-set': { status: 400, message: 'The model has no entity set "{name}".{hint}' },
  // store: the database cannot execute the request
  'store.busy': {
    status: 503,
    message: 'Too many requests are waiting for the database; try again in a moment.',
  },
  'store.foreign-key': {
    status: 409,
    message:
      'A referenced record does not exist, or the record is still referenced; nothing was changed.',
  },
  'store.full': {
    status: 507,
    message: 'The database disk is full or failing; nothing was changed.',
  },
  'store.in-use': {
    status: 409,
    message: 'The database is in use by another process; stop the service first.',
  },
  'store.migration-broken': {
    status: 409,
    message: 'The migration was rolled back: {reason}',
  },
  'store.migration-due': {
    status: 503,
    message:
      'The database schema does not match this version and its model; "docket migrate --plan" shows what would change. A database that a newer version has used needs that version.',
  },
  'store.migration-loses': {
    status: 409,
    message:
      'The migration would lose {losses}; nothing was changed. Keep them with a model file that defines them (--model), or accept the loss with --allow-loss.',
  },
  'store.not-installed': {
    status: 503,
    message:
      'There is no installation in {place}. Create one with "docket init" or "docket demo", or name its directory with --data.',
  },
  'store.not-enabled': {
    status: 503,
    message: 'An administrator has not enabled the service yet ("docket enable").',
  },
  'store.slow': {
    status: 503,
    message:
      'The query took longer than {seconds} seconds; filter on indexed properties, or request less data.',
  },
  'store.stopping': { status: 503, message: 'The service is shutting down; try again later.' },
  'store.too-complex': {
    status: 400,
    message:
      'The query is too complex for one database statement; use fewer operators, expansions or transformations.',
  },
  'store.unique': {
    status: 409,
    message: 'Another record already has the same {names}, which must be unique.',
  },
  // file: uploads, downloads and file stores
  'file.digest': {
    status: 400,
    message: 'The content does not match {header}; nothing was stored. Send the file again.',
  },
  'file.exists': {
    status: 409,
    message:
      'An attachment with the name {name} already exists; a unique name is required. Choose another name{remedy}.',
  },
  'file.form': { status: 400, message: 'The multipart body is not valid: {reason}' },
  'file.full': {
    status: 507,
    message: 'The file store "{store}" is full; nothing was stored.',
  },
  'file.interrupted': {
    status: 400,
    message: 'The request ended before the file was complete; nothing was stored.',
  },
  'file.missing': {
    status: 400,
    message:
      'The request contains no file. Send its content with its Content-Type, or multipart/form-data with one file part.',
  },
  'file.lost': {
    status: 500,
    message:
      'The content of this file is missing from the store "{store}"; an administrator can run "docket files check".',
  },
  'file.not-configured': {
    status: 503,
    message:
      'The file store "{store}" is not configured; an administrator must add "files.{store}" to the configuration.',
  },
  'file.quota': {
    status: 413,
    message:
      'The files of this account would exceed {limit} bytes in total; nothing was stored. Delete other files first.',
  },
  'file.range': {
    status: 416,
    message: 'The file has {size} bytes; none of the ranges in {range} can be satisfied.',
  },
  'file.shown': {
    status: 413,
    message:
      'The files in this response total {size} bytes; the limit is {limit}. Request fewer records, or read each file from its own URL.',
  },
  'file.too-large': {
    status: 413,
    message: 'The file is larger than {limit} bytes; nothing was stored.',
  },
  'file.type': {
    status: 415,
    message: 'Files of type "{type}" are not accepted; {permitted}.',
  },
  'file.unavailable': {
    status: 503,
    message: 'The file store "{store}" is unavailable; try again later.',
  },
  'cli.backup-damaged': {
    status: 400,
    message:
      'The backup {directory} is damaged ({reason}); nothing was changed. Use another backup.',
  },
  'cli.exists': { status: 409, message: 'There is already an installation in {data}.' },
  'cli.model': { status: 400, message: 'The model file {file} has errors.' },
  'cli.model-lacks': {
    status: 400,
    message: 'The database contains {things}, which {model} does not define. {remedy}',
  },
  'cli.file': { status: 400, message: 'The file {file} cannot be read: {reason}' },
  'cli.refused': { status: 400, message: '{reason}' },
  'cli.unknown': { status: 404, message: 'There is no {thing} "{name}".{hint}' },
  'cli.session-which': {
    status: 400,
    message:
      'Specify a session: "docket session end UID", or --account NAME for all sessions of an account.',
  },
  'cli.tls': {
    status: 400,
    message:
      'The certificate {certificate} and the key {key} cannot be used: {reason}. Both must be PEM files, and the key must match the certificate.',
  },
  'cli.time': {
    status: 400,
    message:
      '"{text}" is not a valid time. Write 2026-03-31, 2026-03-31T12:00:00Z, or 7d for seven days ago.',
  },
  'cli.password-missing': {
    status: 400,
    message: 'A password is required: set {variable}, or pass it on standard input.',
  },
  'http.headers-too-large': {
    status: 431,
    message: 'The header fields exceed {limit} bytes.',
  },
  'http.malformed': { status: 400, message: 'This is not a valid HTTP/1.1 request ({reason}).' },
  'http.timeout': { status: 408, message: 'The request did not arrive in time.' },
  'http.unknown-address': {
    status: 404,
    message: 'Nothing exists at {path}; the service root is {root}.',
  },
  'load.type': {
    status: 400,
    message: 'Records of {set} must state their type: {type} or a type derived from it.',
  },
  'async.cancelled': { status: 410, message: 'The request was cancelled before it completed.' },
  'async.ended': {
    status: 401,
    message:
      'The request was not completed: its account was blocked, or its session ended. Log in, and check what was done before sending it again.',
  },
  'async.full': {
    status: 507,
    message:
      'The pending asynchronous requests exceed {limit} megabytes ({name}). Wait until some of them have completed, or send the request without Prefer: respond-async.',
  },
  'async.rights': {
    status: 403,
    message:
      'The request ran with status {status}, but its response needs rights that the account no longer has. Read the records again with the current rights.',
  },
  'async.started': {
    status: 409,
    message:
      'The request has already changed something and cannot be cancelled; wait for it to complete.',
  },
  'async.too-many': {
    status: 503,
    message:
      'This account already has {limit} pending requests; wait until some of them have completed.',
  },
  'async.too-large': {
    status: 507,
    message:
      'The request ran with status {status}, but its response of {bytes} bytes exceeds the {limit} megabytes that may be stored ({name}). Read the records in smaller parts.',
  },
  'async.unknown': {
    status: 404,
    message:
      'There is no status monitor "{id}"; it was deleted, expired, was removed to make space, or never existed.',
  },
  'batch.alone': {
    status: 400,
    message:
      'The action {name} cannot be part of a change set or atomicity group; send it outside of the group.',
  },
  'batch.condition': {
    status: 424,
    message:
      'The condition "if" cannot be evaluated; instead, list the requests that must succeed in "dependsOn".',
  },
  'batch.dependency': {
    status: 424,
    message:
      'The request was not executed, because the request "{id}", on which it depends, failed.',
  },
  'batch.foreign-url': {
    status: 400,
    message:
      'The URL {url} does not belong to this service; the requests of a batch must address resources under {root}.',
  },
  'batch.group': {
    status: 424,
    message:
      'Nothing in this change set or atomicity group was executed, because a request in it failed{request}: {reason}',
  },
  'batch.nested': {
    status: 400,
    message: 'A batch cannot contain another batch; list its requests in the outer one.',
  },
  'batch.part': { status: 400, message: 'A part of the batch cannot be read: {reason}.' },
  'batch.read-in-group': {
    status: 400,
    message:
      'A {method} request cannot be part of a change set or atomicity group; send it outside of the group.',
  },
  'batch.reference': {
    status: 400,
    message: 'The reference {reference} cannot be used: {reason}.',
  },
  'batch.same-id': {
    status: 400,
    message: 'Two requests of one group have the id "{id}"; give each its own.',
  },
  'batch.too-large': {
    status: 413,
    message: 'The responses of the batch exceed {limit} bytes; send smaller batches.',
  },
  'batch.too-many': {
    status: 413,
    message: 'The batch has {count} requests; the limit is {limit}.',
  },
  'repeat.collected': {
    status: 412,
    message:
      'Repeatability-First-Sent is {value}, but the stored responses of that time were removed to make space. Check whether the request was executed before, then send it as a new one.',
  },
  'repeat.expired': {
    status: 412,
    message:
      'Repeatability-First-Sent is {value}, but responses are stored for {hours} hours only. Check whether the request was executed before, then send it as a new one.',
  },
  'repeat.header': {
    status: 400,
    message: 'The header {header} is not valid for a repeatable request: {expected}.',
  },
  'repeat.too-large': {
    status: 507,
    message:
      'The response of {bytes} bytes exceeds the {limit} megabytes that may be stored for repeatable requests ({name}); nothing was changed. Send the request with Prefer: return=minimal, or not as a repeatable one.',
  },
  'repeat.rights': {
    status: 403,
    message:
      'The request was executed before with status {status}, but its response needs rights that the account no longer has. Read the records again with the current rights.',
  },
  'repeat.reused': {
    status: 400,
    message:
      'The id "{id}" was used before for another request (another method, URL or body); use a new id for every request.',
  },
  // without a prefix: internal errors (the response contains no details) and features that are not implemented
  internal: {
    status: 500,
    message:
      'The service failed to process the request; its log has the details under the request id.',
  },
  'not-built': { status: 501, message: 'The feature {feature} is not implemented.' },
} as const satisfies Record<string, FaultRow>;
