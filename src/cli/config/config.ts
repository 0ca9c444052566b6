// Reads the configuration from docket.yaml, DOCKET_* environment variables and flags; later sources override earlier ones. Messages about
// an unknown key or an invalid value name its location and the closest known key. It is long because it describes every setting.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import type { YAMLParseError } from 'yaml';
import { z } from 'zod';
import { invariant } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { ADMINISTRATOR_ROLE } from '../../edm/account-sets.ts';
import { describeInvalidValue } from './config-error.ts';
import { databaseUrl } from './database-url.ts';
import { type FilesConfig, filesSchema, missingSection } from './file-store-config.ts';
import { missingAccount } from './incoming-mail-config.ts';
import { issuers } from './issuer-config.ts';
import { flagName, keysOf, variableName } from './key-names.ts';
import { limits } from './limits.ts';
import { mailSchema } from './mail-config.ts';
import { metricsSchema, missingToken } from './monitoring-config.ts';
import { isRecord, mergeValues, setValueAt, valueAt } from './nested-value.ts';
import { NO_LIMIT, numberFrom, positiveNumber, wholeNumber } from './number-keys.ts';
import { readText } from './read-file.ts';
import {
  addressRange,
  basePath,
  directory,
  origin,
  parseList,
  parseSections,
  publicUrl,
} from './text-keys.ts';
import { webhookSchema } from './webhook-config.ts';

const schema = z.strictObject({
  data: directory.default('./data').describe('directory of the database and the files'),
  database: databaseUrl
    .optional()
    .describe('URL of a PostgreSQL database, postgres://…, in place of the file in the directory'),
  readReplicas: z
    .array(databaseUrl)
    .default([])
    .describe('URLs of read replicas of the PostgreSQL database'),
  host: z.string().min(1).default('127.0.0.1').describe('address to listen on'),
  port: wholeNumber(0, 65_535, 5181).describe('port to listen on; 0 selects a free port'),
  basePath: basePath.default('/odata').describe('path of the service root on this server'),
  publicUrl: publicUrl
    .optional()
    .describe(
      'URL of the server as clients know it, to which basePath is added; by default that of each request',
    ),
  rules: z
    .enum(['service', 'odata'])
    .optional()
    .describe('rules of the service contract, or plain OData'),
  odataClients: z
    .array(z.string().min(1))
    .default(['Microsoft.Data.Mashup'])
    .describe(
      'clients that follow plain OData whatever the rules are, by the start of their User-Agent; by default Excel and Power BI',
    ),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('file or directory with additions to the built-in model, or with a model of its own'),
  systemMetadata: z
    .boolean()
    .default(false)
    .describe(
      'whether the metadata of a model of its own contains the types and operations of the engine, such as EffectiveRights',
    ),
  flatMetadata: z
    .boolean()
    .default(false)
    .describe(
      'whether $metadata repeats inherited members and omits base types, for clients that ignore base types',
    ),
  language: z
    .string()
    .min(2)
    .optional()
    .describe(
      'language of code texts if the client requests none; by default the first of the model',
    ),
  apiReference: z
    .boolean()
    .default(true)
    .describe('whether /docs serves the documentation and the interactive API reference'),
  console: z
    .boolean()
    .default(true)
    .describe('whether /console serves the console, a service desk in the browser'),
  anonymous: z
    .array(z.enum(['ping', 'metadata']))
    .default([])
    .describe('resources that need no token'),
  anonymousRole: z
    .string()
    .min(1)
    .refine((role) => role !== ADMINISTRATOR_ROLE, 'expected a role with fewer rights')
    .optional()
    .describe('role of requests without a token; by default they are rejected'),
  trustedProxies: z
    .array(addressRange)
    .default([])
    .describe('addresses and CIDR ranges of the proxies whose X-Forwarded headers are trusted'),
  tokenBinding: z
    .enum(['address', 'off'])
    .default('address')
    .describe('whether tokens are bound to the client machine'),
  temporaryPasswords: z
    .boolean()
    .default(false)
    .describe(
      'whether people must change a password that an administrator has set; requests decide otherwise by MustChangePassword',
    ),
  basicKeys: z
    .boolean()
    .default(true)
    .describe('whether clients may send an API key by Basic authentication'),
  issuers: issuers.describe(
    'OpenID Connect issuers whose access tokens are accepted; in the variable as JSON',
  ),
  idleMinutes: z
    .number()
    .positive()
    .default(30)
    .describe('minutes without use after which a session frees its slot'),
  noteMinutes: wholeNumber(0, 525_600, 15).describe(
    'minutes for which the author of a note may change it; 0 for never',
  ),
  changeDays: positiveNumber(36_500, 90).describe(
    'days for which changes are kept; older delta links return 410',
  ),
  auditDays: positiveNumber(36_500, 365).describe('days for which the audit trail is kept'),
  usageDays: wholeNumber(0, 3650, 90).describe(
    'days for which requests are counted by account and client; 0 for not at all',
  ),
  maximumUsers: wholeNumber(1, NO_LIMIT, 100).describe('maximum number of concurrent sessions'),
  accountSessions: wholeNumber(1, NO_LIMIT, 50).describe(
    'maximum number of concurrent sessions per account',
  ),
  reservedSessions: wholeNumber(0, NO_LIMIT, 2).describe(
    'sessions of maximumUsers reserved for administrators; at most half of them',
  ),
  readers: wholeNumber(0, 16, 2).describe('threads for queries that read many records'),
  workers: wholeNumber(1, 64, 1).describe(
    'number of processes that serve requests; each can use one CPU core',
  ),
  drainSeconds: numberFrom(0, 600, 0).describe(
    'seconds for which /readyz returns 503 while requests are still served, before the service stops',
  ),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('minimum severity of log entries'),
  tls: z
    .strictObject({
      certificate: z.string().min(1).describe('PEM file with the certificate and its chain'),
      key: z.string().min(1).describe('PEM file with the private key of the certificate'),
    })
    .optional()
    .describe('certificate and key for HTTPS; reloaded when the files change'),
  allowInsecureTokens: z
    .boolean()
    .default(false)
    .describe('whether /token accepts passwords over plain HTTP from other machines'),
  serverTiming: z
    .boolean()
    .default(false)
    .describe('whether responses to signed-in clients have a Server-Timing header'),
  metrics: metricsSchema.prefault({}).describe('metrics for Prometheus'),
  tracing: z
    .boolean()
    .default(false)
    .describe('whether requests are traced by OpenTelemetry, whose SDK is loaded by node --import'),
  workflows: z
    .array(z.string())
    .default([])
    .describe(
      'modes of workflows: off, advise or enforce for all, such as Incident=off for one; without, those of the model',
    ),
  corsOrigins: z
    .array(origin)
    .default([])
    .describe('origins whose pages may call the service from a browser (CORS)'),
  limits: limits.prefault({}).describe('limits for clients and requests'),
  files: filesSchema.prefault({}).describe('the stores of files: local, ftp and s3'),
  mail: mailSchema.prefault({}).describe('incoming and outgoing mail'),
  webhooks: webhookSchema.prefault({}).describe('events that are sent to other systems'),
});

