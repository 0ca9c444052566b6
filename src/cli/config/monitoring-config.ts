// This file defines the keys under `metrics`.
import { z } from 'zod';

/** Addresses that only the machine itself can reach. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/;

export const metricsSchema = z.strictObject({
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('port of /metrics for Prometheus; without it there are no metrics'),
  host: z.string().min(1).default('127.0.0.1').describe('address that /metrics listens on'),
  token: z
    .string()
    .min(16)
    .regex(/^[\w.~+/-]+=*$/, 'expected characters of a Bearer token')
    .optional()
    .describe(
      'token that requests for /metrics must send; required if other machines can reach the address',
    ),
});

/** An error message if other machines could read the metrics without a token. */
export function missingToken({
  port,
  host,
  token,
}: z.infer<typeof metricsSchema>): string | undefined {
  if (port === undefined || token !== undefined || isLoopback(host)) return undefined;
  return `metrics.token: other machines can reach ${host}. Add a token of at least 16 characters, or set metrics.host to 127.0.0.1.`;
}

/** Whether only the machine itself can reach an address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
