// This file describes what a read does, for administrators, without any value that a client has sent: `?` replaces them.
//     ServiceRequests?$filter=Status/Value eq ? and contains(Description,?)&$orderby=Deadline&$top
// The description includes the conditions of rights, which the statement contains too.
import { unreachable } from '../../base/fault.ts';
import type {
  Collection,
  Expression,
  OrderItem,
  RowExpression,
  Rows,
  Transformation,
} from '../../bind/bound.ts';
import { pathName } from '../../edm/model.ts';
import type { Plan, ReadPlan, RowSelection } from '../read-plan.ts';

/** Replaces a value. */
const VALUE = '?';

/** The most characters of a description. */
const LONGEST = 1000;

export function describeRead(plan: Plan): string {
  return describePlan(plan).slice(0, LONGEST);
}

function describePlan(plan: Plan): string {
  switch (plan.kind) {
    case 'read':
      return describeRows(plan);
    case 'chain':
      return '$all';
    case 'crossjoin':
      return `$crossjoin(${plan.sources.map(({ name }) => name).join(',')})${optionsText(plan.select)}`;
    case 'delta':
      return `${rowsText(plan.select.rows)}?$deltatoken=${VALUE}`;
    default:
      return plan.kind;
  }
}

function describeRows({ select, output }: ReadPlan): string {
  const expanded = 'shape' in output ? output.shape.members.flatMap(expandedName) : [];
  const counts = output.kind === 'count' ? '/$count' : '';
  const { rows, filter } = select;
  const all = [...rows.where, ...(filter === undefined ? [] : [filter])];
  return `${rowsText({ ...rows, where: [] })}${counts}${optionsText({ ...select, where: all }, expanded)}`;
}

function expandedName(member: {
  readonly kind: string;
  readonly name?: string;
}): readonly string[] {
  const isExpanded = member.kind === 'one' || member.kind === 'many';
  return isExpanded && member.name !== undefined ? [member.name] : [];
}

type Options = Omit<RowSelection, 'rows' | 'row'> & { readonly where?: readonly Expression[] };

function optionsText(select: Options, expanded: readonly string[] = []): string {
  const { apply, order, page, count, filter } = select;
  const where = select.where ?? (filter === undefined ? [] : [filter]);
  const options = [
    apply.length === 0 ? '' : `$apply=${apply.map(transformationText).join('/')}`,
    where.length === 0 ? '' : `$filter=${conditionsText(where)}`,
    order.length === 0 ? '' : `$orderby=${order.map(orderText).join(',')}`,
    count ? '$count=true' : '',
    page === undefined ? '' : '$top',
    page?.after === undefined ? '' : '$skiptoken',
    (page?.skip ?? 0) > 0 ? '$skip' : '',
    expanded.length === 0 ? '' : `$expand=${expanded.join(',')}`,
  ].filter((option) => option !== '');
  return options.length === 0 ? '' : `?${options.join('&')}`;
}

function conditionsText(conditions: readonly Expression[]): string {
  return conditions.map(expressionText).join(' and ');
}

function orderText({ expression, descending }: OrderItem): string {
  return `${expressionText(expression)}${descending ? ' desc' : ''}`;
}

function rowsText({ row, origin, where }: Rows): string {
  const filter = where.length === 0 ? '' : `(${conditionsText(where)})`;
  switch (origin.kind) {
    case 'source':
      return `${row.source.id}${filter}`;
    case 'related':
      return `${rowsText(origin.from)}/${pathName([...origin.path, origin.navigation])}${filter}`;
    case 'navigated':
      return `${prefix(origin.from)}${pathName([...origin.path, origin.navigation])}${filter}`;
    case 'these':
      return `$these${filter}`;
    default:
      return unreachable(origin);
  }
}

