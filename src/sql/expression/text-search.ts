// This file compiles $search, and lets text indexes serve contains, startswith and endswith. An index only selects candidates: the
// exact function is evaluated for each of them.
//     contains(Description,'print')   t1."Uid" IN (SELECT rowid FROM "ServiceRequests$grams" WHERE … MATCH ?) AND instr(…) > 0
// OData 4.01 URL Conventions, "System Query Option $search", "String Functions".
import type { Expression, RowExpression, RowVariable, Search } from '../../bind/bound.ts';
import { derivedColumn } from '../derived-column.ts';
import type { TextDialect, TextWalk } from '../dialect/dialect.ts';
import { every, type Fragment, input, join, some, sql, value } from '../fragment.ts';
import { identityOf, sourceOf } from '../read/row-source.ts';
import type { TextIndex } from '../schema/layout.ts';
import { columnName, tableOf } from '../schema/layout.ts';
import { membersOf } from '../schema/relation-storage.ts';
import type { Scope } from '../scope.ts';
import { convertedLiteral, type LiteralExpression } from './literal.ts';
import { isFound, type Lookup } from './lookup.ts';

/** The condition that a row matches the search expression. */
export function compileSearch(scope: Scope, row: RowExpression, search: Search): Fragment {
  if (row.kind === 'variable' && row.row.kind === 'derived') {
    return searchDerived(scope, row.row, search);
  }
  return combine(scope, search, (words) => {
    const lookup = wordLookup(scope, row, words);
    return lookup === undefined ? scope.dialect.literal.false : isFound(scope, lookup);
  });
}

/** The rows that the text index finds; undefined if conditions have to be combined. */
export function searchLookup(scope: Scope, row: RowExpression, search: Search): Lookup | undefined {
  if (row.kind === 'variable' && row.row.kind === 'derived') return undefined;
  const words = queryOf(scope.dialect.text, search);
  return words && wordLookup(scope, row, words);
}

/** Undefined if no table has a text index. */
function wordLookup(scope: Scope, row: RowExpression, words: Fragment): Lookup | undefined {
  const uses = membersOf(sourceOf(row)).map((member) => tableOf(scope.layout, member));
  const found = uses.flatMap(({ table: { name: table, text: index } }) =>
    index === undefined ? [] : [scope.dialect.text.matching(table, index.words, words)],
  );
  if (found.length === 0) return undefined;
  return { column: identityOf(scope, row), matches: join(found, ' UNION ALL ') };
}

/** One index query for expressions without NOT; a condition for each operand otherwise. */
function combine(scope: Scope, search: Search, leaf: (words: Fragment) => Fragment): Fragment {
  const words = queryOf(scope.dialect.text, search);
  if (words !== undefined) return leaf(words);
  switch (search.kind) {
    case 'not':
      return sql`(NOT ${combine(scope, search.operand, leaf)})`;
    case 'and':
      return every(search.operands.map((operand) => combine(scope, operand, leaf)));
    case 'or':
      return some(search.operands.map((operand) => combine(scope, operand, leaf)));
    default:
      return scope.dialect.literal.false;
  }
}

/** The query as a parameter. A single word can be exchanged for the word of another request. */
function queryOf(text: TextDialect, search: Search): Fragment | undefined {
  if (search.kind === 'word') {
    const { parameter: own } = search;
    if (own === undefined) return value(text.word(search.text));
    const word = own.convert({ name: 'word of a search', of: (read) => text.word(String(read)) });
    return word && input(word, 'text');
  }
  const words = wordsOf(text, search);
  return words === undefined ? undefined : value(words);
}

/** The query in the language of the text index; undefined if it contains NOT. */
function wordsOf(text: TextDialect, search: Search): string | undefined {
  switch (search.kind) {
    case 'word':
      return text.word(search.text);
    case 'phrase':
      return text.phrase(search.text);
    case 'not':
      return undefined;
    default: {
      const parts = search.operands.flatMap((operand) => wordsOf(text, operand) ?? []);
      if (parts.length < search.operands.length) return undefined;
      return search.kind === 'and' ? text.all(parts) : text.any(parts);
    }
  }
}

