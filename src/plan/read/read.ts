// Plans reads of resource paths: entities, references, counts, single values and streams. Rights are already part of the bound
// read. This file combines pages, order, shapes and contexts.

import { Fault, invariant, unreachable } from '../../base/fault.ts';
import { filePartOf } from '../../bind/body/uploaded-file-names.ts';
import type { BoundRead, Expression, Wanted } from '../../bind/bound.ts';
import { variable } from '../../bind/expression/constructors.ts';
import { isCollection, typeOfReference } from '../../bind/expression/types.ts';
import { EVERYTHING } from '../../bind/query/option-scope.ts';
import { appliedPreference } from '../../request/headers/parse-prefer.ts';
import type {
  DynamicMember,
  Output,
  Page,
  Paging,
  ReadPlan,
  Shape,
  ValueMember,
} from '../read-plan.ts';
import { transitionsShape } from '../shape/allowed-transitions.ts';
import { typeWithDeadlines } from '../shape/clock-effects.ts';
import { etagMember, type ShapedEntity, visibleUrls } from '../shape/control-information.ts';
import { rightsShape } from '../shape/effective-rights.ts';
import { countMember, itemsOf, partsOf } from '../shape/property-values.ts';
import { appliedShape, contentOf, entityShape, referenceShape } from '../shape/row-shape.ts';
import { annotation, type Place, type ShapeScope } from '../shape/shape-scope.ts';
import { contextKeys, contextOf } from './context-url.ts';
import { decidePage, type PageRequest, pagingOf, positionOf, preferredSize } from './page.ts';
import { urlsOfRows } from './row-urls.ts';
import { selectRows, totalOrder } from './select-rows.ts';

/** Plans a secured read. Throws: plan.skiptoken, access.member, request.not-acceptable, not-built. */
export function planRead(scope: ShapeScope, read: BoundRead): ReadPlan {
  const { wanted } = read;
  switch (wanted.kind) {
    case 'entities':
      return planCollection(scope, read, { kind: 'entities', shape: rowShape(scope, read) });
    case 'references':
      return planCollection(scope, read, {
        kind: 'references',
        shape: idShape(scope, read),
      });
    case 'entity':
      return planSingle(scope, read, { kind: 'entity', shape: withEtag(scope, read) });
    case 'reference':
      return planSingle(scope, read, { kind: 'reference', shape: idShape(scope, read) });
    case 'rights':
      if (wanted.whose !== undefined)
        throw new Fault('not-built', {
          feature: 'EffectiveRights of another account on this path',
        });
      return planSingle(scope, read, { kind: 'entity', shape: rightsShape(scope, read) });
    case 'transitions':
      return {
        ...planSingle(scope, read, { kind: 'entity', shape: transitionsShape(scope, read) }),
        showsDeadlines: typeWithDeadlines(scope, read.rows.row),
      };
    case 'transition-lists':
      return {
        ...planCollection(scope, read, { kind: 'entities', shape: transitionsShape(scope, read) }),
        showsDeadlines: typeWithDeadlines(scope, read.rows.row),
      };
    case 'calculation':
    case 'explanation':
      throw new Fault('not-built', { feature: `${wanted.operation.name} on this path` });
    case 'count':
      return planSingle(scope, read, wanted);
    case 'stream':
      return planSingle(scope, read, { ...wanted, ...fileNameOf(scope, read, wanted) });
    case 'property': {
      if (wanted.elements?.count === true) return planWithCount(scope, read, wanted);
      const member = valueIn(scope, read, wanted);
      return planSingle(scope, read, {
        kind: 'property',
        member,
        form: scope.form,
        etag: undefined,
        dynamic: dynamicIn(scope, wanted),
      });
    }
    case 'raw':
      return planSingle(scope, read, rawOutput(scope, wanted));
    case 'property-count': {
      const member = valueIn(scope, read, wanted);
      return planSingle(scope, read, { kind: 'property-count', member });
    }
    default:
      return unreachable(wanted);
  }
}