type ParsedConfig = z.infer<typeof schema>;

/** The configuration with every path absolute. */
export interface Config extends ParsedConfig {
  readonly files: FilesConfig & { readonly local: { readonly directory: string } };
}

/** An invalid configuration or command line. The message has one line per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Command-line flags by camel-case names: `--log-level` is `logLevel`. */
export type Flags = Readonly<Record<string, unknown>>;

/** The values of one of the three sources. */
interface Source {
  readonly values: Readonly<Record<string, unknown>>;
  /** Where a value is defined, for messages. */
  readonly locate: (path: readonly PropertyKey[]) => string;
  /** Whether the location names the key. */
  readonly locationNamesKey: boolean;
}

const SQLITE_DRIVER = 'DOCKET_SQLITE_DRIVER';

/** Variables that belong to commands or to the database, not to the configuration. */
const OTHER_VARIABLES = new Set([
  'DOCKET_ADMIN_PASSWORD',
  'DOCKET_PASSWORD',
  'DOCKET_CONFIG',
  SQLITE_DRIVER,
]);

/**
 * Reads the configuration. Throws: cli.file, and a ConfigError that lists all problems.
 * @param flags values from the command line, by configuration key; `config` names the file
 */
export function readConfig(flags: Flags, environment: NodeJS.ProcessEnv): Config {
  const { config: file, ...values } = flags;
  return configFrom([
    readFile(configFile(file, environment)),
    readEnvironment(environment),
    readFlags(values),
  ]);
}

/** Settings of a program that embeds Docket: the keys of docket.yaml, and the file with others of them. */
export type EmbeddedSettings = z.input<typeof schema> & {
  readonly config?: string | undefined;
};

