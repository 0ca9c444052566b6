// This file defines the geo routines of the PostgreSQL dialect, with the formulas of geo-math.ts. The last digit of a distance on the
// sphere can differ from SQLite's, because the mathematical libraries round sine and cosine differently.

const PURE = 'IMMUTABLE PARALLEL SAFE STRICT';

export const GEO_ROUTINES: readonly string[] = [
  // PostgreSQL reports products that become zero or infinite as errors.
  `CREATE OR REPLACE FUNCTION docket_geo_product(a double precision, b double precision) RETURNS double precision LANGUAGE sql ${PURE} AS $$
  SELECT CASE
    WHEN abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150 THEN a * b
    WHEN a = 0 OR b = 0 THEN 0
    WHEN ln(abs(a)) + ln(abs(b)) < -744.5 THEN 0
    WHEN ln(abs(a)) + ln(abs(b)) > 709 THEN sign(a) * sign(b) * CAST('Infinity' AS double precision)
    ELSE a * b
  END
$$`,
  // The numbers of a JSON array of coordinates. Those below 1e-290 are taken for zero, so that quotients do not become too small.
  `CREATE OR REPLACE FUNCTION docket_geo_position(coordinates json) RETURNS double precision[] LANGUAGE sql ${PURE} AS $$
  SELECT ARRAY[
    CASE WHEN abs(docket_to_floating(coordinates ->> 0)) < 1e-290 THEN 0 ELSE docket_to_floating(coordinates ->> 0) END,
    CASE WHEN abs(docket_to_floating(coordinates ->> 1)) < 1e-290 THEN 0 ELSE docket_to_floating(coordinates ->> 1) END]
$$`,
  // The square root of a sum of squares with the compensated summation of Math.hypot.
  `CREATE OR REPLACE FUNCTION docket_geo_hypotenuse(x double precision, y double precision) RETURNS double precision LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  largest double precision := greatest(abs(x), abs(y));
  sum double precision := 0;
  lost double precision := 0;
  side double precision;
  summand double precision;
  preliminary double precision;
BEGIN
  IF largest = 0 THEN RETURN 0; END IF;
  FOREACH side IN ARRAY ARRAY[x, y] LOOP
    side := abs(side) / largest;
    summand := CASE WHEN side < 1e-150 THEN 0 ELSE side * side END - lost;
    preliminary := sum + summand;
    lost := (preliminary - sum) - summand;
    sum := preliminary;
  END LOOP;
  RETURN sqrt(sum) * largest;
END
$$`,
  // The distance between two positions: on a plane, or in metres on a sphere.
  `CREATE OR REPLACE FUNCTION docket_geo_between(family text, origin double precision[], target double precision[])
  RETURNS double precision LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  latitude1 double precision := origin[2] * pi() / 180;
  latitude2 double precision := target[2] * pi() / 180;
  height double precision := sin((latitude2 - latitude1) / 2);
  width double precision := sin((target[1] - origin[1]) * pi() / 180 / 2);
BEGIN
  IF family = 'geometry' THEN RETURN docket_geo_hypotenuse(target[1] - origin[1], target[2] - origin[2]); END IF;
  RETURN 2 * 6371008.8 * asin(least(1, sqrt(docket_geo_product(height, height) + cos(latitude1) * cos(latitude2) * docket_geo_product(width, width))));
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_geo_distance(family text, origin text, target text) RETURNS double precision LANGUAGE sql ${PURE} AS $$
  SELECT docket_geo_between(family, docket_geo_position(CAST(origin AS json) -> 'coordinates'),
    docket_geo_position(CAST(target AS json) -> 'coordinates'))
$$`,
  `CREATE OR REPLACE FUNCTION docket_geo_length(family text, line text) RETURNS double precision LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  total double precision := 0;
  before double precision[];
  position json;
BEGIN
  FOR position IN SELECT json_array_elements(CAST(line AS json) -> 'coordinates') LOOP
    IF before IS NOT NULL THEN total := total + docket_geo_between(family, before, docket_geo_position(position)); END IF;
    before := docket_geo_position(position);
  END LOOP;
  RETURN total;
END
$$`,
  // Where a position is relative to a ring: 1 inside, 0 on an edge, -1 outside, by the even-odd rule.
  `CREATE OR REPLACE FUNCTION docket_geo_place(place double precision[], ring json) RETURNS integer LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  x double precision := place[1];
  y double precision := place[2];
  origin double precision[];
  target double precision[];
  corner json;
  is_inside boolean := false;
BEGIN
  FOR corner IN SELECT json_array_elements(ring) LOOP
    target := docket_geo_position(corner);
    IF origin IS NOT NULL THEN
      IF docket_geo_product(target[1] - origin[1], y - origin[2]) = docket_geo_product(target[2] - origin[2], x - origin[1])
        AND x BETWEEN least(origin[1], target[1]) AND greatest(origin[1], target[1])
        AND y BETWEEN least(origin[2], target[2]) AND greatest(origin[2], target[2]) THEN RETURN 0; END IF;
      IF (origin[2] > y) <> (target[2] > y) THEN
        is_inside := is_inside <> (x < origin[1] + docket_geo_product((y - origin[2]) / (target[2] - origin[2]), target[1] - origin[1]));
      END IF;
    END IF;
    origin := target;
  END LOOP;
  RETURN CASE WHEN is_inside THEN 1 ELSE -1 END;
END
$$`,
  // Whether a point lies inside a polygon or on its edge. Holes are outside.
  `CREATE OR REPLACE FUNCTION docket_geo_intersects(point text, polygon text) RETURNS boolean LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  place double precision[] := docket_geo_position(CAST(point AS json) -> 'coordinates');
  rings json := CAST(polygon AS json) -> 'coordinates';
  outer_place integer := docket_geo_place(place, rings -> 0);
BEGIN
  IF coalesce(outer_place, -1) <= 0 THEN RETURN coalesce(outer_place, -1) = 0; END IF;
  FOR index IN 1 .. json_array_length(rings) - 1 LOOP
    IF docket_geo_place(place, rings -> index) = 1 THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END
$$`,
];