/** The download name of a media entity, if the model defines a member for it. */
function fileNameOf(
  { model }: ShapeScope,
  { rows }: BoundRead,
  { property }: Wanted & { readonly kind: 'stream' },
): { readonly fileName?: Expression | undefined } {
  const { type } = rows.row;
  const part = filePartOf(model, type, 'file-name') ?? filePartOf(model, type, 'name');
  if (property !== undefined || part === undefined) return {};
  const value = { kind: 'property', path: [part], type: typeOfReference(model, part) } as const;
  return { fileName: { ...value, row: { kind: 'variable', row: rows.row } } };
}

/** Plans one page of a collection, in a total order. */
function planCollection(scope: ShapeScope, read: BoundRead, output: Output): ReadPlan {
  const { query, rows } = read;
  const order = totalOrder(scope.model, query);
  const paging = pagingOf(rows.row.source, query, order);
  const token = positionOf(scope.options.skiptoken, paging, order, scope.parameters);
  const { top, skip } = query;
  // Next links by offset contain the value of $skip.
  const skipParameter = paging.by === 'offset' ? undefined : scope.parameters?.ofKind('skip');
  const { page, rest } = pageOf(scope, { top, skip, skipParameter, token }, paging);
  return {
    ...commonPart(scope, read),
    select: selectRows(scope.guard, rows, query, order, page),
    output,
    applied: appliedPreferences(scope, true),
    ...rest,
  };
}

/** The page for a request, and how to find the next one. */
export function pageOf(
  { limits, prefer }: ShapeScope,
  request: Omit<PageRequest, 'preferred'>,
  paging: Paging,
): {
  readonly page: Page;
  readonly rest: { readonly paging: Paging; readonly remaining?: number | undefined };
} {
  const preferred = prefer.maxpagesize;
  const { page, size, ...remaining } = decidePage(limits, { ...request, preferred });
  return {
    page,
    rest: { paging: size === undefined ? paging : { ...paging, size }, ...remaining },
  };
}

/** Plans a single row, or one value for all rows. */
function planSingle(scope: ShapeScope, read: BoundRead, output: Output): ReadPlan {
  if (scope.options.skiptoken !== undefined) {
    const reason = 'this path does not return a collection';
    throw new Fault('plan.skiptoken', { reason }, { target: '$skiptoken' });
  }
  const isShaped = output.kind === 'entity' || output.kind === 'property';
  return {
    ...commonPart(scope, read),
    select: { ...selectRows(scope.guard, read.rows, read.query, []), count: false },
    output,
    applied: isShaped ? appliedPreferences(scope, false) : [],
  };
}

function commonPart(
  scope: ShapeScope,
  read: BoundRead,
): Pick<ReadPlan, 'kind' | 'language' | 'parent' | 'nullable' | 'context' | 'contextKeys'> {
  const { version, options, form } = scope;
  return {
    kind: 'read',
    language: form.language,
    parent: read.parent,
    nullable: read.nullable,
    context: contextOf(read, { version, written: options }),
    contextKeys: contextKeys(read),
  };
}

/** The applied preferences. OData 4.01 Protocol, "Header Preference-Applied". */
export function appliedPreferences(scope: ShapeScope, isPaged: boolean): readonly string[] {
  const { prefer, limits } = scope;
  const { omitValues, includeAnnotations } = prefer;
  const values = {
    maxpagesize: isPaged ? preferredSize(limits, prefer.maxpagesize) : undefined,
    'omit-values': omitValues,
    'include-annotations': includeAnnotations && `"${includeAnnotations.join(',')}"`,
  };
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [appliedPreference(prefer, name, value)],
  );
}

function shapedEntityOf(scope: ShapeScope, { rows, query, address }: BoundRead): ShapedEntity {
  const urls = visibleUrls(scope, rows.row, urlsOfRows(scope.model, rows, address));
  return { row: rows.row, query, urls, written: scope.options };
}

