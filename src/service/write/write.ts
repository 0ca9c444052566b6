// This file is the corridor of a write: bind -> decide -> compile, and then everything that touches the database in one transaction: the
// steps, and the reading of what is answered. prepareWrite and performWrite are apart so that a batch can perform several in one. It
// is long because all ways into a write, prepared alone or remembered, end in the same few steps.
import type { Principal } from '../../access/principal.ts';
import type { Actor, NewPassword } from '../../auth/administration-rules.ts';
import type { RunStatement } from '../../auth/database.ts';
import { Fault } from '../../base/fault.ts';
import { bindWrite, valueScope, type WriteScope } from '../../bind/bind-write.ts';
import { Lifting } from '../../bind/body/body-parameters.ts';
import { sentMembers } from '../../bind/body/uploaded-file-names.ts';
import type { BoundWrite, Reference } from '../../bind/write/bound-write.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { decideWrite } from '../../plan/decide-write.ts';
import type { WriteSetting } from '../../plan/write/write-scope.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type { Tree } from '../../request/tree.ts';
import type { Answer } from '../../response/response.ts';
import { renderWrite } from '../../response/write-response.ts';
import { compileWrite } from '../../sql/compile.ts';
import { toStatement } from '../../sql/fragment.ts';
import type { ReadScript } from '../../sql/script.ts';
import type { WriteScript } from '../../sql/write/write-script.ts';
import {
  bindParameters,
  type Cell,
  type Context,
  type Transaction,
  type WorkResult,
} from '../../store/database.ts';
import type { StoredBytes } from '../../store/file-names.ts';
import { readResult, runWrite, type WriteOutcome } from '../../store/run-write-script.ts';
import {
  isOwnPassword,
  keepOwnPassword,
  type OwnPassword,
  readOwnPassword,
} from '../accounts/change-password.ts';
import { mayHoldPassword, takePassword } from '../accounts/posted-password.ts';
import { type ActionSetting, type BoundInvoke, carryOut } from '../action/action.ts';
import { LaterTree } from '../cache/exchange-literals.ts';
import { type LiftedWrite, liftWrite, WritePlans } from '../cache/write-plan-cache.ts';
import {
  type PathKeys,
  shapeOf,
  type WriteShape,
  withOtherNumbers,
} from '../cache/write-template.ts';
import { doOnce, type Repeat, repeatOf } from '../deferred/repeatable-requests.ts';
import { withRelated } from '../files/multipart-related.ts';
import {
  receive,
  requireWholeBody,
  type Staging,
  saidOf,
  type Within,
  writeWithFiles,
} from '../files/uploads.ts';
import { readJson } from '../json-body.ts';
import type { Call, Service } from '../service.ts';
import {
  contextOf,
  readTree,
  rightsOf,
  type Spoke,
  scopeOf,
  settingOf,
  siteOf,
} from '../stage-inputs.ts';
import { addressIn, locate } from './created-location.ts';
import { type Looking, withMissing, withOthersMissing } from './missing-references.ts';
import { type ReadRows, withTemplate } from './template.ts';

/** A write that is ready to run. */
export interface PreparedWrite {
  readonly call: Call;
  readonly tree: Tree;
  readonly plan: WritePlan;
  readonly script: WriteScript;
  /** Reads the address of what was made. */
  readonly location: ReadScript | undefined;
  readonly context: Context;
  /** Of an account. */
  readonly password?: NewPassword;
  /** Files that the script speaks of. */
  readonly files?: ReadonlyMap<string, StoredBytes>;
  /** Of a script that does for all writes of the shape: what it runs for, and the write prepared by itself, which says why it is refused. */
  readonly lifted?: { readonly inputs: readonly Cell[]; readonly alone: () => PreparedWrite };
  /** What is carried out once the guards of the plan have held. */
  readonly action?: PreparedAction;
  /** What the action ChangePassword brings, where it was read before the transaction. */
  readonly ownPassword?: OwnPassword | Fault;
}

/** A call of an action, with who asks: what it does is decided while it is done. */
interface PreparedAction {
  readonly invoke: BoundInvoke;
  readonly principal: Principal;
  readonly setting: WriteSetting;
}

/** Rows that one request may change by `/$each`. */
const EACH_LIMIT = 1000;

