// This file turns the texts of cells into values of JSON by the type of their property. Values are validated when the record is stored.
import { type JsonInput, NumberText } from '../../edm/value/lossless-json.ts';

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
};

/** @param type the name of a primitive type */
export function readerOf(type: string): (text: string) => JsonInput {
  return READERS[type] ?? asText;
}
