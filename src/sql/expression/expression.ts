// This file compiles bound expressions to SQL, as values and as conditions. A value may be null, as OData's three-valued logic has it;
// a condition stands where null and false are the same (filters, predicates of any), which lets more indexes serve.
//     Uid gt 5 and not contains(Name,'x')      (t1."Uid" > ? AND NOT (instr(t1."Name", ?) > 0))
// OData 4.01 URL Conventions, "Logical Operators".
import { invariant, unreachable } from '../../base/fault.ts';
import type { Expression } from '../../bind/bound.ts';
import type { Compiled, Dialect } from '../dialect/dialect.ts';
import { every, type Fragment, join, some, sql, value } from '../fragment.ts';
import { identityOf, isCertain } from '../read/row-source.ts';
import type { Layout } from '../schema/layout.ts';
import {
  BOOLEAN,
  DECIMAL,
  INTEGER,
  JSON_TEXT,
  type Storage,
  sameStorage,
  storageOf,
} from '../schema/value-storage.ts';
import type { Scope } from '../scope.ts';
import { compileAggregate } from './aggregate-function.ts';
import { compileArithmetic, compileNegation } from './arithmetic.ts';
import { compileCast, compileInstance } from './cast.ts';
import { compileCount, compileInCollection, compileLambda } from './collection.ts';
import { compileComparison, compileIn } from './comparison.ts';
import { complexText } from './complex-value.ts';
import { NOTHING, toStorage } from './convert-storage.ts';
import { callCondition, compileCall } from './function-call.ts';
import { compileBuilt } from './json-constructor.ts';
import { compileContext, compileLiteral } from './literal.ts';
import { hoist } from './navigation-lookup.ts';
import { compileColumn, compileDynamic, compileProperty, isTakenApart } from './property.ts';
import { compileSearch } from './text-search.ts';
import { compileMeant } from './these-variable.ts';

/** A scope in which no row is bound yet. */
export function makeScope(layout: Layout, dialect: Dialect, language?: string): Scope {
  const [first = 'en'] = layout.model.definition.languages;
  return {
    layout,
    dialect,
    language: language ?? first,
    bound: new Set(),
    pins: [],
    value: compileValue,
    condition: compileCondition,
  };
}

/** The expression's value; booleans as 1, 0 and null. */
function compileValue(scope: Scope, expression: Expression): Compiled {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(scope, expression);
    case 'json':
      return { sql: value(expression.text), storage: JSON_TEXT, nullable: false };
    case 'built':
      return compileBuilt(scope, expression);
    case 'context':
      return compileContext(expression);
    case 'property':
      return isTakenApart(scope, expression)
        ? complexText(scope, expression)
        : compileProperty(scope, expression);
    case 'dynamic':
      return compileDynamic(scope, expression);
    case 'column':
      return compileColumn(scope, expression);
    case 'computed':
      return compileMeant(scope, expression);
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
      return compileTruth(scope, expression);
  }
}

type Truth = Expression & {
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

function compileTruth(scope: Scope, expression: Truth): Compiled {
  const certain = (content: Fragment): Compiled => ({
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
      return certain(sql`(${compileComparison(scope, expression, true)})`);
    case 'in':
      return certain(sql`(${compileIn(scope, expression, true)})`);
    case 'in-collection':
      return certain(compileInCollection(scope, expression));
    case 'has':
      return compileHas(scope, expression);
    case 'any':
    case 'all':
      return certain(compileLambda(scope, expression));
    case 'instance':
      return compileInstance(scope, expression);
    case 'search':
      return certain(compileSearch(scope, expression.row, expression.search));
    default:
      return unreachable(expression);
  }
}

/** The expression where it is true, anything else where it is not. */
function compileCondition(scope: Scope, expression: Expression): Fragment {
  const hoisted = hoist(scope, expression, (inside) => testCondition(inside, expression));
  return hoisted ?? testCondition(scope, expression);
}

function testCondition(scope: Scope, expression: Expression): Fragment {
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
      return expression.value === true ? sql`1` : sql`0`;
    default:
      return compileValue(scope, expression).sql;
  }
}

function compileChain(
  scope: Scope,
  { kind, operands }: Expression & { readonly kind: 'and' | 'or' },
): Compiled {
  const compiled = operands.map((operand) => scope.value(scope, operand));
  const parts = compiled.map((one) => one.sql);
  return {
    sql: kind === 'and' ? every(parts) : some(parts),
    storage: BOOLEAN,
    nullable: compiled.some((one) => one.nullable),
  };
}

function compileHas(scope: Scope, expression: Expression & { readonly kind: 'has' }): Compiled {
  const left = scope.value(scope, expression.left);
  const right = scope.value(scope, expression.right);
  return {
    sql: sql`((${left.sql} & ${right.sql}) = ${right.sql})`,
    storage: BOOLEAN,
    nullable: left.nullable || right.nullable,
  };
}

function isIn(content: Compiled, storage: Storage): boolean {
  return sameStorage(content.storage, storage);
}

function compileCase(
  scope: Scope,
  { branches, type }: Expression & { readonly kind: 'case' },
): Compiled {
  const values = branches.map((branch) => scope.value(scope, branch.then));
  const kinds = new Set(values.map((one) => JSON.stringify(one.storage)));
  const [first] = values;
  invariant(first !== undefined, 'case without branches');
  // Branches of one storage stay in it; others meet in the storage of the type, or, where this has no place for them, as decimals.
  const wanted = kinds.size === 1 ? first.storage : storageOf(type);
  const fits = values.every(
    (one) => one.storage.kind === 'text' || isIn(toStorage(scope.dialect, one, wanted), wanted),
  );
  const storage = wanted.kind === 'scaled' && !fits ? DECIMAL : wanted;
  const parts = branches.map((branch, index) => {
    const then = toStorage(scope.dialect, values[index] ?? NOTHING, storage);
    return sql`WHEN ${scope.condition(scope, branch.when)} THEN ${then.sql}`;
  });
  return { sql: sql`(CASE ${join(parts, ' ')} END)`, storage, nullable: true };
}
