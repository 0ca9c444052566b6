// This file checks values against the rules of their element: Validation.Pattern, Minimum and so on.
// OData Vocabularies 4.0, Org.OData.Validation.V1.
import { brokenCount, itemCounts, valueRules } from '../../edm/validation/value-rules.ts';
import type { Value } from '../../edm/value/read-result.ts';
import { noteInvalidValue, type Slot, type ValueScope, type Written } from './body-errors.ts';

/** The value if it follows the rules of the slot; undefined after a mistake per broken rule. */
export function followingRules(
  scope: ValueScope,
  slot: Slot,
  written: Written,
  value: Value,
): Value | undefined {
  const rules = valueRules(scope.model, slot);
  if (rules.length === 0 || value === null) return value;
  const broken = rules.filter((rule) => !rule.holds(value));
  for (const { term, permitted, hint } of broken) {
    const expected = ruleText(permitted, term, hint(value));
    noteInvalidValue(scope, slot, written, expected);
  }
  return broken.length === 0 ? value : undefined;
}

/** Adds a mistake if the collection must not have this number of items. */
export function checkCount(scope: ValueScope, slot: Slot, written: Written, count: number): void {
  const counts = itemCounts(slot);
  const broken = counts === undefined ? undefined : brokenCount(counts, count);
  if (broken === undefined) return;
  const hint = ` There ${count === 1 ? 'is' : 'are'} ${count}.`;
  noteInvalidValue(scope, slot, written, ruleText(broken.permitted, broken.term, hint));
}

/** `at least 1 item (Validation.MinItems). There are 0.` */
function ruleText(permitted: string, term: string, hint: string): string {
  return `${permitted} (${term})${hint === '' ? '' : `.${hint}`}`;
}
