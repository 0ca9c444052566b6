// This file binds $select: paths to properties are merged into one selection per structured value, with what is asked of the items
// of collections. Navigation properties give their links, or are refused where the service's rules hold.
// OData 4.01 URL Conventions, "System Query Option $select".
import { Fault, invariant } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Property, StructuredType } from '../../edm/model.ts';
import { isStructured } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import { stepNames } from '../apply/select-columns.ts';
import type { Computed, ElementQuery, SelectedItem, Selection, ValueType } from '../bound.ts';
import { annotationMember } from '../expression/annotation-path.ts';
import { holderOf } from '../expression/member.ts';
import { isCollection, typeOfReference } from '../expression/types.ts';
import { fullName, narrowType, operationsNamed } from '../names.ts';
import {
  type Frame,
  placeOf,
  type Reached,
  reachValue,
  reachVariable,
  subjectOf,
  type These,
  whereOf,
} from '../scope.ts';
import { allItems, bindElementQuery, newItem } from './item-options.ts';
import { EVERYTHING, innerLevel, type Level, optionFrame, refuseOthers } from './option-scope.ts';
import { bindCompute } from './order-and-compute.ts';
import {
  goesNoFurther,
  navigationFault,
  unknownSelected,
  type WrittenSelect,
} from './select-errors.ts';

/** What the names in a selection can be. */
export interface Selectable {
  readonly type: StructuredType;
  /** Names of what $compute and $apply have added. */
  readonly computed: ReadonlySet<string>;
  /** The row or the complex value itself, as expressions see it. */
  readonly reached: Reached;
}

/** Faults: bind.unknown-property, bind.select-navigation, bind.duplicate, bind.option-on, request.misplaced-option, not-built. */
export function bindSelect(
  level: Level,
  selectable: Selectable,
  items: readonly Tree.SelectItem[],
): Selection {
  const frame = optionFrame(level, 'select', subjectOf(selectable.reached));
  const draft = new Draft();
  const written = { type: selectable.type, items, isOutermost: level.depth === 0 };
  for (const item of items) {
    if (item.kind === 'star') draft.all = true;
    else if (item.kind === 'operations')
      draft.add(`${item.namespace}.*`, operationsOf(frame, selectable, item));
    else addPath({ level, frame, draft, written }, selectable, item);
  }
  return draft.finish();
}

/** `NS.*`: all operations of a namespace or of its alias. */
function operationsOf(
  frame: Frame,
  { type }: Selectable,
  { namespace, at }: Tree.SelectItem & { readonly kind: 'operations' },
): SelectedItem {
  const { namespaces } = frame.session.scope.model.definition;
  const known = namespaces.flatMap(({ name, alias }) =>
    alias === undefined ? [name] : [name, alias],
  );
  const name = `${namespace}.*`;
  if (known.includes(namespace)) return operation(name);
  const hint = didYouMean(
    name,
    known.map((one) => `${one}.*`),
  );
  const place = placeOf(frame, at);
  throw new Fault(
    'bind.unknown-property',
    { type: type.name, name, hint, place },
    whereOf(frame, at),
  );
}

/** A selection while it is being put together: a property that is named twice has the parts of both. */
class Draft {
  all = false;
  compute: readonly Computed[] = [];
  private readonly items = new Map<string, SelectedItem>();
  private readonly inner = new Map<string, Draft>();

  add(key: string, item: SelectedItem): void {
    this.items.set(key, item);
  }

  has(key: string): boolean {
    return this.items.has(key);
  }

  /** What was asked of the items of a collection. */
  queryOf(key: string): ElementQuery | undefined {
    const item = this.items.get(key);
    return item?.kind === 'property' ? item.query : undefined;
  }

  /** The draft of the parts of a complex property. */
  within(key: string): Draft {
    const known = this.inner.get(key);
    if (known !== undefined) return known;
    const inner = new Draft();
    this.inner.set(key, inner);
    return inner;
  }

  finish(): Selection {
    const items = [...this.items].map(([key, item]) => {
      const inner = this.inner.get(key);
      if (item.kind !== 'property' || inner === undefined || inner.isWhole()) return item;
      return { ...item, selection: inner.finish() };
    });
    const { all, compute } = this;
    return { all, items, ...(compute.length === 0 ? {} : { compute }) };
  }

  private isWhole(): boolean {
    return this.all && this.items.size === 0 && this.compute.length === 0;
  }
}

