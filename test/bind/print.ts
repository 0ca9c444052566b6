// This file prints bound requests as short text, so that tests can say what they expect in a line: rows are letters with numbers,
// `a1` an entity row, `e2` an item of a collection, `d3` a row that $apply made.
import type {
  Collection,
  Expansion,
  Expression,
  OrderItem,
  Query,
  RowExpression,
  Rows,
  RowVariable,
  Search,
  Selection,
  Transformation,
  ValueType,
} from '../../src/bind/bound.ts';
import type { Property } from '../../src/edm/model.ts';
import { writeLiteral } from '../../src/edm/value/primitives.ts';

export function printType(type: ValueType): string {
  if (type.kind === 'null') return 'null';
  const name =
    type.kind === 'primitive'
      ? type.name.replace('Edm.', '')
      : type.kind === 'untyped'
        ? 'untyped'
        : type.type.name.replace(/^.*\./, '');
  return type.collection ? `[${name}]` : name;
}

function printVariable(row: RowVariable): string {
  return `${row.kind === 'entity' ? 'a' : row.kind === 'element' ? 'e' : 'd'}${row.id}`;
}

function printRow(row: RowExpression): string {
  switch (row.kind) {
    case 'variable':
      return printVariable(row.row);
    case 'follow':
      return [printRow(row.from), ...names(row.path), `>${row.navigation.name}`].join('.');
    case 'addressed':
      return `{${printRows(row.rows)}}`;
  }
}

/** `a2:Animals`, `a2:Animals of a1.>Children where (…)`. */
export function printRows(rows: Rows): string {
  const { row, origin } = rows;
  const source = `${printVariable(row)}:${row.source.id}`;
  const type = row.type === row.source.type ? '' : `(${row.type.name.replace(/^.*\./, '')})`;
  const from =
    origin.kind === 'source' || origin.kind === 'these'
      ? origin.kind.replace('source', '')
      : ` of ${[
          origin.kind === 'related' ? `<${printRows(origin.from)}>` : printRow(origin.from),
          ...names(origin.path),
          `>${origin.navigation.name}`,
        ].join('.')}`;
  const where = rows.where.map((one) => ` where ${print(one)}`).join('');
  return `${source}${type}${from}${where}`;
}

function names(path: readonly Property[]): readonly string[] {
  return path.map(({ name }) => name);
}

function printCollection(collection: Collection): string {
  if (collection.kind === 'rows') return printRows(collection.rows);
  const where = collection.where.map((one) => ` where ${print(one)}`).join('');
  if (collection.kind === 'made') return `these d${collection.row.id}${where}`;
  return `e${collection.row.id} in ${print(collection.of)}${where}`;
}

/** An expression; the type of a constant stands behind it where its form does not say it. */
export function print(expression: Expression): string {
  const { kind } = expression;
  switch (kind) {
    case 'literal':
      return printLiteral(expression);
    case 'json':
      return `${expression.text}:${printType(expression.type)}`;
    case 'context':
      return `@${expression.name}`;
    case 'property':
      return [printRow(expression.row), ...names(expression.path)].join('.');
    case 'dynamic':
      return `${[printRow(expression.row), ...names(expression.path), `?${expression.name}`, ...(expression.inside ?? [])].join('.')}:${printType(expression.type)}`;
    case 'column':
      return `d${expression.row.id}["${expression.name}"]`;
    case 'computed':
      return `${expression.name}=${print(expression.definition)}`;
    case 'row':
      return printRow(expression.row);
    case 'not':
      return `not ${print(expression.operand)}`;
    case 'negate':
      return `-${print(expression.operand)}`;
    case 'and':
    case 'or':
      return `(${expression.operands.map(print).join(` ${kind} `)})`;
    case 'compare':
      return `(${print(expression.left)} ${expression.operator} ${print(expression.right)})`;
    case 'arithmetic':
      return `(${print(expression.left)} ${expression.operator} ${print(expression.right)}):${printType(expression.type)}`;
    case 'has':
      return `(${print(expression.left)} has ${print(expression.right)})`;
    case 'in':
      return `(${print(expression.left)} in (${expression.list.map(print).join(',')}))`;
    case 'in-collection':
      return `(${print(expression.left)} in ${printCollection(expression.collection)})`;
    case 'call':
      return `${expression.function}(${expression.arguments.map(print).join(',')})`;
    case 'case':
      return `case(${expression.branches.map((branch) => `${print(branch.when)}:${print(branch.then)}`).join(',')})`;
    case 'cast':
      return `cast(${print(expression.operand)},${printType(expression.type)})`;
    case 'instance':
      return `isof(${print(expression.operand)},${expression.of.name.replace(/^.*\./, '')})`;
    case 'any':
    case 'all':
      return `${kind}(${printCollection(expression.collection)}${expression.predicate === undefined ? '' : ` | ${print(expression.predicate)}`})`;
    case 'built':
      return expression.parts
        .map((part) => (typeof part === 'string' ? part : print(part)))
        .join('');
    case 'aggregate':
      return `aggregate(${printCollection(expression.collection)} | ${printAggregations([expression.aggregation])})`;
    case 'count':
      return `count(${printCollection(expression.collection)})`;
    case 'search':
      return `search(${printRow(expression.row)},${printSearch(expression.search)})`;
  }
}

