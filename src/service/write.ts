// This file is the corridor of a write: bind -> decide -> compile, and then everything that touches the database in one transaction: the
// steps, and the reading of what is answered. prepareWrite and performWrite are apart so that a batch can perform several in one.
import type { Principal } from '../access/principal.ts';
import type { RunStatement } from '../auth/roles.ts';
import { Fault } from '../base/fault.ts';
import { bindWrite, type WriteScope } from '../bind/bind-write.ts';
import type { BoundWrite } from '../bind/writing.ts';
import type { JsonInput } from '../edm/json.ts';
import { decideRead } from '../plan/decide.ts';
import { decideWrite } from '../plan/decide-write.ts';
import type { ReadOutcome } from '../plan/outcome.ts';
import type { WriteSetting } from '../plan/write-scope.ts';
import type { WritePlan } from '../plan/writing.ts';
import type { Tree, Wishes } from '../request/tree.ts';
import type { Answer } from '../response/answer.ts';
import { renderWrite } from '../response/write.ts';
import { compileResult, compileWrite } from '../sql/compile.ts';
import { toStatement } from '../sql/fragment.ts';
import type { ReadScript } from '../sql/script.ts';
import type { WriteScript } from '../sql/write-script.ts';
import { bindParameters, type Context, type Deed, type Transaction } from '../store/database.ts';
import { readResult, runWrite, type WriteOutcome } from '../store/write.ts';
import { readJson } from './json.ts';
import { doOnce, type Repeat, repeatOf } from './repeat.ts';
import { contextOf, readTree, rightsOf, type Spoke, scopeOf, settingOf, siteOf } from './scopes.ts';
import type { Call, Service } from './service.ts';
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
  const prepared = prepareWrite(call, service, { principal, trail, read: service.database.read });
  const repeat = repeatOf(call, principal, service);
  return await service.database.write((transaction) =>
    performOnce(prepared, repeat, service, transaction),
  );
}

/** Does a write in a transaction that is open already. Faults: all that the rooms raise. */
export function writeWithin(
  call: Call,
  service: Service,
  principal: Principal,
  transaction: Transaction,
): Deed<Answer> {
  const trail = { spoken: undefined };
  const prepared = prepareWrite(call, service, { principal, trail, read: transaction.rows });
  return performOnce(prepared, repeatOf(call, principal, service), service, transaction);
}

/** The answer of the first time where the write is done again. */
function performOnce(
  prepared: PreparedWrite,
  repeat: Repeat | undefined,
  service: Service,
  transaction: Transaction,
): Deed<Answer> {
  const perform = () => performWrite(prepared, service, transaction);
  return { result: doOnce(repeat, transaction, perform), keep: !prepared.plan.dryRun };
}

/** Who asks, and how what is needed to understand the request is read. */
export interface Asking {
  readonly principal: Principal;
  readonly trail: Spoke;
  readonly read: ReadRows;
}

/** Everything that is decided before the write runs: without the database, but for the template that a new record may name. */
export function prepareWrite(
  call: Call,
  service: Service,
  { principal, trail, read }: Asking,
): PreparedWrite {
  const tree = readTree(call, service, trail);
  const rights = rightsOf(service, principal);
  const scope: WriteScope = {
    ...scopeOf(call, service),
    root: call.root,
    codes: service.codes,
    ...(call.contentIds === undefined ? {} : { contentIds: call.contentIds }),
  };
  const setting: WriteSetting = {
    ...settingOf(service, rights),
    codes: service.codes,
    writing: { rows: EACH_LIMIT },
  };
  const context = contextOf(call, service, principal);
  const asked = { tree, service, scope, setting, context, read };
  const bound = withTemplate(bindWrite(tree, readInput(call, tree), scope), asked);
  const plan = decideWrite(bound, tree, setting);
  if (plan.invoke !== undefined || plan.media !== undefined)
    throw new Fault('not-built', {
      feature: plan.invoke === undefined ? 'writing streams' : 'invoking actions',
    });
  const script = compileWrite(plan, service.layout, service.dialect);
  return {
    call,
    tree,
    plan,
    script,
    location: locate(bound, plan, tree, service, setting),
    context,
  };
}

/** Runs a prepared write in an open transaction. Faults: those of its guards. */
export function performWrite(
  { call, tree, plan, script, location, context }: PreparedWrite,
  service: Service,
  transaction: Transaction,
): Answer {
  const outcome = runChecked({ plan, script, context }, service, transaction);
  const { subject, isCreated, shown } = outcome;
  const address =
    location === undefined
      ? undefined
      : addressIn(readResult(outcome, location, transaction, context));
  const result = { version: subject?.version, isCreated, location: address, shown };
  return renderWrite(plan, result, tree, siteOf(call, service));
}

/** What is written to roles must be understood. Faults: access.rule, access.rule-member, access.rule-type. */
function runChecked(
  { plan, script, context }: Pick<PreparedWrite, 'plan' | 'script' | 'context'>,
  { roles, dialect }: Service,
  transaction: Transaction,
): WriteOutcome {
  if (!roles.concerns(plan.sources)) return runWrite(script, transaction, context);
  const run: RunStatement = (fragment) => {
    const statement = toStatement(fragment, dialect.placeholder);
    const rows = transaction.rows(statement.text, bindParameters(statement, context));
    return rows.map((row) => row.map((cell) => (cell instanceof Uint8Array ? null : cell)));
  };
  const mark = roles.mark(run);
  const outcome = runWrite(script, transaction, context);
  roles.check(run, mark);
  return outcome;
}

/** The address in a reference. */
function addressIn({ rows }: ReadOutcome): string | undefined {
  const reference: unknown = JSON.parse(rows[0]?.json ?? 'null');
  const id =
    typeof reference === 'object' && reference !== null && '@odata.id' in reference
      ? reference['@odata.id']
      : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Only what can be made has an address to be told: its reference, read in a form that is always the same. */
function locate(
  bound: BoundWrite,
  plan: WritePlan,
  tree: Tree,
  service: Service,
  setting: WriteSetting,
): ReadScript | undefined {
  const { subject, answer } = plan;
  if (subject === undefined || bound.kind === 'invoke') return undefined;
  if (answer !== 'created' && answer !== 'upserted') return undefined;
  const { query } = bound.result;
  const bare = {
    ...query,
    selection: { all: true, items: [] },
    expansions: [],
    streams: [],
    compute: [],
  };
  const reference = decideRead(
    { ...bound.result, wanted: { kind: 'reference' }, query: bare },
    { options: tree.options, wishes: plainly(tree.wishes) },
    setting,
  );
  return compileResult(reference, subject, service.layout, service.dialect);
}

function plainly(wishes: Wishes): Wishes {
  const format = {
    kind: 'json',
    metadata: 'minimal',
    ieee754Compatible: false,
    exponentialDecimals: false,
    streaming: false,
    charset: false,
  } as const;
  return { ...wishes, version: '4.0', format };
}

/** The body as its Content-Type says. Faults request.media-type, request.body. */
function readInput({ body, method }: Call, { path, wishes }: Tree): JsonInput | undefined {
  if (body === undefined) return undefined;
  const type = wishes.contentType?.name ?? '';
  const isRaw = path.segments.at(-1)?.kind === 'value';
  if (isRaw)
    return type === '' || type.startsWith('text/') ? Buffer.from(body).toString('utf8') : undefined;
  if (type === 'application/json') return readJson(body);
  if (method === 'DELETE') return undefined;
  throw new Fault(
    'request.media-type',
    { type: type === '' ? 'none' : type, supported: 'application/json' },
    { target: 'Content-Type' },
  );
}
