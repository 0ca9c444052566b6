// This file prepares a write that is not in the plan cache: parse -> bind -> decide -> compile. It reads the database only for a template
// that the body names, and to list references to entities that do not exist.
import type { Principal } from '../../access/principal.ts';
import type { NewPassword } from '../../auth/administration-rules.ts';
import { Fault } from '../../base/fault.ts';
import { bindWrite, type WriteScope } from '../../bind/bind-write.ts';
import type { CodeBook, CodeListing } from '../../bind/codes.ts';
import type { Parameters } from '../../bind/parameter.ts';
import type { BoundWrite, Reference } from '../../bind/write/bound-write.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { decideWrite } from '../../plan/decide-write.ts';
import type { WriteSetting } from '../../plan/write/write-scope.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { DEFAULT_JSON } from '../../request/headers/headers.ts';
import type { Tree } from '../../request/tree.ts';
import { compileWrite } from '../../sql/compile.ts';
import type { WriteScript } from '../../sql/write/write-script.ts';
import type { Context, Inputs, Work } from '../../store/database.ts';
import type { FileMetadata } from '../../store/stored-files.ts';
import { isOwnPassword, type OwnPassword } from '../accounts/change-password.ts';
import { extractPassword } from '../accounts/extract-password.ts';
import type { BoundInvoke } from '../action/run-action.ts';
import { sentFileOf } from '../files/uploads.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import { contextOf, type RequestTrace, rightsOf, scopeOf, settingOf } from '../stage-inputs.ts';
import { readText } from '../text-body.ts';
import { type TemplateRequest, withTemplate } from './apply-template.ts';
import { compileLocation, type Location } from './created-location.ts';
import { addMissingReferences } from './missing-references.ts';

/** A write that is ready to run. */
export interface PreparedWrite {
  readonly call: Call;
  readonly principal: Principal;
  readonly tree: Tree;
  readonly plan: WritePlan;
  readonly script: WriteScript;
  /** The URL of the created entity. */
  readonly location: Location | undefined;
  readonly context: Context;
  /** New password of the account that the write creates or changes. */
  readonly password?: NewPassword;
  /** Whether this account must change its password; undefined if the request does not say so. */
  readonly mustChangePassword?: boolean;
  /** Whether this account loses its second factor. */
  readonly resetsFactor?: true;
  /** Stored files that the script refers to. */
  readonly files?: ReadonlyMap<string, FileMetadata>;
  /** The values of the request's parameters. */
  readonly values: Inputs;
  /** Whether other requests have the same plan, so that its errors cannot name the values of the request. */
  readonly isShared: boolean;
  /** Prepares the write without the cache, and with the codes of the service that is passed. */
  readonly prepareAgain: (service: Service) => Work<PreparedWrite>;
  /** The action to run after the guards of the plan. */
  readonly action?: PreparedAction;
  /** Verified parameters of the action ChangePassword, or the error. Read before the transaction. */
  readonly ownPassword?: OwnPassword | Fault;
}

/** An action call. Its effects are decided while it runs, since each may depend on the ones before. */
export interface PreparedAction {
  readonly invoke: BoundInvoke;
  readonly setting: WriteSetting;
}

/** The principal of the write, and its trace. */
export interface WriteEnvironment {
  readonly principal: Principal;
  readonly trace: RequestTrace;
}

/** Maximum of rows that one request may change through `/$each`. */
const EACH_LIMIT = 1000;

/** A write, whose path and headers are parsed. */
export interface ParsedWrite {
  readonly call: Call;
  readonly tree: Tree;
  /** The body, if it has been parsed already. */
  readonly json: JsonInput | undefined;
  /** The literals of URL and body, for a plan that other writes may share. */
  readonly parameters?: Parameters;
}

