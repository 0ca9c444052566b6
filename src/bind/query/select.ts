// Binds $select: merges all paths into one selection per structured value, with the options for collection items. Navigation
// properties select their links, or are rejected under the rules of the service.
// OData 4.01 URL Conventions, "System Query Option $select".
import { invariant } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Property, StructuredType } from '../../edm/model.ts';
import { isDynamicName } from '../../edm/property-storage.ts';
import type * as Tree from '../../request/tree.ts';
import { stepNames } from '../apply/expand-columns.ts';
import type { Computed, ElementQuery, SelectedItem, Selection, ValueType } from '../bound.ts';
import { annotationMember } from '../expression/annotation-path.ts';
import { memberOwner } from '../expression/member.ts';
import { isCollection, typeOfReference } from '../expression/types.ts';
import { fullName, narrowType, operationsNamed, structuredNamed } from '../names.ts';
import type { Frame, Resolved, These } from '../scope.ts';
import { faultAt, resolvedValue, resolvedVariable, subjectOf } from '../scope.ts';
import { allItems, bindElementQuery, newItem } from './item-options.ts';
import {
  EVERYTHING,
  innerLevel,
  type Level,
  optionFrame,
  rejectOtherOptions,
} from './option-scope.ts';
import { bindCompute } from './order-and-compute.ts';
import {
  navigationError,
  noPartsError,
  unknownNameError,
  type WrittenSelect,
} from './select-errors.ts';

/** The names that a selection can contain. */
export interface Selectable {
  readonly type: StructuredType;
  /** Names that $compute and $apply added. */
  readonly computed: ReadonlySet<string>;
  /** The row or the complex value itself, as expressions see it. */
  readonly resolved: Resolved;
}

/** Throws: bind.unknown-property, bind.select-navigation, bind.duplicate, bind.option-on, request.misplaced-option, not-built. */
export function bindSelect(
  level: Level,
  selectable: Selectable,
  items: readonly Tree.SelectItem[],
): Selection {
  const frame = optionFrame(level, 'select', subjectOf(selectable.resolved));
  const draft = new SelectionDraft();
  const written = { type: selectable.type, items, isOutermost: level.depth === 0 };
  for (const item of items) {
    if (item.kind === 'star') draft.all = true;
    else if (item.kind === 'operations')
      draft.add(`${item.namespace}.*`, operationsOf(frame, selectable, item));
    else addPath({ level, frame, draft, written }, selectable, item);
  }
  return draft.finish();
}

/** `NS.*`: all operations of a namespace, which can be named by its alias. */
function operationsOf(
  frame: Frame,
  { type }: Selectable,
  { namespace, at }: Tree.SelectItem & { readonly kind: 'operations' },
): SelectedItem {
  const { namespaces } = frame.model.definition;
  const known = namespaces.flatMap(({ name, alias }) =>
    alias === undefined ? [name] : [name, alias],
  );
  const name = `${namespace}.*`;
  if (known.includes(namespace)) return operation(name);
  const hint = didYouMean(
    name,
    known.map((one) => `${one}.*`),
  );
  throw faultAt(frame, at, 'bind.unknown-property', { type: type.name, name, hint });
}

/** A selection under construction. If items name the same property twice, their parts are merged. */
class SelectionDraft {
  all = false;
  compute: readonly Computed[] = [];
  private readonly items = new Map<string, SelectedItem>();
  private readonly inner = new Map<string, SelectionDraft>();

  add(key: string, item: SelectedItem): void {
    this.items.set(key, item);
  }

  has(key: string): boolean {
    return this.items.has(key);
  }

  /** The options for the items of a collection. */
  queryOf(key: string): ElementQuery | undefined {
    const item = this.items.get(key);
    return item?.kind === 'property' ? item.query : undefined;
  }

