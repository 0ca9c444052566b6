// This file prepares writes with the plan cache. Writes that differ only in values share a template; the first two of them are prepared
// in full, and all later ones reuse the plan and script of the second with their own values.
import { Fault } from '../../base/fault.ts';
import { valueScope } from '../../bind/bind-write.ts';
import { BodyParameters } from '../../bind/body/body-parameters.ts';
import { uploadedFileMembers } from '../../bind/body/uploaded-file-names.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { mayHoldPassword } from '../accounts/extract-password.ts';
import { LaterTree } from '../cache/exchange-literals.ts';
import { type Known, type LiftedWrite, liftWrite, WritePlans } from '../cache/write-plan-cache.ts';
import {
  type PathKeys,
  shapeOf,
  type WriteShape,
  withOtherNumbers,
} from '../cache/write-template.ts';
import { sentFileOf } from '../files/uploads.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import { contextOf, readTree, rightsOf } from '../stage-inputs.ts';
import {
  type PreparedWrite,
  prepareUncached,
  type UncachedWrite,
  type WriteEnvironment,
} from './prepare-uncached-write.ts';

/**
 * Prepares a write for performWrite, from the plan cache if possible.
 * Throws: the faults of parsing, binding and deciding.
 */
export function prepareWrite(
  call: Call,
  service: Service,
  environment: WriteEnvironment,
): PreparedWrite {
  const body = cacheableBody(call);
  if (body === undefined || mayHoldPassword(call))
    return prepareUncached(call, service, environment, { json: body });
  return prepareCached({ call, body, keys: 'lifted' }, service, environment);
}

interface CacheableWrite {
  readonly call: Call;
  readonly body: JsonInput;
  /** Whether keys in the path are parameters of the template or part of it. */
  readonly keys: PathKeys;
}

type WriteOfTemplate = CacheableWrite & { readonly shape: WriteShape };

/**
 * Looks the template up and moves it on to its next state: unknown -> seen -> a reusable plan, or keyed or unfit where no plan fits all
 * writes of the template.
 */
function prepareCached(
  write: CacheableWrite,
  service: Service,
  environment: WriteEnvironment,
): PreparedWrite {
  const { call, body, keys } = write;
  const uncached = () => prepareUncached(call, service, environment, { json: body });
  const shape = shapeOf(call, body, keys);
  if (shape === undefined) return uncached();
  const rights = rightsOf(service, environment.principal);
  const plans = plansOf(service);
  const entry = plans.find(rights, shape);
  switch (entry) {
    case 'unknown':
      plans.keep(rights, shape, 'seen');
      return uncached();
    case 'seen': {
      const { prepared, result } = prepareAndLearn({ ...write, shape }, service, environment);
      plans.keep(rights, shape, result);
      return prepared;
    }
    case 'keyed':
      return prepareCached({ ...write, keys: 'kept' }, service, environment);
    case 'unfit':
      return uncached();
    default:
      return prepareFromPlan(entry, { ...write, shape }, service, environment) ?? uncached();
  }
}

/** Fills the plan with the values of the write. Undefined if a value needs the full preparation. */
function prepareFromPlan(
  known: LiftedWrite,
  { call, body, shape }: WriteOfTemplate,
  service: Service,
  environment: WriteEnvironment,
): PreparedWrite | undefined {
  const { principal, trace } = environment;
  const inputs = known.inputsOf(shape, fileMembers(call, service, known) ?? body);
  if (inputs === undefined) return undefined;
  plansOf(service).hit();
  trace.negotiated = known.tree.negotiated;
  return {
    call,
    tree: new LaterTree(known.tree, () => readTree(call, service, trace)),
    plan: known.planOf(shape),
    script: known.script,
    location: known.location,
    context: contextOf(call, service, principal),
    cached: {
      inputs,
      uncached: () => prepareUncached(call, service, environment, { json: body }),
    },
  };
}

interface Learnt {
  readonly prepared: PreparedWrite;
  readonly result: Exclude<Known, 'unknown' | 'seen'>;
}

/** Prepares the write in full and derives a reusable plan, checked against the same write with other numbers. */
function prepareAndLearn(
  { call, body, shape, keys }: WriteOfTemplate,
  service: Service,
  environment: WriteEnvironment,
): Learnt {
  const bodyParameters = new BodyParameters();
  const prepared = prepareUncached(call, service, environment, { json: body, bodyParameters });
  if (bodyParameters.isInvalid || prepared.action !== undefined || hasInlineFiles(prepared.plan))
    return { prepared, result: 'unfit' };
  const other = withOtherNumbers(call, body, keys);
  const otherShape = shapeOf(other.call, other.body, keys);
  const hasKeys = keys === 'lifted' && shape.numbers.some(({ part }) => part === 'path');
  const failure = hasKeys ? 'keyed' : 'unfit';
  if (otherShape?.key !== shape.key) return { prepared, result: failure };
  const twin = prepareTwin(other, service, environment);
  if (twin === undefined) return { prepared, result: failure };
  const values = valueScope(prepared.tree, service);
  const known = liftWrite(
    prepared,
    twin,
    { own: shape, other: otherShape },
    { bodyParameters, values },
  );
  return { prepared, result: known === 'unfit' ? failure : known };
}

/** Prepares the write with other numbers; undefined if that is rejected. */
function prepareTwin(
  { call, body }: Pick<CacheableWrite, 'call' | 'body'>,
  service: Service,
  environment: WriteEnvironment,
): UncachedWrite | undefined {
  try {
    return prepareUncached(call, service, environment, {
      json: body,
      bodyParameters: new BodyParameters(),
    });
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Inline file content differs between writes of a template, so such plans cannot be reused. */
function hasInlineFiles({ files = new Map() }: WritePlan): boolean {
  return [...files.values()].some(({ kind }) => kind !== 'sent');
}

const plansByService = new WeakMap<Service, WritePlans>();

/** The write plan cache of a service. */
export function plansOf(service: Service): WritePlans {
  const plans = plansByService.get(service) ?? new WritePlans();
  plansByService.set(service, plans);
  return plans;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

/** Larger bodies are not cached. Bytes. */
const CACHEABLE_BYTES = 65_536;

/** The part of the body that belongs to the template. For a file that is its names, as its content does not affect the plan. */
function cacheableBody(call: Call): JsonInput | undefined {
  const { incoming, method } = call;
  if (incoming === undefined) return jsonBody(call);
  return method === 'POST' ? { ...sentFileOf(incoming) } : undefined;
}

/** The names of a file as members of the media entity that is created from it. */
function fileMembers(
  { incoming }: Call,
  { model }: Service,
  { media }: LiftedWrite,
): JsonInput | undefined {
  return incoming === undefined || media === undefined
    ? undefined
    : uploadedFileMembers(model, media, sentFileOf(incoming));
}

/** The body if it is well-formed JSON. Errors in other bodies are reported after the path has been parsed. */
function jsonBody({ method, headers, body }: Call): JsonInput | undefined {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT';
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  if (!isWrite || !isJson || body === undefined || body.length > CACHEABLE_BYTES) return undefined;
  try {
    return readJson(body);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
