// This file writes property values in the OData Atom Format 4.0: an element for each property, with its type where it is no string.
// OData Atom Format 4.0, "Structural Property".
import { type Content, element, type XmlElement } from '../base/xml.ts';
import type { ValueType } from '../bind/bound.ts';
import { itemType, typeName } from '../bind/types.ts';
import type { Model } from '../edm/model.ts';
import { primitiveRow } from '../edm/primitives.ts';
import { gmlElement } from './atom-geo.ts';
import { type AtomRecord, isObject, readRecord } from './atom-record.ts';

/** The elements of a structured value's properties. */
export function structureElements({ model, properties }: AtomRecord): readonly XmlElement[] {
  return properties.map(({ name, type, value }) => {
    if (value === null) return element(`d:${name}`, { 'm:null': 'true' });
    const attributes = { 'm:type': valueTypeName(type) };
    return element(`d:${name}`, attributes, valueContent(model, type, value));
  });
}

/** The value of `m:type`: `Int64`, `#Model.Code`, `#Collection(String)`; nothing for strings, which need none. */
export function valueTypeName(type: ValueType): string | undefined {
  const name = typeName(type).replaceAll('Edm.', '');
  if (type.kind === 'null' || name === 'String' || name === 'Untyped') return undefined;
  return type.kind === 'primitive' && !type.collection ? name : `#${name}`;
}

/** What stands inside the element of a value that is not null. */
export function valueContent(model: Model, type: ValueType, value: unknown): readonly Content[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => itemElement(model, itemType(type), item));
  }
  const place = isObject(value) ? geoElement(type, value) : undefined;
  if (place !== undefined) return [place];
  if (!isObject(value)) return [String(value)];
  const declared = type.kind === 'complex' ? type.type : undefined;
  return structureElements(readRecord(model, declared, value));
}

function itemElement(model: Model, type: ValueType, item: unknown): XmlElement {
  if (item === null) return element('m:element', { 'm:null': 'true' });
  return element('m:element', {}, valueContent(model, type, item));
}

/** A geographic or geometric value; undefined for values of other types. */
function geoElement(type: ValueType, value: object): XmlElement | undefined {
  if (type.kind !== 'primitive') return undefined;
  const { geo } = primitiveRow(type.name);
  if (geo === undefined) return undefined;
  const family = type.name.startsWith('Edm.Geometry') ? 'geometry' : 'geography';
  const { srid } = type.facets;
  return gmlElement(value, { family, srid: typeof srid === 'number' ? srid : geo.srid });
}
