// This file defines the routines of the PostgreSQL dialect that validate GeoJSON, and convert it from and to well-known text, as in
// edm/value/geo.ts.

const PURE = 'IMMUTABLE PARALLEL SAFE STRICT';

const WRITING: readonly string[] = [
  // Positions are the innermost arrays of numbers; well-known text encloses those of a MultiPoint in parentheses.
  `CREATE OR REPLACE FUNCTION docket_geo_print(shape json) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  kind text := shape ->> 'type';
  listed text := regexp_replace(CAST(shape -> 'coordinates' AS text), '([^]]),', '\\1 ', 'g');
  printed text;
BEGIN
  IF kind = 'GeometryCollection' THEN
    SELECT string_agg(docket_geo_print(member), ',') INTO printed FROM json_array_elements(shape -> 'geometries') AS members(member);
    RETURN kind || '(' || coalesce(printed, '') || ')';
  END IF;
  listed := regexp_replace(listed, '\\[([^][]+)\\]', CASE kind WHEN 'MultiPoint' THEN '(\\1)' ELSE '\\1' END, 'g');
  RETURN kind || CASE kind WHEN 'Point' THEN '(' || listed || ')' ELSE translate(listed, '[]', '()') END;
END
$$`,
  // The text of stored GeoJSON with its coordinate system, or the default one.
  `CREATE OR REPLACE FUNCTION docket_geo_text(content text, own integer) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT 'SRID=' || coalesce(CAST(substring(CAST(content AS json) #>> '{crs,properties,name}' FROM '^EPSG:([0-9]{1,5})$') AS integer), own)
    || ';' || docket_geo_print(CAST(content AS json))
$$`,
];

const READING: readonly string[] = [
  // Coordinates with numbers as JavaScript writes them; null if they are not lists of this depth with positions of two to four numbers.
  `CREATE OR REPLACE FUNCTION docket_geo_coordinates(content json, depth integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  item json;
  printed text;
  items text[] := '{}';
BEGIN
  IF json_typeof(content) <> 'array' THEN RETURN NULL; END IF;
  IF depth = 0 AND json_array_length(content) NOT BETWEEN 2 AND 4 THEN RETURN NULL; END IF;
  FOR item IN SELECT json_array_elements(content) LOOP
    IF depth > 0 THEN printed := docket_geo_coordinates(item, depth - 1);
    ELSIF json_typeof(item) <> 'number' THEN RETURN NULL;
    ELSE printed := regexp_replace(docket_number(docket_to_floating(CAST(item AS text))), '^-0$', '0'); END IF;
    IF printed IS NULL OR printed LIKE '"%' THEN RETURN NULL; END IF;
    items := items || printed;
  END LOOP;
  RETURN '[' || array_to_string(items, ',') || ']';
END
$$`,
  // Whether lines have two positions and polygons closed rings.
  `CREATE OR REPLACE FUNCTION docket_geo_is_formed(kind text, coordinates json) RETURNS boolean LANGUAGE sql ${PURE} AS $$
  SELECT CASE kind
    WHEN 'LineString' THEN json_array_length(coordinates) >= 2
    WHEN 'MultiLineString' THEN NOT EXISTS (
      SELECT FROM json_array_elements(coordinates) AS lines(line) WHERE json_array_length(line) < 2)
    WHEN 'Polygon' THEN json_array_length(coordinates) > 0 AND NOT EXISTS (
      SELECT FROM json_array_elements(coordinates) AS rings(ring)
      WHERE json_array_length(ring) = 0 OR CAST(ring -> 0 AS text) <> CAST(ring -> -1 AS text))
    WHEN 'MultiPolygon' THEN NOT EXISTS (
      SELECT FROM json_array_elements(coordinates) AS polygons(polygon)
      WHERE json_array_length(polygon) = 0 OR EXISTS (
        SELECT FROM json_array_elements(polygon) AS rings(ring)
        WHERE json_array_length(ring) = 0 OR CAST(ring -> 0 AS text) <> CAST(ring -> -1 AS text)))
    ELSE true
  END
$$`,
  // A shape in canonical form; null if it is not valid.
  `CREATE OR REPLACE FUNCTION docket_geo_shape(content json, nesting integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  kind text := CASE WHEN json_typeof(content) = 'object' AND json_typeof(content -> 'type') = 'string' THEN content ->> 'type' END;
  depth integer := CASE kind WHEN 'Point' THEN 0 WHEN 'LineString' THEN 1 WHEN 'MultiPoint' THEN 1 WHEN 'Polygon' THEN 2
    WHEN 'MultiLineString' THEN 2 WHEN 'MultiPolygon' THEN 3 END;
  coordinates text;
  member json;
  shape text;
  shapes text[] := '{}';
BEGIN
  IF kind IS NULL OR nesting > 16 THEN RETURN NULL; END IF;
  IF kind <> 'GeometryCollection' THEN
    coordinates := docket_geo_coordinates(content -> 'coordinates', depth);
    RETURN CASE WHEN docket_geo_is_formed(kind, CAST(coordinates AS json))
      THEN '{"type":"' || kind || '","coordinates":' || coordinates || '}' END;
  END IF;
  IF json_typeof(content -> 'geometries') IS DISTINCT FROM 'array' THEN RETURN NULL; END IF;
  FOR member IN SELECT json_array_elements(content -> 'geometries') LOOP
    shape := docket_geo_shape(member, nesting + 1);
    IF shape IS NULL THEN RETURN NULL; END IF;
    shapes := shapes || shape;
  END LOOP;
  RETURN '{"type":"GeometryCollection","geometries":[' || array_to_string(shapes, ',') || ']}';
END
$$`,
  // A value of a geo type; an empty kind allows any, and -1 any coordinate system.
  `CREATE OR REPLACE FUNCTION docket_geo_read(content json, kind text, own integer, required integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  shape text := docket_geo_shape(content, 0);
  named text;
  system integer := own;
BEGIN
  IF shape IS NULL OR kind <> '' AND content ->> 'type' <> kind THEN RETURN NULL; END IF;
  IF content -> 'crs' IS NOT NULL THEN
    named := CASE WHEN json_typeof(content #> '{crs,properties,name}') = 'string' THEN content #>> '{crs,properties,name}' END;
    system := CAST(substring(named FROM '^EPSG:([0-9]{1,5})$') AS integer);
  END IF;
  IF system IS NULL OR required >= 0 AND required <> system THEN RETURN NULL; END IF;
  IF system = own THEN RETURN shape; END IF;
  RETURN left(shape, -1) || ',"crs":{"type":"name","properties":{"name":"EPSG:' || system || '"}}}';
END
$$`,
];

