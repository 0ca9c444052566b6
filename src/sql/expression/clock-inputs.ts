// This file compiles what the calculation of clocks depends on: the revision of agreements, levels and schedules, and members of the row.
// Writes read it for one row; reads write it as JSON, so that the service can calculate for many rows of one statement.
import { invariant } from '../../base/fault.ts';
import type { Expression, RowVariable } from '../../bind/bound.ts';
import {
  calculatedColumns,
  INSTANT_DIGITS,
  readPaths,
  stopConditions,
} from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import {
  type EntityType,
  isStructured,
  type Member,
  type Model,
  type NamedType,
  type StructuredType,
} from '../../edm/model.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { column, type Fragment, sql, tableName, text } from '../fragment.ts';
import { type Column, columnName, type TableUse, tableOf } from '../schema/layout.ts';
import { BOOLEAN, INTEGER, type Storage } from '../schema/value-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { toStorage } from './convert-storage.ts';
import { jsonOf } from './json-value.ts';

/** The setting with a value that each change of agreements, levels and schedules replaces. */
export const CLOCK_REVISION = 'clocks.revision';

export const REVISION: Fragment = sql`(SELECT "value" FROM ${tableName('docket_setting')} WHERE "name" = ${text(CLOCK_REVISION)})`;

/** The start, the priority, the condition that raises it and those that stop clocks come before the keys that agreements match. */
export function storageAt(index: number, conditions: number): Storage {
  if (index === 0) return { kind: 'temporal', digits: INSTANT_DIGITS, zone: true };
  return index >= 2 && index <= 2 + conditions ? BOOLEAN : INTEGER;
}

/** The column of a member, or of the schedule of a clock. */
export function columnAt(model: Model, use: TableUse, type: EntityType, path: string): Column {
  const [member = '', ...suffixes] = path.split(/(?=#)/);
  const found = use.columns.get(`${columnNameAt(model, use, type, member)}${suffixes.join('')}`);
  invariant(found !== undefined, `no column for ${path} in ${use.table.name}`);
  return found;
}

function columnNameAt(model: Model, use: TableUse, type: EntityType, path: string): string {
  const members: Member[] = [];
  let owner: StructuredType | undefined = type;
  for (const step of path.split('/')) {
    const member: Member | undefined = owner && model.stored(owner).get(step);
    if (member === undefined) break;
    members.push(member);
    const next: NamedType | undefined =
      member.kind === 'property' ? model.types.get(member.type) : undefined;
    owner = next !== undefined && isStructured(next) ? next : undefined;
  }
  return columnName(use, members);
}

/** What the calculation for a row depends on. `expressions` are those of `readExpressions`. */
export interface ClockInputs {
  readonly row: RowVariable & { readonly kind: 'entity' };
  readonly rules: ClockRules;
  readonly expressions: readonly Expression[];
}

/** The inputs of the row as texts of JSON values, in the order in which writes read them. Durations are null: they are results only. */
export function clockInputTexts(
  scope: Scope,
  { row, rules, expressions }: ClockInputs,
): readonly Fragment[] {
  const { dialect, layout } = scope;
  const use = tableOf(layout, row.source);
  const alias = aliasOf(scope, row);
  const stored = [...calculatedColumns(rules), ...readPaths(rules)].map((path) => {
    const { name, storage } = columnAt(layout.model, use, row.type, path);
    return storage.kind === 'duration'
      ? text('null')
      : jsonText(dialect, column(alias, name), storage);
  });
  const conditions = stopConditions(rules).length;
  const evaluated = expressions.map((expression, index) => {
    const storage = storageAt(index, conditions);
    const { sql: content } = toStorage(dialect, scope.value(scope, expression), storage);
    return jsonText(dialect, content, storage);
  });
  return [dialect.json.quote(REVISION), ...stored, ...evaluated];
}

/** A stored value as a JSON value, without the form that clients see. */
function jsonText(dialect: Dialect, content: Fragment, storage: Storage): Fragment {
  const form = { ieee754Compatible: false, exponentialDecimals: false };
  if (storage.kind === 'text') return dialect.json.quote(content);
  return jsonOf(dialect, { sql: content, storage, nullable: true }, { kind: 'null' }, form);
}
