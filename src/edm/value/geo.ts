// This file parses geography and geometry values into GeoJSON text, their canonical form: GeoJSON in bodies, well-known text in
// literals. It validates them but does no calculations.
// OData JSON 4.01, "Primitive Value"; OData ABNF, rules geographyCollection to geometryPolygon.

import type { Facets } from '../model.ts';
import { isJsonObject, type JsonInput, numberText } from './lossless-json.ts';
import { expected, found, type ReadResult } from './read-result.ts';

type Coordinates = number | readonly Coordinates[];

interface Shape {
  readonly type: string;
  readonly coordinates?: Coordinates;
  readonly geometries?: readonly Shape[];
}

/** The nesting depth of positions in `coordinates`. */
const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['Point', 0],
  ['LineString', 1],
  ['MultiPoint', 1],
  ['Polygon', 2],
  ['MultiLineString', 2],
  ['MultiPolygon', 3],
]);
const COLLECTION = 'GeometryCollection';
const MAX_NESTING = 16;

export interface GeoKind {
  /** The GeoJSON type, `Point` for Edm.GeographyPoint; undefined allows any. */
  readonly shape: string | undefined;
  /** The default coordinate system. */
  readonly srid: number;
}

/** Reads a GeoJSON object from a body. */
export function readGeoJson(input: JsonInput, kind: GeoKind, facets: Facets): ReadResult<string> {
  const shape = shapeOf(input, 0);
  if (shape === undefined || !isJsonObject(input)) return expected(describe(kind));
  const system = systemOf(input);
  if (system === undefined)
    return expected('the coordinate system in crs as a name such as EPSG:4326');
  return canonical(shape, system === 'absent' ? kind.srid : system, kind, facets);
}

/** Reads well-known text with its coordinate system, `SRID=0;Point(142.1 64.1)`. */
export function readGeoText(text: string, kind: GeoKind, facets: Facets): ReadResult<string> {
  const [, srid, body = ''] = /^SRID=(\d{1,5});(.*)$/is.exec(text) ?? [];
  const reader = new TextReader(body);
  const shape = reader.shape(0);
  if (srid === undefined || shape === undefined || !reader.isAtEnd()) {
    return expected(`${describe(kind)}, such as SRID=${kind.srid};Point(142.1 64.1)`);
  }
  return canonical(shape, Number(srid), kind, facets);
}

/** Converts canonical GeoJSON to well-known text, without the quotes and the prefix of a literal. */
export function writeGeoText(geoJson: string, kind: GeoKind): string {
  const parsed: JsonInput = JSON.parse(geoJson);
  const shape = shapeOf(parsed, 0);
  const system = isJsonObject(parsed) ? systemOf(parsed) : undefined;
  const srid = typeof system === 'number' ? system : kind.srid;
  return `SRID=${srid};${shape === undefined ? '' : printText(shape)}`;
}

function canonical(shape: Shape, srid: number, kind: GeoKind, facets: Facets): ReadResult<string> {
  if (kind.shape !== undefined && shape.type !== kind.shape) return expected(describe(kind));
  const required = facets.srid ?? kind.srid;
  if (required !== 'variable' && required !== srid)
    return expected(`the coordinate system ${required}`);
  const crs = { type: 'name', properties: { name: `EPSG:${srid}` } };
  return found(JSON.stringify(srid === kind.srid ? shape : { ...shape, crs }));
}

function describe(kind: GeoKind): string {
  return `GeoJSON of type ${kind.shape ?? `${[...DEPTHS.keys()].join(', ')} or ${COLLECTION}`}`;
}

function shapeOf(input: JsonInput, nesting: number): Shape | undefined {
  if (!isJsonObject(input) || typeof input.type !== 'string' || nesting > MAX_NESTING) {
    return undefined;
  }
  const { type } = input;
  if (type === COLLECTION) {
    const members = input.geometries;
    if (!Array.isArray(members)) return undefined;
    const geometries = members.map((member: JsonInput) => shapeOf(member, nesting + 1));
    return geometries.every(isShape) ? { type, geometries } : undefined;
  }
  const depth = DEPTHS.get(type);
  const coordinates = depth === undefined ? undefined : coordinatesOf(input.coordinates, depth);
  return coordinates !== undefined && isWellFormed(type, coordinates)
    ? { type, coordinates }
    : undefined;
}

function isShape(shape: Shape | undefined): shape is Shape {
  return shape !== undefined;
}

function coordinatesOf(input: JsonInput | undefined, depth: number): Coordinates | undefined {
  if (!Array.isArray(input)) return undefined;
  const items = input.map((item: JsonInput) =>
    depth === 0 ? Number(numberText(item) ?? Number.NaN) : coordinatesOf(item, depth - 1),
  );
  if (depth === 0) return isPosition(items) ? items : undefined;
  return items.every((item) => item !== undefined) ? items : undefined;
}

