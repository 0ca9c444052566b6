// This file prints paths, queries and $apply as URL text, for next links, delta links and tests. Parsing the text gives the same tree.
// expression.ts prints expressions.

import { unreachable } from '../../base/fault.ts';
import type {
  AnnotationStep,
  Apply,
  ComputeItem,
  ExpandItem,
  ExpandStep,
  GroupElement,
  HierarchyReference,
  NestedOptions,
  NestItem,
  Options,
  OrderItem,
  ResourcePath,
  Segment,
  SelectItem,
  SelectStep,
  Transformation,
} from '../tree.ts';
import {
  encodeCharacter,
  printAggregateItem,
  printAnnotation,
  printArguments,
  printExpression,
  printMemberPath,
  printOptionalArguments,
  printSearch,
} from './expression.ts';

// ---- Paths ----

/** Returns the percent-encoded resource path, relative to the service root. */
export function printPath(path: ResourcePath): string {
  return path.segments.map(printSegment).join('/');
}

/** Percent-encodes the text of one path segment, including slashes. */
export function encodeSegment(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@]/gu, encodeCharacter);
}

/** Percent-encodes text in which slashes are separators. */
function encodeSteps(text: string): string {
  return text.split('/').map(encodeSegment).join('/');
}

function printSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'name':
      return encodeSegment(
        `${segment.name}${printOptionalArguments(segment.arguments)}${printOptionalArguments(segment.key)}`,
      );
    case 'text':
      return encodeSegment(segment.text);
    case 'filter':
      return `$filter(${encodeSteps(printExpression(segment.condition))})${encodeSteps(printOptionalArguments(segment.key))}`;
    case 'crossjoin':
      return encodeSegment(`$crossjoin(${segment.sets.map((set) => set.name).join(',')})`);
    default:
      return `$${segment.kind}`;
  }
}

// ---- Queries ----

/** Returns the percent-encoded query without question mark; '' if there are no options. */
export function printQuery(options: Options): string {
  return joined([beforeToken(options), tokenOption(options.skiptoken), afterToken(options)]);
}

/** The function that prints the query with a skip token. The other options are printed once. */
export function pagePrinter(options: Options): (skiptoken: string) => string {
  const [before, after] = [beforeToken(options), afterToken(options)];
  return (skiptoken) => joined([before, tokenOption(skiptoken), after]);
}

function beforeToken(options: Options): string {
  const { format } = options;
  const own = format === undefined ? [] : [['$format', format] as const];
  return printPairs([...printNested(options), ...own]);
}

function tokenOption(skiptoken: string | undefined): string {
  return skiptoken === undefined ? '' : printPairs([['$skiptoken', skiptoken]]);
}

function afterToken({ index, custom, ...options }: Options): string {
  const pairs: (readonly [string, string])[] = [];
  for (const name of ['deltatoken', 'id', 'schemaversion'] as const) {
    const value = options[name];
    if (value !== undefined) pairs.push([`$${name}`, value]);
  }
  if (index !== undefined) pairs.push(['$index', String(index)]);
  for (const [name, values] of custom) {
    for (const value of values) pairs.push([name, value]);
  }
  return printPairs(pairs);
}

function printPairs(pairs: readonly (readonly [string, string])[]): string {
  return joined(pairs.map(([name, value]) => `${encodeName(name)}=${encodeQueryValue(value)}`));
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&');
}

/** Percent-encodes the value of a query option. */
function encodeQueryValue(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$'()*,;=:@/?]/gu, encodeCharacter);
}

function encodeName(name: string): string {
  return encodeQueryValue(name).replaceAll('=', '%3D');
}

/** Returns names and decoded values of the options that may be nested, in evaluation order. */
function printNested(options: NestedOptions): (readonly [string, string])[] {
  const values: (readonly [string, string | undefined])[] = [
    ['$apply', ifGiven(options.apply, printApply)],
    ['$compute', ifGiven(options.compute, (items) => items.map(printComputeItem).join(','))],
    ['$search', ifGiven(options.search, printSearch)],
    ['$filter', ifGiven(options.filter, printExpression)],
    ['$count', ifGiven(options.count, String)],
    ['$orderby', ifGiven(options.orderby, (items) => items.map(printOrderItem).join(','))],
    ['$skip', ifGiven(options.skip, String)],
    ['$top', ifGiven(options.top, String)],
    ['$expand', ifGiven(options.expand, printExpand)],
    ['$select', ifGiven(options.select, printSelect)],
    ['$levels', ifGiven(options.levels, String)],
  ];
  const printed: (readonly [string, string])[] = [];
  for (const [name, value] of values) if (value !== undefined) printed.push([name, value]);
  for (const [name, value] of options.aliases) printed.push([`@${name}`, printExpression(value)]);
  return printed;
}

function ifGiven<T>(value: T | undefined, write: (value: T) => string): string | undefined {
  return value === undefined ? undefined : write(value);
}

/** (name=value;…), or '' if there are no options. */
function printOptionList(options: NestedOptions | undefined): string {
  if (options === undefined) return '';
  return `(${printNested(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(';')})`;
}

