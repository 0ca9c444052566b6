// This file reads the configuration: docket.yaml, DOCKET_* variables, flags; the later wins. An unknown key or a bad value is refused
// with its place and the nearest right name. Every command reads it in this one way.
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isMap, isPair, isScalar, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { didYouMean } from '../base/nearest.ts';

const limits = z.strictObject({
  urlBytes: z.int().min(1024).max(1_048_576).default(16_384),
  bodyBytes: z.int().min(1024).default(33_554_432),
  expandDepth: z.int().min(1).max(20).default(6),
  expandWidth: z.int().min(1).max(100).default(16),
  expressionDepth: z.int().min(10).max(400).default(100),
  expressionNodes: z.int().min(100).max(100_000).default(10_000),
  pageSize: z.int().min(1).max(250).default(20),
  maximumPageSize: z.int().min(1).max(5000).default(250),
  statementSeconds: z.number().positive().max(600).default(30),
  batchRequests: z.int().min(1).max(100_000).default(1000),
  repeatHours: z.number().min(24).max(8760).default(48),
  asyncHours: z.number().min(1).max(8760).default(24),
});

const schema = z.strictObject({
  data: z.string().min(1).default('./data').describe('directory of the database and the files'),
  host: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  port: z.int().min(0).max(65_535).default(5181).describe('port to listen on; 0 takes a free one'),
  rules: z
    .enum(['service', 'odata'])
    .optional()
    .describe('rules of the service contract, or plain OData'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("file with the installation's additions to the model"),
  language: z
    .string()
    .min(2)
    .default('en')
    .describe('language of code texts where the client asks for none'),
  anonymous: z
    .array(z.enum(['ping', 'metadata']))
    .default([])
    .describe('what needs no token'),
  trustedProxies: z
    .array(z.string().min(1))
    .default([])
    .describe('addresses whose X-Forwarded headers count'),
  tokenBinding: z
    .enum(['address', 'off'])
    .default('address')
    .describe('whether tokens are tied to the client machine'),
  idleMinutes: z
    .number()
    .positive()
    .default(30)
    .describe('minutes without use after which a session gives its seat back'),
  changeDays: z
    .number()
    .positive()
    .max(36_500)
    .default(90)
    .describe('days for which changes are kept: older delta links are answered with 410'),
  maximumUsers: z.int().min(1).default(100).describe('concurrent users at most'),
  readers: z
    .int()
    .min(0)
    .max(16)
    .default(2)
    .describe('threads for reads that look at many records'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least severity that is logged'),
  corsOrigins: z.array(z.string().min(1)).default([]).describe('origins of browsers that may call'),
  limits: limits.prefault({}),
});

export type Config = z.infer<typeof schema>;

/** A configuration that cannot be used: every complaint on a line of its own. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Values as given by one of the three sources, with words for where each stands. */
interface Given {
  readonly values: Readonly<Record<string, unknown>>;
  readonly place: (path: readonly PropertyKey[]) => string;
}

/** Variables that belong to commands, not to the configuration. */
const COMMAND_VARIABLES = new Set(['DOCKET_ADMIN_PASSWORD', 'DOCKET_PASSWORD', 'DOCKET_CONFIG']);

/**
 * The configuration.
 * @param flags values given on the command line, by key of the configuration; `config` names the file
 * ConfigError with all complaints.
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv,
): Config {
  const { config: file, ...given } = flags;
  const sources = [
    readFile(configFile(file, environment)),
    readEnvironment(environment),
    fromFlags(given),
  ];
  const complaints = sources.flatMap(complain);
  if (complaints.length > 0) throw new ConfigError(complaints.join('\n'));
  const merged = sources.reduce<Record<string, unknown>>(
    (all, source) => mergeValues(all, source.values),
    {},
  );
  return withResolvedPaths(schema.parse(merged));
}

/** Keys with their descriptions and defaults, for --help and the documentation. */
export function describeConfig(): readonly {
  readonly key: string;
  readonly description: string;
  readonly fallback: string;
}[] {
  const defaults = schema.parse({});
  return Object.entries(schema.shape).map(([key, field]) => ({
    key,
    description: field.description ?? '',
    fallback: JSON.stringify(defaults[key as keyof Config] ?? null),
  }));
}

function configFile(flag: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const named = typeof flag === 'string' ? flag : environment.DOCKET_CONFIG;
  if (named === undefined) return existsSync('docket.yaml') ? 'docket.yaml' : undefined;
  if (!existsSync(named)) throw new ConfigError(`There is no configuration file ${named}.`);
  return named;
}

function readFile(file: string | undefined): Given {
  if (file === undefined) return { values: {}, place: () => '' };
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new ConfigError(`${file}: ${error.message}`);
  const values: unknown = document.toJS() ?? {};
  if (!isRecord(values)) throw new ConfigError(`${file}: expected "key: value" lines.`);
  return {
    values,
    place: (path) => {
      const offset = offsetOf(document.contents, path);
      const { line, col } = lines.linePos(offset ?? 0);
      return `${file}:${line}:${col}`;
    },
  };
}

function offsetOf(node: unknown, path: readonly PropertyKey[]): number | undefined {
  const [key, ...rest] = path;
  if (key === undefined || !isMap(node)) return undefined;
  const pair = node.items.find(
    (item) => isPair(item) && isScalar(item.key) && item.key.value === key,
  );
  if (pair === undefined || !isScalar(pair.key)) return undefined;
  return offsetOf(pair.value, rest) ?? pair.key.range?.[0];
}

function readEnvironment(environment: NodeJS.ProcessEnv): Given {
  const names = variableNames();
  const values: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('DOCKET_') || COMMAND_VARIABLES.has(variable) || text === undefined)
      continue;
    const path = names.get(variable);
    if (path === undefined)
      throw new ConfigError(
        `The variable ${variable} is not known.${didYouMean(variable, [...names.keys(), ...COMMAND_VARIABLES])}`,
      );
    place(values, path, textValue(path, text));
  }
  return { values, place: (path) => variableName(path.map(String)) };
}

