// This file reads and prints aggregations of the form `filter(…)/groupby((…),aggregate(…))`. Others are edited as text.
import { indexOutside, split } from './split.ts';

export const METHODS_OF_AGGREGATION = ['sum', 'average', 'min', 'max', 'countdistinct'] as const;
export type AggregationMethod = (typeof METHODS_OF_AGGREGATION)[number];

export interface Aggregate {
  /** A path; `$count` for the number of entities. */
  readonly path: string;
  /** Undefined for `$count`. */
  readonly method: AggregationMethod | undefined;
  readonly alias: string;
}

export interface Aggregation {
  /** Undefined where everything is aggregated. */
  readonly filter: string | undefined;
  readonly groups: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

export const COUNT: Aggregate = { path: '$count', method: undefined, alias: 'Count' };

/** The parts of an aggregation; undefined if it is of another form. */
export function parseApply(apply: string): Aggregation | undefined {
  const steps = split(apply.trim(), '/').map((step) => step.trim());
  const filter = argumentsOf(steps[0] ?? '', 'filter');
  const rest = filter === undefined ? steps : steps.slice(1);
  const [step = '', ...others] = rest;
  if (others.length > 0) return undefined;
  const all = argumentsOf(step, 'aggregate');
  const aggregated = all === undefined ? parseGroupBy(step) : withAggregates([], all);
  return aggregated && { filter, ...aggregated };
}

/** What is inside of `name(…)`; undefined if the text is something else. */
function argumentsOf(text: string, name: string): string | undefined {
  const isCall = text.startsWith(`${name}(`) && text.endsWith(')');
  if (!isCall) return undefined;
  const inner = text.slice(name.length + 1, -1);
  return inner.trim() === '' ? undefined : inner;
}

function parseGroupBy(step: string): Omit<Aggregation, 'filter'> | undefined {
  const inner = argumentsOf(step, 'groupby');
  if (inner === undefined) return undefined;
  const [list = '', aggregate, ...others] = split(inner, ',').map((part) => part.trim());
  const groups = argumentsOf(list, '')
    ?.split(',')
    .map((path) => path.trim());
  if (groups === undefined || others.length > 0 || !groups.every(isPath)) return undefined;
  if (aggregate === undefined) return { groups, aggregates: [] };
  const aggregates = argumentsOf(aggregate, 'aggregate');
  return aggregates === undefined ? undefined : withAggregates(groups, aggregates);
}

function withAggregates(groups: readonly string[], text: string) {
  const aggregates = split(text, ',').map((part) => parseAggregate(part.trim()));
  return aggregates.every((aggregate) => aggregate !== undefined)
    ? { groups, aggregates }
    : undefined;
}

const isPath = (text: string): boolean => /^[A-Za-z_][\w./]*$/.test(text);

function parseAggregate(text: string): Aggregate | undefined {
  const [, path = '', , method, alias = ''] =
    /^(\$count|[A-Za-z_][\w./]*)( with (\w+))? as (\w+)$/.exec(text) ?? [];
  const known = METHODS_OF_AGGREGATION.find((name) => name === method);
  if (path === '' || (path === '$count') !== (method === undefined)) return undefined;
  if (method !== undefined && known === undefined) return undefined;
  return { path, method: known, alias };
}

export function printApply({ filter, groups, aggregates }: Aggregation): string {
  const printed = aggregates.map(
    ({ path, method, alias }) =>
      `${path}${method === undefined ? '' : ` with ${method}`} as ${alias}`,
  );
  const aggregate = printed.length === 0 ? undefined : `aggregate(${printed.join(',')})`;
  const list = groups.length === 0 ? undefined : `(${groups.join(',')})`;
  const step =
    list === undefined
      ? aggregate
      : `groupby(${[list, aggregate].filter((part) => part !== undefined).join(',')})`;
  const steps = [filter === undefined ? undefined : `filter(${filter})`, step];
  return steps.filter((part) => part !== undefined).join('/');
}

/** The aggregation of everything that a filter permits, in front of an `$apply`. */
export function applyAfter(filter: string, apply: string): string {
  if (filter === '') return apply;
  return apply === '' || indexOutside(apply, '(') < 0
    ? `filter(${filter})`
    : `filter(${filter})/${apply}`;
}
