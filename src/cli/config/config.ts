// This file reads the configuration: docket.yaml, DOCKET_* variables, flags; the later wins. An unknown key or a bad value is refused
// with its place and the nearest right name. Every command reads it in this one way.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { invariant } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { isAddressRange } from '../../http/address-ranges.ts';
import { wrongValue } from './config-error.ts';
import { type FilesConfig, filesSchema, missingSection } from './file-store-config.ts';
import { limits } from './limits.ts';
import { isRecord, mergeValues, place, valueAt } from './nested-value.ts';
import { readBytes } from './read-file.ts';

/** Others would be taken and never found in a request. */
const address = z
  .string()
  .refine(
    isAddressRange,
    'expected an IP address or a range such as 10.0.0.7, 10.0.0.0/8 or fd00::/8',
  );
const origin = z
  .string()
  .regex(
    /^(\*|[a-z][a-z\d+.-]*:\/\/[^/?#\s]+)$/,
    'expected an origin such as https://desk.example.com, without a path, or *',
  );

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
    .describe("file or directory with the installation's additions to the model"),
  language: z
    .string()
    .min(2)
    .optional()
    .describe(
      'language of code texts where the client asks for none: one of the model, by default its first',
    ),
  anonymous: z
    .array(z.enum(['ping', 'metadata']))
    .default([])
    .describe('what needs no token'),
  trustedProxies: z
    .array(address)
    .default([])
    .describe('addresses and ranges (CIDR) of proxies whose X-Forwarded headers count'),
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
  auditDays: z
    .number()
    .positive()
    .max(36_500)
    .default(365)
    .describe('days for which the audit trail is kept'),
  maximumUsers: z.int().min(1).default(100).describe('concurrent users at most'),
  accountSessions: z
    .int()
    .min(1)
    .default(50)
    .describe('sessions of one account at the same time at most'),
  reservedSessions: z
    .int()
    .min(0)
    .default(2)
    .describe('sessions of maximumUsers reserved for administrators; never more than half'),
  readers: z
    .int()
    .min(0)
    .max(16)
    .default(2)
    .describe('threads for reads that look at many records'),
  workers: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('processes that answer: more than one use more than one core'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('least severity that is logged'),
  tls: z
    .strictObject({
      certificate: z.string().min(1).describe('file in PEM with the certificate and its chain'),
      key: z.string().min(1).describe('file in PEM with the key of the certificate'),
    })
    .optional()
    .describe('files in PEM with certificate and key: HTTPS; read again when they change'),
  allowInsecureTokens: z
    .boolean()
    .default(false)
    .describe('whether /token takes passwords over HTTP from other machines'),
  corsOrigins: z.array(origin).default([]).describe('origins of browsers that may call'),
  limits: limits.prefault({}).describe('how much a client may ask for'),
  files: filesSchema
    .prefault({})
    .describe('where the files are kept: local, ftp or s3, with the settings of each'),
});

type Read = z.infer<typeof schema>;

/** The configuration with every path absolute. */
export interface Config extends Read {
  readonly files: FilesConfig & { readonly local: { readonly directory: string } };
}

/** A configuration that cannot be used: every complaint on a line of its own. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What was given on the command line: `--json` is `json`. */
export type Flags = Readonly<Record<string, unknown>>;

/** Values as given by one of the three sources, with words for where each stands. */
interface Given {
  readonly values: Readonly<Record<string, unknown>>;
  readonly place: (path: readonly PropertyKey[]) => string;
  /** Whether the place says which key it is. */
  readonly isNamed: boolean;
}

/** Variables that belong to commands, not to the configuration. */
const COMMAND_VARIABLES = new Set(['DOCKET_ADMIN_PASSWORD', 'DOCKET_PASSWORD', 'DOCKET_CONFIG']);

/**
 * The configuration.
 * @param flags values given on the command line, by key of the configuration; `config` names the file
 * ConfigError with all complaints.
 */
export function readConfig(flags: Flags, environment: NodeJS.ProcessEnv): Config {
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
  return withResolvedPaths(parseWhole(merged));
}

/** What each source has right can still lack something when all are put together. */
function parseWhole(merged: Readonly<Record<string, unknown>>): Read {
  const result = schema.safeParse(merged);
  if (!result.success)
    throw new ConfigError(
      result.error.issues
        .map((issue) => `${issue.path.map(String).join('.')}: ${whatIsWrong(merged, issue)}.`)
        .join('\n'),
    );
  const missing = missingSection(result.data.files);
  if (missing !== undefined) throw new ConfigError(missing);
  return result.data;
}

/** The fields of the configuration, and of its limits. */
export function configFields() {
  return { top: schema.shape, limits: limits.shape };
}

/** A key that holds a value rather than further keys. */
export interface ConfigKey {
  /** `limits.pageSize`. */
  readonly name: string;
  /** `DOCKET_LIMITS_PAGE_SIZE`. */
  readonly variable: string;
  readonly field: z.ZodType;
  /** Undefined where there is none. */
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

/** The default below a section that is not there by default. */
function ownDefault(field: z.ZodType): unknown {
  const result = field.safeParse(undefined);
  return result.success ? result.data : undefined;
}

function configFile(flag: unknown, environment: NodeJS.ProcessEnv): string | undefined {
  const named = typeof flag === 'string' ? flag : environment.DOCKET_CONFIG;
  if (named === undefined) return existsSync('docket.yaml') ? 'docket.yaml' : undefined;
  if (!existsSync(named)) throw new ConfigError(`There is no configuration file ${named}.`);
  return named;
}

function readFile(file: string | undefined): Given {
  if (file === undefined) return { values: {}, place: () => '', isNamed: false };
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const text = Buffer.from(readBytes(file)).toString('utf8');
  const document = yaml.parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new ConfigError(`${file}: ${error.message}`);
  const values: unknown = document.toJS() ?? {};
  if (!isRecord(values)) throw new ConfigError(`${file}: expected "key: value" lines.`);
  return {
    values,
    isNamed: false,
    place: (path) => {
      const offset = offsetOf(yaml, document.contents, path);
      const { line, col } = lines.linePos(offset ?? 0);
      return `${file}:${line}:${col}`;
    },
  };
}

type Yaml = typeof import('yaml');

/** Loaded where there is a file only: the start takes less time without. */
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
  return { values, place: (path) => variableName(keysOf(path)), isNamed: true };
}

function fromFlags(flags: Flags): Given {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(
    given.map(([key, value]) => [key, typeof value === 'string' ? textValue([key], value) : value]),
  );
  return { values, place: (path) => flagName(keysOf(path)), isNamed: true };
}

/** `DOCKET_MAXIMUM_USERS` for `maximumUsers`, `DOCKET_LIMITS_URL_BYTES` for `limits.urlBytes`. */
function variableName(path: readonly string[]): string {
  return `DOCKET_${path.map((key) => key.replace(/([A-Z])/g, '_$1').toUpperCase()).join('_')}`;
}

/** `--log-level` for `logLevel`. */
function flagName(path: readonly string[]): string {
  return `--${path.map((key) => key.replace(/([A-Z])/g, '-$1').toLowerCase()).join('-')}`;
}

/** Without the places in lists. */
function keysOf(path: readonly PropertyKey[]): readonly string[] {
  return path.filter((key) => typeof key !== 'number').map(String);
}

function variableNames(): ReadonlyMap<string, readonly string[]> {
  return new Map(leavesOf(schema, []).map((path) => [variableName(path), path]));
}

/** Paths of all keys that hold a value rather than further keys. */
function leavesOf(at: unknown, path: readonly string[]): readonly (readonly string[])[] {
  const inner = unwrapped(at);
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([key, field]) => leavesOf(field, [...path, key]));
}