function fromFlags(flags: Readonly<Record<string, unknown>>): Given {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(
    given.map(([key, value]) => [key, typeof value === 'string' ? textValue([key], value) : value]),
  );
  return { values, place: (path) => `--${path.map(String).join('.')}` };
}

/** `DOCKET_MAXIMUM_USERS` for `maximumUsers`, `DOCKET_LIMITS_URL_BYTES` for `limits.urlBytes`. */
function variableName(path: readonly string[]): string {
  return `DOCKET_${path.map((key) => key.replace(/([A-Z])/g, '_$1').toUpperCase()).join('_')}`;
}

function variableNames(): ReadonlyMap<string, readonly string[]> {
  const top = Object.keys(schema.shape)
    .filter((key) => key !== 'limits')
    .map((key) => [key]);
  const nested = Object.keys(limits.shape).map((key) => ['limits', key]);
  return new Map([...top, ...nested].map((path) => [variableName(path), path]));
}

/** Text from outside as what the key wants: a number, a list separated by commas, or the text. */
function textValue(path: readonly string[], text: string): unknown {
  const wanted = kindOf(path);
  if (wanted === 'number')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (wanted === 'list')
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
}

function kindOf(path: readonly string[]): 'number' | 'list' | 'text' {
  const defaults: unknown = schema.parse({});
  const value = path.reduce<unknown>(
    (node, key) => (isRecord(node) ? node[key] : undefined),
    defaults,
  );
  if (typeof value === 'number') return 'number';
  return Array.isArray(value) ? 'list' : 'text';
}

function complain(source: Given): readonly string[] {
  const result = schema.safeParse(source.values);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(source, issue.path, key));
    return [`${source.place(issue.path)}: ${issue.path.map(String).join('.')}: ${issue.message}.`];
  });
}

function unknownKey(source: Given, path: readonly PropertyKey[], key: string): string {
  const known = Object.keys(path.length === 0 ? schema.shape : limits.shape);
  return `${source.place([...path, key])}: the key "${key}" is not known.${didYouMean(key, known)}`;
}

function mergeValues(
  base: Record<string, unknown>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const previous = merged[key];
    merged[key] = isRecord(previous) && isRecord(value) ? mergeValues(previous, value) : value;
  }
  return merged;
}

function place(values: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    values[key] = value;
    return;
  }
  const inner = values[key];
  const record = isRecord(inner) ? { ...inner } : {};
  place(record, rest, value);
  values[key] = record;
}

function withResolvedPaths(config: Config): Config {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(join(process.cwd(), path)));
  return {
    ...config,
    data: absolute(config.data),
    ...(config.model === undefined ? {} : { model: absolute(config.model) }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
