// Binds a read request from its position and options: what it returns of the rows or the value, and which options are allowed.
import { Fault, notAllowed } from '../../base/fault.ts';
import type { StructuredType } from '../../edm/model.ts';
import { type OptionName, ROW_OPTIONS } from '../../request/options/option-names.ts';
import type * as Tree from '../../request/tree.ts';
import type { BoundEvaluation, BoundRead, Query, ValueType, Wanted } from '../bound.ts';
import { joinConditions } from '../expression/constructors.ts';
import { isCollection, itemType } from '../expression/types.ts';
import type { Place, Position, ValuePosition } from '../path/position.ts';
import { unguardedValue } from '../path/value-segments.ts';
import { type Resolved, resolvedVariable, type These } from '../scope.ts';
import { allItems, bindElementQuery, newItem } from './item-options.ts';
import { type Level, plainQuery, rejectOtherOptions, subjectWith } from './option-scope.ts';
import { bindQuery, expandRow } from './query-options.ts';
import { requireOption } from './restrictions.ts';
import { bindParts } from './select.ts';

const FOR_ONE: readonly OptionName[] = ['compute', 'expand', 'select'];
const FOR_COUNT: readonly OptionName[] = ['apply', 'compute', 'filter', 'search'];
/** Clients may append $count to the path of a delta link, which keeps its $expand and $select. */
const FOR_COUNT_OF_CHANGES: readonly OptionName[] = [...FOR_COUNT, 'expand', 'select'];
/** Options that choose and order rows or items, but do not change their content. */
const FOR_LIST = ['search', 'filter', 'count', 'orderby', 'skip', 'top'] as const;

/** Reads rows or a value in a row. Throws: request.misplaced-option, request.method after $each, and the errors of options. */
export function bindRead(
  level: Level,
  position: Position,
  options: Tree.NestedOptions & Partial<Pick<Tree.Options, 'deltatoken'>>,
): BoundRead {
  if (position.each) throw notAllowed('GET', ['PATCH', 'DELETE']);
  if (position.value !== undefined) return readValue(level, position, position.value, options);
  const wanted = wantedRows(position);
  if (wanted.kind === 'count') requireOption(position.rows.row, 'count');
  const isChanges = wanted.kind === 'count' && options.deltatoken !== undefined;
  const form = FORMS[wanted.kind];
  rejectOtherOptions(options, isChanges ? FOR_COUNT_OF_CHANGES : form.options, form.place);
  const query = bindQuery(level, position.rows.row, options);
  const { orderby = [] } = position.rows;
  const isOrdered = query.orderby.length > 0 || query.apply.length > 0 || !position.many;
  return { ...base(position), wanted, query: isOrdered ? query : { ...query, orderby } };
}

/** Binds a call of a function whose result is not part of a row. Throws: request.misplaced-option, not-built. */
export function bindResult(
  place: Place & { readonly kind: 'result' },
  options: Tree.NestedOptions,
): BoundEvaluation {
  const { operation, value, nullable, raw } = place;
  if (operation.composable === true && !raw) {
    if (isCollection(value.type)) rejectUnbuilt(options, FOR_LIST);
    if (value.type.kind === 'complex') rejectUnbuilt(options, PARTS);
  }
  rejectOtherOptions(options, [], 'on the result of a function');
  return { kind: 'evaluate', operation, value, nullable, raw };
}

function base(
  position: Position,
): Pick<BoundRead, 'kind' | 'rows' | 'address' | 'parent' | 'nullable'> {
  const { rows, address, parent, nullable } = position;
  return { kind: 'read', rows, address, nullable, parent };
}

function wantedRows({ mark, many, whose, calculation, explanation }: Position): Wanted {
  if (explanation !== undefined) return { kind: 'explanation', ...explanation };
  if (calculation !== undefined) return { kind: 'calculation', ...calculation };
  switch (mark) {
    case 'count':
      return { kind: 'count' };
    case 'ref':
      return { kind: many ? 'references' : 'reference' };
    case 'value':
      return { kind: 'stream' };
    case 'rights':
      return { kind: 'rights', whose };
    case 'transitions':
      return { kind: many ? 'transition-lists' : 'transitions' };
    default:
      return { kind: many ? 'entities' : 'entity' };
  }
}

/** The options that each form of a result allows, and its place in messages. */
const FORMS = {
  entities: { options: ROW_OPTIONS, place: 'here' },
  entity: { options: FOR_ONE, place: 'on a single entity' },
  count: { options: FOR_COUNT, place: 'after $count' },
  references: { options: FOR_LIST, place: 'after $ref' },
  reference: { options: [], place: 'on a single reference' },
  rights: { options: [], place: 'here' },
  transitions: { options: [], place: 'here' },
  'transition-lists': { options: FOR_LIST, place: 'here' },
  calculation: { options: [], place: 'on the result of a function' },
  explanation: { options: [], place: 'on the result of a function' },
  stream: { options: [], place: 'on a raw value' },
  raw: { options: [], place: 'on a raw value' },
  property: { options: [], place: 'on this property' },
  'property-count': { options: [], place: 'here' },
} as const satisfies Record<
  Wanted['kind'],
  { readonly options: readonly OptionName[]; readonly place: string }