/** Reads settings and the file that they name, and nothing else. Throws like `readConfig`. */
export function readSettings({ config: file, ...settings }: EmbeddedSettings): Config {
  const present = Object.entries(settings).filter(([, value]) => value !== undefined);
  return configFrom([
    readFile(file === undefined ? undefined : configFile(file, {})),
    {
      values: Object.fromEntries(present),
      locate: (path) => keysOf(path).join('.'),
      locationNamesKey: true,
    },
  ]);
}

function configFrom(sources: readonly Source[]): Config {
  const problems = sources.flatMap(problemsIn);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const merged = sources.reduce<Record<string, unknown>>(
    (all, source) => mergeValues(all, source.values),
    {},
  );
  return withResolvedPaths(parseMerged(merged));
}

/** Sources that are valid on their own may still lack a required key when merged. */
function parseMerged(merged: Readonly<Record<string, unknown>>): ParsedConfig {
  const result = schema.safeParse(merged);
  if (!result.success)
    throw new ConfigError(
      result.error.issues
        .map((issue) => `${issue.path.map(String).join('.')}: ${describeIssue(merged, issue)}.`)
        .join('\n'),
    );
  const missing =
    missingSection(result.data.files) ??
    missingAccount(result.data.mail) ??
    missingToken(result.data.metrics);
  if (missing !== undefined) throw new ConfigError(missing);
  return result.data;
}

export function configFields() {
  return { top: schema.shape, limits: limits.shape };
}

/** A key with a value, as opposed to a section. */
export interface ConfigKey {
  /** `limits.pageSize`. */
  readonly name: string;
  /** `DOCKET_LIMITS_PAGE_SIZE`. */
  readonly variable: string;
  readonly field: z.ZodType;
  /** The default, if there is one. */
  readonly fallback: unknown;
}

/** Every key of the configuration, in the order of the schema. */
export function configKeys(): readonly ConfigKey[] {
  const defaults = schema.parse({});
  return leavesOf(schema, []).map((path) => {
    const field = schemaAt(path);
    invariant(field instanceof z.ZodType, 'a key has a schema');
    return {
      name: path.join('.'),
      variable: variableName(path),
      field,
      fallback: valueAt(defaults, path) ?? ownDefault(field),
    };
  });
}

/** The default of a key in a section that is absent by default. */
function ownDefault(field: z.ZodType): unknown {
  const result = field.safeParse(undefined);
  return result.success ? result.data : undefined;
}

function configFile(flag: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const name = typeof flag === 'string' ? flag : environment.DOCKET_CONFIG;
  if (name === undefined) return existsSync('docket.yaml') ? 'docket.yaml' : undefined;
  if (!existsSync(name)) throw new ConfigError(`The configuration file ${name} does not exist.`);
  return name;
}

function readFile(file: string | undefined): Source {
  if (file === undefined) return { values: {}, locate: () => '', locationNamesKey: false };
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const text = readText(file);
  const document = yaml.parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new ConfigError(`${file}: ${syntaxProblem(error)}`);
  const values: unknown = document.toJS() ?? {};
  if (!isRecord(values)) throw new ConfigError(`${file}: expected "key: value" lines.`);
  return {
    values,
    locationNamesKey: false,
    locate: (path) => {
      const offset = offsetOf(yaml, document.contents, path);
      const { line, col } = lines.linePos(offset ?? 0);
      return `${file}:${line}:${col}`;
    },
  };
}

type Yaml = typeof import('yaml');

function syntaxProblem({ code, message }: YAMLParseError): string {
  return code === 'MULTIPLE_DOCS'
    ? 'the file contains more than one document. Remove the lines "---" between them.'
    : message;
}

/** Loaded only if there is a configuration file, because loading it slows down every start. */
function loadYaml(): Yaml {
  return createRequire(import.meta.url)('yaml');
}

function offsetOf(yaml: Yaml, node: unknown, path: readonly PropertyKey[]): number | undefined {
  const { isMap, isPair, isScalar } = yaml;
  const [key, ...rest] = path;
  if (key === undefined || !isMap(node)) return undefined;
  const pair = node.items.find(
    (item) => isPair(item) && isScalar(item.key) && item.key.value === key,
  );
  if (pair === undefined || !isScalar(pair.key)) return undefined;
  return offsetOf(yaml, pair.value, rest) ?? pair.key.range?.[0];
}

