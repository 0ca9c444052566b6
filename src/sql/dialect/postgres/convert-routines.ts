// This file defines the routines of the PostgreSQL dialect that parse text as a primitive value, as in edm/value/primitives.ts. They
// return null if the text is not valid, and have no exception handlers, which parallel queries exclude.

const PURE = 'IMMUTABLE PARALLEL SAFE STRICT';

const NUMBERS: readonly string[] = [
  `CREATE OR REPLACE FUNCTION docket_parse_integer(content text, lowest bigint, highest bigint) RETURNS bigint LANGUAGE sql ${PURE} AS $$
  SELECT CASE WHEN content ~ '^[+-]?[0-9]+$' THEN
    CASE WHEN length(content) <= 800 THEN
      CASE WHEN CAST(content AS numeric) BETWEEN lowest AND highest THEN CAST(CAST(content AS numeric) AS bigint) END
    END
  END
$$`,
  // A number in decimal digits or with an exponent, rounded half away from zero; other text is unchanged.
  `CREATE OR REPLACE FUNCTION docket_round_text(content text, places integer) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT CASE WHEN content ~ '^[-+0-9]' AND content <> '-INF' THEN CAST(trim_scale(round(CAST(content AS numeric), places)) AS text) ELSE content END
$$`,
  // Without a limit, precision is -1. Scale is -1 for variable and -2 for floating.
  `CREATE OR REPLACE FUNCTION docket_parse_decimal(content text, "precision" integer, scale integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[];
  digits text;
  point integer;
  canonical text;
  whole integer;
  fraction integer;
BEGIN
  IF content IN ('INF', '-INF', 'NaN') THEN RETURN CASE WHEN scale = -2 THEN content END; END IF;
  parts := regexp_match(content, '^([+-]?)([0-9]+)(?:\\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,6}))?$');
  IF parts IS NULL OR length(content) > 800 THEN RETURN NULL; END IF;
  digits := ltrim(parts[2] || coalesce(parts[3], ''), '0');
  IF digits = '' THEN RETURN '0'; END IF;
  point := length(digits) - length(coalesce(parts[3], '')) + coalesce(CAST(parts[4] AS integer), 0);
  IF abs(point) > 400 OR length(digits) > 400 THEN RETURN NULL; END IF;
  canonical := CAST(trim_scale(CAST(content AS numeric)) AS text);
  digits := ltrim(canonical, '-');
  whole := length(split_part(digits, '.', 1));
  IF split_part(digits, '.', 1) = '0' THEN whole := 0; END IF;
  fraction := length(split_part(digits, '.', 2));
  IF scale = -2 THEN
    RETURN CASE WHEN "precision" < 0 OR length(rtrim(ltrim(replace(digits, '.', ''), '0'), '0')) <= "precision" THEN canonical END;
  END IF;
  IF scale = -1 THEN RETURN CASE WHEN "precision" < 0 OR whole + fraction <= "precision" THEN canonical END; END IF;
  RETURN CASE WHEN ("precision" < 0 OR whole <= "precision" - scale) AND fraction <= scale THEN canonical END;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_parse_floating(content text, is_single boolean) RETURNS double precision LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  number double precision;
BEGIN
  IF content IN ('INF', '-INF', 'NaN') THEN RETURN docket_to_floating(content); END IF;
  IF content !~ '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$' THEN RETURN NULL; END IF;
  number := docket_to_floating(content);
  IF is_single THEN
    IF abs(number) >= 3.4028235677973366e38 THEN RETURN NULL; END IF;
    RETURN CASE WHEN abs(number) <= 7.006492321624085e-46 THEN number * 0 ELSE CAST(CAST(CAST(number AS real) AS text) AS double precision) END;
  END IF;
  RETURN CASE WHEN abs(number) < 'Infinity' THEN number END;
END
$$`,
  // A number of single precision as edm/value/single.ts writes it.
  `CREATE OR REPLACE FUNCTION docket_single(content double precision) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  short double precision := coalesce(docket_parse_floating(CAST(content AS text), true), content);
BEGIN
  IF abs(short) >= 1e9 AND abs(short) <= 3.4028235e38 THEN
    RETURN replace(CAST(CAST(short AS real) AS text), 'e+0', 'e+');
  END IF;
  RETURN docket_number(short);
END
$$`,
];

