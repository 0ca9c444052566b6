// This file determines the values of existing rows in columns that become NOT NULL, as SQL text.
import type { Model, Property } from '../../edm/model.ts';
import { parseEnumJson } from '../../edm/value/enum.ts';
import { parseJson, resolvePrimitive } from '../../edm/value/primitives.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { toStatement } from '../fragment.ts';
import { defaultOf as columnDefault } from './ddl.ts';
import type { Column } from './layout.ts';
import { type Storage, storedValue } from './value-storage.ts';

/** The default as SQL text; `0` or `1` for a boolean. Undefined without a default that one column can hold. */
export function fillValue(model: Model, property: Property, storage: Storage): string | undefined {
  const value = defaultOf(model, property);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  const stored = storedValue(storage, value);
  if (typeof stored === 'string') return `'${stored.replaceAll("'", "''")}'`;
  return typeof stored === 'bigint' || typeof stored === 'number' ? String(stored) : undefined;
}

/** The canonical value of the default; the number of a code for a coded value. */
function defaultOf(model: Model, property: Property): Value | undefined {
  const { defaultValue } = property;
  if (defaultValue === undefined || property.collection) return undefined;
  const type = model.types.get(property.type);
  if (type?.kind === 'complex') {
    const code = Object.entries(defaultValue ?? {}).find(
      ([name]) => name === type.coded?.value,
    )?.[1];
    return typeof code === 'number' && Number.isSafeInteger(code) ? BigInt(code) : undefined;
  }
  const primitive = resolvePrimitive(model, property);
  const reading =
    type?.kind === 'enum'
      ? parseEnumJson(type, defaultValue)
      : primitive && parseJson(primitive.type, primitive.facets, defaultValue);
  return reading?.kind === 'value' ? reading.value : undefined;
}

/** Values of the types whose values are text, but never empty. */
const LEAST_TEXTS: Readonly<Record<string, string>> = {
  'Edm.Date': '0001-01-01',
  'Edm.Guid': '00000000-0000-0000-0000-000000000000',
};

/** What an existing row gets in a column that becomes NOT NULL, as SQL text: the default of the property, or else an empty value. */
export function emptyValue(column: Column, dialect: Dialect): string {
  const { storage, type, fill } = column;
  const given =
    fill === undefined ? undefined : columnDefault({ ...column, default: fill }, dialect);
  if (given !== undefined) return given;
  const least = type?.kind === 'primitive' ? LEAST_TEXTS[type.name] : undefined;
  if (least !== undefined) return `'${least}'`;
  if (type?.kind === 'enum') return Object.values(type.members)[0] ?? '0';
  switch (storage.kind) {
    case 'text':
    case 'geo':
      return "''";
    case 'json':
      return "'null'";
    case 'decimal':
      return "'0'";
    case 'binary':
      return toStatement(dialect.literal.emptyBinary, dialect.placeholder).text;
    case 'boolean':
      return toStatement(dialect.literal.false, dialect.placeholder).text;
    case 'temporal': {
      const fraction = storage.digits === 0 ? '' : `.${'0'.repeat(storage.digits)}`;
      return storage.zone ? `'0001-01-01T00:00:00${fraction}Z'` : `'00:00:00${fraction}'`;
    }
    default:
      return '0';
  }
}
