// This file resolves the parameters of statements in write scripts.
import { invariant, unreachable } from '../base/fault.ts';
import type { Parameter, Statement } from '../sql/script.ts';
import { type Cell, type Context, type Inputs, inputAt } from './database.ts';

/** Identity and version of a row that a script has found or created. */
export interface RegisterRow {
  readonly identity: bigint;
  readonly version: bigint;
}

/** The values that statements of a running write script refer to. */
interface Values {
  readonly registers: ReadonlyMap<string, RegisterRow>;
  readonly context: Context;
  readonly locals: ReadonlyMap<string, Cell>;
  readonly inputs: Inputs;
}

/** The values of a statement's parameters, in order. */
export function valuesOf(values: Values, { parameters }: Statement): readonly Cell[] {
  return parameters.map((item) => resolveValue(values, item));
}

export function resolveValue(
  { registers, context, locals, inputs }: Values,
  item: Parameter,
): Cell {
  switch (item.kind) {
    case 'value':
      return item.value;
    case 'context':
      return context[item.name];
    case 'register': {
      const row = registers.get(item.name);
      invariant(row !== undefined, `no row in register ${item.name}`);
      return row[item.field];
    }
    case 'local': {
      const local = locals.get(item.name);
      invariant(local !== undefined, `no local ${item.name}`);
      return local;
    }
    case 'input':
      return inputAt(inputs, item.slot);
    default:
      return unreachable(item);
  }
}