>;

// ---- values ---------------------------------------------------------------------------------------------------------

function readValue(
  level: Level,
  position: Position,
  value: ValuePosition,
  options: Tree.NestedOptions,
): BoundRead {
  const { type } = value.value;
  const isStream = type.kind === 'primitive' && type.name === 'Edm.Stream';
  const property = value.path.at(-1);
  if (isStream && property !== undefined) {
    return plainRead(level, position, { kind: 'stream', property }, options);
  }
  if (position.mark === 'value') {
    const { path, index } = value;
    return plainRead(level, position, { kind: 'raw', value: value.value, path, index }, options);
  }
  if (property === undefined) rejectUnbuilt(options, PARTS);
  return value.elements === undefined || value.index !== undefined
    ? readSingle(level, position, value, options)
    : readItems(level, position, value, options);
}

/** Parts and items of a value are read from where it is stored, which the result of a function is not. Throws: not-built. */
function rejectUnbuilt(
  options: Tree.NestedOptions,
  names: readonly (keyof Tree.NestedOptions)[],
): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw new Fault('not-built', { feature: `$${given} on values that functions return` });
}

const PARTS = ['select', 'compute', 'expand'] as const;

/** A read that allows no options. */
function plainRead(
  level: Level,
  position: Position,
  wanted: Wanted,
  options: Tree.NestedOptions,
): BoundRead {
  rejectOtherOptions(options, [], FORMS[wanted.kind].place);
  return { ...base(position), wanted, query: bindQuery(level, position.rows.row, options) };
}

function readSingle(
  level: Level,
  position: Position,
  single: ValuePosition,
  options: Tree.NestedOptions,
): BoundRead {
  const { value, path, index } = single;
  const type = value.type.kind === 'complex' ? value.type.type : undefined;
  const allowed = type === undefined ? [] : (['compute', 'select', 'expand'] as const);
  rejectOtherOptions(options, allowed, 'on this property');
  // Expressions refer to an item by a variable, and to other values by their path.
  const row = index === undefined ? undefined : newItem(level, value.type);
  const resolved = row === undefined ? unguardedValue(single) : resolvedVariable(row);
  const wanted: Wanted = {
    kind: 'property',
    value,
    path,
    index,
    elements: row && { row, orderby: [], count: false },
    ...selectionOf(level, value.type, resolved, options),
  };
  const query = complexQuery(level, position, { path, type }, options);
  return { ...base(position), wanted, query };
}

function readItems(
  level: Level,
  position: Position,
  { value, path, elements }: ValuePosition,
  options: Tree.NestedOptions,
): BoundRead {
  const item = itemType(value.type);
  const isCount = position.mark === 'count';
  const compute = item.kind === 'complex' ? (['compute'] as const) : [];
  const select = item.kind === 'complex' && !isCount ? (['select'] as const) : [];
  const own = isCount ? (['filter', 'search'] as const) : FOR_LIST;
  const allowed = [...own, ...compute, ...select];
  rejectOtherOptions(options, allowed, isCount ? 'after $count' : 'on a collection of values');
  const row = elements?.row ?? newItem(level, value.type);
  const items = { row, of: value, where: elements?.where ?? [] };
  const these = allItems(level, items);
  const selected = selectionOf(level, item, resolvedVariable(row), options, these);
  const bound = bindElementQuery(level, items, options, selected.selection?.compute);
  const conditions = bound.filter === undefined ? items.where : [...items.where, bound.filter];
  const filter = joinConditions('and', conditions);
  const query = filter === undefined ? bound : { ...bound, filter };
  const wanted: Wanted = isCount
    ? { kind: 'property-count', value, elements: query }
    : { kind: 'property', value, path, elements: query, ...selected };
  return { ...base(position), wanted, query: plainQuery(position.rows.row) };
}

function selectionOf(
  level: Level,
  type: ValueType,
  resolved: Resolved,
  options: Tree.NestedOptions,
  these?: These,
): Partial<Pick<Wanted & { readonly kind: 'property' }, 'selection'>> {
  const isNarrowed = options.select !== undefined || options.compute !== undefined;
  return isNarrowed ? { selection: bindParts(level, type, resolved, options, these) } : {};
}

/** The query for the entity around a complex value: it only expands navigations of the complex value. */
function complexQuery(
  level: Level,
  { rows }: Position,
  inside: { readonly path: ValuePosition['path']; readonly type: StructuredType | undefined },
  { expand }: Tree.NestedOptions,
): Query {
  const query = plainQuery(rows.row);
  const { type, path } = inside;
  if (type === undefined || expand === undefined) return query;
  const subject = subjectWith(resolvedVariable(rows.row), []);
  return { ...query, ...expandRow(level, rows.row, subject, expand, { type, path }) };
}