interface Adding {
  readonly level: Level;
  readonly frame: Frame;
  readonly draft: Draft;
  readonly written: WrittenSelect;
}

/** Walks a path down to what it selects, with a draft for every complex value on the way. */
function addPath(adding: Adding, selectable: Selectable, path: Tree.SelectPath): void {
  let { draft } = adding;
  let { type, computed, reached } = selectable;
  let onType: StructuredType | undefined;
  for (const [index, step] of path.steps.entries()) {
    const isLast = index === path.steps.length - 1;
    const { frame, level } = adding;
    if (step.kind === 'annotation') {
      addAnnotation({ ...adding, draft }, reached, step, path);
      return;
    }
    const cast = castNamed(frame, type, step.name);
    if (cast !== undefined) {
      type = narrowType(frame, type, cast, step.at);
      onType = type;
      if (isLast) throw unknownSelected(frame, selectable.type, step);
      continue;
    }
    const item = selectName({ ...adding, draft }, { type, computed }, step, { onType, path });
    const key = `${onType?.name ?? ''}/${step.name}`;
    const value = item.kind === 'property' ? valueIn(level, reached, item.property) : reached;
    if (isLast) {
      addLast({ ...adding, draft }, key, { item, reached: value }, path);
      return;
    }
    const inner = item.kind === 'property' ? innerType(frame, item.property) : undefined;
    if (item.kind !== 'property' || inner === undefined)
      throw goesNoFurther(frame, adding.written, step, path);
    const query = draft.queryOf(key) ?? itemsFor(level, item.property, path.options);
    if (!draft.has(key)) draft.add(key, query === undefined ? item : { ...item, query });
    draft = draft.within(key);
    type = inner;
    computed = NOTHING;
    reached = query === undefined ? value : reachVariable(query.row);
    onType = undefined;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Nothing lies behind an annotation. */
function addAnnotation(
  { frame, draft, written }: Adding,
  reached: Reached,
  step: Tree.AnnotationStep,
  path: Tree.SelectPath,
): void {
  const item = annotationMember(frame, reached, step);
  if (path.steps.at(-1) !== step)
    throw goesNoFurther(frame, written, { ...step, name: item.name }, path);
  if (path.options !== undefined) refuseOthers(path.options, [], `behind "${item.name}"`);
  draft.add(item.name, { kind: 'annotation', ...item });
}

/** The property of what was reached, as expressions see it. */
function valueIn(level: Level, reached: Reached, property: Property): Reached {
  const held = holderOf(reached);
  if (held === undefined) return reached;
  const type = typeOfReference(level.session.scope.model, property);
  const path = [...held.path, property];
  return reachValue({ kind: 'property', row: held.row, path, type });
}

/** The items that a path goes through, where expressions further on speak of them. */
function itemsFor(
  level: Level,
  property: Property,
  options: Tree.NestedOptions | undefined,
): ElementQuery | undefined {
  const type = typeOfReference(level.session.scope.model, property);
  if (!isCollection(type) || options === undefined) return undefined;
  return { row: newItem(level, type), orderby: [], count: false };
}

interface Last {
  readonly item: SelectedItem;
  readonly reached: Reached;
}

function addLast(
  adding: Adding,
  key: string,
  { item, reached }: Last,
  path: Tree.SelectPath,
): void {
  const { draft, frame } = adding;
  const { options } = path;
  if (draft.queryOf(key) !== undefined || (options !== undefined && draft.has(key))) {
    const name = stepNames(path).join('/');
    throw new Fault(
      'bind.duplicate',
      { name, place: placeOf(frame, path.at) },
      whereOf(frame, path.at),
    );
  }
  if (item.kind !== 'property') {
    if (options !== undefined) refuseOthers(options, [], `behind "${key.slice(1)}"`);
    draft.add(key, item);
    return;
  }
  const { selection, query } =
    options === undefined
      ? { selection: EVERYTHING, query: undefined }
      : bindOptions(adding, { property: item.property, reached }, options);
  draft.add(key, query === undefined ? item : { ...item, query });
  mergeInto(draft.within(key), selection);
}

/** Everything of a property swallows the parts of it that were named besides. */
function mergeInto(draft: Draft, selection: Selection): void {
  if (selection.all) draft.all = true;
  if (selection.compute !== undefined) draft.compute = selection.compute;
  for (const item of selection.items) draft.add(keyOf(item), item);
}

function keyOf(item: SelectedItem): string {
  switch (item.kind) {
    case 'property':
      return `${item.onType?.name ?? ''}/${item.property.name}`;
    case 'navigation':
      return `${item.onType?.name ?? ''}/${item.navigation.name}`;
    default:
      return `/${item.name}`;
  }
}

const ITEM_OPTIONS = ['filter', 'search', 'count', 'orderby', 'skip', 'top'] as const;
const COMPLEX_OPTIONS = ['compute', 'select'] as const;

interface Parts {
  readonly selection: Selection;
  /** What is asked of the items of a collection. */
  readonly query: ElementQuery | undefined;
}

/** The options in parentheses behind a property. OData 4.01 URL Conventions, "System Query Option $select". */
function bindOptions(
  { level, frame }: Adding,
  { property, reached }: { readonly property: Property; readonly reached: Reached },
  options: Tree.NestedOptions,
): Parts {
  const type = typeOfReference(level.session.scope.model, property);
  const forParts = type.kind === 'complex' ? COMPLEX_OPTIONS : [];
  const inner = innerLevel(level, frame, options);
  if (!isCollection(type)) {
    refuseOthers(options, forParts, `behind "${property.name}", which is a single value`);
    return { selection: bindParts(inner, type, reached, options), query: undefined };
  }
  refuseOthers(options, [...ITEM_OPTIONS, ...forParts], `behind "${property.name}"`);
  invariant(reached.kind === 'value', 'a collection of values is a value');
  const items = { row: newItem(level, type), of: reached.value };
  const selection = bindParts(
    inner,
    type,
    reachVariable(items.row),
    options,
    allItems(inner, items),
  );
  return { selection, query: bindElementQuery(inner, items, options, selection.compute) };
}

/** What $select and $compute say of a complex value, or of each item of a collection of them. */
export function bindParts(
  level: Level,
  type: ValueType,
  reached: Reached,
  options: Tree.NestedOptions,
  these?: These,
): Selection {
  if (type.kind !== 'complex') return EVERYTHING;
  const compute = computedParts(level, type.type, reached, { ...options, these });
  const selectable = {
    type: type.type,
    computed: new Set(compute.map(({ name }) => name)),
    reached,
  };
  const selection =
    options.select === undefined ? EVERYTHING : bindSelect(level, selectable, options.select);
  return compute.length === 0 ? selection : { ...selection, compute };
}

function computedParts(
  level: Level,
  type: StructuredType,
  reached: Reached,
  { compute, these }: Tree.NestedOptions & { readonly these: These | undefined },
): readonly Computed[] {
  if (compute === undefined) return [];
  const subject = subjectOf(reached);
  const members = level.session.scope.model.members(type);
  const frame = { ...optionFrame(level, 'compute', subject), these };
  return bindCompute(frame, subject, compute, (name) => members.has(name));
}

/** What a name in $select stands for. */
function selectName(
  adding: Adding,
  { type, computed }: Pick<Selectable, 'type' | 'computed'>,
  step: Tree.SelectStep,
  { onType, path }: { readonly onType: StructuredType | undefined; readonly path: Tree.SelectPath },
): SelectedItem {
  const { level, frame } = adding;
  const { model, rules } = level.session.scope;
  if (computed.has(step.name)) return { kind: 'named', name: step.name };
  const member = model.members(type).get(step.name);
  const cast = onType === undefined ? {} : { onType };
  if (member?.kind === 'property') return { kind: 'property', property: member, ...cast };
  if (member?.kind === 'navigation') {
    if (rules === 'odata') return { kind: 'navigation', navigation: member, ...cast };
    throw navigationFault(frame, adding.written, step, path);
  }
  if (operationsNamed(model, step.name).some(({ bound }) => bound)) {
    return operation(fullName(model, step.name));
  }
  if (type.open === true && !step.name.includes('.')) return { kind: 'named', name: step.name };
  throw unknownSelected(frame, type, step);
}

function operation(name: string): SelectedItem {
  return { kind: 'operation', name };
}

function castNamed(frame: Frame, type: StructuredType, name: string): StructuredType | undefined {
  const { model } = frame.session.scope;
  if (model.members(type).has(name)) return undefined;
  const found = model.types.get(fullName(model, name));
  return found !== undefined && isStructured(found) ? found : undefined;
}

function innerType(frame: Frame, property: Property): StructuredType | undefined {
  const type = typeOfReference(frame.session.scope.model, property);
  return type.kind === 'complex' ? type.type : undefined;
}