/** The path to a row, with a slash at its end. */
function prefix(row: RowExpression): string {
  switch (row.kind) {
    case 'variable':
      return '';
    case 'follow':
      return `${prefix(row.from)}${pathName([...row.path, row.navigation])}/`;
    case 'addressed':
      return `$root/${rowsText(row.rows)}/`;
    default:
      return unreachable(row);
  }
}

function transformationText(step: Transformation): string {
  switch (step.kind) {
    case 'filter':
      return `filter(${expressionText(step.predicate)})`;
    case 'orderby':
      return `orderby(${step.items.map(orderText).join(',')})`;
    case 'compute':
      return `compute(${step.computed.map(({ expression }) => expressionText(expression)).join(',')})`;
    case 'groupby': {
      const groupings = step.groupings.map(({ expression }) => expressionText(expression));
      const aggregated = step.aggregations.map(({ method }) => method).join(',');
      return `groupby((${groupings.join(',')})${aggregated === '' ? '' : `,aggregate(${aggregated})`})`;
    }
    case 'aggregate':
      return `aggregate(${step.aggregations.map(({ method }) => method).join(',')})`;
    case 'concat':
      return `concat(${step.branches.map((branch) => branch.map(transformationText).join('/')).join(',')})`;
    default:
      return step.kind;
  }
}

function collectionText(collection: Collection): string {
  if (collection.kind === 'rows') return rowsText(collection.rows);
  return collection.kind === 'elements' ? expressionText(collection.of) : '$these';
}

function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
    case 'json':
    case 'built':
      return VALUE;
    case 'context':
      return `$${expression.name}`;
    case 'property':
      return `${prefix(expression.row)}${pathName(expression.path)}`;
    case 'dynamic':
      return `${prefix(expression.row)}${[expression.name, ...(expression.inside ?? [])].join('/')}`;
    case 'column':
    case 'computed':
      return expression.name;
    case 'row':
      return prefix(expression.row).replace(/\/$/, '') || '$it';
    case 'not':
      return `not (${expressionText(expression.operand)})`;
    case 'negate':
      return `-(${expressionText(expression.operand)})`;
    case 'and':
    case 'or':
      return `(${expression.operands.map(expressionText).join(` ${expression.kind} `)})`;
    case 'compare':
    case 'arithmetic':
      return `${expressionText(expression.left)} ${expression.operator} ${expressionText(expression.right)}`;
    case 'has':
      return `${expressionText(expression.left)} has ${expressionText(expression.right)}`;
    default:
      return otherText(expression);
  }
}

type Other = Exclude<
  Expression,
  {
    readonly kind:
      | 'literal'
      | 'json'
      | 'built'
      | 'context'
      | 'property'
      | 'dynamic'
      | 'column'
      | 'computed'
      | 'row'
      | 'not'
      | 'negate'
      | 'and'
      | 'or'
      | 'compare'
      | 'arithmetic'
      | 'has';
  }
>;

function otherText(expression: Other): string {
  switch (expression.kind) {
    case 'in':
      return `${expressionText(expression.left)} in (${VALUE})`;
    case 'in-collection':
      return `${expressionText(expression.left)} in ${collectionText(expression.collection)}`;
    case 'call':
      return `${expression.function}(${expression.arguments.map(expressionText).join(',')})`;
    case 'case':
      return `case(${expression.branches.map(({ when, then }) => `${expressionText(when)}:${expressionText(then)}`).join(',')})`;
    case 'cast':
      return expressionText(expression.operand);
    case 'instance':
      return `isof(${expressionText(expression.operand)},${expression.of.name})`;
    case 'any':
    case 'all': {
      const predicate =
        expression.predicate === undefined ? '' : expressionText(expression.predicate);
      return `${collectionText(expression.collection)}/${expression.kind}(${predicate})`;
    }
    case 'count':
    case 'aggregate':
      return `${collectionText(expression.collection)}/$${expression.kind}`;
    case 'search':
      return `search(${VALUE})`;
    default:
      return unreachable(expression);
  }
}
