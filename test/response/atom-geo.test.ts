// This file writes places as GML.
import { describe, expect, it } from 'vitest';
import { writeElement } from '../../src/base/xml.ts';
import { gmlElement, type Reference } from '../../src/response/atom/gml.ts';

const EARTH: Reference = { family: 'geography', srid: 4326 };
const PLANE: Reference = { family: 'geometry', srid: 0 };

/** Without what is said of the namespace and the reference system. */
function gml(value: unknown, reference = EARTH): string | undefined {
  const made = gmlElement(value, reference);
  return made && writeElement(made).replace(/ xmlns:gml="[^"]*" gml:srsName="[^"]*"/, '');
}

const ring = [
  [0, 0],
  [2, 0],
  [2, 1],
  [0, 0],
];

describe('Places in XML', () => {
  it('a point has its latitude first on the earth, x first in a plane', () => {
    const point = { type: 'Point', coordinates: [4.9, 52.37] };
    expect(gml(point)).toBe('<gml:Point><gml:pos>52.37 4.9</gml:pos></gml:Point>');
    expect(gml(point, PLANE)).toBe('<gml:Point><gml:pos>4.9 52.37</gml:pos></gml:Point>');
    expect(gml({ type: 'Point', coordinates: [1, 2, 3] })).toContain('<gml:pos>2 1 3</gml:pos>');
  });

  it('the outermost element names GML and the reference system', () => {
    const made = gmlElement({ type: 'Point', coordinates: [1, 2] }, EARTH);
    expect(made?.attributes).toEqual({
      'xmlns:gml': 'http://www.opengis.net/gml',
      'gml:srsName': 'http://www.opengis.net/def/crs/EPSG/0/4326',
    });
  });

  it('ways and areas, with their holes', () => {
    expect(gml({ type: 'LineString', coordinates: ring })).toBe(
      '<gml:LineString><gml:posList>0 0 0 2 1 2 0 0</gml:posList></gml:LineString>',
    );
    const area = gml({ type: 'Polygon', coordinates: [ring, ring] }, PLANE);
    const linear = '<gml:LinearRing><gml:posList>0 0 2 0 2 1 0 0</gml:posList></gml:LinearRing>';
    expect(area).toBe(
      `<gml:Polygon><gml:exterior>${linear}</gml:exterior><gml:interior>${linear}</gml:interior></gml:Polygon>`,
    );
  });

  it('several of a kind, and of all kinds', () => {
    const points = [
      [1, 2],
      [3, 4],
    ];
    expect(gml({ type: 'MultiPoint', coordinates: points }, PLANE)).toBe(
      '<gml:MultiPoint><gml:pointMembers><gml:Point><gml:pos>1 2</gml:pos></gml:Point><gml:Point><gml:pos>3 4</gml:pos></gml:Point></gml:pointMembers></gml:MultiPoint>',
    );
    expect(gml({ type: 'MultiLineString', coordinates: [ring] })).toContain('<gml:curveMembers>');
    expect(gml({ type: 'MultiPolygon', coordinates: [[ring]] })).toContain('<gml:surfaceMembers>');
    const collection = {
      type: 'GeometryCollection',
      geometries: [{ type: 'Point', coordinates: [1, 2] }],
    };
    expect(gml(collection, PLANE)).toBe(
      '<gml:MultiGeometry><gml:geometryMembers><gml:Point><gml:pos>1 2</gml:pos></gml:Point></gml:geometryMembers></gml:MultiGeometry>',
    );
    expect(gml({ type: 'GeometryCollection', geometries: [] })).toBe('<gml:MultiGeometry/>');
  });

  it('what is no place is not written as one', () => {
    expect(gml({ type: 'Circle', coordinates: [1, 2] })).toBeUndefined();
    expect(gml({ radius: 1 })).toBeUndefined();
  });
});
