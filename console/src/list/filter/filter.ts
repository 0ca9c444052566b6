// This file turns the conditions of the filter bar into the text of `$filter`, and reads them from it. A text that has other forms is left
// to the text mode.
import { literal } from '../../model/entity.ts';
import { type Member, type Model, memberAt, type StructuredType } from '../../model/model.ts';
import { split } from '../../query/split.ts';

export type Operator =
  | 'in'
  | 'notIn'
  | 'contains'
  | 'startswith'
  | 'eq'
  | 'ne'
  | 'ge'
  | 'le'
  | 'between'
  | 'last'
  | 'null'
  | 'notNull';

/** One condition of a filter: `values` are plain texts, such as `101003`, `2026-01-01T00:00:00Z`, or `P7D` for `last`. */
export interface Condition {
  readonly path: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** How many values an operator takes. */
export function valueCount(operator: Operator): 'none' | 'one' | 'two' | 'many' {
  if (operator === 'null' || operator === 'notNull') return 'none';
  if (operator === 'between') return 'two';
  return operator === 'in' || operator === 'notIn' ? 'many' : 'one';
}

/** Whether a condition has the values that its operator needs, and so takes part in the filter. */
export function isComplete({ operator, values }: Condition): boolean {
  const given = values.filter((value) => value !== '').length;
  switch (valueCount(operator)) {
    case 'none':
      return true;
    case 'two':
      return given === 2;
    case 'many':
      return given > 0;
    case 'one':
      return given === 1;
  }
}

/** The property that is compared in place of a member: the value of a code, the key of a related entity. */
export interface Operand {
  readonly path: string;
  readonly type: string;
}

/** The operand of a member; undefined if the filter bar cannot compare it. */
export function operandOf(model: Model, member: Member, path: string): Operand | undefined {
  if (member.collection || member.kind === 'stream' || member.kind === 'complex') return undefined;
  const type = model.types.get(member.type);
  if (member.kind === 'code' && type?.coded !== undefined)
    return operandIn(type, type.coded.value, path);
  if (member.kind !== 'navigation') return { path, type: member.type };
  const [key, ...others] = type?.key ?? [];
  if (type === undefined || key === undefined || others.length > 0) return undefined;
  return operandIn(type, key.path, path);
}

function operandIn(type: StructuredType, name: string, path: string): Operand {
  return { path: `${path}/${name}`, type: type.members.get(name)?.type ?? 'Edm.String' };
}

/** The operators that make sense for a member, the usual one first. */
export function operatorsFor(member: Member): readonly Operator[] {
  const forNull: readonly Operator[] = member.nullable ? ['null', 'notNull'] : [];
  if (member.kind === 'code' || member.kind === 'navigation') return ['in', 'notIn', ...forNull];
  if (member.kind === 'enumeration' || member.words !== undefined)
    return ['in', 'notIn', ...forNull];
  switch (member.type) {
    case 'Edm.Boolean':
      return ['eq', ...forNull];
    case 'Edm.String':
      return ['contains', 'startswith', 'eq', 'ne', ...forNull];
    case 'Edm.DateTimeOffset':
      return ['last', 'ge', 'le', 'between', ...forNull];
    case 'Edm.Guid':
      return ['eq', 'ne', ...forNull];
    case 'Edm.Binary':
      return forNull;
    default:
      return ['eq', 'ge', 'le', 'between', ...forNull];
  }
}

/** The text of `$filter` for conditions that are complete; undefined if there are none. */
export function filterText(
  model: Model,
  type: StructuredType,
  conditions: readonly Condition[],
): string | undefined {
  const parts = conditions.filter(isComplete).flatMap((condition) => {
    const member = memberAt(model, type, condition.path);
    const operand = member && operandOf(model, member, condition.path);
    return operand === undefined ? [] : [conditionText(operand, condition)];
  });
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function conditionText(operand: Operand, { operator, values }: Condition): string {
  const { path } = operand;
  const literals = values
    .filter((value) => value !== '')
    .map((value) => literal(value, operand.type));
  const [first, second] = literals;
  switch (operator) {
    case 'in':
      return `${path} in (${literals.join(',')})`;
    case 'notIn':
      return `not (${path} in (${literals.join(',')}))`;
    case 'contains':
    case 'startswith':
      return `${operator}(${path},${first})`;
    case 'between':
      return `(${path} ge ${first} and ${path} le ${second})`;
    case 'last':
      return `${path} ge now() sub duration'${values[0]}'`;
    case 'null':
      return `${path} eq null`;
    case 'notNull':
      return `${path} ne null`;
    default:
      return `${path} ${operator} ${first}`;
  }
}

/** The conditions of a filter; undefined if a part of it has a form that the filter bar does not show. */
export function readFilter(
  model: Model,
  type: StructuredType,
  text: string | undefined,
): readonly Condition[] | undefined {
  if (text === undefined || text.trim() === '') return [];
  const conditions = split(text, ' and ').map((part) => readCondition(model, type, part.trim()));
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

const PATH = '([A-Za-z_][\\w/]*)';
/** Forms of a condition with the parts that they capture. A value may be any text: literals are checked one by one. */
const FORMS: readonly {
  readonly operator: Operator;
  readonly form: RegExp;
}[] = [
  { operator: 'null', form: new RegExp(`^${PATH} eq null$`) },
  { operator: 'notNull', form: new RegExp(`^${PATH} ne null$`) },
  { operator: 'in', form: new RegExp(`^${PATH} in \\((.*)\\)$`, 's') },
  { operator: 'notIn', form: new RegExp(`^not \\(${PATH} in \\((.*)\\)\\)$`, 's') },
  { operator: 'contains', form: new RegExp(`^contains\\(${PATH},(.*)\\)$`, 's') },
  { operator: 'startswith', form: new RegExp(`^startswith\\(${PATH},(.*)\\)$`, 's') },
  { operator: 'last', form: new RegExp(`^${PATH} ge now\\(\\) sub duration'([^']*)'$`) },
  { operator: 'between', form: new RegExp(`^\\(${PATH} ge (.*) and \\1 le (.*)\\)$`, 's') },
  { operator: 'eq', form: new RegExp(`^${PATH} eq (.*)$`, 's') },
  { operator: 'ne', form: new RegExp(`^${PATH} ne (.*)$`, 's') },
  { operator: 'ge', form: new RegExp(`^${PATH} ge (.*)$`, 's') },
  { operator: 'le', form: new RegExp(`^${PATH} le (.*)$`, 's') },
];

function readCondition(model: Model, type: StructuredType, text: string): Condition | undefined {
  for (const { operator, form } of FORMS) {
    const match = form.exec(text);
    if (match === null) continue;
    const [, path = '', ...captured] = match;
    const found = memberOf(model, type, path);
    if (found === undefined || !operatorsFor(found.member).includes(operator)) return undefined;
    const values = readValues(operator, captured, found.operand.type);
    return values === undefined ? undefined : { path: found.path, operator, values };
  }
  return undefined;
}

/** The member that an operand belongs to: `Status` for `Status/Value`, `Caller` for `Caller/Uid`. */
function memberOf(model: Model, type: StructuredType, path: string) {
  for (const candidate of [path.split('/').slice(0, -1).join('/'), path]) {
    const member = candidate === '' ? undefined : memberAt(model, type, candidate);
    const operand = member && operandOf(model, member, candidate);
    if (member !== undefined && operand?.path === path) return { member, path: candidate, operand };
  }
  return undefined;
}

function readValues(operator: Operator, captured: readonly string[], type: string) {
  if (operator === 'last') return captured;
  const texts =
    operator === 'in' || operator === 'notIn' ? split(captured[0] ?? '', ',') : captured;
  const values = texts.map((text) => readLiteral(text.trim(), type));
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** The plain text of a literal; undefined if it is none of this type, such as another path or an expression. */
function readLiteral(text: string, type: string): string | undefined {
  const quoted = /^(?:[\w.]*)'((?:[^']|'')*)'$/.exec(text);
  const value = quoted === null ? text : (quoted[1] ?? '').replaceAll("''", "'");
  if (value === '' || literal(value, type) !== text) return undefined;
  return quoted !== null || isPlainLiteral(text, type) ? value : undefined;
}

function isPlainLiteral(text: string, type: string): boolean {
  switch (type) {
    case 'Edm.Boolean':
      return text === 'true' || text === 'false';
    case 'Edm.Guid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
    case 'Edm.Date':
    case 'Edm.DateTimeOffset':
    case 'Edm.TimeOfDay':
      return /^-?[\dTZ:.+-]+$/.test(text);
    default:
      return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  }
}