function printLiteral(expression: Expression & { readonly kind: 'literal' }): string {
  const { type, value } = expression;
  if (value === null) return 'null';
  if (type.kind !== 'primitive') return `${printType(type)}'${value}'`;
  const text = writeLiteral(type.name, value);
  const isPlain = ['Edm.String', 'Edm.Boolean', 'Edm.Int64', 'Edm.Duration'].includes(type.name);
  return isPlain ? text : `${text}:${printType(type)}`;
}

function printSearch(search: Search): string {
  switch (search.kind) {
    case 'word':
      return search.text;
    case 'phrase':
      return `"${search.text}"`;
    case 'not':
      return `NOT ${printSearch(search.operand)}`;
    default:
      return `(${search.operands.map(printSearch).join(` ${search.kind.toUpperCase()} `)})`;
  }
}

function printOrder(items: readonly OrderItem[]): string {
  return items
    .map(({ expression, descending }) => `${print(expression)}${descending ? ' desc' : ''}`)
    .join(',');
}

export function printSelection(selection: Selection): string {
  const items = selection.items.map((item) => {
    switch (item.kind) {
      case 'property': {
        const type = item.onType === undefined ? '' : `${item.onType.name.replace(/^.*\./, '')}:`;
        const inner = item.selection === undefined ? '' : `(${printSelection(item.selection)})`;
        const query = item.query === undefined ? '' : '{…}';
        return `${type}${item.property.name}${inner}${query}`;
      }
      case 'named':
        return `?${item.name}`;
      case 'navigation':
        return `>${item.navigation.name}`;
      case 'operation':
        return `${item.name}()`;
    }
    return '';
  });
  return [...(selection.all ? ['*'] : []), ...items].join(',');
}

function printExpansion(expansion: Expansion): string {
  const path = [
    ...(expansion.onType === undefined ? [] : [expansion.onType.name.replace(/^.*\./, '')]),
    ...names(expansion.path),
    expansion.navigation.name,
  ].join('/');
  const form = expansion.form === 'entities' ? '' : `/${expansion.form}`;
  return `${path}${form}(${printRows(expansion.rows)}; ${printQuery(expansion.query)})`;
}

/** The options that are there, in the order of evaluation. */
export function printQuery(query: Query): string {
  const parts = [
    ...query.apply.map((one) => `apply ${printTransformation(one)}`),
    ...query.compute.map(({ name, expression }) => `compute ${name}=${print(expression)}`),
    ...(query.search === undefined ? [] : [`search ${printSearch(query.search)}`]),
    ...(query.filter === undefined ? [] : [`filter ${print(query.filter)}`]),
    ...(query.count ? ['count'] : []),
    ...(query.orderby.length === 0 ? [] : [`orderby ${printOrder(query.orderby)}`]),
    ...(query.skip === undefined ? [] : [`skip ${query.skip}`]),
    ...(query.top === undefined ? [] : [`top ${query.top}`]),
    `select ${printSelection(query.selection)}`,
    ...query.expansions.map((one) => `expand ${printExpansion(one)}`),
    ...query.streams.map(({ property }) => `stream ${property?.name ?? '$value'}`),
  ];
  return parts.join('; ');
}

function printChain(chain: readonly Transformation[]): string {
  return chain.map(printTransformation).join('/');
}

function printTransformation(one: Transformation): string {
  switch (one.kind) {
    case 'identity':
      return 'identity';
    case 'filter':
      return `filter ${print(one.predicate)}`;
    case 'search':
      return `search ${printSearch(one.search)}`;
    case 'orderby':
      return `orderby ${printOrder(one.items)}`;
    case 'skip':
    case 'top':
      return `${one.kind} ${one.count}`;
    case 'compute':
      return `compute ${one.computed.map(({ name, expression }) => `${name}=${print(expression)}`).join(',')}`;
    case 'aggregate':
      return `aggregate ${printAggregations(one.aggregations)}`;
    case 'groupby': {
      const keys = one.groupings.map(({ name, expression, over }) => {
        const rows = over === undefined ? '' : ` over ${over.map(printCollection).join(' then ')}`;
        return `${name}=${print(expression)}${rows}`;
      });
      const sets = one.sets.map((set) => `[${set.join(' ')}]`).join('');
      const inner = one.then.length === 0 ? '' : ` then ${printChain(one.then)}`;
      return `groupby ${keys.join(',')} ${sets} ${printAggregations(one.aggregations)}${inner}`.trim();
    }
    case 'concat':
      return `concat(${one.branches.map(printChain).join(' | ')})`;
    case 'extreme':
      return `${one.end}${one.measure} ${print(one.amount)} by ${print(one.by)}`;
    case 'join':
      return `${one.outer ? 'outer' : ''}join ${printRows(one.rows)} as ${one.alias}(${printChain(one.then)})`;
    case 'nest':
      return 'nest';
    case 'hierarchy':
      return `${one.walk} ${one.tree.parent.name} of ${printRows(one.tree.nodes)} start(${printChain(one.start)})`;
  }
}

function printAggregations(
  aggregations: (Transformation & { readonly kind: 'aggregate' })['aggregations'],
): string {
  return aggregations
    .map(({ alias, method, expression, over, from }) => {
      const rows = over === undefined ? '' : ` over ${over.map(printCollection).join(' then ')}`;
      const steps = from.map(
        ({ groupings, method: next }) => ` from ${groupings.map(print).join(',')} with ${next}`,
      );
      return `${alias}=${method}(${expression === undefined ? '' : print(expression)})${rows}${steps.join('')}`;
    })
    .join(',');
}
