// Binds writes of single properties, collection items and streams.
// OData Protocol 4.01, "Managing Values and Properties Directly", "Manage Stream Properties", "Manage Media Entities".
import { Fault, invariant, notAllowed } from '../../base/fault.ts';
import type { ComplexType, Property } from '../../edm/model.ts';
import { allowsWrite } from '../../edm/restrictions.ts';
import { type JsonObject, printJson } from '../../edm/value/lossless-json.ts';
import type { Method } from '../../request/tree.ts';
import type { Body, EntityPlace } from '../body/body-context.ts';
import { readDynamicMember } from '../body/entity-body.ts';
import {
  checkWritable,
  dynamicMember,
  emptyValue,
  type NamedProperty,
  presenceAround,
  readItems,
  readRaw,
  readWhole,
  storedPath,
} from '../body/property-body.ts';
import { uploadedFileMembers } from '../body/uploaded-file-names.ts';
import type { BoundWrite, InputLink, InputValue } from './bound-write.ts';
import { suppliedBy, type Upsert, upsert } from './entity-write.ts';
import { placeOfRows, readOfOne, type Write, type WriteTarget } from './write-target.ts';

type PropertyTarget = WriteTarget & { readonly kind: 'property' };
type PropertyMode = (BoundWrite & { readonly kind: 'property' })['mode'];

/** Binds writes of a property, an item, or a raw value. Throws: request.method, write.read-only, write.value, not-built. */
export function bindProperty(write: Write, target: PropertyTarget): BoundWrite {
  const { tree, body } = write;
  if (target.dynamic && target.path.length === 1) return bindDynamic(write, target);
  const { read, path } = target;
  const property = path.at(-1);
  invariant(property !== undefined, 'a property has a path');
  const mode = modeOf(body, tree.method, target, property);
  const index = mode === 'append' ? tree.options.index : target.index;
  const place = placeOfRows(read.rows, mode === 'merge' ? 'merge' : 'replace');
  const named: NamedProperty = { place, path, property, cast: castOf(target, property) };
  checkWritable(body, named);
  const { values, links } = valuesOf(write, target, named, mode);
  if (index !== undefined && values.length > 1) {
    const { name, type } = property;
    const shown = printJson(write.input ?? null).slice(0, 60);
    const expected = 'send one item for one position.';
    throw new Fault('write.value', { shown, name, type, expected }, { target: name });
  }
  return {
    kind: 'property',
    address: read.address,
    result: read,
    rows: read.rows,
    path: storedPath(body, path),
    mode,
    values,
    links,
    index,
  };
}

/** The type of a complex value that the URL names by a cast. */
function castOf({ read }: PropertyTarget, { type }: Property): ComplexType | undefined {
  const { wanted } = read;
  const value = wanted.kind === 'property' ? wanted.value.type : undefined;
  const isCast = value?.kind === 'complex' && !value.collection && value.type.name !== type;
  return isCast ? value.type : undefined;
}

/** Writes a dynamic property of the entity itself, as a change of the entity with only this member. */
function bindDynamic(write: Write, target: PropertyTarget): BoundWrite {
  const { tree, body } = write;
  const { read, path, index, raw } = target;
  const [property] = path;
  invariant(property !== undefined, 'a property has a path');
  const allowed: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE'];
  if (!allowed.includes(tree.method)) throw notAllowed(tree.method, allowed);
  if (index !== undefined) throw new Fault('not-built', { feature: 'items of dynamic properties' });
  const place = placeOfRows(read.rows, 'merge');
  const member = memberOf(write, property, raw);
  const entity = body.entity(body, place, member);
  return {
    kind: 'change',
    address: read.address,
    result: read,
    rows: read.rows,
    mode: 'merge',
    input: entity,
    nullable: false,
  };
}

/** The dynamic property as the only member of its entity or complex value. */
function memberOf({ tree, body, input }: Write, property: Property, raw: boolean): JsonObject {
  return tree.method === 'DELETE'
    ? { [property.name]: null }
    : dynamicMember(body, property, input, raw);
}

interface PropertyValues {
  readonly values: readonly InputValue[];
  readonly links: readonly InputLink[];
}

function valuesOf(
  write: Write,
  target: PropertyTarget,
  named: NamedProperty,
  mode: PropertyMode,
): PropertyValues {
  const { body, input } = write;
  const isItem = target.index !== undefined;
  if (target.dynamic && !isItem) {
    const parents = named.path.slice(0, -1);
    const member = memberOf(write, named.property, target.raw);
    const draft = readDynamicMember(body, { ...named, parents }, member);
    return { ...draft, values: [...presenceAround(body.model, parents), ...draft.values] };
  }
  if (mode === 'clear') return { values: isItem ? [] : emptyValue(body, named), links: [] };
  if (mode === 'append' || isItem) return { values: readItems(body, named, input), links: [] };
  const { values, links, children } = target.raw
    ? readRaw(body, named, input)
    : readWhole(body, named, input);
  if (children.length > 0) {
    throw new Fault('not-built', { feature: 'a change of related entities in a property' });
  }
  return { values, links };
}

function modeOf(
  { model }: Body,
  method: Method,
  { raw, index, read }: PropertyTarget,
  property: Property,
): PropertyMode {
  const isItem = index !== undefined;
  const isList = property.collection && !isItem;
  const type = model.types.get(property.type);
  const isComplex = type?.kind === 'complex' && !raw && !isList;
  const allowed: readonly Method[] = [
    'GET',
    'PUT',
    ...(isList || raw || isItem ? [] : (['PATCH'] as const)),
    ...(isList ? (['POST'] as const) : []),
    'DELETE',
  ];
  if (allowsWrite(read.rows.row, 'updatable') === false) throw notAllowed(method, ['GET']);
  if (!allowed.includes(method)) throw notAllowed(method, allowed);
  if (method === 'DELETE') return 'clear';
  if (method === 'POST') return 'append';
  return method === 'PATCH' && isComplex ? 'merge' : 'replace';
}

/**
 * PUT and DELETE of a stream. The content of a media entity that does not exist creates it, if the client sets the key; deleting the content
 * deletes the entity. Throws: request.method.
 */
export function bindStream(
  { tree, body, sent }: Write,
  { read, property }: WriteTarget & { readonly kind: 'stream' },
): BoundWrite {
  if (tree.method !== 'PUT' && tree.method !== 'DELETE') {
    throw notAllowed(tree.method, ['GET', 'PUT', 'DELETE']);
  }
  const { rows, address } = read;
  const { type } = rows.row;
  const isRemoved = tree.method === 'DELETE';
  if (isRemoved && property === undefined) return { kind: 'delete', address, result: read, rows };
  const fileName = property === undefined ? sent?.fileName : undefined;
  const members = fileName === undefined ? {} : uploadedFileMembers(body.model, type, { fileName });
  const { values } = body.entity(body, placeOfRows(rows, 'merge'), members);
  const stream = { kind: 'stream', address, rows, values, property } as const;
  if (isRemoved) return { ...stream, result: read, action: 'remove' };
  const put = { ...stream, action: 'put' } as const;
  const { create, key }: Upsert =
    property === undefined ? upsert({ body, input: undefined }, rows) : {};
  if (create === undefined) return { ...put, result: read };
  const place: EntityPlace = {
    source: rows.row.source,
    type,
    mode: 'create',
    target: '',
    supplied: suppliedBy(body.model, create),
    file: { kind: 'sent' },
  };
  const input = body.entity(body, place, members);
  return { ...put, result: readOfOne(read), creation: { rows, address, input, create, key } };
}
