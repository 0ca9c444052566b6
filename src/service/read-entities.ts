// This file reads entities within a unit of work, as a GET request with the rights of the setting would.
import { invariant } from '../base/fault.ts';
import type { Scope } from '../bind/scope.ts';
import { isJsonObject, type JsonObject } from '../edm/value/lossless-json.ts';
import type { Setting } from '../plan/decide-read.ts';
import { DEFAULT_LIMITS, parse } from '../request/parse.ts';
import { usesPositions } from '../sql/expression/clock-time.ts';
import { bindParameters, type Context, type Work } from '../store/database.ts';
import { outcomeOf } from '../store/run-read-script.ts';
import { query as queryOf } from '../store/work.ts';
import { withPositions } from './clocks/schedule-positions.ts';
import { readJson } from './json-body.ts';
import { findPlan, makePlan } from './read-plans.ts';
import type { Service } from './service.ts';

/** Distinguishes these reads from requests, which have other limits. */
const PREFIX = 'entities ';

export interface EntityReader {
  readonly service: Service;
  readonly scope: Scope;
  readonly setting: Setting;
  readonly context: Context;
  /** Whether all readers of the service with this mark have the same scope and setting, so that they share plans. */
  readonly sharesPlans?: boolean;
}

/** The entities at a path, at most `limit` of them and of each expanded collection, ordered by key unless the query has an order. */
export function* readEntities(
  { service, scope, setting, context, sharesPlans }: EntityReader,
  path: string,
  query: string,
  limit: number,
): Work<readonly JsonObject[]> {
  const tree = parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
  const { template } = tree;
  const isKept = sharesPlans === true && template.isComplete;
  const key = isKept
    ? { rights: setting.rights, template: `${PREFIX}${limit} ${template.text}` }
    : undefined;
  const limits = { pageSize: limit, maximum: limit, maximumPage: limit };
  const own = { scope: { ...scope, rules: 'odata' }, setting: { ...setting, limits } } as const;
  const { script, values } =
    (key && findPlan(key, service, template)) ?? makePlan({ tree, key, service, ...own });
  invariant(script.kind === 'read', 'a read of entities must compile to one statement');
  const { statement } = script;
  const positioned = usesPositions(statement)
    ? yield* withPositions(service, context, Date.parse(String(context.now)))
    : context;
  const { rows } = yield queryOf(statement.text, bindParameters(statement, positioned, values));
  const outcome = outcomeOf(script, rows, context);
  return outcome.rows.flatMap(({ json }) => {
    const record = json === null ? null : readJson(Buffer.from(json));
    return isJsonObject(record) ? [record] : [];
  });
}
