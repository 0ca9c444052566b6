// Writes the address of a row, relative to the service root: `Persons(7)`.
import { unreachable } from '../../base/fault.ts';
import type { LinkPart } from '../../plan/read-plan.ts';
import { keyOf } from '../expression/json-value.ts';
import { type Fragment, join, sql, text } from '../fragment.ts';
import type { Scope } from '../scope.ts';

/** The address without the service root; null if a key is null. */
export function addressText(scope: Scope, parts: readonly LinkPart[]): Fragment {
  const pieces = parts.flatMap((part): readonly Fragment[] => {
    switch (part.kind) {
      case 'root':
        return [];
      case 'text':
        return [text(part.text)];
      case 'key':
        return [keyOf(scope.dialect, scope.value(scope, part.value), part.value.type)];
      default:
        return unreachable(part);
    }
  });
  return sql`(${join(pieces, ' || ')})`;
}
