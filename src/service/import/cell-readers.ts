// This file turns the texts of cells into values of JSON by the type of their property. Values are validated when the record is stored.
import { Fault } from '../../base/fault.ts';
import { type JsonInput, NumberText } from '../../edm/value/lossless-json.ts';
import { readJson } from '../json-body.ts';

export const asText = (text: string): JsonInput => text;

/** Digits are numbers. Other texts stay texts, which are valid (INF) or rejected with what the type permits. */
function asNumber(text: string): JsonInput {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? new NumberText(text) : text;
}

/** Spreadsheets write truth values in capitals. */
function asBoolean(text: string): JsonInput {
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
}

/** Spreadsheets have dates and times of day as points in time. */
function asDate(text: string): JsonInput {
  return text.replace(/T00:00:00(?:\.0+)?Z$/, '');
}

function asTimeOfDay(text: string): JsonInput {
  return text.replace(/^1899-12-3\dT(.+)Z$/, '$1');
}

/** Places and untyped values are JSON, as exports write them. Other texts stay texts, which untyped properties permit. */
function asJson(text: string): JsonInput {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof Fault) return text;
    throw error;
  }
}

const READERS: Readonly<Record<string, (text: string) => JsonInput>> = {
  'Edm.Boolean': asBoolean,
  'Edm.Date': asDate,
  'Edm.TimeOfDay': asTimeOfDay,
  'Edm.Byte': asNumber,
  'Edm.SByte': asNumber,
  'Edm.Int16': asNumber,
  'Edm.Int32': asNumber,
  'Edm.Int64': asNumber,
  'Edm.Decimal': asNumber,
  'Edm.Double': asNumber,
  'Edm.Single': asNumber,
  'Edm.Untyped': asJson,
};

/** @param type the name of a primitive type */
export function readerOf(type: string): (text: string) => JsonInput {
  return READERS[type] ?? (type.startsWith('Edm.Geo') ? asJson : asText);
}