function printOrderItem(item: OrderItem): string {
  return `${printExpression(item.expression)}${item.descending ? ' desc' : ''}`;
}

function printComputeItem(item: ComputeItem): string {
  return `${printExpression(item.expression)} as ${item.alias}`;
}

/** Returns $select as text, not percent-encoded. */
export function printSelect(items: readonly SelectItem[]): string {
  return items.map(printSelectItem).join(',');
}

function printSelectItem(item: SelectItem): string {
  switch (item.kind) {
    case 'star':
      return '*';
    case 'operations':
      return `${item.namespace}.*`;
    case 'path':
      return `${item.steps.map(printSelectStep).join('/')}${printOptionList(item.options)}`;
    default:
      return unreachable(item);
  }
}

function printSelectStep(step: SelectStep | AnnotationStep): string {
  if (step.kind === 'annotation') return printAnnotation(step);
  return `${step.name}${step.parameters === undefined ? '' : `(${step.parameters.join(',')})`}`;
}

function printExpand(items: readonly ExpandItem[]): string {
  return items.map(printExpandItem).join(',');
}

function printExpandItem(item: ExpandItem): string {
  switch (item.kind) {
    case 'value':
      return '$value';
    case 'star': {
      const levels = item.levels === undefined ? '' : `($levels=${item.levels})`;
      return `${[...item.steps.map(printExpandStep), '*'].join('/')}${item.ref ? '/$ref' : ''}${levels}`;
    }
    case 'path': {
      const suffix = item.suffix === undefined ? '' : `/$${item.suffix}`;
      return `${item.steps.map(printExpandStep).join('/')}${suffix}${printOptionList(item.options)}`;
    }
    default:
      return unreachable(item);
  }
}

function printExpandStep(step: ExpandStep): string {
  return step.kind === 'annotation' ? printAnnotation(step) : step.name;
}

// ---- $apply ----

/** Returns $apply as text, not percent-encoded. */
export function printApply(apply: Apply): string {
  return apply.map(printTransformation).join('/');
}

function printTransformation(step: Transformation): string {
  switch (step.kind) {
    case 'identity':
      return 'identity';
    case 'rank':
      return `${step.method}(${printExpression(step.amount)},${printExpression(step.value)})`;
    case 'function':
      return `${step.name}${printArguments(step.arguments)}`;
    default:
      return `${step.kind}(${printInside(step).join(',')})`;
  }
}

type Named = Exclude<Transformation, { kind: 'identity' | 'rank' | 'function' }>;

/** Returns the arguments in parentheses, to be joined by commas. */
function printInside(step: Named): readonly string[] {
  switch (step.kind) {
    case 'aggregate':
      return step.items.map(printAggregateItem);
    case 'groupby':
      return [
        `(${step.elements.map(printGroupElement).join(',')})`,
        ...printOptionalApply(step.apply),
      ];
    case 'filter':
      return [printExpression(step.condition)];
    case 'search':
      return [printSearch(step.search)];
    case 'orderby':
      return step.items.map(printOrderItem);
    case 'skip':
    case 'top':
      return [String(step.count)];
    case 'compute':
      return step.items.map(printComputeItem);
    case 'concat':
      return step.branches.map(printApply);
    case 'join':
    case 'outerjoin':
      return [`${printMemberPath(step.path)} as ${step.alias}`, ...printOptionalApply(step.apply)];
    case 'nest':
      return step.items.map(printNestItem);
    case 'addnested':
      return [printMemberPath(step.path), ...step.items.map(printNestItem)];
    default:
      return printHierarchical(step);
  }
}

type Hierarchical = Extract<Named, { kind: 'ancestors' | 'descendants' | 'traverse' }>;

function printHierarchical(step: Hierarchical): readonly string[] {
  const hierarchy = printHierarchy(step.hierarchy);
  if (step.kind === 'traverse') {
    return [
      hierarchy,
      step.order,
      ...printOptionalApply(step.start),
      ...step.orderby.map(printOrderItem),
    ];
  }
  const distance = step.distance === undefined ? [] : [String(step.distance)];
  return [
    hierarchy,
    printApply(step.start),
    ...distance,
    ...(step.keepStart ? ['keep start'] : []),
  ];
}

function printOptionalApply(apply: Apply | undefined): readonly string[] {
  return apply === undefined ? [] : [printApply(apply)];
}

function printNestItem(item: NestItem): string {
  return `${printApply(item.apply)} as ${item.alias}`;
}

function printHierarchy(hierarchy: HierarchyReference): string {
  return [
    printMemberPath(hierarchy.nodes),
    hierarchy.qualifier,
    printMemberPath(hierarchy.property),
  ].join(',');
}

function printGroupElement(element: GroupElement): string {
  switch (element.kind) {
    case 'property':
      return printMemberPath(element.path);
    case 'rollup':
      return `rollup(${element.levels.map(printMemberPath).join(',')})`;
    case 'rollup-named':
      return `rollup(${element.hierarchy})`;
    case 'rolluprecursive':
      return `rolluprecursive(${[printHierarchy(element.hierarchy), ...printOptionalApply(element.apply)].join(',')})`;
    default:
      return unreachable(element);
  }
}
