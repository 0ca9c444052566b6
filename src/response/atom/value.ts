// This file writes property values in the OData Atom Format 4.0: an element for each property, with its type unless it is a string.
// OData Atom Format 4.0, "Structural Property".
import { type Content, element, type XmlElement } from '../../base/xml.ts';
import type { ValueType } from '../../bind/bound.ts';
import { itemType, typeName } from '../../bind/expression/types.ts';
import type { Model } from '../../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  numberText,
} from '../../edm/value/lossless-json.ts';
import { primitiveRow } from '../../edm/value/primitives.ts';
import { gmlElement } from './gml.ts';
import { type AtomRecord, readRecord } from './record.ts';

/** Returns the elements for the properties of a structured value. */
export function structureElements({ model, properties }: AtomRecord): readonly XmlElement[] {
  return properties.map(({ name, type, value }) => {
    if (value === null) return element(`d:${name}`, { 'm:null': 'true' });
    const attributes = { 'm:type': ownTypeName(type, value) };
    return element(`d:${name}`, attributes, valueContent(model, type, value));
  });
}

/** Returns the value of `m:type`: the type named in the value, which may be derived from the declared one, or the declared one. */
export function ownTypeName(type: ValueType, value: JsonInput): string | undefined {
  const named = isJsonObject(value) ? value['@odata.type'] : undefined;
  return typeof named === 'string' ? named : valueTypeName(type);
}

/** Returns `Int64`, `#Model.Code`, `#Collection(String)`; undefined for strings, which are the default. */
function valueTypeName(type: ValueType): string | undefined {
  const name = typeName(type).replaceAll('Edm.', '');
  if (type.kind === 'null' || name === 'String' || name === 'Untyped') return undefined;
  return type.kind === 'primitive' && !type.collection ? name : `#${name}`;
}

/** Returns the content of the element for a value that is not null. */
export function valueContent(model: Model, type: ValueType, value: JsonInput): readonly Content[] {
  if (isJsonArray(value)) return value.map((item) => itemElement(model, itemType(type), item));
  if (!isJsonObject(value)) return [numberText(value) ?? String(value)];
  const place = geoElement(type, value);
  if (place !== undefined) return [place];
  const declared = type.kind === 'complex' ? type.type : undefined;
  return structureElements(readRecord(model, declared, value));
}

/** An item has `m:type` only if it differs from that of the collection. OData Atom Format 4.0, "Collection of Primitive or Complex Values". */
function itemElement(model: Model, type: ValueType, item: JsonInput): XmlElement {
  if (item === null) return element('m:element', { 'm:null': 'true' });
  const own = ownTypeName(type, item);
  const attributes = own === valueTypeName(type) ? {} : { 'm:type': own };
  return element('m:element', attributes, valueContent(model, type, item));
}

/** Returns the element of a geographic or geometric value; undefined for other types. */
function geoElement(type: ValueType, value: object): XmlElement | undefined {
  if (type.kind !== 'primitive') return undefined;
  const { geo } = primitiveRow(type.name);
  if (geo === undefined) return undefined;
  const family = type.name.startsWith('Edm.Geometry') ? 'geometry' : 'geography';
  const { srid } = type.facets;
  return gmlElement(value, { family, srid: typeof srid === 'number' ? srid : geo.srid });
}
