// This file defines the routines of the PostgreSQL dialect for JSON: values in JSON text, members and items of stored documents, and
// the canonical functions on collections. A routine may call those before it. Documents stay text: numbers keep all digits.
import { CONVERT_ROUTINES } from './convert-routines.ts';
import { GEO_ROUTINES } from './geo-routines.ts';
import { GEO_TEXT_ROUTINES } from './geo-text-routines.ts';

const PURE = 'IMMUTABLE PARALLEL SAFE';

const VALUES: readonly string[] = [
  // A double from 2^53 as JavaScript writes it: the fewest digits that read back equal. PostgreSQL needs more digits if such a text lies
  // exactly between two doubles.
  `CREATE OR REPLACE FUNCTION docket_large_number(content double precision) RETURNS text LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  size numeric := CAST(CAST(abs(content) AS text) AS numeric);
  places integer := length(CAST(size AS text));
  sign text := CASE WHEN content < 0 THEN '-' ELSE '' END;
  shorter numeric;
  digits text;
BEGIN
  FOR count IN 1 .. CASE WHEN places <= 40 THEN 16 ELSE 0 END LOOP
    shorter := round(size, count - places);
    IF CAST(shorter AS double precision) = abs(content) THEN
      size := shorter;
      EXIT;
    END IF;
  END LOOP;
  digits := CAST(size AS text);
  places := length(digits);
  IF places <= 21 THEN RETURN sign || digits; END IF;
  digits := rtrim(digits, '0');
  RETURN concat(sign, left(digits, 1), CASE WHEN length(digits) > 1 THEN '.' || substr(digits, 2) END, 'e+', places - 1);
END
$$`,
  // A double as JavaScript writes it: plainly from 1e-6 to 1e21, where PostgreSQL uses exponents below 1e-4 and from 1e15.
  `CREATE OR REPLACE FUNCTION docket_number(content double precision) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT CASE
    WHEN content = 'Infinity' THEN '"INF"'
    WHEN content = '-Infinity' THEN '"-INF"'
    WHEN content = 'NaN' THEN '"NaN"'
    WHEN abs(content) >= 9007199254740992 THEN docket_large_number(content)
    WHEN abs(content) >= 1e15 OR abs(content) >= 1e-6 AND abs(content) < 1e-4
      THEN CAST(CAST(CAST(content AS text) AS numeric) AS text)
    ELSE replace(CAST(content AS text), 'e-0', 'e-')
  END
$$`,
  // The nearest double of a number in JSON text. A cast fails for numbers that become infinite or zero.
  `CREATE OR REPLACE FUNCTION docket_to_floating(content text) RETURNS double precision LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  parts text[];
  digits text;
  magnitude numeric;
BEGIN
  IF content ~ '^-?[0-9]{1,15}(\\.[0-9]{1,15})?$' THEN RETURN content; END IF;
  IF content = 'NaN' THEN RETURN 'NaN'; END IF;
  IF content = 'INF' THEN RETURN 'Infinity'; END IF;
  IF content = '-INF' THEN RETURN '-Infinity'; END IF;
  parts := regexp_match(content, '^([+-]?)([0-9]*)\\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$');
  IF parts IS NULL THEN RETURN NULL; END IF;
  digits := ltrim(parts[2] || parts[3], '0');
  IF digits = '' THEN RETURN parts[1] || '0'; END IF;
  magnitude := length(digits) - length(parts[3]) + coalesce(CAST(parts[4] AS numeric), 0);
  IF magnitude > 309 OR magnitude = 309 AND digits COLLATE "C" >= '1797693134862315807937289714053034150799' THEN
    RETURN parts[1] || 'Infinity';
  END IF;
  IF magnitude < -323 OR magnitude = -323 AND digits COLLATE "C" < '2470328229206232720883' THEN
    RETURN parts[1] || '0';
  END IF;
  RETURN content;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_json_integer(content text) RETURNS bigint LANGUAGE sql ${PURE} AS $$
  SELECT CASE
    WHEN content ~ '^-?[0-9]{1,18}$' THEN CAST(content AS bigint)
    WHEN content ~ '^-?[0-9]{19}$' THEN
      CASE WHEN CAST(content AS numeric) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST(content AS bigint) END
  END
$$`,
  `CREATE OR REPLACE FUNCTION docket_leading_integer(content text) RETURNS bigint LANGUAGE sql ${PURE} AS $$
  SELECT CASE WHEN content IS NOT NULL THEN CAST(least(greatest(
    coalesce(CAST(substring(content FROM '^[ \\t\\n\\v\\f\\r]*([+-]?[0-9]{1,255})') AS numeric), 0),
    -9223372036854775808), 9223372036854775807) AS bigint) END
$$`,
  // The shortest text of a duration.
  `CREATE OR REPLACE FUNCTION docket_duration(nanoseconds bigint) RETURNS text LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  days bigint := abs(nanoseconds / 86400000000000);
  rest bigint := abs(nanoseconds % 86400000000000);
  hours bigint := rest / 3600000000000;
  minutes bigint := rest / 60000000000 % 60;
  seconds bigint := rest / 1000000000 % 60;
  fraction text := rtrim(lpad(CAST(rest % 1000000000 AS text), 9, '0'), '0');
  clock text := '';
BEGIN
  IF nanoseconds = 0 THEN RETURN 'PT0S'; END IF;
  IF hours > 0 THEN clock := hours || 'H'; END IF;
  IF minutes > 0 THEN clock := clock || minutes || 'M'; END IF;
  IF fraction <> '' THEN clock := clock || seconds || '.' || fraction || 'S';
  ELSIF seconds > 0 THEN clock := clock || seconds || 'S'; END IF;
  RETURN concat(CASE WHEN nanoseconds < 0 THEN '-' END, 'P', CASE WHEN days > 0 THEN days || 'D' END,
    CASE WHEN clock <> '' THEN 'T' || clock END);
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_url_encoded(content text) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
BEGIN
  RETURN (SELECT string_agg(
      CASE WHEN letter ~ '[A-Za-z0-9_.!~*()''-]' THEN letter
        ELSE regexp_replace(upper(encode(convert_to(letter, 'UTF8'), 'hex')), '(..)', '%\\1', 'g') END, '' ORDER BY place)
    FROM unnest(string_to_array(content, NULL)) WITH ORDINALITY AS letters(letter, place));
END
$$`,
  // A quoted key literal, percent-encoded like encodeURIComponent.
  `CREATE OR REPLACE FUNCTION docket_url_text(content text) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT '''' || replace(CASE WHEN content ~ '^[A-Za-z0-9_.!~*()''-]*$' THEN content ELSE docket_url_encoded(content) END, '''', '''''') || ''''
$$`,
  // The pattern is a regular expression of PostgreSQL.
  `CREATE OR REPLACE FUNCTION docket_matches(content text, pattern text) RETURNS boolean LANGUAGE sql ${PURE} AS $$
  SELECT content ~ pattern
$$`,
  // The kinds of JSON values by the names of SQLite.
  `CREATE OR REPLACE FUNCTION docket_json_kind(content text) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT CASE json_typeof(CAST(content AS json))
    WHEN 'string' THEN 'text'
    WHEN 'number' THEN CASE WHEN content ~ '[.eE]' THEN 'real' ELSE 'integer' END
    WHEN 'boolean' THEN btrim(content, E' \\t\\n\\r')
    ELSE json_typeof(CAST(content AS json))
  END
$$`,
  // The items of an array with their indexes from 0. A value that is not an array is its only item.
  `CREATE OR REPLACE FUNCTION docket_json_items(content text) RETURNS TABLE (value json, key bigint) LANGUAGE sql ${PURE} AS $$
  SELECT item, place - 1
  FROM json_array_elements(CAST(CASE WHEN content ~ '^[ \\t\\n\\r]*\\[' THEN content ELSE '[' || content || ']' END AS json))
    WITH ORDINALITY AS items(item, place)
$$`,
];