/** Answers a write. Faults: all that the rooms raise. */
export async function answerWrite(
  call: Call,
  service: Service,
  principal: Principal,
  trail: Spoke,
): Promise<Answer> {
  requireWholeBody(call);
  const received = await receive(await withRelated(call), service);
  const asking = { principal, trail, read: service.database.read };
  const prepared = prepareWrite(received, service, asking);
  if (prepared.plan.files !== undefined) return await answerUpload(prepared, service, asking);
  const repeat = repeatOf(call, principal, service);
  const ready = bringsOwnPassword(prepared)
    ? await withOwnPassword(prepared, service, principal)
    : prepared;
  if (ready.ownPassword instanceof Fault && repeat === undefined) throw ready.ownPassword;
  return await service.database.write((transaction) =>
    performOnce(ready, repeat, service, transaction),
  );
}

type PasswordWrite = PreparedWrite & { readonly action: PreparedAction };

function bringsOwnPassword(prepared: PreparedWrite): prepared is PasswordWrite {
  return prepared.action !== undefined && isOwnPassword(prepared.action.invoke);
}

async function withOwnPassword(
  prepared: PasswordWrite,
  service: Service,
  principal: Principal,
): Promise<PreparedWrite> {
  const { action, call } = prepared;
  const ownPassword = await readOwnPassword(action.invoke, principal, call.address, service);
  return { ...prepared, ownPassword };
}

/** Bytes of a request whose file is kept without a rehearsal: to take away again what was kept in vain costs less. */
const SMALL = 2 ** 21;

/**
 * Answers a write that brings files. A file that comes as a stream is known by its digest only once it is kept, so that such a write, where
 * it is to be done once, cannot be rehearsed.
 */
async function answerUpload(
  prepared: PreparedWrite,
  service: Service,
  { principal, trail }: Pick<Asking, 'principal' | 'trail'>,
): Promise<Answer> {
  const { call, plan } = prepared;
  const rights = rightsOf(service, principal);
  let confirmed = { prepared, principal };
  // Rights may be lost while bytes are sent.
  const confirm = async () => {
    const current = await service.sessions.current(principal);
    if (rightsOf(service, current) === rights) return;
    const asking = { principal: current, trail, read: service.database.read };
    confirmed = { prepared: prepareWrite(call, service, asking), principal: current };
  };
  const isStreamed = call.upload !== undefined;
  const isRepeatable = repeatOf(call, principal, service) !== undefined;
  const { 'content-length': length, 'content-encoding': coding } = call.headers;
  const isSmall = coding === undefined && Number(length ?? Number.NaN) <= SMALL;
  const ahead = {
    want: (staging: Staging) => staging.filesOf(call, plan),
    mayRehearse: !isRepeatable,
  };
  const deed = ({ transaction, staging }: Within): WorkResult<Answer> => {
    const files = staging.filesOf(call, confirmed.prepared.plan);
    const digests = [...files.values()].map(({ sha256 }) => sha256).join();
    const known = isStreamed ? { ...call, body: Buffer.from(digests) } : call;
    const repeat = repeatOf(known, confirmed.principal, service);
    return performOnce({ ...confirmed.prepared, files }, repeat, service, transaction);
  };
  return await writeWithFiles(service, deed, {
    ahead: isStreamed && (isRepeatable || isSmall) ? ahead : undefined,
    confirm,
  });
}

/** Does a write in a transaction that is open already. Faults: all that the rooms raise. */
export function writeWithin(
  call: Call,
  service: Service,
  principal: Principal,
  { transaction, staging }: Within,
): WorkResult<Answer> {
  requireWholeBody(call);
  const trail = { spoken: undefined, stages: {} };
  const alone = prepareWrite(call, service, { principal, trail, read: transaction.rows });
  const files = staging.filesOf(call, alone.plan);
  const prepared = files.size === 0 ? alone : { ...alone, files };
  return performOnce(prepared, repeatOf(call, principal, service), service, transaction);
}

/** The answer of the first time where the write is done again. */
function performOnce(
  prepared: PreparedWrite,
  repeat: Repeat | undefined,
  service: Service,
  transaction: Transaction,
): WorkResult<Answer> {
  const perform = () => performWrite(prepared, service, transaction);
  return { result: doOnce(repeat, transaction, perform), keep: !prepared.plan.dryRun };
}

