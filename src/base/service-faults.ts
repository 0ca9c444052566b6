// This file holds the refusals that come from the service as a whole: its database, its files, its batches and jobs, its
// command line, and its own failures.
// Rows stand by room and, within one, by code; a code is never used again for something else.

import type { FaultRow } from './fault-row.ts';

export const FAULTS_OF_RUNNING = {
  'service.rate': {
    status: 429,
    message:
      'The {who} has sent more than {limit} requests in a minute; wait for {seconds} seconds, or send several in one batch.',
  },
  'service.import': {
    status: 400,
    message: 'The records cannot be stored: {count} mistakes were found, and nothing was stored.',
  },
  'service.import-set': { status: 400, message: 'The model has no set "{name}".{hint}' },
  // store: the database cannot do it now
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
      'The database is not in the form of this version and its model; "docket migrate --plan" shows what would change. One that a newer version has served needs that version.',
  },
  'store.migration-loses': {
    status: 409,
    message:
      'The migration would lose {losses}; nothing was changed. Keep them with a model file that defines them (--model), or accept the loss with --allow-loss.',
  },
  'store.not-installed': {
    status: 503,
    message:
      'There is no installation in {place}; make one with "docket init" or "docket demo", or name its directory with --data.',
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
  'store.too-complex': {
    status: 400,
    message:
      'The query is more than the database can take in one statement; ask for less at once: fewer operators, expansions or transformations.',
  },
  'store.unique': {
    status: 409,
    message: 'Another record has the same {names}; it must be unique.',
  },
  // attachments: the bytes of files
  'file.digest': {
    status: 400,
    message:
      'The bytes that came are not those that {header} tells of; nothing was kept. Send the file again.',
  },
  'file.exists': {
    status: 409,
    message:
      'An attachment with the name {name} exists; a unique name is required. Choose another name{remedy}.',
  },
  'file.form': { status: 400, message: 'The form cannot be taken: {reason}' },
  'file.full': {
    status: 507,
    message: 'There is no room for the file in the store "{store}"; nothing was kept.',
  },
  'file.interrupted': {
    status: 400,
    message: 'The request ended before the file was complete; nothing was kept.',
  },
  'file.missing': {
    status: 400,
    message:
      'There is no file in the request; send its bytes with their Content-Type, or multipart/form-data with one file part.',
  },
  'file.lost': {
    status: 500,
    message:
      'The bytes of this file are not in the store "{store}"; an administrator finds out more by "docket files check".',
  },
  'file.not-configured': {
    status: 503,
    message:
      'The store of files "{store}" is not configured; an administrator adds "files.{store}" to the configuration.',
  },
  'file.quota': {
    status: 413,
    message:
      'The files of this account would come to more than {limit} bytes together; nothing was kept. Delete others first.',
  },
  'file.range': {
    status: 416,
    message: 'The file has {size} bytes; none of the ranges of {range} lies within.',
  },
  'file.shown': {
    status: 413,
    message:
      'The files in this answer come to {size} bytes, and {limit} can stand in one; ask for fewer records, or read the files at their addresses.',
  },
  'file.too-large': {
    status: 413,
    message: 'The file is larger than {limit} bytes; nothing was kept.',
  },
  'file.type': {
    status: 415,
    message: 'Files of type "{type}" are not taken; {permitted}.',
  },
  'file.unavailable': {
    status: 503,
    message: 'The store of files "{store}" cannot be reached; try again later.',
  },
  'cli.backup-damaged': {
    status: 400,
    message: 'The backup {directory} is damaged ({reason}); nothing was changed. Use another one.',
  },
  'cli.exists': { status: 409, message: 'There is an installation in {data} already.' },
  'cli.model': { status: 400, message: 'The model file {file} has mistakes.' },
  'cli.model-lacks': {
    status: 400,
    message: 'The database holds {things}, which {model} does not define. {remedy}',
  },
  'cli.file': { status: 400, message: 'The file {file} cannot be read: {reason}' },
  'cli.refused': { status: 400, message: '{reason}' },
  'cli.unknown': { status: 404, message: 'There is no {thing} "{name}".{hint}' },
  'cli.session-which': {
    status: 400,
    message:
      'Say which session: "docket session end UID", or --account NAME for all of an account.',
  },
  'cli.tls': {
    status: 400,
    message:
      'The certificate {certificate} and the key {key} cannot be used: {reason}. Both are files in PEM, and the key belongs to the certificate.',
  },
  'cli.time': {
    status: 400,
    message:
      '"{text}" is no point in time: write 2026-03-31, 2026-03-31T12:00:00Z, or 7d for seven days back.',
  },
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
  'async.cancelled': { status: 410, message: 'The request was cancelled before it was done.' },
  'async.ended': {
    status: 401,
    message:
      'The request was not completed: its account was blocked, or its session ended. Log in, and check what was done before sending it again.',
  },
  'async.full': {
    status: 507,
    message:
      'Requests that wait to be run take more than {limit} megabytes ({name}). Let some of them end first, or send the request without Prefer: respond-async.',
  },
  'async.rights': {
    status: 403,
    message:
      'The request ran with status {status}, but its response needs rights that the account no longer has. Read the records again with the rights of now.',
  },
  'async.started': {
    status: 409,
    message: 'The request has changed something already and cannot be cancelled; wait for its end.',
  },
  'async.too-many': {
    status: 503,
    message: '{limit} requests of this account wait to be done; let some of them end first.',
  },
  'async.too-large': {
    status: 507,
    message:
      'The request ran with status {status}, but its response of {bytes} bytes exceeds the {limit} megabytes that may be stored ({name}). Read the records in smaller parts.',
  },
  'async.unknown': {
    status: 404,
    message:
      'There is no status monitor "{id}"; it was deleted, has expired, made room for newer ones, or never was.',
  },
  'batch.alone': {
    status: 400,
    message:
      'The action {name} cannot stand in a group that is done as a whole; put it outside of the group.',
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
  'repeat.collected': {
    status: 412,
    message:
      'Repeatability-First-Sent is {value}, but responses of that time had to make room for newer ones. Check whether the request was done before, then send it as a new one.',
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
  'repeat.too-large': {
    status: 507,
    message:
      'The response of {bytes} bytes exceeds the {limit} megabytes that may be stored for repeatable requests ({name}); nothing was done. Send the request with Prefer: return=minimal, or not as a repeatable one.',
  },
  'repeat.rights': {
    status: 403,
    message:
      'The request was done before with status {status}, but its response needs rights that the account no longer has. Read the records again with the rights of now.',
  },
  'repeat.reused': {
    status: 400,
    message:
      'The id "{id}" was given to another request before (another method, URL or body); give every request its own id.',
  },
  // anywhere: a failure of the service itself, of which nothing else is told; a feature that is not built
  internal: {
    status: 500,
    message:
      'The service has failed to answer; what happened is noted under the id of the request.',
  },
  'not-built': { status: 501, message: 'The feature {feature} is not implemented.' },
} as const satisfies Record<string, FaultRow>;
