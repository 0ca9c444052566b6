// The configuration keys under `limits`. Their numbers are the lowest value, the highest value and the default.
import { z } from 'zod';
import { NO_LIMIT, numberFrom, positiveNumber, wholeNumber } from './number-keys.ts';

export const limits = z.strictObject({
  urlBytes: wholeNumber(1024, 1_048_576, 16_384).describe('maximum length of a URL in bytes'),
  bodyBytes: wholeNumber(1024, NO_LIMIT, 33_554_432).describe(
    'maximum size of a request body in bytes',
  ),
  queryBytes: wholeNumber(1024, 33_554_432, 262_144).describe(
    'maximum size of a query in the body of POST …/$query in bytes',
  ),
  expandDepth: wholeNumber(1, 20, 6).describe('maximum depth of $expand'),
  expandWidth: wholeNumber(1, 100, 16).describe('maximum number of items in one $expand'),
  expressionDepth: wholeNumber(10, 400, 100).describe('maximum depth of an expression'),
  expressionNodes: wholeNumber(100, 100_000, 10_000).describe(
    'maximum number of nodes in an expression',
  ),
  pageSize: wholeNumber(1, 250, 20).describe(
    'records per page if the client requests no other size',
  ),
  maximumPageSize: wholeNumber(1, 5000, 250).describe(
    'maximum number of records per page if the client sends $top, and per expanded collection',
  ),
  maximumPage: wholeNumber(1, 100_000, 5000).describe(
    'maximum number of records per page if the client sends Prefer: maxpagesize',
  ),
  maximumExport: wholeNumber(1, 100_000_000, 1_000_000).describe(
    'maximum number of rows of an export',
  ),
  importRows: wholeNumber(1, 1_000_000, 5000).describe('maximum number of rows of an import'),
  importErrors: wholeNumber(1, 100_000, 1000).describe(
    'maximum number of errors that an import lists',
  ),
  modelBytes: wholeNumber(1024, NO_LIMIT, 16_777_216).describe(
    'maximum size of the files of a model that a client plans or applies, in bytes',
  ),
  statementSeconds: positiveNumber(600, 30).describe(
    'time limit for a database statement in seconds, including waiting',
  ),
  scanWaitSeconds: positiveNumber(600, 3).describe(
    'seconds that a query that reads many records may wait for others; beyond it 503',
  ),
  resultMegabytes: wholeNumber(1, 1024, 64).describe(
    'maximum size of the result of a database statement in megabytes, in memory several times as much',
  ),
  slowMilliseconds: wholeNumber(0, 600_000, 500).describe(
    'reads that take longer in the database are recorded for "docket index advise"; 0 turns this off',
  ),
  waitingScans: wholeNumber(0, 1_000_000, 1000).describe(
    'maximum number of waiting queries that read many records; beyond it 503',
  ),
  waitingReads: wholeNumber(0, 1_000_000, 1000).describe(
    'maximum number of other queries that wait for a connection to PostgreSQL; beyond it 503',
  ),
  databaseConnections: wholeNumber(2, 1000, 10).describe(
    'connections of a process to a PostgreSQL database; each has one more for writing',
  ),
  lockSeconds: positiveNumber(600, 10).describe(
    'time limit for waiting for a lock of a PostgreSQL database in seconds',
  ),
  headerSeconds: numberFrom(1, 600, 15).describe(
    'time limit for the headers of a request, and for a TLS handshake, in seconds',
  ),
  bodySeconds: numberFrom(1, 3600, 60).describe(
    'time limit for a request body in seconds; uploads may take longer while they send 1 KiB/s',
  ),
  silenceSeconds: numberFrom(1, 3600, 75).describe(
    'seconds without traffic after which a connection is closed, unless the service works on its request',
  ),
  keepAliveSeconds: numberFrom(1, 3600, 65).describe(
    'seconds for which an idle connection stays open',
  ),
  connections: wholeNumber(1, 1_000_000, 10_000).describe(
    'maximum number of concurrent connections per process',
  ),
  answerMegabytes: wholeNumber(0, 65_536, 64).describe(
    'size of the response cache in megabytes; 0 disables it',
  ),
  planMegabytes: wholeNumber(0, 65_536, 24).describe(
    'size of the plan cache in megabytes; 0 disables it',
  ),
  accountRequests: wholeNumber(0, NO_LIMIT, 0).describe(
    'maximum number of requests per account and minute; 0 means no limit',
  ),
  addressRequests: wholeNumber(0, NO_LIMIT, 0).describe(
    'maximum number of requests per client address and minute; 0 means no limit',
  ),
  listeners: wholeNumber(0, 1_000_000, 5000).describe(
    'maximum number of live streams that a process serves; 0 turns them off',
  ),
  accountListeners: wholeNumber(1, NO_LIMIT, 100).describe(
    'maximum number of live streams of an account per process',
  ),
  batchRequests: wholeNumber(1, 100_000, 1000).describe('maximum number of requests in a batch'),
  repeatHours: numberFrom(24, 8760, 48).describe(
    'hours for which responses to repeatable requests are stored',
  ),
  asyncHours: numberFrom(1, 8760, 24).describe(
    'hours for which responses to asynchronous requests are stored',
  ),
  accountRepeatEntries: wholeNumber(1, NO_LIMIT, 100_000).describe(
    'maximum number of stored responses to repeatable requests per account',
  ),
  accountRepeatMegabytes: wholeNumber(1, 65_536, 64).describe(
    'maximum size of stored responses to repeatable requests per account, in megabytes',
  ),
  repeatEntries: wholeNumber(1, NO_LIMIT, 1_000_000).describe(
    'maximum number of stored responses to repeatable requests',
  ),
  repeatMegabytes: wholeNumber(1, 65_536, 256).describe(
    'maximum size of stored responses to repeatable requests, in megabytes',
  ),
  accountAsyncResults: wholeNumber(1, NO_LIMIT, 1000).describe(
    'maximum number of stored responses to asynchronous requests per account',
  ),
  accountAsyncMegabytes: wholeNumber(1, 65_536, 128).describe(
    'maximum size of queued asynchronous requests and their stored responses per account, in megabytes',
  ),
  asyncResults: wholeNumber(1, NO_LIMIT, 10_000).describe(
    'maximum number of stored responses to asynchronous requests',
  ),
  asyncMegabytes: wholeNumber(1, 65_536, 512).describe(
    'maximum size of queued asynchronous requests and their stored responses, in megabytes',
  ),
  hourlyMails: wholeNumber(1, NO_LIMIT, 10).describe(
    'maximum number of messages to an address in an hour; the rest is suppressed',
  ),
  dailyMails: wholeNumber(1, NO_LIMIT, 40).describe(
    'maximum number of messages to an address in 24 hours; the rest is suppressed',
  ),
  mailFailures: wholeNumber(1, NO_LIMIT, 3).describe(
    'final failures at an address within 30 days after which it gets no more messages',
  ),
});
