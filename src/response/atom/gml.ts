// This file converts geographic values from GeoJSON to GML. In GML, latitude comes before longitude.
// OData Atom Format 4.0, "Primitive Value"; OGC 07-036 (GML), "Geometric primitives".
import { element, type XmlElement } from '../../base/xml.ts';

/** A position, or nested lists of positions. */
type Coordinates = number | readonly Coordinates[];

interface Shape {
  readonly type: string;
  readonly coordinates?: Coordinates;
  readonly geometries?: readonly unknown[];
}

const GML = 'http://www.opengis.net/gml';
const CRS = 'http://www.opengis.net/def/crs/EPSG/0/';

export interface Reference {
  readonly family: 'geography' | 'geometry';
  /** 0 if there is none. */
  readonly srid: number;
}

/** Returns the GML of a value that is not null; undefined if it is not GeoJSON. */
export function gmlElement(value: unknown, reference: Reference): XmlElement | undefined {
  if (!isShape(value)) return undefined;
  const inner = shapeElement(value, reference);
  const attributes = { 'xmlns:gml': GML, 'gml:srsName': `${CRS}${reference.srid}` };
  return inner && { ...inner, attributes: { ...attributes, ...inner.attributes } };
}

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function shapeElement(
  { type, coordinates = [], geometries = [] }: Shape,
  reference: Reference,
): XmlElement | undefined {
  const parts = (of: string) =>
    listOf(coordinates).flatMap(
      (one) => shapeElement({ type: of, coordinates: one }, reference) ?? [],
    );
  switch (type) {
    case 'Point':
      return element('gml:Point', {}, [element('gml:pos', {}, [position(coordinates, reference)])]);
    case 'LineString':
      return element('gml:LineString', {}, [positions(coordinates, reference)]);
    case 'Polygon':
      return element('gml:Polygon', {}, rings(coordinates, reference));
    case 'MultiPoint':
      return many('gml:MultiPoint', 'gml:pointMembers', parts('Point'));
    case 'MultiLineString':
      return many('gml:MultiCurve', 'gml:curveMembers', parts('LineString'));
    case 'MultiPolygon':
      return many('gml:MultiSurface', 'gml:surfaceMembers', parts('Polygon'));
    case 'GeometryCollection': {
      const inner = geometries.filter(isShape);
      const members = inner.flatMap((one) => shapeElement(one, reference) ?? []);
      return many('gml:MultiGeometry', 'gml:geometryMembers', members);
    }
    default:
      return undefined;
  }
}

function many(name: string, members: string, inner: readonly XmlElement[]): XmlElement {
  return element(name, {}, inner.length === 0 ? [] : [element(members, {}, inner)]);
}

/** The first ring is the exterior, the others are holes. */
function rings(coordinates: Coordinates, reference: Reference): readonly XmlElement[] {
  return listOf(coordinates).map((ring, index) =>
    element(index === 0 ? 'gml:exterior' : 'gml:interior', {}, [
      element('gml:LinearRing', {}, [positions(ring, reference)]),
    ]),
  );
}

function positions(coordinates: Coordinates, reference: Reference): XmlElement {
  const all = listOf(coordinates).map((one) => position(one, reference));
  return element('gml:posList', {}, [all.join(' ')]);
}

/** GeoJSON has longitude before latitude. */
function position(coordinates: Coordinates, { family }: Reference): string {
  const [x = 0, y = 0, ...others] = listOf(coordinates);
  const first = family === 'geography' ? [y, x] : [x, y];
  return [...first, ...others].join(' ');
}

function listOf(coordinates: Coordinates): readonly Coordinates[] {
  return typeof coordinates === 'number' ? [coordinates] : coordinates;
}