/** Who asks, and how what is needed to understand the request is read. */
export interface Asking {
  readonly principal: Principal;
  readonly trail: Spoke;
  readonly read: ReadRows;
}

/**
 * Everything that is decided before the write runs: without the database, but for the template that a new record may name. Writes of a
 * shape that has come before are not decided again.
 */
export function prepareWrite(call: Call, service: Service, asking: Asking): PreparedWrite {
  const body = shapedBody(call);
  if (body === undefined || mayHoldPassword(call))
    return decideAlone(call, service, asking, { body });
  return prepareShaped({ call, body, keys: 'lifted' }, service, asking);
}

interface Asked {
  readonly call: Call;
  readonly body: JsonInput;
  readonly keys: PathKeys;
}

function prepareShaped(asked: Asked, service: Service, asking: Asking): PreparedWrite {
  const { call, body, keys } = asked;
  const alone = () => decideAlone(call, service, asking, { body });
  const shape = shapeOf(call, body, keys);
  if (shape === undefined) return alone();
  const rights = rightsOf(service, asking.principal);
  const plans = plansOf(service);
  const known = plans.find(rights, shape);
  switch (known) {
    case 'unknown':
      plans.keep(rights, shape, 'seen');
      return alone();
    case 'seen': {
      const { prepared, known: learnt } = learn({ ...asked, shape }, service, asking);
      plans.keep(rights, shape, learnt);
      return prepared;
    }
    case 'keyed':
      return prepareShaped({ ...asked, keys: 'kept' }, service, asking);
    case 'unfit':
      return alone();
    default: {
      const inputs = known.inputsOf(shape, readableBody(call, service, known) ?? body);
      if (inputs === undefined) return alone();
      plans.hit();
      asking.trail.spoken = known.tree.wishes;
      const { script, location } = known;
      const plan = known.planOf(shape);
      const tree = new LaterTree(known.tree, () => readTree(call, service, asking.trail));
      const context = contextOf(call, service, asking.principal);
      return { call, tree, plan, script, location, context, lifted: { inputs, alone } };
    }
  }
}

interface Shaped extends Asked {
  readonly shape: WriteShape;
}

/** Prepares the write, and what does for all others of its shape. */
function learn(
  asked: Shaped,
  service: Service,
  asking: Asking,
): { readonly prepared: PreparedWrite; readonly known: LiftedWrite | 'keyed' | 'unfit' } {
  const { call, body, shape, keys } = asked;
  const lifting = new Lifting();
  const prepared = decideAlone(call, service, asking, { body, lifting });
  if (lifting.isSpoilt || prepared.action !== undefined || bringsInline(prepared.plan))
    return { prepared, known: 'unfit' };
  const other = withOtherNumbers(call, body, keys);
  const otherShape = shapeOf(other.call, other.body, keys);
  const hasKeys = keys === 'lifted' && shape.numbers.some(({ part }) => part === 'path');
  const otherwise = hasKeys ? 'keyed' : 'unfit';
  if (otherShape?.key !== shape.key) return { prepared, known: otherwise };
  const twin = decideTwin(other, service, asking);
  if (twin === undefined) return { prepared, known: otherwise };
  const values = valueScope(prepared.tree, service);
  const known = liftWrite(prepared, twin, { own: shape, other: otherShape }, { lifting, values });
  return { prepared, known: known === 'unfit' ? otherwise : known };
}

