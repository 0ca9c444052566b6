// This file evaluates the expressions of an action to values or URLs of entities. It reads in the transaction of the call with the rights
// of the requester.
import { Fault, invariant } from '../../base/fault.ts';
import type { BoundRead, BoundReadRequest } from '../../bind/bound.ts';
import { type ActionContext, bindEffect } from '../../bind/model/action-effect.ts';
import { knownPath } from '../../bind/path/entity-url.ts';
import { plainQuery } from '../../bind/query/option-scope.ts';
import type { EntityType } from '../../edm/model.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { decide, type Setting, type UnboundRequest } from '../../plan/decide-read.ts';
import type { ReadOutcome } from '../../plan/outcome.ts';
import type { Plan } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { compile } from '../../sql/compile.ts';
import { bindParameters, type Context, type Work } from '../../store/database.ts';
import { outcomeOf } from '../../store/run-read-script.ts';
import { query } from '../../store/work.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import { withDefaultFormat } from '../write/created-location.ts';

/** The inputs of reads during an action. */
export interface ActionReader {
  readonly call: Call;
  readonly tree: Tree;
  readonly service: Service;
  readonly setting: Setting;
  readonly context: Context;
}

/** Maximum of entities in the value of an expression or in the result of an action. */
const ROW_LIMIT = 1000;

/** The value of an expression: JSON text, or the relative URLs of entities. */
export type EffectValue =
  | { readonly kind: 'value'; readonly json: string }
  | {
      readonly kind: 'entities';
      readonly many: boolean;
      readonly type: EntityType | undefined;
      readonly addresses: readonly string[];
    };

/** Evaluates an expression of the model. Throws: the faults of binding it, write.too-many. */
export function* evaluate(
  reader: ActionReader,
  acting: ActionContext,
  text: string,
): Work<EffectValue> {
  const effect = bindEffect(scopeOfAction(reader), acting, text);
  if (effect.form === 'none')
    return { kind: 'entities', many: false, type: undefined, addresses: [] };
  const rows = yield* readJsonRows(reader, effect.read);
  if (effect.form === 'value') return { kind: 'value', json: rows[0] ?? 'null' };
  const addresses = rows.map((json) => addressIn(reader, json));
  return { kind: 'entities', many: effect.form === 'references', type: effect.type, addresses };
}

/** The type of the entities in a collection, which is not read. Throws: the faults of binding its path. */
export function typeOfCollection(
  reader: ActionReader,
  acting: ActionContext,
  text: string,
): EntityType {
  const effect = bindEffect(scopeOfAction(reader), acting, text);
  invariant(effect.form === 'references', `${text} is not a collection of entities`);
  return effect.type;
}

/** The relative URLs of the entities at a path. */
export function* addressesOf(
  reader: ActionReader,
  { rows, many, address }: Pick<BoundRead, 'rows' | 'address'> & { readonly many: boolean },
): Work<readonly string[]> {
  const bound: BoundRead = {
    kind: 'read',
    rows,
    address,
    nullable: false,
    wanted: { kind: many ? 'references' : 'reference' },
    query: plainQuery(rows.row),
  };
  const found = yield* readJsonRows(reader, bound);
  return found.map((json) => addressIn(reader, json));
}

export function scopeOfAction({ call, service }: ActionReader) {
  const { model, limits, codes } = service;
  return { model, limits, codes, rules: service.rules, root: call.root };
}

export interface ReadResult {
  readonly plan: Plan;
  readonly outcome: ReadOutcome;
}

/** Reads all rows in one page, since there is no client to request the next one. Throws: write.too-many. */
export function* readAll(
  reader: ActionReader,
  bound: BoundReadRequest,
  request: UnboundRequest,
): Work<ReadResult> {
  const { service, setting, context } = reader;
  const limits = { pageSize: ROW_LIMIT + 1, maximum: ROW_LIMIT + 1, maximumPage: ROW_LIMIT + 1 };
  const plan = decide(bound, request, { ...setting, limits });
  const script = compile(plan, service.layout, service.dialect);
  invariant(script.kind === 'read', 'reads of an action must compile to one statement');
  const { statement } = script;
  const values = bindParameters(statement, context, setting.parameters?.values);
  const { rows } = yield query(statement.text, values);
  const outcome = outcomeOf(script, rows, context);
  if (outcome.rows.length > ROW_LIMIT)
    throw new Fault('write.too-many', { count: outcome.rows.length, limit: ROW_LIMIT });
  return { plan, outcome };
}

function* readJsonRows(reader: ActionReader, bound: BoundReadRequest): Work<readonly string[]> {
  const { options, negotiated } = reader.tree;
  const { outcome } = yield* readAll(reader, bound, {
    options,
    negotiated: {
      ...withDefaultFormat(negotiated),
      prefer: { ...negotiated.prefer, maxpagesize: undefined },
    },
  });
  return outcome.rows.flatMap(({ json }) => (json === null ? [] : [json]));
}

function addressIn({ call }: ActionReader, json: string): string {
  const reference = readJson(Buffer.from(json));
  const id = isJsonObject(reference) ? reference['@odata.id'] : undefined;
  invariant(typeof id === 'string', 'a reference has no id');
  return knownPath(call.root, id);
}
