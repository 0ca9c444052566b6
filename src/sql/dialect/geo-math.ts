// This file computes geo functions: geography on a sphere, in metres along great circles, and geometry on a plane, in units of the
// coordinates. The input is GeoJSON as written by edm/value/geo.ts.
// OData 4.01 URL Conventions, "Geo Functions".
import { invariant } from '../../base/fault.ts';
import type { Json } from '../../edm/model.ts';

type Position = readonly [x: number, y: number];

export type GeoFamily = 'geography' | 'geometry';

/** Mean radius of the earth in metres. */
const EARTH_RADIUS = 6_371_008.8;

/** The shortest distance between two points. */
export function geoDistance(family: GeoFamily, left: Json, right: Json): number {
  return distance(family, position(coordinatesOf(left)), position(coordinatesOf(right)));
}

/** The length of a line. */
export function geoLength(family: GeoFamily, line: Json): number {
  const positions = positionsOf(coordinatesOf(line));
  return positions
    .slice(1)
    .reduce((sum, to, index) => sum + distance(family, positions[index] ?? to, to), 0);
}

/** Whether a point lies inside a polygon or on its edge. Holes are outside; edges are straight lines between coordinates. */
export function geoIntersects(point: Json, polygon: Json): boolean {
  const at = position(coordinatesOf(point));
  const rings = coordinatesOf(polygon);
  invariant(Array.isArray(rings), 'expected a list of rings');
  const [outer = [], ...holes] = rings.map((ring: Json) => positionsOf(ring));
  if (isOnEdge(at, outer)) return true;
  return isInside(at, outer) && !holes.some((hole) => isInside(at, hole) && !isOnEdge(at, hole));
}

function distance(family: GeoFamily, [x1, y1]: Position, [x2, y2]: Position): number {
  if (family === 'geometry') return Math.hypot(x2 - x1, y2 - y1);
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [latitude1, latitude2] = [radians(y1), radians(y2)];
  const haversine =
    Math.sin((latitude2 - latitude1) / 2) ** 2 +
    Math.cos(latitude1) * Math.cos(latitude2) * Math.sin(radians(x2 - x1) / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

type Edge = readonly [from: Position, to: Position];

function edgesOf(ring: readonly Position[]): readonly Edge[] {
  return ring.slice(1).map((to, index) => [ring[index] ?? to, to] as const);
}

/** Even-odd rule: a ray to the right crosses the ring an odd number of times. */
function isInside([x, y]: Position, ring: readonly Position[]): boolean {
  const crossings = edgesOf(ring).filter(([[x1, y1], [x2, y2]]) => {
    if (y1 > y === y2 > y) return false;
    return x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
  });
  return crossings.length % 2 === 1;
}

function isOnEdge([x, y]: Position, ring: readonly Position[]): boolean {
  return edgesOf(ring).some(([[x1, y1], [x2, y2]]) => {
    const isOnLine = (x2 - x1) * (y - y1) === (y2 - y1) * (x - x1);
    const isBetween = (value: number, one: number, other: number) =>
      value >= Math.min(one, other) && value <= Math.max(one, other);
    return isOnLine && isBetween(x, x1, x2) && isBetween(y, y1, y2);
  });
}

function coordinatesOf(shape: Json): Json {
  const isObject = typeof shape === 'object' && shape !== null && 'coordinates' in shape;
  invariant(isObject, 'expected GeoJSON with coordinates');
  return shape.coordinates ?? [];
}

function positionsOf(coordinates: Json): readonly Position[] {
  invariant(Array.isArray(coordinates), 'expected a list of positions');
  return coordinates.map((one: Json) => position(one));
}

function position(coordinates: Json): Position {
  invariant(Array.isArray(coordinates), 'expected a position');
  const [x, y]: readonly Json[] = coordinates;
  invariant(typeof x === 'number' && typeof y === 'number', 'expected two coordinates');
  return [x, y];
}
