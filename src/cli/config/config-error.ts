// Describes invalid configuration values: what the key accepts and what it got.
import { z } from 'zod';
import { withoutPassword } from '../../base/without-password.ts';

/** Keys whose values must not appear in messages: secrets, and URLs that may contain one. */
const SECRET = /password|secret|^token$|^database$|^readReplicas$/i;
/** Issues whose message is ours. */
const WITH_MESSAGE: ReadonlySet<string> = new Set(['custom', 'invalid_format', 'invalid_union']);
/** Characters of a value that a message repeats. */
const SHOWN = 60;

/** The values that a key accepts, such as `a whole number from 1 to 250`. */
export function rangeOf(field: z.ZodType): string {
  const schema = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  if (schema.enum !== undefined) return `one of ${listed(schema.enum)}`;
  switch (schema.type) {
    case 'array': {
      const { items } = schema;
      const names = typeof items === 'object' && 'enum' in items ? items.enum : undefined;
      if (names !== undefined) return `a list of ${listed(names)}`;
      const isSection = typeof items === 'object' && 'type' in items && items.type === 'object';
      return `a list of ${isSection ? 'sections' : 'strings'}`;
    }
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'a section with keys of its own';
    case 'integer':
    case 'number':
      return numbersOf(schema);
    default:
      return `a string${lengthOf(schema)}`;
  }
}

function lengthOf({ minLength = 0 }: JsonSchema): string {
  return minLength > 1 ? ` of at least ${minLength} characters` : '';
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function numbersOf({ type, minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const isOpen = exclusiveMinimum !== undefined;
  const lowest = isOpen ? `above ${exclusiveMinimum}` : `from ${minimum ?? 'any'}`;
  const isUnlimited = maximum === undefined || maximum > 1e15;
  const highest = isUnlimited ? '' : `${isOpen ? ' and at most' : ' to'} ${maximum}`;
  return `${type === 'integer' ? 'a whole number' : 'a number'} ${lowest}${highest}`;
}

function listed(values: readonly unknown[]): string {
  return values.map((one) => JSON.stringify(one)).join(', ');
}

/**
 * The problem with a value, such as `expected a whole number from 0 to 65535, not "abc"`.
 * @param value the configured value; undefined if there is none
 */
export function describeInvalidValue(
  issue: z.core.$ZodIssue,
  field: unknown,
  value: unknown,
): string {
  if (value === undefined) return 'is missing';
  const isSecret = issue.path.some((key) => SECRET.test(String(key)));
  const actual = isSecret ? '' : `, not ${withoutPassword(JSON.stringify(value)).slice(0, SHOWN)}`;
  const hasMessage = WITH_MESSAGE.has(issue.code);
  if (hasMessage || !(field instanceof z.ZodType)) return `${issue.message}${actual}`;
  return `expected ${rangeOf(field)}${actual}`;
}
