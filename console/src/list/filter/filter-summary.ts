// This file puts a condition of the filter bar into a few words.
import { useFormats } from '../../i18n/formats.ts';
import { type TextName, useText } from '../../i18n/text.tsx';
import type { Column } from '../../model/layout.ts';
import { type StructuredType, undeclaredMember } from '../../model/model.ts';
import type { Condition, Operator } from './filter.ts';
import { useChoices, useRelatedNames } from './use-choices.ts';

export const OPERATOR_TEXTS = {
  in: 'list.opIn',
  notIn: 'list.opNotIn',
  contains: 'list.opContains',
  startswith: 'list.opStarts',
  eq: 'list.opEq',
  ne: 'list.opNe',
  ge: 'list.opGe',
  le: 'list.opLe',
  between: 'list.opBetween',
  last: 'list.opLast',
  null: 'list.opNull',
  notNull: 'list.opNotNull',
} as const satisfies Record<Operator, TextName>;

/** Values that a summary names; of more it gives the number. */
const NAMED = 2;

/** The summary of a condition: "Registered, Assigned", "not Low", "≥ 5". */
export function useSummary(
  set: string,
  type: StructuredType,
  column: Column | undefined,
  condition: Condition | undefined,
): string {
  const text = useText();
  const formats = useFormats();
  const shown = condition?.values ?? [];
  // Related entities are looked up by their keys; only values of other kinds come from a list.
  const isListed = shown.length > 0 && column?.member.kind !== 'navigation';
  const choices = useChoices(set, type, (isListed ? column : undefined) ?? NO_COLUMN, '');
  const names = useRelatedNames(set, column ?? NO_COLUMN, shown);
  if (condition === undefined || column === undefined) return '';
  const { member } = column;
  const labelOf = (value: string) => {
    if (condition.operator === 'last') return formats.duration(value);
    if (member.type === 'Edm.DateTimeOffset') return formats.dateTime(value);
    if (member.type === 'Edm.Date') return formats.date(value);
    return names.get(value) ?? choices?.find((choice) => choice.value === value)?.label ?? value;
  };
  const labels = shown.map(labelOf);
  const list =
    labels.length > NAMED + 1
      ? text('list.andMore', {
          names: labels.slice(0, NAMED).join(', '),
          more: labels.length - NAMED,
        })
      : labels.join(condition.operator === 'between' ? ' – ' : ', ');
  switch (condition.operator) {
    case 'in':
    case 'eq':
    case 'between':
      return list;
    case 'ge':
      return `≥ ${list}`;
    case 'le':
      return `≤ ${list}`;
    case 'null':
    case 'notNull':
      return text(OPERATOR_TEXTS[condition.operator]);
    default:
      return `${text(OPERATOR_TEXTS[condition.operator])} ${list}`;
  }
}

/** A column without values to look up. */
const NO_COLUMN: Column = {
  path: '',
  label: '',
  member: undeclaredMember('', 'Edm.String', { computed: true }),
};