const POSITION =
  String.raw`-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?: -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?){1,3}`.replaceAll(
    String.raw`\d`,
    '[0-9]',
  );

/** Lists of positions by the depth of their nesting. */
function listPattern(depth: number): string {
  const item = depth === 0 ? POSITION : listPattern(depth - 1);
  return String.raw`\((?:${item}(?:,${item})*)?\)`;
}

const PARSING: readonly string[] = [
  // The coordinates of well-known text as JSON: without leading zeros, and each position in brackets.
  `CREATE OR REPLACE FUNCTION docket_geo_brackets(content text) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT translate(regexp_replace(regexp_replace(content, '([( ,]-?)0+(?=[0-9])', '\\1', 'g'), '([^(),]+)', '[\\1]', 'g'), '( )', '[,]')
$$`,
  // The parts of a list that commas outside parentheses separate.
  `CREATE OR REPLACE FUNCTION docket_geo_parts(content text) RETURNS text[] LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[] := '{}';
  part text := '';
  depth integer := 0;
  letter text;
BEGIN
  FOREACH letter IN ARRAY string_to_array(content, NULL) LOOP
    depth := depth + CASE letter WHEN '(' THEN 1 WHEN ')' THEN -1 ELSE 0 END;
    IF letter = ',' AND depth = 0 THEN
      parts := parts || part;
      part := '';
    ELSE part := part || letter; END IF;
  END LOOP;
  RETURN CASE WHEN content = '' THEN parts ELSE parts || part END;
END
$$`,
  // Well-known text of a shape as GeoJSON; null if it is not valid.
  `CREATE OR REPLACE FUNCTION docket_geo_parse(content text, nesting integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  word text := lower(substring(content FROM '^[A-Za-z]+') COLLATE "C");
  body text := substr(content, length(word) + 1);
  kind text;
  part text;
  shape text;
  shapes text[] := '{}';
BEGIN
  IF word = 'geometrycollection' THEN
    IF nesting >= 16 OR body NOT LIKE '(%)' THEN RETURN NULL; END IF;
    FOREACH part IN ARRAY docket_geo_parts(substr(body, 2, length(body) - 2)) LOOP
      shape := docket_geo_parse(part, nesting + 1);
      IF shape IS NULL THEN RETURN NULL; END IF;
      shapes := shapes || shape;
    END LOOP;
    RETURN '{"type":"GeometryCollection","geometries":[' || array_to_string(shapes, ',') || ']}';
  END IF;
  kind := CASE word
    WHEN 'point' THEN CASE WHEN body ~ '^${listPattern(0)}$' THEN 'Point' END
    WHEN 'linestring' THEN CASE WHEN body ~ '^${listPattern(0)}$' THEN 'LineString' END
    WHEN 'multipoint' THEN CASE WHEN body ~ '^${listPattern(1)}$' THEN 'MultiPoint' END
    WHEN 'polygon' THEN CASE WHEN body ~ '^${listPattern(1)}$' THEN 'Polygon' END
    WHEN 'multilinestring' THEN CASE WHEN body ~ '^${listPattern(1)}$' THEN 'MultiLineString' END
    WHEN 'multipolygon' THEN CASE WHEN body ~ '^${listPattern(2)}$' THEN 'MultiPolygon' END
  END;
  IF kind = 'MultiPoint' THEN body := regexp_replace(body, '\\(([^(),]+)[^()]*\\)', '\\1', 'g'); END IF;
  body := docket_geo_brackets(body);
  IF kind = 'Point' THEN body := CAST(CAST(body AS json) -> 0 AS text); END IF;
  RETURN '{"type":"' || kind || '","coordinates":' || body || '}';
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_geo_from_text(content text) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[] := regexp_match(content, '^[Ss][Rr][Ii][Dd]=([0-9]{1,5});(.*)$');
  shape text := docket_geo_parse(parts[2], 0);
BEGIN
  RETURN left(shape, -1) || ',"crs":{"type":"name","properties":{"name":"EPSG:' || CAST(parts[1] AS integer) || '"}}}';
END
$$`,
];

export const GEO_TEXT_ROUTINES: readonly string[] = [...WRITING, ...READING, ...PARSING];