const TIMES: readonly string[] = [
  `CREATE OR REPLACE FUNCTION docket_days_in_month(year integer, month integer) RETURNS integer LANGUAGE sql ${PURE} AS $$
  SELECT CASE
    WHEN month = 2 THEN CASE WHEN year % 4 = 0 AND year % 100 <> 0 OR year % 400 = 0 THEN 29 ELSE 28 END
    WHEN month IN (4, 6, 9, 11) THEN 30
    ELSE 31
  END
$$`,
  `CREATE OR REPLACE FUNCTION docket_parse_date(content text) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts integer[] := CAST(regexp_match(content, '^([0-9]{4})-([0-9]{2})-([0-9]{2})$') AS integer[]);
BEGIN
  RETURN CASE WHEN parts[1] >= 1 AND parts[2] BETWEEN 1 AND 12 AND parts[3] BETWEEN 1 AND docket_days_in_month(parts[1], parts[2])
    THEN content END;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_parse_time(content text, digits integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[] := regexp_match(content, '^([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\\.([0-9]{1,12}))?)?$');
BEGIN
  RETURN parts[1] || ':' || parts[2] || ':' || coalesce(parts[3], '00')
    || CASE WHEN digits > 0 THEN '.' || rpad(coalesce(parts[4], ''), digits, '0') ELSE '' END;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_parse_point(content text, digits integer) RETURNS text LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[] := regexp_match(content, '^(\\S{10})[Tt]([0-9:.]+)(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$');
  day text := docket_parse_date(parts[1]);
  clock text := docket_parse_time(parts[2], digits);
  shift integer := coalesce(CAST(parts[3] || '1' AS integer) * (CAST(parts[4] AS integer) * 60 + CAST(parts[5] AS integer)), 0);
  minute timestamp;
BEGIN
  IF day IS NULL OR clock IS NULL THEN RETURN NULL; END IF;
  IF shift = 0 THEN RETURN day || 'T' || clock || 'Z'; END IF;
  minute := CAST(day || ' ' || substr(clock, 1, 5) AS timestamp) - make_interval(mins => shift);
  RETURN CASE WHEN minute >= make_timestamp(1, 1, 1, 0, 0, 0) AND minute < make_timestamp(10000, 1, 1, 0, 0, 0)
    THEN to_char(minute, 'YYYY-MM-DD"T"HH24:MI') || substr(clock, 6) || 'Z' END;
END
$$`,
  `CREATE OR REPLACE FUNCTION docket_parse_duration(content text, digits integer) RETURNS bigint LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  parts text[] := regexp_match(content,
    '^(-)?P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\\.([0-9]+))?S)?)?$');
  fraction text := coalesce(parts[6], '');
  size numeric;
BEGIN
  IF parts IS NULL OR content !~ '[0-9][DHMS]$' THEN RETURN NULL; END IF;
  IF rtrim(substr(fraction, least(digits, 9) + 1), '0') <> '' THEN RETURN NULL; END IF;
  size := coalesce(CAST(parts[2] AS numeric), 0) * 86400000000000
    + coalesce(CAST(parts[3] AS numeric), 0) * 3600000000000
    + coalesce(CAST(parts[4] AS numeric), 0) * 60000000000
    + coalesce(CAST(parts[5] AS numeric), 0) * 1000000000
    + CAST(rpad(fraction, 9, '0') AS numeric);
  RETURN CASE WHEN size <= 9223372036854775807 THEN CASE WHEN parts[1] IS NULL THEN size ELSE -size END END;
END
$$`,
];

const BYTES: readonly string[] = [
  `CREATE OR REPLACE FUNCTION docket_parse_guid(content text) RETURNS text LANGUAGE sql ${PURE} AS $$
  SELECT CASE WHEN content ~ '^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$' THEN lower(content COLLATE "C") END
$$`,
  // Base64url, or base64 with or without padding, whose unused bits are zero. Without a limit, longest is -1.
  `CREATE OR REPLACE FUNCTION docket_parse_binary(content text, longest integer) RETURNS bytea LANGUAGE plpgsql ${PURE} AS $$
DECLARE
  plain text := translate(regexp_replace(content, '={1,2}$', ''), '-_', '+/');
  rest integer := length(plain) % 4;
  clean text := CASE rest WHEN 2 THEN '[AQgw]$' WHEN 3 THEN '[AEIMQUYcgkosw048]$' ELSE '' END;
BEGIN
  IF plain !~ '^[A-Za-z0-9+/]*$' OR rest = 1 OR plain !~ clean THEN RETURN NULL; END IF;
  IF content LIKE '%=' AND length(content) % 4 <> 0 THEN RETURN NULL; END IF;
  IF longest >= 0 AND length(plain) * 3 / 4 > longest THEN RETURN NULL; END IF;
  RETURN decode(plain || repeat('=', (4 - rest) % 4), 'base64');
END
$$`,
];

export const CONVERT_ROUTINES: readonly string[] = [...NUMBERS, ...TIMES, ...BYTES];
