// The configuration keys that administrators may change at run time, as records of the set Settings, with the values that each accepts.
// Addresses, directories and the model are not among them: they are set where the service is started.
import { z } from 'zod';
import type { SettingDefinition } from '../../auth/runtime-settings.ts';
import { perObject } from '../../base/memo.ts';
import type { ModelDefinition } from '../../edm/model.ts';
import { type Config, configFields, schemaAt } from './config.ts';
import { describeInvalidValue, rangeOf } from './config-error.ts';
import { valueAt } from './nested-value.ts';
import { workflowsField } from './workflow-modes.ts';

const AT_ONCE = [
  'accountSessions',
  'anonymous',
  'auditDays',
  'basicKeys',
  'changeDays',
  'corsOrigins',
  'idleMinutes',
  'logLevel',
  'maximumUsers',
  'noteMinutes',
  'odataClients',
  'reservedSessions',
  'serverTiming',
  'temporaryPasswords',
  'workflows',
] as const;

const AT_START = ['language', 'tokenBinding', 'trustedProxies'] as const;

/** Limits that apply before the database is open. */
const NOT_ADJUSTABLE = new Set([
  'databaseConnections',
  'lockSeconds',
  'resultMegabytes',
  'scanWaitSeconds',
  'statementSeconds',
  'waitingReads',
  'waitingScans',
]);

/**
 * The settings of an installation.
 * @param definition its model
 */
export function adjustableSettings(
  config: Config,
  definition: ModelDefinition,
): readonly SettingDefinition[] {
  const { languages } = definition;
  const fields = configFields();
  const language = languageField(languages).describe(fields.top.language.description ?? '');
  const workflows = workflowsField(definition).describe(fields.top.workflows.description ?? '');
  const top = { ...fields.top, language, workflows };
  const configured = { ...config, language: config.language ?? languages[0] };
  const plain = [...AT_ONCE, ...AT_START].map((key) =>
    define(key, top[key], configured[key], isAtOnce(key) ? 'at once' : 'at the next start'),
  );
  const limits = Object.entries(fields.limits)
    .filter(([key]) => !NOT_ADJUSTABLE.has(key))
    .map(([key, field]) => {
      const value = new Map<string, unknown>(Object.entries(config.limits)).get(key);
      return define(`limits.${key}`, field, value, 'at the next start');
    });
  return [...plain, ...limits];
}

/** The configuration with changed values, which must be valid. */
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

/** The schema of `language` for a model with these languages. */
export function languageField(languages: readonly string[]) {
  return z.enum(languages);
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
      const issues = field.safeParse(value).error?.issues;
      const describeIssue = (issue: z.core.$ZodIssue) =>
        describeInvalidValue(issue, schemaAt(issue.path, field), valueAt(value, issue.path));
      return issues?.map(describeIssue).join('; ');
    },
  };
}

const describe = perObject((field: z.ZodType): Pick<SettingDefinition, 'kind' | 'range'> => {
  const { type, enum: choices } = z.toJSONSchema(field);
  const range = rangeOf(field);
  if (type === 'array') return { kind: 'list', range: `${range}, as JSON` };
  if (choices !== undefined) return { kind: 'choice', range };
  if (type === 'boolean') return { kind: 'choice', range };
  if (type === 'string') return { kind: 'choice', range: 'a string, as JSON' };
  return { kind: 'number', range };
});

/** The items of a changing list as a set, which is rebuilt only when the list is another array. */
export function setOf<Item>(list: () => readonly Item[]): () => ReadonlySet<Item> {
  return computedOf(list, (items) => new Set(items));
}

/** What is computed of a changing list, again only when the list is another array. */
export function computedOf<Item, Result>(
  list: () => readonly Item[],
  compute: (items: readonly Item[]) => Result,
): () => Result {
  let last: readonly Item[] = list();
  let result = compute(last);
  return () => {
    const now = list();
    if (now !== last) result = compute(now);
    last = now;
    return result;
  };
}
