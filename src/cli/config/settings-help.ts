// Prints every configuration key with its description, accepted values, default and environment variable, all taken from the schema.
import { z } from 'zod';
import type { Terminal } from '../terminal.ts';
import { type ConfigKey, configKeys } from './config.ts';
import { rangeOf } from './config-error.ts';

/** A key as `docket help settings` prints it. */
export interface KeyHelp {
  readonly key: string;
  readonly type: string;
  readonly range: string;
  /** Null if the key has no default. */
  readonly default: unknown;
  readonly variable: string;
  readonly meaning: string;
}

/** Every key, in the order of the schema. */
export function keyHelp(): readonly KeyHelp[] {
  return configKeys().map((key) => ({
    key: key.name,
    type: typeOf(key),
    range: rangeOf(key.field),
    default: key.fallback ?? null,
    variable: key.variable,
    meaning: key.field.description ?? '',
  }));
}

/** `docket help settings`. */
export function showSettings(terminal: Terminal, isJson: boolean): void {
  const keys = keyHelp();
  if (isJson) {
    terminal.print(JSON.stringify(keys, null, 2));
    return;
  }
  terminal.print('Keys of docket.yaml. Variables override the file, and flags override both.');
  for (const key of keys) {
    terminal.print('');
    terminal.print(key.key);
    terminal.print(`  ${key.meaning}`);
    terminal.print(`  values   ${key.range}`);
    terminal.print(`  default  ${key.default === null ? 'none' : JSON.stringify(key.default)}`);
    terminal.print(`  variable ${key.variable}`);
  }
  terminal.print('');
  terminal.print('"docket settings list" shows the settings that can change at run time.');
}

/** `text`, `list` or `choice`; otherwise the type of JSON Schema, such as `integer`. */
function typeOf({ field }: ConfigKey): string {
  const { type, enum: choices } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  if (choices !== undefined) return 'choice';
  if (type === 'string') return 'text';
  return type === 'array' ? 'list' : String(type ?? 'text');
}
