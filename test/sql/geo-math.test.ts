// This file calculates distances, lengths and intersections on the globe.
import { describe, expect, it } from 'vitest';
import { geoDistance, geoIntersects, geoLength } from '../../src/sql/dialect/geo-math.ts';

const point = (...coordinates: number[]) => ({ type: 'Point', coordinates });
const square = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 10],
      [0, 0],
    ],
    [
      [4, 4],
      [6, 4],
      [6, 6],
      [4, 6],
      [4, 4],
    ],
  ],
};

describe('geo functions', () => {
  it('distance on the earth is in metres along the great circle', () => {
    const distance = geoDistance('geography', point(4.9041, 52.3676), point(2.3522, 48.8566));
    expect(distance / 1000).toBeCloseTo(430, -1);
    expect(geoDistance('geography', point(0, 0), point(180, 0)) / 1000).toBeCloseTo(20015, -1);
  });

  it('distance on a plane is straight', () => {
    expect(geoDistance('geometry', point(0, 0), point(3, 4))).toBe(5);
  });

  it('length is the sum of the parts', () => {
    const line = {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [3, 4],
        [3, 5],
      ],
    };
    expect(geoLength('geometry', line)).toBe(6);
    expect(geoLength('geometry', { type: 'LineString', coordinates: [[1, 1]] })).toBe(0);
  });

  it.each([
    [1, 1, true],
    [5, 5, false],
    [4, 5, true],
    [0, 3, true],
    [10, 10, true],
    [11, 5, false],
    [-1, 0, false],
  ])('the point %d %d lies in the square with a hole: %s', (x, y, expected) => {
    expect(geoIntersects(point(x, y), square)).toBe(expected);
  });
});
