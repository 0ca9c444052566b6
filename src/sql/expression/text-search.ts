// This file compiles $search, and puts text indexes in front of contains, startswith and endswith. An index only chooses candidates;
// what the function says exactly is tested again on each of them.
//     contains(Description,'print')   t1."Uid" IN (SELECT rowid FROM "ServiceRequests$grams" WHERE … MATCH ?) AND instr(…) > 0
// OData 4.01 URL Conventions, "System Query Option $search", "String Functions".
import type { Expression, RowExpression, RowVariable, Search } from '../../bind/bound.ts';
import type { TextDialect, TextWalk } from '../dialect/dialect.ts';
import { column, every, type Fragment, join, some, sql, value } from '../fragment.ts';
import { identityOf, sourceOf } from '../read/row-source.ts';
import type { TextIndex } from '../schema/layout.ts';
import { columnName, tableOf } from '../schema/layout.ts';
import { membersOf } from '../schema/relation-storage.ts';
import { aliasOf, type Scope } from '../scope.ts';
import { type LiteralExpression, made } from './literal.ts';

/** The condition that a row contains what is searched for. */
export function compileSearch(scope: Scope, row: RowExpression, search: Search): Fragment {
  if (row.kind === 'variable' && row.row.kind === 'derived') {
    return searchDerived(scope, row.row, search);
  }
  const source = sourceOf(row);
  const uses = membersOf(source).map((member) => tableOf(scope.layout, member));
  const indexes = uses.flatMap(({ table }) => (table.text === undefined ? [] : [table.text]));
  const identity = identityOf(scope, row);
  return combine(scope, search, (words) => {
    const found = indexes.map((index) => scope.dialect.text.matching(index.words, words));
    return found.length === 0 ? sql`0` : sql`${identity} IN (${join(found, ' UNION ALL ')})`;
  });
}

/** Parts that ask for something are left to the text index as a whole; those that exclude something are conditions. */
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
      return sql`0`;
  }
}

/** The query as a parameter: another word of the request can stand in the place of one that stands alone. */
function queryOf(text: TextDialect, search: Search): Fragment | undefined {
  if (search.kind === 'word') {
    const { place, text: word } = search;
    const read = place === undefined ? { value: word } : { value: word, place };
    return made(read, (other) => text.word(String(other)));
  }
  const words = wordsOf(text, search);
  return words === undefined ? undefined : value(words);
}

/** The query in the language of the text index, or undefined where it excludes something. */
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

/** Rows that $apply has made are searched in their columns of text. */
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
      texts.map(({ name: of }) => {
        const { values } = scope.dialect;
        const content = values.lower(column(aliasOf(scope, row), of));
        const found = values.position(content, value(words.toLowerCase()));
        return sql`((${found} > 0) IS TRUE)`;
      }),
    );
  return searchPlainly(search, contains);
}

function searchPlainly(search: Search, contains: (words: string) => Fragment): Fragment {
  switch (search.kind) {
    case 'word':
    case 'phrase':
      return contains(search.text);
    case 'not':
      return sql`(NOT (${searchPlainly(search.operand, contains)}))`;
    case 'and':
      return every(search.operands.map((operand) => searchPlainly(operand, contains)));
    case 'or':
      return some(search.operands.map((operand) => searchPlainly(operand, contains)));
  }
}

/** A column that has a text index, and its place in it. */
export interface Indexed {
  readonly index: TextIndex;
  readonly at: number;
  readonly row: RowExpression;
  /** The comparison is of the text in lower case. */
  readonly folded: boolean;
}

/** The text index of a property, tolower around it included; undefined where it has none. */
export function indexOf(scope: Scope, expression: Expression): Indexed | undefined {
  if (expression.kind === 'call') {
    const [inner] = expression.arguments;
    // toupper makes two letters of some that the index knows as one.
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
  return { index: use.table.text, at, row, folded: false };
}

function idOf(row: RowExpression): number {
  return row.kind === 'follow' ? row.target.id : -1;
}

/** Shorter parts of words are not indexed. */
const SHORTEST_GRAM = 3;

/**
 * The rows that can contain the literal, or undefined where the index cannot tell: the literal is too short, or has letters that
 * the index takes for others than tolower does.
 */
export function candidates(
  scope: Scope,
  indexed: Indexed,
  literal: LiteralExpression,
): Fragment | undefined {
  const query = partQuery(scope, indexed, literal);
  if (query === undefined) return undefined;
  const matching = scope.dialect.text.matching(indexed.index.grams, query);
  return sql`${identityOf(scope, indexed.row)} IN (${matching})`;
}

/** The rows that can contain the literal, as a table to walk through in the order of identities; undefined as for candidates. */
export function candidateWalk(
  scope: Scope,
  indexed: Indexed,
  literal: LiteralExpression,
): TextWalk | undefined {
  const { walk } = scope.dialect.text;
  const query = walk === undefined ? undefined : partQuery(scope, indexed, literal);
  return query === undefined ? undefined : walk?.(indexed.index.grams, query);
}

function partQuery(
  scope: Scope,
  { at, folded }: Indexed,
  literal: LiteralExpression,
): Fragment | undefined {
  const { text } = scope.dialect;
  return made(literal, (read) => {
    const part = partOf(String(read), folded);
    return part === undefined ? undefined : text.part(part, at);
  });
}

/** The part of a literal that the index is asked for. */
function partOf(whole: string, folded: boolean): string | undefined {
  if (folded && !/^[\x20-\x7e]+$/.test(whole)) return undefined;
  // The Turkish capital I with a dot becomes an i and a dot in lower case: a part that ends in i may end inside it.
  const part = folded ? whole.replace(/i+$/, '') : whole;
  return [...part].length < SHORTEST_GRAM ? undefined : part;
}
