// This file writes the rules for values as JSON Schema: pattern, minimum, maximum, multipleOf, enum, minItems and maxItems. Bounds of
// dates and times, multiples of fractions, and conditions over an entity have no keyword: they are part of the description.
// OData to OpenAPI Mapping, "Validation"; JSON Schema 2020-12, "Vocabulary for Structural Validation".
import type { Annotations, Described, Json } from '../model.ts';
import { constraintsOf } from '../validation/constraints.ts';
import { allowedValues, isExclusive, itemCounts } from '../validation/value-rules.ts';
import { type JsonInput, type JsonObject, NumberText } from '../value/lossless-json.ts';

/** The keywords for a single value. */
export function ruleKeywords(annotations: Annotations | undefined): JsonObject {
  if (annotations === undefined) return {};
  const pattern = annotations['Validation.Pattern'];
  const values = allowedValues(annotations['Validation.AllowedValues'] ?? null);
  return {
    ...(typeof pattern === 'string' ? { pattern } : {}),
    ...boundKeyword(annotations, 'Minimum'),
    ...boundKeyword(annotations, 'Maximum'),
    ...multipleKeyword(annotations),
    ...(values === undefined ? {} : { enum: values.map((value) => numberOf(value) ?? value) }),
  };
}

/** The keywords for the number of items. */
export function countKeywords(element: { readonly annotations?: Annotations }): JsonObject {
  const counts = itemCounts(element);
  if (counts === undefined) return {};
  const { least, most } = counts;
  return {
    ...(least === 0 ? {} : { minItems: least }),
    ...(most === Number.POSITIVE_INFINITY ? {} : { maxItems: most }),
  };
}

/** The description of an element with sentences about its conditions; undefined if there is none. */
export function ruleDescription(
  description: string | undefined,
  element: Described,
  language: string,
): string | undefined {
  const sentences = constraintsOf(element).map(
    (constraint) => `Constraint: ${constraint.message(language)}`,
  );
  const parts = description === undefined ? sentences : [description, ...sentences];
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function boundKeyword(annotations: Annotations, bound: 'Minimum' | 'Maximum'): JsonObject {
  const value = numberOf(annotations[`Validation.${bound}`]);
  if (value === undefined) return {};
  return isExclusive(annotations, `Validation.${bound}`)
    ? { [`exclusive${bound}`]: value }
    : { [bound.toLowerCase()]: value };
}

/** Validators calculate with doubles, and find that 0.15 is not a multiple of 0.05. Fractions are therefore described in words. */
function multipleKeyword(annotations: Annotations): JsonObject {
  const multiple = numberOf(annotations['Validation.MultipleOf']);
  if (multiple === undefined) return {};
  const text = multiple instanceof NumberText ? multiple.text : String(multiple);
  return Number.isInteger(Number(text))
    ? { multipleOf: multiple }
    : { description: `A multiple of ${text}` };
}

/** The reader of models keeps numbers that no double holds as text. */
function numberOf(value: Json | undefined): JsonInput | undefined {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && /^-?\d{1,400}(\.\d{1,400})?$/.test(value);
  return isNumber ? new NumberText(value) : undefined;
}