/** Prepares a write. Throws: the faults of parsing the body, binding and deciding. */
export function* prepareUncached(
  { call, tree, json, parameters }: ParsedWrite,
  service: Service,
  environment: WriteEnvironment,
): Work<PreparedWrite> {
  const { principal } = environment;
  const rights = rightsOf(service, principal);
  const codes = new ConsultedCodes(service.codes);
  const scope = writeScopeOf(call, service, codes, parameters);
  const setting: WriteSetting = {
    ...settingOf(service, principal),
    writing: { rows: EACH_LIMIT },
    waivesTags: call.waivesTags ?? false,
    isLoad: call.isLoad,
    recalculates: call.recalculates,
    isDryRun: call.isDryRun,
    transition: call.transition,
    parameters,
  };
  const context = contextOf(call, service, principal);
  const values = parameters?.values ?? [];
  const request: WriteRequest = { tree, service, scope, setting, context, values };
  const body = call.incoming === undefined ? readBody(call, tree, json) : undefined;
  const { input, password, mustChange, resetsFactor } = extractPassword(tree, body, {
    model: service.model,
    rights,
  });
  const bound = yield* withTemplate(yield* bindInput(input, request), request);
  if (!isShareable(bound)) parameters?.reject();
  const answered = treeOfAnswer(tree, bound);
  const plan = decideWrite(bound, answered, setting);
  const script = compileWrite(plan, service.layout, service.dialect, codes.areConsulted);
  return {
    call,
    principal,
    tree: answered,
    plan,
    script,
    location: compileLocation(bound, plan, answered, service, setting),
    context,
    values,
    isShared: false,
    prepareAgain: (current) => prepareUncached({ call, tree, json }, current, environment),
    ...(password === undefined ? {} : { password }),
    ...(mustChange === undefined ? {} : { mustChangePassword: mustChange }),
    ...(resetsFactor === undefined ? {} : { resetsFactor }),
    ...(bound.kind === 'invoke' ? { action: { invoke: bound, setting } } : {}),
  };
}

/** A media entity that its content creates is shown as JSON, although the URL is that of the content. */
function treeOfAnswer(tree: Tree, bound: BoundWrite): Tree {
  if (bound.kind !== 'stream' || bound.creation === undefined) return tree;
  return { ...tree, negotiated: { ...tree.negotiated, format: DEFAULT_JSON } };
}

/** Whether other writes may have the same plan: those of other kinds are rare, or depend on more than their values. */
function isShareable(bound: BoundWrite): boolean {
  if (bound.kind === 'create') return true;
  return bound.kind === 'change' && bound.create === undefined;
}

type WriteRequest = TemplateRequest & { readonly setting: WriteSetting; readonly values: Inputs };

/** The code lists for one body, which find out whether it has codes. */
class ConsultedCodes {
  areConsulted = false;
  readonly #codes: CodeBook;

  constructor(codes: CodeBook) {
    this.#codes = codes;
  }

  get(list: string): CodeListing | undefined {
    this.areConsulted = true;
    return this.#codes.get(list);
  }
}

function writeScopeOf(
  call: Call,
  service: Service,
  codes: CodeBook,
  parameters: Parameters | undefined,
): WriteScope {
  const { root, contentIds, incoming, isLoad, isService } = call;
  return {
    ...scopeOf(call, service),
    root,
    codes,
    isLoad,
    isService,
    ...(contentIds === undefined ? {} : { contentIds }),
    parameters,
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
  if (isRaw) {
    const charset = negotiated.contentType?.parameters.get('charset');
    return type === '' || type.startsWith('text/') ? readText(body, charset) : undefined;
  }
  if (type === 'application/json') return json ?? readJson(body);
  if (method === 'DELETE') return undefined;
  throw new Fault(
    'request.media-type',
    { type: type === '' ? 'none' : type, supported: 'application/json' },
    { target: 'Content-Type' },
  );
}

/** Binds the body. If it has mistakes, the error also lists references to missing entities. */
function* bindInput(input: JsonInput | undefined, request: WriteRequest): Work<BoundWrite> {
  const { tree, scope, setting } = request;
  const references: Reference[] = [];
  const onReference = (reference: Reference) => references.push(reference);
  try {
    return bindWrite(tree, input, { ...scope, onReference });
  } catch (error) {
    throw yield* addMissingReferences(error, references, setting, request);
  }
}

/** Whether the write calls the action ChangePassword. */
export function isPasswordChange(
  prepared: PreparedWrite,
): prepared is PreparedWrite & { readonly action: PreparedAction } {
  return prepared.action !== undefined && isOwnPassword(prepared.action.invoke);
}
