// Builds the fragment of context URLs, which describes the payload: the part after `$metadata`. OData 4.01 Protocol, "Context
// URL".

import type {
  AddressStep,
  BoundRead,
  Expansion,
  Query,
  SelectedItem,
  Selection,
  ValueType,
} from '../../bind/bound.ts';
import { itemType, typeName } from '../../bind/expression/types.ts';
import { entitySteps } from '../../bind/path/position.ts';
import { selectsName } from '../../bind/query/option-scope.ts';
import { RIGHTS_TYPE } from '../../edm/account-sets.ts';
import { TRANSITIONS_TYPE } from '../../edm/workflow/operations.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import { encodeSegment } from '../../request/print/url.ts';
import type { NestedOptions, Version } from '../../request/tree.ts';
import type { LinkPart, TextKey } from '../read-plan.ts';
import { type ColumnGroup, groupColumns, selectedColumns } from '../shape/derived-row.ts';
import { writtenFor, writtenForName } from './nested-options.ts';
import { collectionPath, ownerPath, textOf } from './row-urls.ts';

/** Inputs of a context URL besides the read itself. */
export interface ContextOptions {
  readonly version: Version;
  /** The options as written by the client, which show recursive expansions. */
  readonly written: NestedOptions;
}

export const ALL_CONTEXT = '#Collection(Edm.EntityType)';
export const CROSSJOIN_CONTEXT = '#Collection(Edm.ComplexType)';

/** Keys of the request URL that appear in the context. */
export function contextKeys(read: BoundRead): readonly TextKey[] {
  const { keys } = textOf(contextPath(read));
  return keys.map((key) => ({ ...key, at: key.at + '#'.length }));
}

/** The resource path at the start of the context, if it depends on the request URL. */
function contextPath({ wanted, rows, address }: BoundRead): readonly LinkPart[] {
  switch (wanted.kind) {
    case 'entities':
    case 'entity':
      return rows.row.source.kind === 'containment' ? collectionPath(rows, address) : [];
    case 'property': {
      const steps = ownerSteps(address, wanted);
      return steps === undefined ? [] : ownerPath(rows, steps);
    }
    default:
      return [];
  }
}

/** The context of a read: `#Persons(Uid,Name)`, `#ServiceRequests(10)/Attachments/$entity`, `#Collection($ref)`. */
export function contextOf(read: BoundRead, options: ContextOptions): string {
  const { wanted } = read;
  switch (wanted.kind) {
    case 'entities':
      return `#${entityBase(read, true)}${selectList(read.query, options)}`;
    case 'entity':
      return `#${entityContext(read, options)}`;
    case 'references':
      return '#Collection($ref)';
    case 'reference':
      return '#$ref';
    case 'property':
      return `#${propertyContext(read, wanted)}`;
    case 'rights':
      return `#${RIGHTS_TYPE}`;
    case 'transitions':
      return `#${TRANSITIONS_TYPE}`;
    case 'transition-lists':
      return `#Collection(${TRANSITIONS_TYPE})`;
    case 'calculation':
    case 'explanation':
    case 'count':
    case 'raw':
    case 'property-count':
    case 'stream':
      return '';
  }
}

/** The context of a value without a resource path: `#Edm.Decimal`, `#Collection(Model.Code)`. */
export function valueContext(type: ValueType): string {
  return `#${typeName(type)}`;
}

function entityContext(read: BoundRead, options: ContextOptions): string {
  const base = `${entityBase(read, false)}${selectList(read.query, options)}`;
  const { source } = read.rows.row;
  const isSet = source.kind !== 'union' && source.set?.kind !== 'singleton';
  return isSet ? `${base}/$entity` : base;
}

function entityBase(read: BoundRead, many: boolean): string {
  const { source, type } = read.rows.row;
  if (source.kind === 'union') return many ? `Collection(${type.name})` : type.name;
  const place = source.kind === 'containment' ? textOf(contextPath(read)).text : source.id;
  return type === source.type ? place : `${place}/${type.name}`;
}

/** `Persons(1)/Name`, or the type if there is no resource path: `Edm.String`. */
function propertyContext(
  read: BoundRead,
  wanted: BoundRead['wanted'] & { readonly kind: 'property' },
): string {
  const { value, index, selection } = wanted;
  const steps = ownerSteps(read.address, wanted);
  if (steps === undefined)
    return index === undefined ? typeName(value.type) : typeName(itemType(value.type));
  const last = steps.at(-1);
  const cast = last?.kind === 'cast' ? `/${encodeSegment(last.name)}` : '';
  const list = selection === undefined ? [] : selectedNames(selection, '');
  const inside = read.address.slice(steps.length);
  const names = inside.map((step) => encodeSegment(step.name)).join('/');
  const base = textOf(contextPath(read)).text;
  return `${base}${cast}/${names}${list.length === 0 ? '' : `(${list.join(',')})`}`;
}

