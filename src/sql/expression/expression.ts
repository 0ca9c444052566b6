// This file compiles bound expressions to SQL. A value may be null, as in OData's three-valued logic. A condition is used where null
// and false are equivalent ($filter, predicates of any); its SQL is simpler, so that more indexes apply.
//     Uid gt 5 and not contains(Name,'x')      (t1."Uid" > ? AND NOT (instr(t1."Name", ?) > 0))
// OData 4.01 URL Conventions, "Logical Operators".
import { invariant, unreachable } from '../../base/fault.ts';
import type { Expression, ExpressionOf, ValueType } from '../../bind/bound.ts';
import { aggregateOf } from '../apply/groupby.ts';
import { firstStage } from '../apply/transformation-rows.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { every, type Fragment, join, some, sql, value } from '../fragment.ts';
import { identityOf, isCertain } from '../read/row-source.ts';
import type { Layout } from '../schema/layout.ts';
import {
  BOOLEAN,
  DECIMAL,
  INTEGER,
  JSON_TEXT,
  sameStorage,
  storageOf,
} from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { compileArithmetic, compileNegation } from './arithmetic.ts';
import { compileCast, compileInstance } from './cast.ts';
import {
  collectionOrigin,
  compileCount,
  compileInCollection,
  compileLambda,
} from './collection.ts';
import { compileComparison, compileIn } from './comparison.ts';
import { complexText } from './complex-value.ts';
import { isNullAsWritten, NULL_VALUE, toStorage } from './convert-storage.ts';
import { callCondition, compileCall } from './function-call.ts';
import { jsonOf } from './json-value.ts';
import { compileContext, compileLiteral } from './literal.ts';
import { isFound } from './lookup.ts';
import { navigationLookup } from './navigation-lookup.ts';
import { compileColumn, compileDynamic, compileProperty, isFlattened } from './property.ts';
import { compileSearch } from './text-search.ts';
import { compileComputed } from './these-variable.ts';

/** A scope in which no row is bound yet. */
export function makeScope(layout: Layout, dialect: Dialect, language?: string): Scope {
  const [first = 'en'] = layout.model.definition.languages;
  return {
    layout,
    dialect,
    language: language ?? first,
    bound: new Set(),
    lookups: { count: 0 },
    value: compileValue,
    condition: compileCondition,
  };
}

/** The value of an expression. */
function compileValue(scope: Scope, expression: Expression): Compiled {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(expression);
    case 'json':
      return { sql: value(expression.text), storage: JSON_TEXT, nullable: false };
    case 'built':
      return compileJsonConstructor(scope, expression);
    case 'context':
      return compileContext(expression);
    case 'property':
      return isFlattened(scope, expression)
        ? complexText(scope, expression)
        : compileProperty(scope, expression);
    case 'dynamic':
      return compileDynamic(scope, expression);
    case 'column':
      return compileColumn(scope, expression);
    case 'computed':
      return compileComputed(scope, expression);
    case 'row':
      return {
        sql: identityOf(scope, expression.row),
        storage: INTEGER,
        nullable: !isCertain(scope, expression.row),
      };
    case 'arithmetic':
      return compileArithmetic(scope, expression);
    case 'negate':
      return compileNegation(scope, expression);
    case 'cast':
      return compileCast(scope, expression);
    case 'call':
      return compileCall(scope, expression);
    case 'case':
      return compileCase(scope, expression);
    case 'count':
      return compileCount(scope, expression.collection);
    case 'aggregate':
      return compileAggregate(scope, expression);
    default:
      return compileBoolean(scope, expression);
  }
}

type BooleanExpression = Expression & {
  readonly kind:
    | 'not'
    | 'and'
    | 'or'
    | 'compare'
    | 'in'
    | 'in-collection'
    | 'has'
    | 'any'
    | 'all'
    | 'instance'
    | 'search';
};

function compileBoolean(scope: Scope, expression: BooleanExpression): Compiled {
  const notNull = (content: Fragment): Compiled => ({
    sql: content,
    storage: BOOLEAN,
    nullable: false,
  });
  switch (expression.kind) {
    case 'not': {
      const operand = scope.value(scope, expression.operand);
      return { sql: sql`(NOT (${operand.sql}))`, storage: BOOLEAN, nullable: operand.nullable };
    }
    case 'and':
    case 'or':
      return compileChain(scope, expression);
    case 'compare':
      return notNull(sql`(${compileComparison(scope, expression, true)})`);
    case 'in':
      return notNull(sql`(${compileIn(scope, expression, true)})`);
    case 'in-collection':
      return notNull(compileInCollection(scope, expression));
    case 'has':
      return compileHas(scope, expression);
    case 'any':
    case 'all':
      return notNull(compileLambda(scope, expression));
    case 'instance':
      return compileInstance(scope, expression);
    case 'search':
      return notNull(compileSearch(scope, expression.row, expression.search));
    default:
      return unreachable(expression);
  }
}

/** A condition that is true where the expression is true, and false or null elsewhere. */
function compileCondition(scope: Scope, expression: Expression): Fragment {
  const lookup = navigationLookup(scope, expression, (inside) =>
    compileRowCondition(inside, expression),
  );
  return lookup === undefined ? compileRowCondition(scope, expression) : isFound(scope, lookup);
}

