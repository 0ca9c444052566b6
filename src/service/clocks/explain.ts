// This file answers the functions Explain and WhatIf. Explain reads what a calculation of the entity's clocks reads, and calculates. WhatIf
// creates the entity with the rights of the account in a transaction that is rolled back, and explains it there.
import type { Principal } from '../../access/principal.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { bind } from '../../bind/bind-read.ts';
import type { BoundRead, Rows } from '../../bind/bound.ts';
import { knownPath } from '../../bind/path/entity-url.ts';
import {
  calculatedPaths,
  clocksOf,
  keyName,
  readPaths,
  typeOfSet,
} from '../../edm/clocks/clock-members.ts';
import type { ClockRules } from '../../edm/clocks/clock-rules.ts';
import { integerOf } from '../../edm/csdl/document-reader.ts';
import { type EntityType, type Model, simpleName } from '../../edm/model.ts';
import { DEFAULT_LIMITS, parse } from '../../request/parse.ts';
import type { Tree } from '../../request/tree.ts';
import type { Answer } from '../../response/response.ts';
import { clockInputs } from '../../sql/write/clocks.ts';
import { identityQuery } from '../../sql/write/row-expressions.ts';
import { bindParameters, type Row, type Work, type WorkResult } from '../../store/database.ts';
import { valuesOf } from '../../store/script-state.ts';
import { firstRow, runQueries } from '../../store/work.ts';
import { Staging } from '../files/uploads.ts';
import { answerRead } from '../read.ts';
import { type EntityReader, readEntities } from '../read-entities.ts';
import {
  answerConstant,
  type FunctionRequest,
  mayCall,
  ownerAddress,
} from '../schedules/answer-calculation.ts';
import type { Call, Service } from '../service.ts';
import {
  contextOf,
  type RequestTrace,
  readTree,
  requireRecordFormat,
  scopeOf,
  settingOf,
} from '../stage-inputs.ts';
import { writeInTransaction } from '../write/write.ts';
import { findingsOf } from './calculate-clocks.ts';
import { type ReadableRules, writeExplanation } from './write-explanation.ts';

/** Whether the request may call one of the functions. A cheap check before the path is parsed. */
export function mayExplain(call: Call, { model }: Pick<Service, 'model'>): boolean {
  return mayCall(call, explainingNames(model));
}

const explainingNames = perObject((model: Model) => [
  ...new Set(
    model.definition.operations.flatMap(({ name, engine }) =>
      engine === 'explain' || engine === 'what-if' ? [simpleName(name)] : [],
    ),
  ),
]);

/** Answers such a function, and other reads as usual. Throws: the faults of reads and, for WhatIf, those of creating the entity. */
export async function answerExplanation(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const tree = readTree(call, service, trace);
  const bound = bind(tree, scopeOf(call, service));
  if (bound.kind !== 'read' || bound.wanted.kind !== 'explanation')
    return await answerRead(call, service, principal, trace);
  requireRecordFormat(tree.negotiated);
  const request = { call, service, principal };
  const { operation, values } = bound.wanted;
  const json = await (values === undefined
    ? runQueries(explainExisting(request, bound, tree), service.database)
    : service.database.write(() => explainNew(request, values)));
  return await answerConstant(
    (type) => ({ kind: 'json', type, text: json }),
    operation,
    tree,
    request,
  );
}

/** Throws: access.read, access.member, response.not-found. */
function* explainExisting(request: FunctionRequest, bound: BoundRead, tree: Tree): Work<string> {
  return yield* explainAt(request, yield* ownerAddress(bound, tree, request));
}

/** Creates the entity as a POST request to the collection would. Throws: the faults of writes, access.read. */
function* explainNew(request: FunctionRequest, values: string): Work<WorkResult<string>> {
  const { call, service, principal } = request;
  const { id, address, root } = call;
  const headers = { 'content-type': 'application/json', prefer: 'return=minimal' };
  const body = Buffer.from(values);
  const path = collectionPath(call);
  const creation = { id, address, root, method: 'POST', path, query: '', headers, body };
  // Files in the values have placeholders, since nothing is kept.
  const staging = new Staging(service.vault);
  const { result } = yield* writeInTransaction(creation, service, principal, staging);
  const { Location: location } = result.headers;
  if (location === undefined) throw new Fault('access.read', { type: `entity in ${path}` });
  const explained = yield* explainAt(request, knownPath(root, location));
  return { result: explained, keep: false };
}