/** A schema without what says that it may be left out. */
function unwrapped(at: unknown): unknown {
  const isWrapped =
    at instanceof z.ZodOptional || at instanceof z.ZodDefault || at instanceof z.ZodPrefault;
  return isWrapped ? unwrapped(at.unwrap()) : at;
}

/** The schema of the value at a path; undefined where no key is. */
function schemaAt(path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    const inner = unwrapped(at);
    if (inner instanceof z.ZodArray) return inner.element;
    return inner instanceof z.ZodObject ? inner.shape[String(key)] : undefined;
  }, schema);
}

/** Text from outside as what the key wants: a number, a list separated by commas, or the text. */
function textValue(path: readonly string[], text: string): unknown {
  const wanted = unwrapped(schemaAt(path));
  if (wanted instanceof z.ZodNumber)
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (wanted instanceof z.ZodBoolean && /^(true|false)$/.test(text)) return text === 'true';
  if (wanted instanceof z.ZodArray)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
}

function complain(source: Given): readonly string[] {
  const result = schema.safeParse(source.values);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
    if (isLeftOut(source.values, issue.path)) return [];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(source, issue.path, key));
    const named = source.isNamed ? '' : ` ${issue.path.map(String).join('.')}:`;
    return [`${source.place(issue.path)}:${named} ${whatIsWrong(source.values, issue)}.`];
  });
}

function whatIsWrong(values: unknown, issue: z.core.$ZodIssue): string {
  return wrongValue(issue, schemaAt(issue.path), valueAt(values, issue.path));
}

/** What one source leaves out, another may say. */
function isLeftOut(values: unknown, path: readonly PropertyKey[]): boolean {
  return valueAt(values, path) === undefined;
}

function unknownKey(source: Given, path: readonly PropertyKey[], key: string): string {
  const around = unwrapped(schemaAt(path));
  const known = around instanceof z.ZodObject ? Object.keys(around.shape) : [];
  return `${source.place([...path, key])}: the key "${key}" is not known.${didYouMean(key, known)}`;
}

function withResolvedPaths(config: Read): Config {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(join(process.cwd(), path)));
  const { model, files, tls } = config;
  const data = absolute(config.data);
  const directory = absolute(files.local.directory ?? join(data, 'files'));
  const ca = files.ftp?.ca;
  return {
    ...config,
    data,
    ...(model === undefined ? {} : { model: absolute(model) }),
    ...(tls === undefined
      ? {}
      : { tls: { certificate: absolute(tls.certificate), key: absolute(tls.key) } }),
    files: {
      ...files,
      local: { directory },
      ...(files.ftp === undefined || ca === undefined
        ? {}
        : { ftp: { ...files.ftp, ca: absolute(ca) } }),
    },
  };
}