/** The steps to the entity that owns the property; undefined if the value has no resource path. */
function ownerSteps(
  address: readonly AddressStep[],
  { index }: BoundRead['wanted'] & { readonly kind: 'property' },
): readonly AddressStep[] | undefined {
  const steps = entitySteps(address);
  const hasPlace = !address.some((step) => step.kind === 'operation') && steps.length > 0;
  return hasPlace && index === undefined ? steps : undefined;
}

/** `(Uid,Caller(Name))`, or empty without $select and $expand. */
function selectList(query: Query, options: ContextOptions): string {
  if (query.row.kind === 'derived') {
    const names = groupNames(groupColumns(selectedColumns(query.row, query)));
    const computed = computedNames(query);
    return `(${[...names, ...computed, ...nestedNames(query, options)].join(',')})`;
  }
  const nested = new Set(query.nested?.map(({ name }) => name));
  const names = [
    ...selectedNames(query.selection, '').filter((name) => !nested.has(name)),
    ...query.expansions.flatMap((expansion) => expandedName(expansion, options)),
    ...nestedNames(query, options),
  ];
  return names.length === 0 ? '' : `(${names.join(',')})`;
}

/** `Best()`: rows that the transformations nest and addnested added. */
function nestedNames(
  { nested = [], selection }: Query,
  options: ContextOptions,
): readonly string[] {
  return nested.flatMap(({ name, query }) => {
    const written = writtenForName(options.written, name);
    if (!selectsName(selection, name) && written === undefined) return [];
    const inner = { ...options, written: written ?? NO_OPTIONS };
    return [`${name}${selectList(query, inner) || '()'}`];
  });
}

function computedNames({ compute, selection }: Query): readonly string[] {
  return compute.map(({ name }) => name).filter((name) => selectsName(selection, name));
}

function groupNames({ groups }: ColumnGroup): readonly string[] {
  return [...groups].map(([name, group]) => {
    if (group.column?.target !== undefined) return `${name}()`;
    return group.groups.size === 0 ? name : `${name}(${groupNames(group).join(',')})`;
  });
}

/** Names in $select; parts of complex values as paths. */
function selectedNames({ all, items }: Selection, before: string): readonly string[] {
  const names = new Set(items.flatMap((item) => selectedName(item, before)));
  return all && names.size > 0 ? [`${before}*`, ...names] : [...names];
}

function selectedName(item: SelectedItem, before: string): readonly string[] {
  switch (item.kind) {
    case 'property': {
      const cast = item.onType === undefined ? '' : `${item.onType.name}/`;
      const name = `${before}${cast}${item.property.name}`;
      const { selection } = item;
      const isPart = selection !== undefined && !selection.all;
      return isPart ? selectedNames(selection, `${name}/`) : [name];
    }
    case 'navigation': {
      const cast = item.onType === undefined ? '' : `${item.onType.name}/`;
      return [`${before}${cast}${item.navigation.name}`];
    }
    case 'named':
    case 'operation':
    case 'annotation':
      return [`${before}${item.name}`];
  }
}

/** `Caller(Name)`, in 4.01 also `Caller()`; `Parts+(Name)` for recursive expansions. References and counts are not listed. */
function expandedName(expansion: Expansion, options: ContextOptions): readonly string[] {
  if (expansion.form !== 'entities') return [];
  const { options: written, isRecursive } = writtenFor(options.written, expansion);
  const { query, navigation, onType, path } = expansion;
  const own = isRecursive ? withoutLevels(query, expansion) : query;
  const list = selectList(own, { ...options, written });
  if (list === '' && options.version === '4.0' && !isRecursive) return [];
  const cast = onType === undefined ? [] : [onType.name];
  const inside = path.map((step) => step.name);
  const start = onType?.kind === 'complex' ? [...inside, ...cast] : [...cast, ...inside];
  const name = [...start, navigation.name].join('/');
  return [`${name}${isRecursive ? '+' : ''}${list === '' ? '()' : list}`];
}

/** The plus sign already covers the levels below. */
function withoutLevels(query: Query, { navigation }: Expansion): Query {
  const expansions = query.expansions.filter((inner) => inner.navigation !== navigation);
  return { ...query, expansions };
}
