// This file parses the text of geography'…' and geometry'…' literals (WKT with SRID). It checks that rings are closed, but no other
// geometric rules.

import { CODE, type Cursor, type Reader } from '../cursor.ts';
import type { GeoLiteral, GeoShape } from '../tree.ts';

/** Two to four numbers. */
type Position = readonly number[];

/** Checks the text after the name of each shape. edm/ converts it. */
const SHAPES: Readonly<Record<GeoShape, Reader<unknown>>> = {
  Point: readPoint,
  LineString: readLine,
  Polygon: readPolygon,
  MultiPoint: (cursor) => anyOf(cursor, readPoint),
  MultiLineString: (cursor) => anyOf(cursor, readLine),
  MultiPolygon: (cursor) => anyOf(cursor, readPolygon),
  GeometryCollection: (cursor) => manyOf(cursor, readShape),
};

/** "SRID" EQ 1*5DIGIT SEMI shape, up to the closing quote, which is not consumed. */
export function readGeo(cursor: Cursor, kind: GeoLiteral['kind']): GeoLiteral {
  const start = cursor.at;
  if (!cursor.takeWord('srid')) cursor.fail('SRID=');
  cursor.expect(CODE.equals);
  const digits = cursor.at;
  cursor.digits('the number of a coordinate system');
  if (cursor.at - digits > 5) cursor.fail('";" after at most five digits', digits + 5);
  cursor.expect(CODE.semicolon);
  const shape = readShape(cursor);
  return { kind, shape, text: cursor.slice(start) };
}

function readShape(cursor: Cursor): GeoShape {
  cursor.spend();
  const start = cursor.at;
  const name = cursor.takeIdentifier().toLowerCase();
  const shape = NAMES.find((known) => known.toLowerCase() === name);
  if (shape === undefined) cursor.fail(`one of ${NAMES.join(', ')}`, start);
  cursor.nested(SHAPES[shape]);
  return shape;
}

const NAMES = Object.keys(SHAPES) as GeoShape[];

/** OPEN positionLiteral 1*( COMMA positionLiteral ) CLOSE */
function readLine(cursor: Cursor): readonly Position[] {
  const positions = manyOf(cursor, readPosition);
  if (positions.length < 2) cursor.fail('a line of at least two positions', cursor.at - 1);
  return positions;
}

/** pointData = OPEN positionLiteral CLOSE */
function readPoint(cursor: Cursor): Position {
  cursor.expect(CODE.open);
  const position = readPosition(cursor);
  cursor.expect(CODE.close);
  return position;
}

/** polygonData = OPEN ringLiteral *( COMMA ringLiteral ) CLOSE */
function readPolygon(cursor: Cursor): readonly (readonly Position[])[] {
  return manyOf(cursor, readRing);
}

function readRing(cursor: Cursor): readonly Position[] {
  const ring = manyOf(cursor, readPosition);
  if (String(ring[0]) !== String(ring.at(-1))) {
    cursor.fail('a ring that ends where it starts', cursor.at - 1);
  }
  return ring;
}

/** OPEN item *( COMMA item ) CLOSE */
function manyOf<T>(cursor: Cursor, read: Reader<T>): readonly T[] {
  cursor.expect(CODE.open);
  const items = [read(cursor)];
  while (cursor.take(CODE.comma)) items.push(read(cursor));
  cursor.expect(CODE.close);
  return items;
}

/** OPEN [ item *( COMMA item ) ] CLOSE */
function anyOf<T>(cursor: Cursor, read: Reader<T>): readonly T[] {
  if (cursor.code() !== CODE.open || cursor.code(1) !== CODE.close) return manyOf(cursor, read);
  cursor.at += 2;
  return [];
}

/** positionLiteral = doubleValue SP doubleValue [ SP doubleValue ] [ SP doubleValue ] */
function readPosition(cursor: Cursor): Position {
  cursor.spend();
  const numbers = [readCoordinate(cursor)];
  while (numbers.length < 4 && cursor.take(CODE.blank)) numbers.push(readCoordinate(cursor));
  if (numbers.length < 2) cursor.fail('a space and a second coordinate');
  return numbers;
}

const INFINITIES: ReadonlyMap<string, number> = new Map([
  ['INF', Number.POSITIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
]);

function readCoordinate(cursor: Cursor): number {
  for (const [word, value] of INFINITIES) {
    if (cursor.takeWord(word, true)) return value;
  }
  const start = cursor.at;
  if (!cursor.take(CODE.minus)) cursor.take(CODE.plus);
  cursor.digits('a coordinate');
  if (cursor.take(CODE.dot)) cursor.digits('a digit');
  cursor.takeExponent();
  return Number(cursor.slice(start));
}

export function isGeoPrefix(prefix: string): prefix is GeoLiteral['kind'] {
  return prefix === 'geography' || prefix === 'geometry';
}
