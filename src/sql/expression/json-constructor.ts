// This file compiles lists and objects of JSON in which values of a row stand.
//     [Name,Number]      concat('[', json_quote(t1."Name"), ',', t1."Number", ']')
// OData 4.01 URL Conventions, "Complex and Collection Literals".
import type { Expression } from '../../bind/bound.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { value } from '../fragment.ts';
import { JSON_TEXT } from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { jsonOf } from './json-value.ts';

const FORM = { ieee754Compatible: false, exponentialDecimals: false } as const;

export function compileBuilt(
  scope: Scope,
  { parts }: Expression & { readonly kind: 'built' },
): Compiled {
  const { dialect } = scope;
  const pieces = parts.map((part) =>
    typeof part === 'string'
      ? value(part)
      : jsonOf(dialect, scope.value(scope, part), part.type, FORM),
  );
  return { sql: dialect.json.concat(pieces), storage: JSON_TEXT, nullable: false };
}