  /** The draft of the parts of a complex property. */
  inside(key: string): SelectionDraft {
    const known = this.inner.get(key);
    if (known !== undefined) return known;
    const inner = new SelectionDraft();
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

interface SelectContext {
  readonly level: Level;
  readonly frame: Frame;
  readonly draft: SelectionDraft;
  readonly written: WrittenSelect;
}

/** Follows a path to the selected member, and creates a draft for every complex value on the way. */
function addPath(context: SelectContext, selectable: Selectable, path: Tree.SelectPath): void {
  let { draft } = context;
  let { type, computed, resolved } = selectable;
  let onType: StructuredType | undefined;
  for (const [index, step] of path.steps.entries()) {
    const isLast = index === path.steps.length - 1;
    const { frame, level } = context;
    if (step.kind === 'annotation') {
      addAnnotation({ ...context, draft }, resolved, step, path);
      return;
    }
    const cast = castNamed(frame, type, step.name);
    if (cast !== undefined) {
      type = narrowType(frame, type, cast, step.at);
      onType = type;
      if (isLast) throw unknownNameError(frame, selectable.type, step);
      continue;
    }
    const item = selectName({ ...context, draft }, { type, computed }, step, { onType, path });
    const key = `${onType?.name ?? ''}/${step.name}`;
    const value = item.kind === 'property' ? valueIn(level, resolved, item.property) : resolved;
    if (isLast) {
      addLast({ ...context, draft }, key, { item, resolved: value }, path);
      return;
    }
    const inner = item.kind === 'property' ? innerType(frame, item.property) : undefined;
    if (item.kind !== 'property' || inner === undefined)
      throw noPartsError(frame, context.written, step, path);
    const query = draft.queryOf(key) ?? itemsFor(level, item.property, path.options);
    if (!draft.has(key)) draft.add(key, query === undefined ? item : { ...item, query });
    draft = draft.inside(key);
    type = inner;
    computed = NOTHING;
    resolved = query === undefined ? value : resolvedVariable(query.row);
    onType = undefined;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** An annotation must be the last step. */
function addAnnotation(
  { frame, draft, written }: SelectContext,
  resolved: Resolved,
  step: Tree.AnnotationStep,
  path: Tree.SelectPath,
): void {
  const item = annotationMember(frame, resolved, step);
  if (path.steps.at(-1) !== step)
    throw noPartsError(frame, written, { ...step, name: item.name }, path);
  if (path.options !== undefined) rejectOtherOptions(path.options, [], `for "${item.name}"`);
  draft.add(item.name, { kind: 'annotation', ...item });
}

/** The property as expressions see it. */
function valueIn(level: Level, resolved: Resolved, property: Property): Resolved {
  const holder = memberOwner(resolved);
  if (holder === undefined) return resolved;
  const type = typeOfReference(level.session.scope.model, property);
  const path = [...holder.path, property];
  return resolvedValue({ kind: 'property', row: holder.row, path, type });
}

/** The items of a collection inside the path, which expressions in its options can refer to. */
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
  readonly resolved: Resolved;
}

function addLast(
  context: SelectContext,
  key: string,
  { item, resolved }: Last,
  path: Tree.SelectPath,
): void {
  const { draft, frame } = context;
  const { options } = path;
  if (draft.queryOf(key) !== undefined || (options !== undefined && draft.has(key))) {
    const name = stepNames(path).join('/');
    throw faultAt(frame, path.at, 'bind.duplicate', { name });
  }
  if (item.kind !== 'property') {
    if (options !== undefined) rejectOtherOptions(options, [], `for "${key.slice(1)}"`);
    draft.add(key, item);
    return;
  }
  const { selection, query } =
    options === undefined
      ? { selection: EVERYTHING, query: undefined }
      : bindOptions(context, { property: item.property, resolved }, options);
  draft.add(key, query === undefined ? item : { ...item, query });
  mergeInto(draft.inside(key), selection);
}

/** Merges a selection into the draft; selecting the whole property overrides individual parts. */
function mergeInto(draft: SelectionDraft, selection: Selection): void {
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
  /** The options for the items of a collection. */
  readonly query: ElementQuery | undefined;
}

/** Binds the options in parentheses after a property. OData 4.01 URL Conventions, "System Query Option $select". */
function bindOptions(
  { level, frame }: SelectContext,
  { property, resolved }: { readonly property: Property; readonly resolved: Resolved },
  options: Tree.NestedOptions,
): Parts {
  const type = typeOfReference(level.session.scope.model, property);
  const forParts = type.kind === 'complex' ? COMPLEX_OPTIONS : [];
  const inner = innerLevel(level, frame, options);
  if (!isCollection(type)) {
    rejectOtherOptions(options, forParts, `for "${property.name}", which is a single value`);
    return { selection: bindParts(inner, type, resolved, options), query: undefined };
  }
  rejectOtherOptions(options, [...ITEM_OPTIONS, ...forParts], `for "${property.name}"`);
  invariant(resolved.kind === 'value', 'a collection of values is a value');
  const items = { row: newItem(level, type), of: resolved.value };
  const selection = bindParts(
    inner,
    type,
    resolvedVariable(items.row),
    options,
    allItems(inner, items),
  );
  return { selection, query: bindElementQuery(inner, items, options, selection.compute) };
}

/** Binds $select and $compute of a complex value or of each item of a collection. Throws: as bindSelect and bindCompute. */
export function bindParts(
  level: Level,
  type: ValueType,
  resolved: Resolved,
  options: Tree.NestedOptions,
  these?: These,
): Selection {
  if (type.kind !== 'complex') return EVERYTHING;
  const compute = computedParts(level, type.type, resolved, { ...options, these });
  const selectable = {
    type: type.type,
    computed: new Set(compute.map(({ name }) => name)),
    resolved,
  };
  const selection =
    options.select === undefined ? EVERYTHING : bindSelect(level, selectable, options.select);
  return compute.length === 0 ? selection : { ...selection, compute };
}

function computedParts(
  level: Level,
  type: StructuredType,
  resolved: Resolved,
  { compute, these }: Tree.NestedOptions & { readonly these: These | undefined },
): readonly Computed[] {
  if (compute === undefined) return [];
  const subject = subjectOf(resolved);
  const members = level.session.scope.model.members(type);
  const frame = { ...optionFrame(level, 'compute', subject), these };
  return bindCompute(frame, subject, compute, (name) => members.has(name));
}

/** Resolves a name in $select. */
function selectName(
  context: SelectContext,
  { type, computed }: Pick<Selectable, 'type' | 'computed'>,
  step: Tree.SelectStep,
  { onType, path }: { readonly onType: StructuredType | undefined; readonly path: Tree.SelectPath },
): SelectedItem {
  const { level, frame } = context;
  const { model, rules } = level.session.scope;
  if (computed.has(step.name)) return { kind: 'named', name: step.name };
  const member = model.members(type).get(step.name);
  if (member?.kind === 'property') return { kind: 'property', property: member, onType };
  if (member?.kind === 'navigation') {
    if (rules === 'odata') return { kind: 'navigation', navigation: member, onType };
    throw navigationError(frame, context.written, step, path);
  }
  if (operationsNamed(model, step.name).some(({ bound }) => bound)) {
    return operation(fullName(model, step.name));
  }
  if (isDynamicName(model, type, step.name) && !step.name.includes('.'))
    return { kind: 'named', name: step.name };
  throw unknownNameError(frame, type, step);
}

function operation(name: string): SelectedItem {
  return { kind: 'operation', name };
}

function castNamed(frame: Frame, type: StructuredType, name: string): StructuredType | undefined {
  return frame.model.members(type).has(name) ? undefined : structuredNamed(frame.model, name);
}

function innerType(frame: Frame, property: Property): StructuredType | undefined {
  const type = typeOfReference(frame.model, property);
  return type.kind === 'complex' ? type.type : undefined;
}
