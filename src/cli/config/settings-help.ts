// This file shows every key of the configuration, made from its schema: what it is for, what it takes, its default and its variable.
import { z } from 'zod';
import type { Terminal } from '../terminal.ts';
import { type ConfigKey, configKeys } from './config.ts';
import { rangeOf } from './config-error.ts';

/** A key as it is shown. */
export interface ShownKey {
  readonly key: string;
  readonly type: string;
  readonly range: string;
  /** Null where there is none. */
  readonly default: unknown;
  readonly variable: string;
  readonly meaning: string;
}

/** Every key, in the order of the schema. */
export function shownKeys(): readonly ShownKey[] {
  return configKeys().map((key) => ({
    key: key.name,
    type: typeOf(key),
    range: rangeOf(key.field),
    default: key.fallback ?? null,
    variable: key.variable,
    meaning: meaningOf(key),
  }));
}

/** `docket help settings`. */
export function showSettings(terminal: Terminal, isJson: boolean): void {
  const keys = shownKeys();
  if (isJson) {
    terminal.print(JSON.stringify(keys, null, 2));
    return;
  }
  terminal.print('Keys of docket.yaml. A variable goes before the file, a flag before both.');
  for (const key of keys) {
    terminal.print('');
    terminal.print(key.key);
    terminal.print(`  ${key.meaning}`);
    terminal.print(`  takes    ${key.range}`);
    terminal.print(`  default  ${key.default === null ? 'none' : JSON.stringify(key.default)}`);
    terminal.print(`  variable ${key.variable}`);
  }
  terminal.print('');
  terminal.print('"docket settings list" shows those that change while the service runs.');
}

function meaningOf({ field }: ConfigKey): string {
  return field.description ?? '';
}

/** `integer`, `text`, `list`; what JSON Schema calls it. */
function typeOf({ field }: ConfigKey): string {
  const { type, enum: choices } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  if (choices !== undefined) return 'choice';
  if (type === 'string') return 'text';
  return type === 'array' ? 'list' : String(type ?? 'text');
}