const CHANGES: readonly string[] = [
  // The object with a member set, added, or removed if the content is null.
  `CREATE OR REPLACE FUNCTION docket_json_with(object text, name text, content text) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
BEGIN
  RETURN (
    SELECT '{' || concat_ws(',',
      string_agg(CAST(to_json(key) AS text) || ':' || CASE WHEN key = name THEN content ELSE CAST(value AS text) END, ',' ORDER BY place)
        FILTER (WHERE key <> name OR content IS NOT NULL),
      CASE WHEN NOT coalesce(bool_or(key = name), false) THEN CAST(to_json(name) AS text) || ':' || content END) || '}'
    FROM json_each(CAST(object AS json)) WITH ORDINALITY AS members(key, value, place)
  );
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_json_set(object text, path text[], content text) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  member text;
BEGIN
  IF object IS NULL OR json_typeof(CAST(object AS json)) <> 'object' THEN RETURN object; END IF;
  IF cardinality(path) = 1 THEN RETURN docket_json_with(object, path[1], content); END IF;
  member := CAST(object AS json) -> path[1];
  IF member IS NULL AND content IS NULL THEN RETURN object; END IF;
  RETURN docket_json_with(object, path[1], docket_json_set(coalesce(member, '{}'), path[2:], content));
END
$$`,
  // The object with empty objects added where the path has none.
  `CREATE OR REPLACE FUNCTION docket_json_ensure(object text, path text[]) RETURNS text LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  known text := CASE WHEN json_typeof(CAST(object AS json)) = 'object' THEN object ELSE '{}' END;
BEGIN
  IF cardinality(path) = 0 THEN RETURN known; END IF;
  RETURN docket_json_with(known, path[1], docket_json_ensure(coalesce(CAST(CAST(known AS json) -> path[1] AS text), '{}'), path[2:]));
END
$$`,
  // The array with an item inserted before a position; negative positions count from the end.
  `CREATE OR REPLACE FUNCTION docket_json_insert(items text, at bigint, content text) RETURNS text LANGUAGE sql ${PURE} STRICT AS $$
  SELECT '[' || string_agg(item, ',' ORDER BY place) || ']'
  FROM (
    SELECT CAST(value AS text) AS item, 2 * key + 1 AS place FROM docket_json_items(items)
    UNION ALL
    SELECT content, 2 * CASE WHEN at < 0 THEN json_array_length(CAST(items AS json)) + at + 1 ELSE at END
  ) AS listed
$$`,
  // The array with the item at a position replaced, or removed if the content is null.
  `CREATE OR REPLACE FUNCTION docket_json_replace(items text, at bigint, content text) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT CASE WHEN items IS NOT NULL THEN '[' || coalesce(string_agg(CASE WHEN is_wanted THEN content ELSE item END, ',' ORDER BY place)
    FILTER (WHERE NOT is_wanted OR content IS NOT NULL), '') || ']' END
  FROM (
    SELECT CAST(value AS text) AS item, key AS place,
      key = CASE WHEN at < 0 THEN json_array_length(CAST(items AS json)) + at ELSE at END AS is_wanted
    FROM docket_json_items(items)
  ) AS listed
$$`,
];

