// This file holds the keys of the configuration below `limits`, with their ranges, defaults and descriptions.
import { z } from 'zod';

export const limits = z.strictObject({
  urlBytes: z.int().min(1024).max(1_048_576).default(16_384).describe('bytes of a URL at most'),
  bodyBytes: z.int().min(1024).default(33_554_432).describe('bytes of a body at most'),
  expandDepth: z.int().min(1).max(20).default(6).describe('levels of $expand at most'),
  expandWidth: z.int().min(1).max(100).default(16).describe('items of one $expand at most'),
  expressionDepth: z
    .int()
    .min(10)
    .max(400)
    .default(100)
    .describe('levels of an expression at most'),
  expressionNodes: z
    .int()
    .min(100)
    .max(100_000)
    .default(10_000)
    .describe('parts of an expression at most'),
  pageSize: z
    .int()
    .min(1)
    .max(250)
    .default(20)
    .describe('records on a page where the client asks for no other size'),
  maximumPageSize: z
    .int()
    .min(1)
    .max(5000)
    .default(250)
    .describe(
      'records on a page at most where the client sends $top, and of each expanded collection',
    ),
  maximumPage: z
    .int()
    .min(1)
    .max(100_000)
    .default(5000)
    .describe('records on a page at most where the client sends Prefer: maxpagesize'),
  statementSeconds: z
    .number()
    .positive()
    .max(600)
    .default(30)
    .describe('seconds that one statement of the database may take'),
  headerSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(15)
    .describe('seconds for the headers of a request, and for a TLS handshake'),
  bodySeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(60)
    .describe(
      'seconds for the body of a request; files may take longer while 1 KiB a second comes',
    ),
  silenceSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(75)
    .describe(
      'seconds after which a connection without any traffic ends; should be above statementSeconds',
    ),
  keepAliveSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(65)
    .describe('seconds for which a connection waits for its next request'),
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('connections of a process at a time at most'),
  answerMegabytes: z
    .int()
    .min(0)
    .max(65_536)
    .default(64)
    .describe('megabytes of cached responses; 0 for none'),
  accountRequests: z
    .int()
    .min(0)
    .default(0)
    .describe('requests of an account in a minute at most; 0 for any number'),
  addressRequests: z
    .int()
    .min(0)
    .default(0)
    .describe('requests from an address in a minute at most; 0 for any number'),
  batchRequests: z
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('requests in one batch at most'),
  repeatHours: z
    .number()
    .min(24)
    .max(8760)
    .default(48)
    .describe('hours for which responses to repeatable requests are kept'),
  asyncHours: z
    .number()
    .min(1)
    .max(8760)
    .default(24)
    .describe('hours for which responses to asynchronous requests are kept'),
  accountRepeatEntries: z
    .int()
    .min(1)
    .default(100_000)
    .describe('responses to repeatable requests stored for one account at most'),
  accountRepeatMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(64)
    .describe('megabytes of responses to repeatable requests stored for one account'),
  repeatEntries: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe('responses to repeatable requests stored at most'),
  repeatMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(256)
    .describe('megabytes of responses to repeatable requests stored at most'),
  accountAsyncResults: z
    .int()
    .min(1)
    .default(1000)
    .describe('responses to asynchronous requests stored for one account at most'),
  accountAsyncMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(128)
    .describe(
      'megabytes of responses to asynchronous requests stored for one account, and of its requests that wait',
    ),
  asyncResults: z
    .int()
    .min(1)
    .default(10_000)
    .describe('responses to asynchronous requests stored at most'),
  asyncMegabytes: z
    .int()
    .min(1)
    .max(65_536)
    .default(512)
    .describe(
      'megabytes of responses to asynchronous requests stored at most, and of requests that wait',
    ),
});
