// This file reads entities within a unit of work, as a GET request with the rights of the setting would.
import { invariant } from '../base/fault.ts';
import { bind } from '../bind/bind-read.ts';
import type { Scope } from '../bind/scope.ts';
import { isJsonObject, type JsonObject } from '../edm/value/lossless-json.ts';
import { decide, type Setting } from '../plan/decide-read.ts';
import { DEFAULT_LIMITS, parse } from '../request/parse.ts';
import { compile } from '../sql/compile.ts';
import { usesPositions } from '../sql/expression/clock-time.ts';
import { bindParameters, type Context, type Work } from '../store/database.ts';
import { outcomeOf } from '../store/run-read-script.ts';
import { query as queryOf } from '../store/work.ts';
import { withPositions } from './clocks/schedule-positions.ts';
import { readJson } from './json-body.ts';
import type { Service } from './service.ts';

export interface EntityReader {
  readonly service: Service;
  readonly scope: Scope;
  readonly setting: Setting;
  readonly context: Context;
}

/** The entities at a path, at most `limit` of them and of each expanded collection, ordered by key unless the query has an order. */
export function* readEntities(
  { service, scope, setting, context }: EntityReader,
  path: string,
  query: string,
  limit: number,
): Work<readonly JsonObject[]> {
  const tree = parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
  const bound = bind(tree, { ...scope, rules: 'odata' });
  const limits = { pageSize: limit, maximum: limit, maximumPage: limit };
  const plan = decide(bound, tree, { ...setting, limits });
  const script = compile(plan, service.layout, service.dialect);
  invariant(script.kind === 'read', 'a read of entities must compile to one statement');
  const { statement } = script;
  const own = usesPositions(statement)
    ? yield* withPositions(service, context, Date.parse(String(context.now)))
    : context;
  const { rows } = yield queryOf(statement.text, bindParameters(statement, own));
  const outcome = outcomeOf(script, rows, context);
  return outcome.rows.flatMap(({ json }) => {
    const record = json === null ? null : readJson(Buffer.from(json));
    return isJsonObject(record) ? [record] : [];
  });
}
