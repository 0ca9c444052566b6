// This file says what is wrong with a value of the configuration: what its key takes, and what it was given.
import { z } from 'zod';

/** Values that are not repeated on a screen. */
const SECRET = /password|secret/i;
/** Characters of a value that are shown. */
const SHOWN = 60;

/** What a key takes: `a whole number from 1 to 250`. */
export function rangeOf(field: z.ZodType): string {
  const schema = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  if (schema.enum !== undefined) return `one of ${listed(schema.enum)}`;
  switch (schema.type) {
    case 'array': {
      const { items } = schema;
      const names = typeof items === 'object' && 'enum' in items ? items.enum : undefined;
      return `a list of ${names === undefined ? 'texts' : listed(names)}`;
    }
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'keys with values below it';
    case 'integer':
    case 'number':
      return numbersOf(schema);
    default:
      return 'a text';
  }
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function numbersOf({ type, minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least =
    exclusiveMinimum === undefined ? `from ${minimum ?? 'any'}` : `above ${exclusiveMinimum}`;
  const most = maximum === undefined || maximum > 1e15 ? '' : ` to ${maximum}`;
  return `${type === 'integer' ? 'a whole number' : 'a number'} ${least}${most}`;
}

function listed(values: readonly unknown[]): string {
  return values.map((one) => JSON.stringify(one)).join(', ');
}

/**
 * `expected a whole number from 0 to 65535, not "abc"`.
 * @param value that was given; undefined where none was
 */
export function wrongValue(issue: z.core.$ZodIssue, field: unknown, value: unknown): string {
  if (value === undefined) return 'is missing';
  const isSecret = issue.path.some((key) => SECRET.test(String(key)));
  const given = isSecret ? '' : `, not ${JSON.stringify(value).slice(0, SHOWN)}`;
  const isSaid = issue.code === 'custom' || issue.code === 'invalid_format';
  if (isSaid || !(field instanceof z.ZodType)) return `${issue.message}${given}`;
  return `expected ${rangeOf(field)}${given}`;
}