/** The path before the function. */
function collectionPath({ path }: Call): string {
  return path
    .replace(/\/(?:\$|%24)query\/?$/i, '')
    .replace(/\/+$/, '')
    .replace(/\/[^/]*$/, '');
}

/** Explains the entity at a path that the account may see. */
function* explainAt({ call, service, principal }: FunctionRequest, path: string): Work<string> {
  const { model, layout, dialect } = service;
  const context = contextOf(call, service, principal);
  const scope = scopeOf(call, service);
  const own: EntityReader = { service, scope, setting: settingOf(service, principal), context };
  const { rows } = boundEntity(own, path);
  const { type } = rows.row;
  const rules = clocksOf(model, type);
  invariant(rules !== undefined, `${type.name} has no clocks`);
  yield* requireReadable(own, path, type, rules);
  const identity = identityQuery(rows, { layout, dialect });
  const row = yield* firstRow(identity.text, bindParameters(identity, context));
  if (row === undefined) throw new Fault('response.not-found', { path });
  const inputs = yield* inputsOf(own, rows, rules, row);
  const step = { type: type.name, chooses: false, set: [] };
  const findings = yield* findingsOf(service, type, { step, inputs, context, isNew: false });
  return writeExplanation(findings, rules, yield* readableRules(own, rules), call.root);
}

function boundEntity({ scope }: EntityReader, path: string): BoundRead {
  const tree = parse({ method: 'GET', path, query: '', headers: {} }, DEFAULT_LIMITS);
  const bound = bind(tree, { ...scope, rules: 'odata' });
  invariant(bound.kind === 'read', `${path} is not an entity`);
  return bound;
}

/** An explanation shows the members that the calculation reads and sets. Throws: access.member. */
function* requireReadable(
  reader: EntityReader,
  path: string,
  type: EntityType,
  rules: ClockRules,
): Work<void> {
  const { model } = reader.service;
  const names = [...calculatedPaths(rules), ...readPaths(rules)]
    .map((one) => one.split('/', 1)[0] ?? '')
    .filter((name) => model.members(type).has(name));
  yield* readEntities(reader, path, `$select=${[...new Set(names)].join(',')}`, 1);
}

function* inputsOf(
  { service, context }: EntityReader,
  rows: Rows,
  rules: ClockRules,
  [identity, version]: Row,
): Work<Row> {
  const register = { name: 'explained', source: rows.row.source };
  const statement = clockInputs(register, rows.row.type, rules, service);
  const row = { identity: BigInt(Number(identity)), version: BigInt(Number(version)) };
  const registers = new Map([[register.name, row]]);
  const values = valuesOf({ registers, context, locals: new Map(), inputs: [] }, statement);
  const found = yield* firstRow(statement.text, values);
  invariant(found !== undefined, 'the entity exists');
  return found;
}

// ---- rights ---------------------------------------------------------------------------------------------------------

function* readableRules(
  reader: EntityReader,
  { agreement, level }: ClockRules,
): Work<ReadableRules> {
  const agreements = agreement === undefined ? [] : yield* readableKeys(reader, agreement.from);
  return {
    agreements: new Set(agreements),
    levels: new Set(yield* readableKeys(reader, level.from)),
  };
}

/** The keys of the entities that the account may read. */
function* readableKeys(reader: EntityReader, set: string): Work<readonly bigint[]> {
  const type = typeOfSet(reader.service.model, set);
  invariant(type !== undefined, `there is no set ${set}`);
  const key = keyName(reader.service.model, type);
  try {
    const rows = yield* readEntities(reader, set, `$select=${key}`, MAX_RULES);
    return rows.flatMap((row) => integerOf(row[key] ?? null) ?? []);
  } catch (error) {
    if (error instanceof Fault && error.status === 403) return [];
    throw error;
  }
}

/** Far more than an installation has. */
const MAX_RULES = 1_000_000;
