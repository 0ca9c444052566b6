// This file chooses the format in which the service writes a value: the counterpart of expression/json-value.ts, where the database
// writes it.
import { unreachable } from '../../base/fault.ts';
import type { ValueType } from '../../bind/bound.ts';
import { hasAnyPrecision } from '../../edm/value/primitives.ts';
import type { DocumentRules } from '../dialect/rewrite-document.ts';
import { isSingle, isWide, type JsonForm } from '../expression/json-value.ts';
import type { Storage } from '../schema/value-storage.ts';
import type { Format, KeyFormat } from './record-template.ts';

/** The format of a value in JSON. `rules` rewrite a document. */
export function jsonFormat(
  storage: Storage,
  type: ValueType,
  form: JsonForm,
  rules: DocumentRules | undefined,
): Format {
  if (type.kind === 'enum' && storage.kind === 'integer') return { kind: 'enum', type: type.type };
  const quoted = form.ieee754Compatible && isWide(type);
  switch (storage.kind) {
    case 'floating':
      return { kind: isSingle(type) ? 'single' : 'floating' };
    case 'boolean':
    case 'duration':
    case 'binary':
      return { kind: storage.kind };
    case 'integer':
      return { kind: quoted ? 'quoted' : 'plain' };
    case 'decimal':
      return { kind: quoted ? 'quoted' : 'decimal' };
    case 'scaled':
      return { kind: 'scaled', scale: storage.scale, quoted };
    case 'text':
      return { kind: isString(type) ? 'string' : 'quoted' };
    case 'temporal':
      return { kind: isOfAnyPrecision(type) ? 'shortest-time' : 'quoted' };
    case 'geo':
    case 'json':
      return rules === undefined ? { kind: 'plain' } : { kind: 'document', rules };
    default:
      return unreachable(storage);
  }
}

function isString(type: ValueType): boolean {
  return type.kind === 'primitive' && type.name === 'Edm.String';
}

/** The format of a value as a key literal of a URL. */
export function keyFormat(storage: Storage, type: ValueType): KeyFormat {
  if (type.kind === 'enum') return { kind: 'enum', type: type.type };
  if (isString(type)) return { kind: 'url' };
  switch (storage.kind) {
    case 'boolean':
    case 'floating':
    case 'duration':
    case 'binary':
      return { kind: storage.kind };
    case 'scaled':
      return { kind: 'scaled', scale: storage.scale };
    case 'temporal':
      return { kind: isOfAnyPrecision(type) ? 'shortest-time' : 'time' };
    default:
      return { kind: 'plain' };
  }
}

function isOfAnyPrecision(type: ValueType): boolean {
  return type.kind === 'primitive' && hasAnyPrecision(type.facets);
}