/** The same write with other numbers; undefined where it would be refused. */
function decideTwin(
  { call, body }: Pick<Asked, 'call' | 'body'>,
  service: Service,
  asking: Asking,
): Decided | undefined {
  try {
    return decideAlone(call, service, asking, { body, lifting: new Lifting() });
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Files whose bytes stand in a body differ from those of others of its shape. */
function bringsInline({ files = new Map() }: WritePlan): boolean {
  return [...files.values()].some(({ kind }) => kind !== 'sent');
}

const plansByService = new WeakMap<Service, WritePlans>();

/** The writes that the service knows by their shape. */
export function plansOf(service: Service): WritePlans {
  const plans = plansByService.get(service) ?? new WritePlans();
  plansByService.set(service, plans);
  return plans;
}

/** Bytes of bodies that are looked at for their shape. */
const LARGEST_SHAPED = 65_536;

/** The body as far as the shape of the write is concerned: of a file, what is said of it. */
function shapedBody(call: Call): JsonInput | undefined {
  const { incoming, method } = call;
  if (incoming === undefined) return jsonBody(call);
  return method === 'POST' ? { ...saidOf(incoming) } : undefined;
}

/** What is said of a file, as members of what is made of it. */
function readableBody(
  { incoming }: Call,
  { model }: Service,
  { media }: LiftedWrite,
): JsonInput | undefined {
  return incoming === undefined || media === undefined
    ? undefined
    : sentMembers(model, media, saidOf(incoming));
}

/** The body where it is JSON without doubt and without mistakes; those of others are told when the path has been understood. */
function jsonBody({ method, headers, body }: Call): JsonInput | undefined {
  const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT';
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  if (!isWrite || !isJson || body === undefined || body.length > LARGEST_SHAPED) return undefined;
  try {
    return readJson(body);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

interface Said {
  /** The body, where it has been read already. */
  readonly body: JsonInput | undefined;
  readonly lifting?: Lifting;
}

type Decided = PreparedWrite & { readonly bound: BoundWrite };

function decideAlone(
  call: Call,
  service: Service,
  { principal, trail, read }: Asking,
  { body, lifting }: Said,
): Decided {
  const tree = readTree(call, service, trail);
  const rights = rightsOf(service, principal);
  const { incoming } = call;
  const scope: WriteScope = {
    ...scopeOf(call, service),
    root: call.root,
    codes: service.codes,
    ...(call.contentIds === undefined ? {} : { contentIds: call.contentIds }),
    ...(lifting === undefined ? {} : { lifting }),
    ...(incoming === undefined ? {} : { sent: saidOf(incoming) }),
  };
  const setting: WriteSetting = {
    ...settingOf(service, rights),
    codes: service.codes,
    writing: { rows: EACH_LIMIT },
  };
  const context = contextOf(call, service, principal);
  const asked = { tree, service, scope, setting, context, read };
  const input = incoming === undefined ? readInput(call, tree, body) : undefined;
  const taken = takePassword(tree, input, { model: service.model, rights });
  const bound = withTemplate(bindTold(tree, taken.input, asked, setting), asked);
  const plan = decideWrite(bound, tree, setting);
  const script = compileWrite(plan, service.layout, service.dialect);
  return {
    call,
    tree,
    bound,
    plan,
    script,
    location: locate(bound, plan, tree, service, setting),
    context,
    ...(taken.password === undefined ? {} : { password: taken.password }),
    ...(bound.kind === 'invoke' ? { action: { invoke: bound, principal, setting } } : {}),
  };
}

/** Binds a write; a refusal of its body tells of references that lead to nothing, too. */
function bindTold(
  tree: Tree,
  input: JsonInput | undefined,
  { scope, ...looking }: Looking & { readonly scope: WriteScope },
  setting: WriteSetting,
): BoundWrite {
  const references: Reference[] = [];
  const onReference = (reference: Reference) => references.push(reference);
  try {
    return bindWrite(tree, input, { ...scope, onReference });
  } catch (error) {
    throw withMissing(error, references, setting, looking);
  }
}

/** Runs a prepared write in an open transaction. Faults: those of its guards. */
export function performWrite(
  prepared: PreparedWrite,
  service: Service,
  transaction: Transaction,
): Answer {
  const { lifted } = prepared;
  if (lifted === undefined) return performPrepared(prepared, service, transaction);
  let hasChanged = false;
  const watched: Transaction = {
    ...transaction,
    change: (text, values, place) => {
      hasChanged = true;
      return transaction.change(text, values, place);
    },
  };
  try {
    return performPrepared(prepared, service, watched);
  } catch (error) {
    const isTold = error instanceof Fault && TELLS_VALUES.has(error.code);
    if (hasChanged || !isTold) throw error;
    const { files } = prepared;
    const alone = { ...lifted.alone(), ...(files === undefined ? {} : { files }) };
    return performPrepared(alone, service, transaction);
  }
}

/** Refusals that name what the request names. Their guards come before the first change; only a script of its own can word them. */
const TELLS_VALUES: ReadonlySet<string> = new Set(['write.not-found', 'write.missing-reference']);

function performPrepared(
  prepared: PreparedWrite,
  service: Service,
  transaction: Transaction,
): Answer {
  const { call, tree, plan, location, context } = prepared;
  const outcome = runTold(prepared, service, transaction);
  if (bringsOwnPassword(prepared))
    keepOwnPassword(
      prepared.ownPassword,
      service,
      runnerOf(service, transaction, context),
      actorOf(call, context),
    );
  if (prepared.action !== undefined)
    return carryOut(
      prepared.action.invoke,
      actionSetting(prepared, prepared.action, service, transaction),
    );
  const { subject, isCreated, shown } = outcome;
  if (prepared.files !== undefined) service.vault.requireQuota(transaction, accountIn(context));
  const address =
    location === undefined
      ? undefined
      : addressIn(readResult(outcome, location, transaction, context));
  const digest = prepared.files?.get('sent')?.sha256;
  const result = { version: subject?.version, digest, isCreated, location: address, shown };
  return renderWrite(plan, result, tree, siteOf(call, service, 'entity'));
}

/** What an action writes is a request of its own, within the transaction. */
function actionSetting(
  { call, tree, context }: PreparedWrite,
  { principal, setting }: PreparedAction,
  service: Service,
  transaction: Transaction,
): ActionSetting {
  const read = transaction.rows;
  return {
    call,
    tree,
    service,
    setting,
    context,
    rows: read,
    write: (inner) => {
      const asking = { principal, trail: { spoken: undefined, stages: {} }, read };
      return performWrite(prepareWrite(inner, service, asking), service, transaction);
    },
  };
}

/** A refusal that a script of its own has worded tells of all references that lead to nothing. */
function runTold(
  prepared: PreparedWrite,
  service: Service,
  transaction: Transaction,
): WriteOutcome {
  try {
    return runChecked(prepared, service, transaction);
  } catch (error) {
    const { lifted, plan, context } = prepared;
    if (lifted !== undefined) throw error;
    throw withOthersMissing(error, plan.steps, { service, context, read: transaction.rows });
  }
}

/**
 * What has to do with administration is checked and noted in the same transaction.
 * Faults: access.rule, access.rule-member, access.rule-type, auth.setting, auth.login-name, auth.account-exists,
 * auth.last-administrator, auth.password.
 */
function runChecked(
  { call, plan, script, context, lifted, password, files }: PreparedWrite,
  service: Service,
  transaction: Transaction,
): WriteOutcome {
  const { administration } = service;
  const gifts = {
    ...(lifted === undefined ? {} : { inputs: lifted.inputs }),
    ...(files === undefined ? {} : { files }),
  };
  if (!administration.concerns(plan.sources)) return runWrite(script, transaction, context, gifts);
  const run = runnerOf(service, transaction, context);
  const before = administration.begin(run, plan.sources);
  const outcome = runWrite(script, transaction, context, gifts);
  const actor = actorOf(call, context);
  administration.finish(run, before, actor);
  if (password !== undefined && outcome.subject !== undefined)
    administration.setPassword(run, { account: outcome.subject.identity }, password, actor);
  return outcome;
}

/** Runs statements of auth/ in the transaction. */
function runnerOf({ dialect }: Service, transaction: Transaction, context: Context): RunStatement {
  return (fragment) => {
    const statement = toStatement(fragment, dialect.placeholder);
    const rows = transaction.rows(statement.text, bindParameters(statement, context));
    return rows.map((row) => row.map((cell) => (cell instanceof Uint8Array ? null : cell)));
  };
}

function actorOf({ address, id }: Call, { account }: Context): Actor {
  return { account: String(account ?? ''), address, request: id };
}

function accountIn({ accountKey }: Context): bigint {
  return typeof accountKey === 'bigint' ? accountKey : 0n;
}

/** The body as its Content-Type says. Faults request.media-type, request.body. */
function readInput(
  { body, method }: Call,
  { path, wishes }: Tree,
  json: JsonInput | undefined,
): JsonInput | undefined {
  if (body === undefined) return undefined;
  const type = wishes.contentType?.name ?? '';
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
