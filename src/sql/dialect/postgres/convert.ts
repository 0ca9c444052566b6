// This file translates conversions between primitive types: each pair of types becomes the text of the value and a routine that parses
// it as a literal of the new type, as cast in the SQLite dialect does.
import type { Facets } from '../../../edm/model.ts';
import { fractionDigits, type PrimitiveName, primitiveRow } from '../../../edm/value/primitives.ts';
import { type Fragment, integer, sql, text } from '../../fragment.ts';

interface ConvertedType {
  readonly type: PrimitiveName;
  readonly precision?: number;
  readonly anyPrecision?: true;
  readonly scale?: NonNullable<Facets['scale']>;
  readonly maxLength?: number;
  readonly srid?: number | 'variable';
}

const INT64 = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

/** The values of `ValueDialect.convert`. */
export function convert(content: Fragment, from: string, to: string): Fragment {
  const source = JSON.parse(from) as ConvertedType;
  const target = JSON.parse(to) as ConvertedType;
  const isShape = primitiveRow(target.type).class === 'geo' && source.type !== 'Edm.String';
  if (isShape) return geoFromJson(content, target);
  const isShort = source.type === 'Edm.Single' && target.type === 'Edm.String';
  const written = isShort ? sql`btrim(docket_single(${content}), '"')` : textOf(content, source);
  return parse(fitted(written, source, target), target);
}

/** The canonical text of a value. */
function textOf(content: Fragment, { type }: ConvertedType): Fragment {
  const { class: kind, geo } = primitiveRow(type);
  switch (kind) {
    case 'boolean':
      return sql`(CASE WHEN ${content} THEN 'true' WHEN NOT ${content} THEN 'false' END)`;
    case 'integer':
      return sql`CAST(${content} AS text)`;
    case 'floating':
      return sql`btrim(docket_number(${content}), '"')`;
    case 'duration':
      return sql`docket_duration(${content})`;
    case 'binary':
      return sql`translate(encode(${content}, 'base64'), E'+/=\\n', '-_')`;
    case 'geo':
      return sql`docket_geo_text(${content}, ${integer(geo?.srid ?? 0)})`;
    default:
      return content;
  }
}

/** Numbers are rounded to the places of the new type. */
function fitted(content: Fragment, source: ConvertedType, target: ConvertedType): Fragment {
  const [from, to] = [primitiveRow(source.type).class, primitiveRow(target.type).class];
  const isNumber = from === 'floating' || from === 'decimal' || from === 'integer';
  const places = to === 'integer' ? 0 : to === 'decimal' ? target.scale : undefined;
  return isNumber && typeof places === 'number'
    ? sql`docket_round_text(${content}, ${integer(places)})`
    : content;
}

/** The value of a text; null if it is not a literal of the type. */
function parse(content: Fragment, target: ConvertedType): Fragment {
  const { type, maxLength = -1, precision = -1 } = target;
  const { class: kind, bounds = INT64 } = primitiveRow(type);
  switch (kind) {
    case 'boolean':
      return sql`(CASE lower(${content} COLLATE "C") WHEN 'true' THEN true WHEN 'false' THEN false END)`;
    case 'integer':
      return sql`docket_parse_integer(${content}, ${integer(bounds.least)}, ${integer(bounds.greatest)})`;
    case 'decimal':
      return sql`docket_parse_decimal(${content}, ${integer(precision)}, ${scaleOf(target)})`;
    case 'floating':
      return sql`docket_parse_floating(${content}, ${type === 'Edm.Single' ? sql`true` : sql`false`})`;
    case 'string':
      if (maxLength < 0) return content;
      return sql`(CASE WHEN char_length(${content}) <= ${integer(maxLength)} THEN ${content} END)`;
    case 'guid':
      return sql`docket_parse_guid(${content})`;
    case 'date':
      return sql`docket_parse_date(${content})`;
    case 'point':
    case 'time':
    case 'duration':
      return parseTime(content, target, kind);
    case 'binary':
      return sql`docket_parse_binary(${content}, ${integer(maxLength)})`;
    case 'geo':
      return geoFromJson(sql`docket_geo_from_text(${content})`, target);
    default:
      return sql`NULL`;
  }
}

function parseTime(
  content: Fragment,
  target: ConvertedType,
  kind: 'point' | 'time' | 'duration',
): Fragment {
  const digits = integer(fractionDigits(target.type, target));
  switch (kind) {
    case 'point':
      return sql`docket_parse_point(${content}, ${digits})`;
    case 'time':
      return sql`docket_parse_time(${content}, ${digits})`;
    case 'duration':
      return sql`docket_parse_duration(${content}, ${digits})`;
  }
}

/** The number of places; -1 for any, and -2 for any with INF, -INF and NaN. */
function scaleOf({ scale = 'variable' }: ConvertedType): Fragment {
  return integer(scale === 'variable' ? -1 : scale === 'floating' ? -2 : scale);
}

function geoFromJson(content: Fragment, target: ConvertedType): Fragment {
  const { geo } = primitiveRow(target.type);
  const own = geo?.srid ?? 0;
  const { srid = own } = target;
  const required = integer(srid === 'variable' ? -1 : srid);
  return sql`docket_geo_read(CAST(${content} AS json), ${text(geo?.shape ?? '')}, ${integer(own)}, ${required})`;
}
