// The configuration keys under `limits`, with their ranges, defaults and descriptions.
import { z } from 'zod';

export const limits = z.strictObject({
  urlBytes: z
    .int()
    .min(1024)
    .max(1_048_576)
    .default(16_384)
    .describe('maximum length of a URL in bytes'),
  bodyBytes: z
    .int()
    .min(1024)
    .default(33_554_432)
    .describe('maximum size of a request body in bytes'),
  expandDepth: z.int().min(1).max(20).default(6).describe('maximum depth of $expand'),
  expandWidth: z
    .int()
    .min(1)
    .max(100)
    .default(16)
    .describe('maximum number of items in one $expand'),
  expressionDepth: z.int().min(10).max(400).default(100).describe('maximum depth of an expression'),
  expressionNodes: z
    .int()
    .min(100)
    .max(100_000)
    .default(10_000)
    .describe('maximum number of nodes in an expression'),
  pageSize: z
    .int()
    .min(1)
    .max(250)
    .default(20)
    .describe('records per page if the client requests no other size'),
  maximumPageSize: z
    .int()
    .min(1)
    .max(5000)
    .default(250)
    .describe(
      'maximum number of records per page if the client sends $top, and per expanded collection',
    ),
  maximumPage: z
    .int()
    .min(1)
    .max(100_000)
    .default(5000)
    .describe('maximum number of records per page if the client sends Prefer: maxpagesize'),
  statementSeconds: z
    .number()
    .positive()
    .max(600)
    .default(30)
    .describe('time limit for a database statement in seconds'),
  headerSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(15)
    .describe('time limit for the headers of a request, and for a TLS handshake, in seconds'),
  bodySeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(60)
    .describe(
      'time limit for a request body in seconds; uploads may take longer while they send 1 KiB/s',
    ),
  silenceSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(75)
    .describe(
      'seconds without traffic after which a connection is closed; should exceed statementSeconds',
    ),
  keepAliveSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(65)
    .describe('seconds for which an idle connection stays open'),
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('maximum number of concurrent connections per process'),
  answerMegabytes: z
    .int()
    .min(0)
    .max(65_536)
    .default(64)
    .describe('size of the response cache in megabytes; 0 disables it'),
  planMegabytes: z
    .int()
    .min(0)
    .max(65_536)
    .default(32)
    .describe('size of the plan cache in megabytes; 0 disables it'),
  accountRequests: z
    .int()
    .min(0)
    .default(0)
    .describe('maximum number of requests per account and minute; 0 means no limit'),
  addressRequests: z
    .int()
    .min(0)
    .default(0)
    .describe('maximum number of requests per client address and minute; 0 means no limit'),
  batchRequests: z
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('maximum number of requests in a batch'),
  repeatHours: z
    .number()
    .min(24)
    .max(8760)
    .default(48)
    .describe('hours for which responses to repeatable requests are stored'),
  asyncHours: z
    .number()
    .min(1)
    .max(8760)
    .default(24)
    .describe('hours for which responses to asynchronous requests are stored'),
  accountRepeatEntries: z
    .int()
    .min(1)
    .default(100_000)
    .describe('maximum number of stored responses to repeatable requests per account'),
  accountRepeatMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(64)
    .describe('maximum size of stored responses to repeatable requests per account, in megabytes'),
  repeatEntries: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe('maximum number of stored responses to repeatable requests'),
  repeatMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(256)
    .describe('maximum size of stored responses to repeatable requests, in megabytes'),
  accountAsyncResults: z
    .int()
    .min(1)
    .default(1000)
    .describe('maximum number of stored responses to asynchronous requests per account'),
  accountAsyncMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(128)
    .describe(
      'maximum size of queued asynchronous requests and their stored responses per account, in megabytes',
    ),
  asyncResults: z
    .int()
    .min(1)
    .default(10_000)
    .describe('maximum number of stored responses to asynchronous requests'),
  asyncMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(512)
    .describe(
      'maximum size of queued asynchronous requests and their stored responses, in megabytes',
    ),
});
