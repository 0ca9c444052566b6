// This file reads what an action needs to know while it is carried out: values of the model's expressions and addresses of entities, in
// the transaction of the call and with the rights of who asks.
import { Fault, invariant } from '../../base/fault.ts';
import type { BoundRead, BoundReading } from '../../bind/bound.ts';
import { type Acting, bindEffect } from '../../bind/model/action-effect.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import { plainQuery } from '../../bind/query/option-scope.ts';
import type { EntityType } from '../../edm/model.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { type Asked, decide, type Setting } from '../../plan/decide-read.ts';
import type { ReadOutcome } from '../../plan/outcome.ts';
import type { Plan } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { compile } from '../../sql/compile.ts';
import { bindParameters, type Context } from '../../store/database.ts';
import { outcomeOf } from '../../store/run-script.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import { plainly } from '../write/created-location.ts';
import type { ReadRows } from '../write/template.ts';

/** How a call of an action reads. */
export interface ActionReader {
  readonly call: Call;
  readonly tree: Tree;
  readonly service: Service;
  readonly setting: Setting;
  readonly context: Context;
  readonly rows: ReadRows;
}

/** Entities that one expression may lead to, or that an action may give back. */
const ROW_LIMIT = 1000;

/** The value of an expression: exact JSON text, or the relative addresses of entities. */
export type Given =
  | { readonly kind: 'value'; readonly json: string }
  | {
      readonly kind: 'entities';
      readonly many: boolean;
      readonly type: EntityType | undefined;
      readonly addresses: readonly string[];
    };

/** Evaluates an expression of the model. Faults: those of binding it, write.too-many. */
export function evaluate(reader: ActionReader, acting: Acting, text: string): Given {
  const effect = bindEffect(scopeOfAction(reader), acting, text);
  if (effect.form === 'none')
    return { kind: 'entities', many: false, type: undefined, addresses: [] };
  if (effect.form === 'value')
    return { kind: 'value', json: readPlainly(reader, effect.read)[0] ?? 'null' };
  const addresses = readPlainly(reader, effect.read).map((json) => addressIn(reader, json));
  return { kind: 'entities', many: effect.form === 'references', type: effect.type, addresses };
}

/** The relative addresses of rows that a path leads to. */
export function addressesOf(
  reader: ActionReader,
  { rows, many, address }: Pick<BoundRead, 'rows' | 'address'> & { readonly many: boolean },
): readonly string[] {
  const bound: BoundRead = {
    kind: 'read',
    rows,
    address,
    nullable: false,
    wanted: { kind: many ? 'references' : 'reference' },
    query: plainQuery(rows.row),
  };
  return readPlainly(reader, bound).map((json) => addressIn(reader, json));
}

export function scopeOfAction({ call, service }: ActionReader) {
  const { model, limits } = service;
  return { model, limits, rules: service.rules, root: call.root };
}

export interface ReadResult {
  readonly plan: Plan;
  readonly outcome: ReadOutcome;
}

/** Reads in the transaction; all rows at once, since nobody can ask for a next page. Faults: write.too-many. */
export function readHere(reader: ActionReader, bound: BoundReading, asked: Asked): ReadResult {
  const { service, setting, context, rows } = reader;
  const limits = { pageSize: ROW_LIMIT + 1, maximum: ROW_LIMIT + 1, maximumPage: ROW_LIMIT + 1 };
  const plan = decide(bound, asked, { ...setting, limits });
  const script = compile(plan, service.layout, service.dialect);
  invariant(script.kind === 'read', 'an action reads records and values');
  const { statement } = script;
  const outcome = outcomeOf(script, rows(statement.text, bindParameters(statement, context)));
  if (outcome.rows.length > ROW_LIMIT)
    throw new Fault('write.too-many', { count: outcome.rows.length, limit: ROW_LIMIT });
  return { plan, outcome };
}

function readPlainly(reader: ActionReader, bound: BoundReading): readonly string[] {
  const { options, wishes } = reader.tree;
  const { outcome } = readHere(reader, bound, {
    options,
    wishes: { ...plainly(wishes), prefer: { ...wishes.prefer, maxpagesize: undefined } },
  });
  return outcome.rows.flatMap(({ json }) => (json === null ? [] : [json]));
}

function addressIn({ call }: ActionReader, json: string): string {
  const reference = readJson(Buffer.from(json));
  const id = isJsonObject(reference) ? reference['@odata.id'] : undefined;
  invariant(typeof id === 'string', 'a reference has no id');
  const path = relativePath({ root: call.root, contentIds: new Map() }, id);
  invariant('relative' in path, `the id ${id} is not of this service`);
  return path.relative;
}