export function rowShape(scope: ShapeScope, read: BoundRead): Shape {
  const { row } = read.query;
  return row.kind === 'derived'
    ? appliedShape(scope, {
        row,
        query: read.query,
        rows: read.rows,
        written: scope.options,
      })
    : entityShape(scope, shapedEntityOf(scope, read));
}

/** A single entity always starts with its ETag: the header needs it even if the body omits it. */
function withEtag(scope: ShapeScope, read: BoundRead): Shape {
  const shape = rowShape(scope, read);
  if (scope.metadata !== 'none') return shape;
  return { ...shape, members: [...etagMember(scope, read.rows.row), ...shape.members] };
}

function idShape(scope: ShapeScope, { rows, address }: BoundRead): Shape {
  return referenceShape(scope, rows.row, urlsOfRows(scope.model, rows, address));
}

/** A value as text, or one item of a collection. */
function rawOutput(scope: ShapeScope, wanted: Wanted & { readonly kind: 'raw' }): Output {
  const { value, index } = wanted;
  const raw = { kind: 'raw', value, form: scope.form } as const;
  return index === undefined ? raw : { ...raw, item: { row: scope.newElement(value.type), index } };
}

type WantedValue = Wanted & { readonly kind: 'property' | 'property-count' };

/** The value of a property, as the member `value` of its wrapper object. */
function valueIn(scope: ShapeScope, read: BoundRead, wanted: WantedValue): ValueMember {
  const { value } = wanted;
  const path = wanted.kind === 'property' ? wanted.path : [];
  const selection = (wanted.kind === 'property' ? wanted.selection : undefined) ?? EVERYTHING;
  const property = path.at(-1);
  const place: Place = { row: variable(read.rows.row), path };
  const { elements } = wanted;
  const parts =
    property === undefined
      ? elements && isCollection(value.type) && { items: itemsOf(elements) }
      : partsOf(
          scope,
          place,
          { property, type: value.type, selection, query: wanted.elements },
          contentOf(scope, shapedEntityOf(scope, read)),
        );
  const member: ValueMember = { kind: 'value', name: 'value', value, ...parts };
  if (wanted.kind === 'property-count' && wanted.elements !== undefined) {
    const { row, filter } = wanted.elements;
    return { ...member, items: { row, order: [], filter } };
  }
  return wanted.kind === 'property' ? pickItem(scope, member, wanted.index) : member;
}

/** The member of a dynamic property, which may have a type. XML, and JSON without metadata, have the value alone. */
function dynamicIn(
  { isXml, metadata }: ShapeScope,
  { value, index }: WantedValue & { readonly kind: 'property' },
): DynamicMember | undefined {
  if (isXml || metadata === 'none' || index !== undefined) return undefined;
  if (value.kind !== 'dynamic' || value.inside !== undefined) return undefined;
  const { row, path, name } = value;
  return { kind: 'dynamic', row, path, names: [name] };
}

/** `$count=true` on a collection of values: one object with the number and the values. */
function planWithCount(
  scope: ShapeScope,
  read: BoundRead,
  wanted: WantedValue & { readonly kind: 'property' },
): ReadPlan {
  const { elements, value } = wanted;
  invariant(elements !== undefined, 'only collections are counted');
  if (scope.isXml) {
    const supported = 'XML cannot represent the number of values; request application/json';
    throw new Fault('request.not-acceptable', { accept: 'application/xml', supported });
  }
  const count = countMember(annotation(scope, '', 'count'), value, elements);
  const members = [count, valueIn(scope, read, wanted)];
  const shape: Shape = { row: read.rows.row, form: scope.form, members };
  return { ...planSingle(scope, read, { kind: 'entity', shape }), nullable: false };
}

/** Reduces a collection to one item, if the request has an index. */
function pickItem(scope: ShapeScope, member: ValueMember, index: number | undefined): ValueMember {
  const { type } = member.value;
  if (index === undefined || !isCollection(type)) return member;
  const items = member.items ?? { row: scope.newElement(type), order: [] };
  return { ...member, items: { ...items, index } };
}