/** Rows made by $apply have no text index: their text columns are searched one by one. */
function searchDerived(
  scope: Scope,
  row: RowVariable & { readonly kind: 'derived' },
  search: Search,
): Fragment {
  const texts = [...row.columns.values()].filter(
    ({ type }) => type.kind === 'primitive' && type.name === 'Edm.String' && !type.collection,
  );
  const contains = (words: string) =>
    some(
      texts.map((text) => {
        const { values } = scope.dialect;
        const content = values.lower(derivedColumn(scope, row, text.name));
        const found = values.position(content, value(words.toLowerCase()));
        return sql`((${found} > 0) IS TRUE)`;
      }),
      scope.dialect.literal.false,
    );
  return searchTexts(search, contains);
}

function searchTexts(search: Search, contains: (words: string) => Fragment): Fragment {
  switch (search.kind) {
    case 'word':
    case 'phrase':
      return contains(search.text);
    case 'not':
      return sql`(NOT (${searchTexts(search.operand, contains)}))`;
    case 'and':
      return every(search.operands.map((operand) => searchTexts(operand, contains)));
    case 'or':
      return some(search.operands.map((operand) => searchTexts(operand, contains)));
  }
}

/** A column with a text index, and its position in the index. */
export interface Indexed {
  readonly table: string;
  readonly index: TextIndex;
  readonly at: number;
  readonly row: RowExpression;
  /** The property. */
  readonly text: Expression;
  /** The text is compared in lower case. */
  readonly folded: boolean;
}

/** The text index of a property or of tolower of a property; undefined if there is none. */
export function indexOf(scope: Scope, expression: Expression): Indexed | undefined {
  if (expression.kind === 'call') {
    const [inner] = expression.arguments;
    // Not toupper: it turns some letters into two that the index treats as one.
    const isFolding = expression.function === 'tolower';
    const found = isFolding && inner !== undefined ? indexOf(scope, inner) : undefined;
    return found === undefined ? undefined : { ...found, folded: true };
  }
  if (expression.kind !== 'property') return undefined;
  const { row, path } = expression;
  const isOwn = row.kind === 'variable' ? row.row.kind === 'entity' : scope.bound.has(idOf(row));
  if (!isOwn || sourceOf(row).kind === 'union') return undefined;
  const use = tableOf(scope.layout, sourceOf(row));
  const at = use.table.text?.columns.indexOf(columnName(use, path)) ?? -1;
  if (use.table.text === undefined || at < 0) return undefined;
  const { name: table, text: index } = use.table;
  return { table, index, at, row, text: expression, folded: false };
}

function idOf(row: RowExpression): number {
  return row.kind === 'follow' ? row.target.id : -1;
}

/**
 * The condition that a row contains the literal, with an index to select candidates. `exact` is the condition without an index.
 * Undefined if the index cannot select by the literal.
 */
export function candidates(
  scope: Scope,
  indexed: Indexed,
  literal: LiteralExpression,
  exact: Fragment,
): Fragment | undefined {
  const query = partQuery(scope, indexed, literal);
  if (query === undefined) return undefined;
  const { table, index, row, text, folded } = indexed;
  const identity = identityOf(scope, row);
  const content = scope.value(scope, text).sql;
  const inIndex = { table, index: index.grams, identity, content, folded };
  return scope.dialect.text.candidates(inIndex, query, exact);
}

/** The candidates as a table to scan in the order of their identities, if the database supports that; undefined as for candidates. */
export function candidateWalk(
  scope: Scope,
  indexed: Indexed,
  literal: LiteralExpression,
): TextWalk | undefined {
  const { walk } = scope.dialect.text;
  const query = walk === undefined ? undefined : partQuery(scope, indexed, literal);
  return query === undefined ? undefined : walk?.(indexed.table, indexed.index.grams, query);
}

function partQuery(
  scope: Scope,
  { at, folded }: Indexed,
  literal: LiteralExpression,
): Fragment | undefined {
  const { text } = scope.dialect;
  return convertedLiteral(literal, {
    name: `part of index column ${at}${folded ? ' in lower case' : ''}`,
    of: (read) => text.part(String(read), at, folded),
    storage: 'text',
  });
}