function compileRowCondition(scope: Scope, expression: Expression): Fragment {
  switch (expression.kind) {
    case 'and':
      return every(expression.operands.map((operand) => compileCondition(scope, operand)));
    case 'or':
      return some(expression.operands.map((operand) => compileCondition(scope, operand)));
    case 'compare':
      return compileComparison(scope, expression, false);
    case 'in':
      return compileIn(scope, expression, false);
    case 'call':
      return callCondition(scope, expression);
    case 'computed':
      return compileCondition(scope, expression.definition);
    case 'literal':
      return expression.value === true ? scope.dialect.literal.true : scope.dialect.literal.false;
    default:
      return compileValue(scope, expression).sql;
  }
}

function compileChain(scope: Scope, { kind, operands }: ExpressionOf<'and' | 'or'>): Compiled {
  const compiled = operands.map((operand) => scope.value(scope, operand));
  const parts = compiled.map((one) => one.sql);
  return {
    sql: kind === 'and' ? every(parts) : some(parts),
    storage: BOOLEAN,
    nullable: compiled.some((one) => one.nullable),
  };
}

function compileHas(scope: Scope, expression: ExpressionOf<'has'>): Compiled {
  const left = scope.value(scope, expression.left);
  const right = scope.value(scope, expression.right);
  return {
    sql: sql`((${left.sql} & ${right.sql}) = ${right.sql})`,
    storage: BOOLEAN,
    nullable: left.nullable || right.nullable,
  };
}

function compileCase(scope: Scope, { branches, type }: ExpressionOf<'case'>): Compiled {
  const values = branches.map(({ then }) => caseValue(scope, then, type));
  if (values.every(isNullAsWritten)) return { ...NULL_VALUE, storage: storageOf(type) };
  const storages = new Set(values.map((one) => JSON.stringify(one.storage)));
  const [first] = values;
  invariant(first !== undefined, 'case without branches');
  // Branches that share a storage keep it. Others use the storage of the type or, if that cannot hold them, decimals.
  const target = storages.size === 1 ? first.storage : storageOf(type);
  const fits = values.every(
    (one) =>
      one.storage.kind === 'text' ||
      sameStorage(toStorage(scope.dialect, one, target).storage, target),
  );
  const storage = target.kind === 'scaled' && !fits ? DECIMAL : target;
  const parts = branches.map((branch, index) => {
    const value = values[index] ?? NULL_VALUE;
    const then =
      storage.kind === 'json'
        ? untypedValue(scope, value, branch.then.type)
        : toStorage(scope.dialect, value, storage).sql;
    return sql`WHEN ${scope.condition(scope, branch.when)} THEN ${then}`;
  });
  return { sql: sql`(CASE ${join(parts, ' ')} END)`, storage, nullable: true };
}

/** An untyped value among others with a type gets this type. */
function caseValue(scope: Scope, then: Expression, type: ValueType): Compiled {
  const isTyped = then.type.kind !== 'untyped' || storageOf(type).kind === 'json';
  return isTyped
    ? scope.value(scope, then)
    : compileCast(scope, { kind: 'cast', operand: then, type });
}

/** A value among others that are untyped, which are stored as JSON. */
function untypedValue(scope: Scope, content: Compiled, type: ValueType): Fragment {
  if (content.storage.kind === 'json' || isNullAsWritten(content)) return content.sql;
  const json = jsonOf(scope.dialect, content, type, JSON_FORM);
  return content.nullable ? sql`CASE WHEN ${content.sql} IS NOT NULL THEN ${json} END` : json;
}

const JSON_FORM = { ieee754Compatible: false, exponentialDecimals: false } as const;

/**
 * A JSON array or object with values of a row: `[Name,Number]` is `concat('[', json_quote(t1."Name"), ',', t1."Number", ']')`.
 * OData 4.01 URL Conventions, "Complex and Collection Literals".
 */
function compileJsonConstructor(scope: Scope, { parts }: ExpressionOf<'built'>): Compiled {
  const { dialect } = scope;
  const pieces = parts.map((part) =>
    typeof part === 'string'
      ? value(part)
      : jsonOf(dialect, scope.value(scope, part), part.type, JSON_FORM),
  );
  return { sql: dialect.json.concat(pieces), storage: JSON_TEXT, nullable: false };
}

/**
 * The function aggregate: `Children/aggregate(Weight with sum)` is `(SELECT sum(t2."Weight") … FROM "Animals" t2 WHERE …)`.
 * OData Data Aggregation 4.0, "Function aggregate".
 */
function compileAggregate(
  scope: Scope,
  { collection, aggregation, type }: ExpressionOf<'aggregate'>,
): Compiled {
  const { row } = collection.kind === 'rows' ? collection.rows : collection;
  const stage = firstStage(collectionOrigin(scope, collection), row);
  return {
    sql: sql`(${aggregateOf(stage, aggregation)})`,
    storage: storageOf(type),
    nullable: true,
  };
}