function readEnvironment(environment: NodeJS.ProcessEnv): Source {
  const names = variableNames();
  const values: Record<string, unknown> = {};
  requireDriver(environment[SQLITE_DRIVER]);
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('DOCKET_') || OTHER_VARIABLES.has(variable) || text === undefined)
      continue;
    const path = names.get(variable);
    if (path === undefined)
      throw new ConfigError(
        `The environment variable ${variable} is unknown.${didYouMean(variable, [...names.keys(), ...OTHER_VARIABLES])}`,
      );
    setValueAt(values, path, parseText(path, text));
  }
  return { values, locate: (path) => variableName(keysOf(path)), locationNamesKey: true };
}

function requireDriver(name: string | undefined): void {
  if (name === undefined || name === 'better-sqlite3') return;
  throw new ConfigError(`${SQLITE_DRIVER}: expected "better-sqlite3", not "${name}".`);
}

function readFlags(flags: Flags): Source {
  const entries = Object.entries(flags).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      typeof value === 'string' ? parseText([key], value) : value,
    ]),
  );
  return { values, locate: (path) => flagName(keysOf(path)), locationNamesKey: true };
}

function variableNames(): ReadonlyMap<string, readonly string[]> {
  return new Map(leavesOf(schema, []).map((path) => [variableName(path), path]));
}

/** The paths of all keys with a value. */
function leavesOf(at: unknown, path: readonly string[]): readonly (readonly string[])[] {
  const inner = unwrapped(at);
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, field]) => leavesOf(field, [...path, key]));
}

/** The schema without its optional and default wrappers. */
function unwrapped(at: unknown): unknown {
  const isWrapped =
    at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault;
  return isWrapped ? unwrapped(at.unwrap()) : at;
}

/** The schema of the value at a path; undefined for an unknown key. */
export function schemaAt(path: readonly PropertyKey[], start: z.ZodType = schema): unknown {
  return path.reduce<unknown>((at, key) => {
    const inner = unwrapped(at);
    if (inner instanceof z.ZodArray) return inner.element;
    return inner instanceof z.ZodObject ? inner.shape[String(key)] : undefined;
  }, start);
}

/** The text of a variable or flag as the type of its key: a number, a boolean, a comma-separated list, or the text itself. */
function parseText(path: readonly string[], text: string): unknown {
  const field = unwrapped(schemaAt(path));
  if (field instanceof z.ZodNumber)
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (field instanceof z.ZodBoolean && /^(true|false)$/.test(text)) return text === 'true';
  if (field instanceof z.ZodArray) {
    const isOfSections = unwrapped(field.element) instanceof z.ZodObject;
    return isOfSections ? parseSections(text) : parseList(text);
  }
  return text;
}

function problemsIn(source: Source): readonly string[] {
  const result = schema.safeParse(source.values);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    // A key that is missing here may be in another source.
    if (valueAt(source.values, issue.path) === undefined) return [];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(source, issue.path, key));
    const isNamed = source.locationNamesKey && keysOf(issue.path).length >= issue.path.length - 1;
    const key = isNamed ? '' : ` ${issue.path.map(String).join('.')}:`;
    return [`${source.locate(issue.path)}:${key} ${describeIssue(source.values, issue)}.`];
  });
}

function describeIssue(values: unknown, issue: z.core.$ZodIssue): string {
  return describeInvalidValue(issue, schemaAt(issue.path), valueAt(values, issue.path));
}

function unknownKey(source: Source, path: readonly PropertyKey[], key: string): string {
  const section = unwrapped(schemaAt(path));
  const known = section instanceof z.ZodObject ? Object.keys(section.shape) : [];
  return `${source.locate([...path, key])}: the key "${key}" is unknown.${didYouMean(key, known)}`;
}

function withResolvedPaths(config: ParsedConfig): Config {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(join(process.cwd(), path)));
  const { model, files, tls } = config;
  const data = absolute(config.data);
  const directory = absolute(files.local.directory ?? join(data, 'files'));
  const { ftp } = files;
  const ca = ftp?.ca;
  return {
    ...config,
    data,
    model: model === undefined ? undefined : absolute(model),
    tls: tls && { certificate: absolute(tls.certificate), key: absolute(tls.key) },
    files: {
      ...files,
      local: { directory },
      ftp: ftp && { ...ftp, ca: ca === undefined ? undefined : absolute(ca) },
    },
  };
}
