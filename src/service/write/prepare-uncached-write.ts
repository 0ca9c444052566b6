// This file prepares a write that is not in the plan cache: parse -> bind -> decide -> compile. It reads the database only for a template
// that the body names, and to list references to entities that do not exist.
import type { Principal } from '../../access/principal.ts';
import type { NewPassword } from '../../auth/administration-rules.ts';
import { Fault } from '../../base/fault.ts';
import { bindWrite, type WriteScope } from '../../bind/bind-write.ts';
import type { BodyParameters } from '../../bind/body/body-parameters.ts';
import type { BoundWrite, Reference } from '../../bind/write/bound-write.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { decideWrite } from '../../plan/decide-write.ts';
import type { WriteSetting } from '../../plan/write/write-scope.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { compileWrite } from '../../sql/compile.ts';
import type { ReadScript } from '../../sql/script.ts';
import type { WriteScript } from '../../sql/write/write-script.ts';
import type { Cell, Context } from '../../store/database.ts';
import type { FileMetadata } from '../../store/stored-files.ts';
import { isOwnPassword, type OwnPassword } from '../accounts/change-password.ts';
import { extractPassword } from '../accounts/extract-password.ts';
import type { BoundInvoke } from '../action/run-action.ts';
import { sentFileOf } from '../files/uploads.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import {
  contextOf,
  type RequestTrace,
  readTree,
  rightsOf,
  scopeOf,
  settingOf,
} from '../stage-inputs.ts';
import { type ReadRows, type TemplateRequest, withTemplate } from './apply-template.ts';
import { compileLocation } from './created-location.ts';
import { addMissingReferences } from './missing-references.ts';

/** A write that is ready to run. */
export interface PreparedWrite {
  readonly call: Call;
  readonly tree: Tree;
  readonly plan: WritePlan;
  readonly script: WriteScript;
  /** Reads the URL of the created entity. */
  readonly location: ReadScript | undefined;
  readonly context: Context;
  /** New password of the account that the write creates or changes. */
  readonly password?: NewPassword;
  /** Stored files that the script refers to. */
  readonly files?: ReadonlyMap<string, FileMetadata>;
  /** For a cached script: its inputs, and the same write prepared without the cache, whose errors name the values of the request. */
  readonly cached?: { readonly inputs: readonly Cell[]; readonly uncached: () => PreparedWrite };
  /** The action to run after the guards of the plan. */
  readonly action?: PreparedAction;
  /** Verified parameters of the action ChangePassword, or the error. Read before the transaction. */
  readonly ownPassword?: OwnPassword | Fault;
}

/** An action call. Its effects are decided while it runs, since each may depend on the ones before. */
export interface PreparedAction {
  readonly invoke: BoundInvoke;
  readonly principal: Principal;
  readonly setting: WriteSetting;
}

/** The principal of the write, and how its preparation reads from the database. */
export interface WriteEnvironment {
  readonly principal: Principal;
  readonly trace: RequestTrace;
  readonly read: ReadRows;
}

export interface UncachedInput {
  /** The body, if it has been parsed already. */
  readonly json: JsonInput | undefined;
  /** Records which values of the body the plan uses as parameters. */
  readonly bodyParameters?: BodyParameters;
}

export type UncachedWrite = PreparedWrite & { readonly bound: BoundWrite };

/** Maximum of rows that one request may change through `/$each`. */
const EACH_LIMIT = 1000;

/** Prepares a write. Throws: the faults of parsing, binding and deciding. */
export function prepareUncached(
  call: Call,
  service: Service,
  { principal, trace, read }: WriteEnvironment,
  { json, bodyParameters }: UncachedInput,
): UncachedWrite {
  const tree = readTree(call, service, trace);
  const rights = rightsOf(service, principal);
  const scope = writeScopeOf(call, service, bodyParameters);
  const setting: WriteSetting = {
    ...settingOf(service, rights),
    codes: service.codes,
    writing: { rows: EACH_LIMIT },
  };
  const context = contextOf(call, service, principal);
  const request: WriteRequest = { tree, service, scope, setting, context, read };
  const body = call.incoming === undefined ? readBody(call, tree, json) : undefined;
  const { input, password } = extractPassword(tree, body, { model: service.model, rights });
  const bound = withTemplate(bindInput(input, request), request);
  const plan = decideWrite(bound, tree, setting);
  const script = compileWrite(plan, service.layout, service.dialect);
  return {
    call,
    tree,
    bound,
    plan,
    script,
    location: compileLocation(bound, plan, tree, service, setting),
    context,
    ...(password === undefined ? {} : { password }),
    ...(bound.kind === 'invoke' ? { action: { invoke: bound, principal, setting } } : {}),
  };
}

type WriteRequest = TemplateRequest & { readonly setting: WriteSetting };

function writeScopeOf(
  call: Call,
  service: Service,
  bodyParameters: BodyParameters | undefined,
): WriteScope {
  const { root, contentIds, incoming } = call;
  return {
    ...scopeOf(call, service),
    root,
    codes: service.codes,
    ...(contentIds === undefined ? {} : { contentIds }),
    ...(bodyParameters === undefined ? {} : { bodyParameters }),
    ...(incoming === undefined ? {} : { sent: sentFileOf(incoming) }),
  };
}

/** Parses the body according to its Content-Type. Throws: request.media-type, request.body. */
function readBody(
  { body, method }: Call,
  { path, negotiated }: Tree,
  json: JsonInput | undefined,
): JsonInput | undefined {
  if (body === undefined) return undefined;
  const type = negotiated.contentType?.name ?? '';
  const isRaw = path.segments.at(-1)?.kind === 'value';
  if (isRaw)
    return type === '' || type.startsWith('text/') ? Buffer.from(body).toString('utf8') : undefined;
  if (type === 'application/json') return json ?? readJson(body);
  if (method === 'DELETE') return undefined;
  throw new Fault(
    'request.media-type',
    { type: type === '' ? 'none' : type, supported: 'application/json' },
    { target: 'Content-Type' },
  );
}

/** Binds the body. If it has mistakes, the error also lists references to missing entities. */
function bindInput(input: JsonInput | undefined, request: WriteRequest): BoundWrite {
  const { tree, scope, setting } = request;
  const references: Reference[] = [];
  const onReference = (reference: Reference) => references.push(reference);
  try {
    return bindWrite(tree, input, { ...scope, onReference });
  } catch (error) {
    throw addMissingReferences(error, references, setting, request);
  }
}

/** Whether the write calls the action ChangePassword. */
export function isPasswordChange(
  prepared: PreparedWrite,
): prepared is PreparedWrite & { readonly action: PreparedAction } {
  return prepared.action !== undefined && isOwnPassword(prepared.action.invoke);
}