function isPosition(items: readonly (Coordinates | undefined)[]): items is readonly number[] {
  return items.length >= 2 && items.length <= 4 && items.every(Number.isFinite);
}

/** Whether polygons have only closed rings, and lines at least two positions. */
function isWellFormed(type: string, coordinates: Coordinates): boolean {
  const list = Array.isArray(coordinates) ? coordinates : [];
  switch (type) {
    case 'LineString':
      return list.length >= 2;
    case 'MultiLineString':
      return list.every((line) => isWellFormed('LineString', line));
    case 'Polygon':
      return list.length > 0 && list.every(isRing);
    case 'MultiPolygon':
      return list.every((polygon) => isWellFormed('Polygon', polygon));
    default:
      return true;
  }
}

function isRing(ring: Coordinates): boolean {
  return (
    Array.isArray(ring) &&
    ring.length > 0 &&
    JSON.stringify(ring[0]) === JSON.stringify(ring.at(-1))
  );
}

/** The number in `{"type":"name","properties":{"name":"EPSG:4326"}}`; undefined for any other `crs`. */
function systemOf(input: { readonly [name: string]: JsonInput }): number | 'absent' | undefined {
  const crs = input.crs;
  if (crs === undefined) return 'absent';
  const properties = isJsonObject(crs) ? crs.properties : undefined;
  const name = isJsonObject(properties) ? properties.name : undefined;
  const match = typeof name === 'string' ? /^EPSG:(\d{1,5})$/.exec(name) : null;
  return match === null ? undefined : Number(match[1]);
}

function printText(shape: Shape): string {
  if (shape.geometries !== undefined) {
    return `${COLLECTION}(${shape.geometries.map(printText).join(',')})`;
  }
  const { type, coordinates = [] } = shape;
  // Unlike GeoJSON, well-known text encloses each position of a MultiPoint in parentheses.
  const items =
    type === 'MultiPoint' && Array.isArray(coordinates)
      ? coordinates.map((item) => [item])
      : coordinates;
  return type + (type === 'Point' ? `(${printPosition(items)})` : printItems(items));
}

function printItems(items: Coordinates): string {
  if (!Array.isArray(items)) return '()';
  const isPositions = items.every((item) => Array.isArray(item) && typeof item[0] === 'number');
  return `(${items.map(isPositions ? printPosition : printItems).join(',')})`;
}

function printPosition(position: Coordinates): string {
  return Array.isArray(position) ? position.join(' ') : '';
}

/** A parser for well-known text. */
class TextReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#position === this.#text.length;
  }

  shape(nesting: number): Shape | undefined {
    const name = this.#take(/[a-z]+/iy)?.toLowerCase();
    if (name === COLLECTION.toLowerCase()) {
      const geometries =
        nesting < MAX_NESTING ? this.#list(() => this.shape(nesting + 1)) : undefined;
      return geometries === undefined ? undefined : { type: COLLECTION, geometries };
    }
    const type = [...DEPTHS.keys()].find((kind) => kind.toLowerCase() === name);
    const coordinates = type === undefined ? undefined : this.#coordinates(type);
    if (type === undefined || coordinates === undefined) return undefined;
    return isWellFormed(type, coordinates) ? { type, coordinates } : undefined;
  }

  #coordinates(type: string): Coordinates | undefined {
    if (type === 'Point') return this.#list(() => this.#readPosition())?.[0];
    if (type === 'MultiPoint') return this.#list(() => this.#list(() => this.#readPosition())?.[0]);
    return this.#nested(DEPTHS.get(type) ?? 1);
  }

  #nested(depth: number): Coordinates | undefined {
    return this.#list(() => (depth === 1 ? this.#readPosition() : this.#nested(depth - 1)));
  }

  #readPosition(): Coordinates | undefined {
    const text = this.#take(
      /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?: -?\d+(?:\.\d+)?(?:e[+-]?\d+)?){1,3}/iy,
    );
    return text?.split(' ').map(Number);
  }

  #list<Item>(item: () => Item | undefined): readonly Item[] | undefined {
    if (this.#take(/\(/y) === undefined) return undefined;
    const items: Item[] = [];
    if (this.#take(/\)/y) !== undefined) return items;
    do {
      const next = item();
      if (next === undefined) return undefined;
      items.push(next);
    } while (this.#take(/,/y) !== undefined);
    return this.#take(/\)/y) === undefined ? undefined : items;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#position = pattern.lastIndex;
    return match[0];
  }
}
