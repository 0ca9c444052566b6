// This file says which keys of the configuration administrators may change in the running service, as records of the set Settings, and
// what values each takes. Where the service is to be found and what it serves stays with those who start it.
import { z } from 'zod';
import type { SettingDefinition } from '../../auth/runtime-settings.ts';
import { type Config, configFields } from './config.ts';
import { rangeOf } from './config-error.ts';

const AT_ONCE = [
  'accountSessions',
  'anonymous',
  'auditDays',
  'changeDays',
  'corsOrigins',
  'idleMinutes',
  'logLevel',
  'maximumUsers',
  'reservedSessions',
] as const;

const AT_START = ['language', 'tokenBinding', 'trustedProxies'] as const;

/** Limits that are fixed before the database is there. */
const NOT_ADJUSTABLE = new Set(['statementSeconds']);

const LIMIT_TEXTS: Readonly<Record<string, string>> = {
  urlBytes: 'bytes of a URL at most',
  bodyBytes: 'bytes of a body at most',
  expandDepth: 'levels of $expand at most',
  expandWidth: 'items of one $expand at most',
  expressionDepth: 'levels of an expression at most',
  expressionNodes: 'parts of an expression at most',
  pageSize: 'records on a page where the client asks for no other size',
  maximumPageSize:
    'records on a page at most where the client sends $top, and of each expanded collection',
  maximumPage: 'records on a page at most where the client sends Prefer: maxpagesize',
  accountRequests: 'requests of an account in a minute at most; 0 for any number',
  addressRequests: 'requests from an address in a minute at most; 0 for any number',
  headerSeconds: 'seconds for the headers of a request, and for a TLS handshake',
  bodySeconds:
    'seconds for the body of a request; files may take longer while 1 KiB a second comes',
  silenceSeconds:
    'seconds after which a connection without any traffic ends; should be above statementSeconds',
  keepAliveSeconds: 'seconds for which a connection waits for its next request',
  connections: 'connections of a process at a time at most',
  answerMegabytes: 'megabytes of answers that are kept to be given again; 0 for none',
  batchRequests: 'requests in one batch at most',
  repeatHours: 'hours for which answers to repeatable requests are kept',
  asyncHours: 'hours for which answers to asynchronous requests are kept',
  accountRepeatEntries: 'responses to repeatable requests stored for one account at most',
  accountRepeatMegabytes: 'megabytes of responses to repeatable requests stored for one account',
  repeatEntries: 'responses to repeatable requests stored at most',
  repeatMegabytes: 'megabytes of responses to repeatable requests stored at most',
  accountAsyncResults: 'responses to asynchronous requests stored for one account at most',
  accountAsyncMegabytes:
    'megabytes of responses to asynchronous requests stored for one account, and of its requests that wait',
  asyncResults: 'responses to asynchronous requests stored at most',
  asyncMegabytes:
    'megabytes of responses to asynchronous requests stored at most, and of requests that wait',
};

/** The settings of an installation. */
export function adjustableSettings(config: Config): readonly SettingDefinition[] {
  const fields = configFields();
  const plain = [...AT_ONCE, ...AT_START].map((key) =>
    define(key, fields.top[key], config[key], isAtOnce(key) ? 'at once' : 'at the next start'),
  );
  const limits = Object.entries(fields.limits)
    .filter(([key]) => !NOT_ADJUSTABLE.has(key))
    .map(([key, field]) => {
      const configured = new Map<string, unknown>(Object.entries(config.limits)).get(key);
      const described = field.describe(LIMIT_TEXTS[key] ?? key);
      return define(`limits.${key}`, described, configured, 'at the next start');
    });
  return [...plain, ...limits];
}

/** The configuration with other values. They have been checked. */
export function adjustConfig(config: Config, values: ReadonlyMap<string, unknown>): Config {
  const top = [...values].filter(([key]) => !key.startsWith('limits.'));
  const limits = [...values].flatMap(([key, value]) =>
    key.startsWith('limits.') ? [[key.slice('limits.'.length), value] as const] : [],
  );
  return {
    ...config,
    ...Object.fromEntries(top),
    limits: { ...config.limits, ...Object.fromEntries(limits) },
  };
}

function isAtOnce(key: string): boolean {
  return AT_ONCE.some((one) => one === key);
}

function define(
  name: string,
  field: z.ZodType,
  configured: unknown,
  applies: SettingDefinition['applies'],
): SettingDefinition {
  return {
    name,
    ...describe(field),
    description: field.description ?? name,
    configured,
    applies,
    mistake: (value) => {
      const result = field.safeParse(value);
      return result.success
        ? undefined
        : result.error.issues.map((issue) => issue.message).join('; ');
    },
  };
}

function describe(field: z.ZodType): Pick<SettingDefinition, 'kind' | 'range'> {
  const { type, enum: choices } = z.toJSONSchema(field);
  const range = rangeOf(field);
  if (type === 'array') return { kind: 'list', range: `${range}, as JSON` };
  if (choices !== undefined) return { kind: 'choice', range };
  if (type === 'string') return { kind: 'choice', range: 'a text, as JSON' };
  return { kind: 'number', range };
}

/** The items of a list that may change, as a set that is made anew only when the list is another one. */
export function setOf<Item>(list: () => readonly Item[]): () => ReadonlySet<Item> {
  let last: readonly Item[] | undefined;
  let items: ReadonlySet<Item> = new Set();
  return () => {
    const now = list();
    if (now !== last) items = new Set(now);
    last = now;
    return items;
  };
}