const LISTS: readonly string[] = [
  `CREATE OR REPLACE FUNCTION docket_json_concat(first text, second text) RETURNS text LANGUAGE sql ${PURE} STRICT AS $$
  SELECT '[' || concat_ws(',',
    nullif(btrim(regexp_replace(first, '^\\s*\\[|\\]\\s*$', '', 'g'), E' \\t\\n\\r'), ''),
    nullif(btrim(regexp_replace(second, '^\\s*\\[|\\]\\s*$', '', 'g'), E' \\t\\n\\r'), '')) || ']'
$$`,
  // The items of an array as texts that are equal for equal items: a number has no trailing zeros.
  `CREATE OR REPLACE FUNCTION docket_list_items(content text) RETURNS text[] LANGUAGE plpgsql ${PURE} STRICT AS $$
BEGIN
  RETURN (
    SELECT coalesce(array_agg(CASE
        WHEN json_typeof(value) = 'string' THEN CAST(to_json(value #>> '{}') AS text)
        WHEN CAST(value AS text) ~ '^-?[0-9]+\\.[0-9]*$' THEN regexp_replace(CAST(value AS text), '\\.?0+$', '')
        ELSE CAST(value AS text)
      END ORDER BY key), '{}')
    FROM docket_json_items(content)
  );
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_list_index(content text, part text) RETURNS bigint LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  items text[] := docket_list_items(content);
  wanted text[] := docket_list_items(part);
BEGIN
  FOR at IN 0 .. cardinality(items) - cardinality(wanted) LOOP
    IF items[at + 1 : at + cardinality(wanted)] = wanted THEN RETURN at; END IF;
  END LOOP;
  RETURN -1;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_list_starts(content text, part text) RETURNS boolean LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  wanted text[] := docket_list_items(part);
BEGIN
  RETURN (docket_list_items(content))[1 : cardinality(wanted)] = wanted;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_list_ends(content text, part text) RETURNS boolean LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  items text[] := docket_list_items(content);
  wanted text[] := docket_list_items(part);
  skipped integer := cardinality(items) - cardinality(wanted);
BEGIN
  RETURN skipped >= 0 AND items[skipped + 1 : cardinality(items)] = wanted;
END
$$`,
  // The items from a start, which counts from the end if negative.
  `CREATE OR REPLACE FUNCTION docket_list_part(content text, start bigint) RETURNS text LANGUAGE sql ${PURE} STRICT AS $$
  SELECT '[' || coalesce(string_agg(CAST(value AS text), ',' ORDER BY key), '') || ']'
  FROM docket_json_items(content)
  WHERE key >= CASE WHEN start < 0 THEN json_array_length(CAST(content AS json)) + start ELSE start END
$$`,
  `CREATE OR REPLACE FUNCTION docket_list_part(content text, start bigint, length bigint) RETURNS text LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  rest text := docket_list_part(content, start);
BEGIN
  IF length < 0 THEN RAISE EXCEPTION 'negative length' USING ERRCODE = '22011'; END IF;
  RETURN '[' || coalesce((SELECT string_agg(CAST(value AS text), ',' ORDER BY key) FROM docket_json_items(rest) WHERE key < length), '') || ']';
END
$$`,
  // The items of an array as texts: texts without quotes, numbers as JavaScript writes them.
  `CREATE OR REPLACE FUNCTION docket_set_items(content text) RETURNS text[] LANGUAGE plpgsql ${PURE} STRICT AS $$
BEGIN
  RETURN (
    SELECT coalesce(array_agg(CASE json_typeof(value)
        WHEN 'string' THEN value #>> '{}'
        WHEN 'number' THEN replace(regexp_replace(docket_number(docket_to_floating(CAST(value AS text))), '^-0$', '0'), '"INF"', 'null')
        ELSE CAST(value AS text)
      END ORDER BY key), '{}')
    FROM docket_json_items(content)
    WHERE json_typeof(CAST(content AS json)) = 'array'
  );
END
$$`,
  // Whether an array contains all items of another one, with their numbers.
  `CREATE OR REPLACE FUNCTION docket_has_subset(content text, part text) RETURNS boolean LANGUAGE plpgsql ${PURE} STRICT AS $$
BEGIN
  RETURN (
    SELECT NOT EXISTS (
      SELECT item FROM (
        SELECT unnest(docket_set_items(part)) AS item, 1 AS wanted
        UNION ALL
        SELECT unnest(docket_set_items(content)), -1
      ) AS items
      GROUP BY item
      HAVING sum(wanted) > 0
    )
  );
END
$$`,
  // Whether an array contains all items of another one in their order.
  `CREATE OR REPLACE FUNCTION docket_has_subsequence(content text, part text) RETURNS boolean LANGUAGE plpgsql ${PURE} STRICT AS $$
DECLARE
  wanted text[] := docket_set_items(part);
  found integer := 0;
  item text;
BEGIN
  FOREACH item IN ARRAY docket_set_items(content) LOOP
    IF item = wanted[found + 1] THEN found := found + 1; END IF;
  END LOOP;
  RETURN found >= cardinality(wanted);
END
$$`,
];

/** The statements that create or replace the routines, in the order of their dependencies. */
export const JSON_ROUTINES: readonly string[] = [
  ...VALUES,
  ...CHANGES,
  ...LISTS,
  ...GEO_ROUTINES,
  ...GEO_TEXT_ROUTINES,
  ...CONVERT_ROUTINES,
];
