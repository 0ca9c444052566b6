// This file prepares writes. Writes with the same template that give equal answers to the questions of planning share a plan and
// script, as reads do.
import { Fault } from '../../base/fault.ts';
import { type BodyPlaces, BodyTemplate } from '../../bind/body/body-template.ts';
import { Parameters, type SlotValue } from '../../bind/parameter.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { versionIn } from '../../plan/write/etag-guards.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type { Inputs, Work } from '../../store/database.ts';
import { mayHoldSecret } from '../accounts/extract-password.ts';
import { keyOf, type PreparedPlan, plansOf } from '../cache/prepared-plans.ts';
import { sentFileOf } from '../files/uploads.ts';
import { readJson } from '../json-body.ts';
import { withKeys } from '../read-plans.ts';
import type { Call, Service } from '../service.ts';
import { contextOf, readTree } from '../stage-inputs.ts';
import {
  type ParsedWrite,
  type PreparedWrite,
  prepareUncached,
  type WriteEnvironment,
} from './prepare-uncached-write.ts';

/**
 * Prepares a write for performWrite, with a plan from the cache if possible.
 * Throws: the faults of parsing, binding and deciding.
 */
export function* prepareWrite(
  call: Call,
  service: Service,
  environment: WriteEnvironment,
): Work<PreparedWrite> {
  const tree = readTree(call, service, environment.trace);
  const write = { call, tree, json: jsonBody(call) };
  const body = cacheableBody(write);
  if (body === undefined || mayHoldSecret(call))
    return yield* prepareUncached(write, service, environment);
  const { principal } = environment;
  const values = valuesOf(write, body);
  const key = keyOf({ call, service, principal }, tree, values.text);
  if (key === undefined) return yield* prepareUncached(write, service, environment);
  const plans = plansOf(service);
  const found = plans.find(key, values.all);
  if (found?.plan.kind === 'write')
    return fromPlan(write, found.plan, found.values, service, environment);
  const parameters = parametersOf(write, body, values);
  const prepared = yield* prepareUncached({ ...write, parameters }, service, environment);
  const { plan, script, location } = prepared;
  if (hasInlineFiles(plan) || changesLogIn(prepared)) parameters.reject();
  // The script replaces the steps.
  plans.keep(key, parameters, { kind: 'write', plan: { ...plan, steps: [] }, script, location });
  return prepared;
}

type WritePart = PreparedPlan & { readonly kind: 'write' };

function fromPlan(
  write: ParsedWrite,
  { plan, script, location }: WritePart,
  values: Inputs,
  service: Service,
  environment: WriteEnvironment,
): PreparedWrite {
  const { call, tree } = write;
  const { principal } = environment;
  return {
    call,
    principal,
    tree,
    plan: withOwnKeys(plan, values),
    script,
    location,
    context: contextOf(call, service, principal),
    values,
    isShared: true,
    prepareAgain: (current) => prepareUncached(write, current, environment),
  };
}

/** The plan with the keys of a request in the context URL of its response. */
function withOwnKeys(plan: WritePlan, values: Inputs): WritePlan {
  const { result } = plan;
  return result === undefined || result.contextKeys.length === 0
    ? plan
    : { ...plan, result: withKeys(result, values) };
}

/** Inline file content differs between writes of a template, so such plans are not shared. */
function hasInlineFiles({ files = new Map() }: WritePlan): boolean {
  return [...files.values()].some(({ kind }) => kind !== 'sent');
}

/** What a body changes besides the record: the password of an account, or its second factor. A plan does not contain it. */
function changesLogIn({ password, mustChangePassword, resetsFactor }: PreparedWrite): boolean {
  return [password, mustChangePassword, resetsFactor].some((part) => part !== undefined);
}

// ---- values ---------------------------------------------------------------------------------------------------------

/** The values of a write in their order: literals of the URL, the version in If-Match, and the body. */
interface WriteValues {
  readonly all: readonly SlotValue[];
  /** The template of If-Match and the body. */
  readonly text: string;
  /** The slot of the version. */
  readonly version: number | undefined;
  /** The slot of the first value of the body. */
  readonly first: number;
}

function valuesOf({ call, tree }: ParsedWrite, body: JsonInput): WriteValues {
  const { values } = tree.template;
  const version = versionIn(tree.negotiated);
  const absent = call.waivesTags === true ? '+' : '-';
  const ifMatch = version === undefined ? (call.headers['if-match'] ?? absent) : '#';
  const before = version === undefined ? values : [...values, version];
  const template = new BodyTemplate(body, relativeOf(call), before.length);
  return {
    all: [...before, ...template.values],
    text: `${kindOf(call)}${ifMatch}\n${template.text}`,
    version: version === undefined ? undefined : values.length,
    first: before.length,
  };
}

/** What distinguishes the plans of calls with the same text. */
function kindOf({ isLoad, isDryRun, recalculates, transition }: Call): string {
  const load = isLoad === true ? 'load ' : '';
  const dry = isDryRun === true ? 'dry ' : '';
  const clocks = recalculates === true ? 'clocks ' : '';
  return `${load}${dry}${clocks}${transition === undefined ? '' : `${JSON.stringify(transition)} `}`;
}

function parametersOf(
  { call, tree }: ParsedWrite,
  body: JsonInput,
  values: WriteValues,
): Parameters {
  const { template } = tree;
  const places: BodyPlaces = {
    targets: new Map(),
    references: new Map(),
    templates: [{ template, first: 0 }],
  };
  new BodyTemplate(body, relativeOf(call), values.first, places);
  return new Parameters({ values: values.all, version: values.version, ...places });
}

/** Only a batch can resolve a Content-ID. */
function relativeOf({ root, contentIds = new Map() }: Call): (url: string) => string | undefined {
  return (url) => {
    const place = relativePath({ root, contentIds }, url);
    return 'relative' in place ? place.relative : undefined;
  };
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

/** Larger bodies are not cached. Bytes. */
const CACHEABLE_BYTES = 65_536;

/** The part of the body that belongs to the template. For a file that is its names, as its content does not affect the plan. */
function cacheableBody({ call, json }: Pick<ParsedWrite, 'call' | 'json'>): JsonInput | undefined {
  const { incoming, method } = call;
  if (incoming === undefined) return json;
  return method === 'POST' ? { ...sentFileOf(incoming) } : undefined;
}

/** The body if it is well-formed JSON. Errors in other bodies are reported after the path has been parsed. */
function jsonBody({ method, headers, body, incoming }: Call): JsonInput | undefined {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT';
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  if (!isWrite || !isJson || incoming !== undefined) return undefined;
  if (body === undefined || body.length > CACHEABLE_BYTES) return undefined;
  try {
    return readJson(body);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
