// Plans change tracking: whether the preference track-changes applies, the signature of a delta link, and what a delta link
// returns. A delta link always covers all rows of its query, whichever pages the client has read. OData 4.01 Protocol,
// "Requesting Changes"; docs/deviations.md lists the differences.
import { Fault } from '../../base/fault.ts';
import type { BoundRead } from '../../bind/bound.ts';
import { appliedPreference } from '../../request/headers/parse-prefer.ts';
import { printQuery } from '../../request/print/url.ts';
import type { Negotiated, Options } from '../../request/tree.ts';
import type {
  DeltaPlan,
  LinkPart,
  ReadPlan,
  RowDependencies,
  RowSelection,
  Shape,
} from '../read-plan.ts';
import { visibleRows } from '../rights/row-conditions.ts';
import type { ShapeScope } from '../shape/shape-scope.ts';
import { contextOf } from './context-url.ts';
import { findDependencies } from './delta-dependencies.ts';
import { digest, preferredSize } from './page.ts';
import { appliedPreferences, rowShape } from './read.ts';
import { urlsOfRows } from './row-urls.ts';
import { selectRows } from './select-rows.ts';
import { addressesIn, readDeltaToken } from './tokens.ts';

/** Whether the request asks for changes. With a skip token as well, it continues the initial read. */
export function isDelta({ deltatoken, skiptoken }: Options): boolean {
  return deltatoken !== undefined && skiptoken === undefined;
}

/**
 * Adds change tracking to a read if the client prefers it and the query supports it.
 * Throws: plan.deltatoken, and plan.delta-gone if a tracked read cannot continue on its next page.
 */
export function withTracking(
  scope: ShapeScope,
  read: BoundRead,
  negotiated: Negotiated,
  plan: ReadPlan,
): ReadPlan {
  const { deltatoken } = scope.options;
  if (deltatoken === undefined && !negotiated.prefer.trackChanges) return plan;
  const defining = trackedQuery(scope, read, negotiated);
  if (deltatoken === undefined) {
    if (defining === undefined || read.wanted.kind !== 'entities') return plan;
    const address = defining.listsKnown ? defining.address : undefined;
    const applied = [...plan.applied, ...appliedTracking(negotiated)];
    return { ...plan, tracking: { signature: defining.signature, address }, applied };
  }
  const { signature, span, known } = readDeltaToken(deltatoken);
  if (signature !== defining?.signature) throw goneFault(scope.options, OTHER_QUERY);
  return { ...plan, tracking: { signature, since: span.since, known } };
}

/**
 * Plans the read of a delta link.
 * Throws: plan.deltatoken, plan.delta-gone, request.misplaced-option, request.not-acceptable.
 */
export function planDelta(scope: ShapeScope, read: BoundRead, negotiated: Negotiated): DeltaPlan {
  const { limits, prefer, options } = scope;
  const token = readDeltaToken(options.deltatoken ?? '');
  const { signature, span } = token;
  const addresses = addressesIn(token);
  refusePaging(options, { place: 'with $deltatoken', instead: 'follow the delta link unchanged' });
  requireFormat(scope, read, negotiated);
  const defining = trackedQuery(scope, read, negotiated);
  const isSame =
    defining?.signature === signature && defining.listsKnown === (addresses !== undefined);
  if (!isSame) throw goneFault(options, OTHER_QUERY);
  const size = preferredSize(limits, prefer.maxpagesize ?? span.size);
  const changes = changesOf(scope, read, defining);
  return {
    ...changes,
    context: `${changes.context}/$delta`,
    select: { ...defining.select, count: read.query.count },
    span,
    known: addresses && { kind: 'listed', addresses },
    order: 'identity',
    limit: size ?? limits.maximum,
    size,
    applied: [...appliedPreferences(scope, true), ...appliedTracking(negotiated)],
  };
}

/**
 * Plans the read of events: what a delta link returns, in the order of the changes.
 * Throws: plan.untracked, plan.deltatoken, plan.delta-gone, request.misplaced-option.
 */
export function planEvents(
  scope: ShapeScope,
  read: BoundRead,
  negotiated: Negotiated,
  { span, limit, known, output = 'records' }: EventPart,
): DeltaPlan {
  const { options } = scope;
  refusePaging(options, { place: 'where changes are followed', instead: 'leave it out' });
  const reason = read.wanted.kind === 'count' ? OF_A_SET : untrackable(read, negotiated);
  const hidesInvisible = isRestricted(scope, read);
  const defining = reason === undefined ? defineQuery(scope, read) : undefined;
  if (defining === undefined)
    throw new Fault('plan.untracked', { reason: reason ?? OF_THE_MOMENT });
  const { deltatoken } = options;
  if (deltatoken !== undefined && readDeltaToken(deltatoken).signature !== defining.signature)
    throw goneFault(options, OTHER_QUERY);
  const changes = changesOf(scope, read, defining);
  const context = `${changes.context}/$entity`;
  const part = { span, limit, known: hidesInvisible ? known : undefined, output };
  return { ...changes, ...part, context, order: 'change', hidesInvisible };
}

/** Which events to read; `known` is ignored for accounts that may read all records. */
export type EventPart = Pick<DeltaPlan, 'span' | 'limit' | 'known'> &
  Partial<Pick<DeltaPlan, 'output'>>;

/** The parts of the plan that follow from the query. */
function changesOf(
  { form, version, options }: ShapeScope,
  read: BoundRead,
  { select, shape, address, dependencies, signature }: DefiningQuery,
): Omit<DeltaPlan, 'span' | 'order' | 'limit'> {
  return {
    kind: 'delta',
    language: form.language,
    select,
    shape,
    address,
    dependencies,
    output: read.wanted.kind === 'count' ? 'count' : 'records',
    signature,
    context: contextOf(entitiesOf(read), { version, written: options }),
    removedContext: `#${read.rows.row.source.id}/$deletedEntity`,
    applied: [],
  };
}

/** Throws request.misplaced-option for options that choose a page. */
function refusePaging(
  { orderby, top, skip, skiptoken }: Options,
  { place, instead }: { readonly place: string; readonly instead: string },
): void {
  for (const [name, value] of Object.entries({
    $orderby: orderby,
    $top: top,
    $skip: skip,
    $skiptoken: skiptoken,
  }))
    if (value !== undefined)
      throw new Fault('request.misplaced-option', { name, place, instead }, { target: name });
}

/** The fault plan.delta-gone, with the current URL of the collection in Location. */
export function goneFault(options: Options, reason: string): Fault {
  const query = printQuery(withoutTokens(options));
  return new Fault(
    'plan.delta-gone',
    { reason },
    { target: '$deltatoken', headers: { Location: `?${query}` } },
  );
}

/** The options of a delta link besides its token: no paging, count or order. OData 4.01 Protocol, "Delta Links". */
export function definingOptions(options: Options): Options {
  return {
    ...withoutTokens(options),
    top: undefined,
    skip: undefined,
    count: undefined,
    orderby: undefined,
  };
}

const OTHER_QUERY = 'it belongs to another query, or to other rights';

function withoutTokens(options: Options): Options {
  return { ...options, skiptoken: undefined, deltatoken: undefined };
}

function appliedTracking({ prefer }: Negotiated): readonly string[] {
  return prefer.trackChanges ? [appliedPreference(prefer, 'track-changes')] : [];
}

/** The query of a read whose changes can be tracked: of all rows of one set, in JSON with control information. */
function trackedQuery(
  scope: ShapeScope,
  read: BoundRead,
  negotiated: Negotiated,
): TrackedQuery | undefined {
  if (untrackable(read, negotiated) !== undefined) return undefined;
  const listsKnown = isRestricted(scope, read);
  const defining = defineQuery(scope, read, listsKnown);
  return defining && { ...defining, listsKnown };
}

/** Whether the roles of the principal restrict the rows. */
function isRestricted(scope: ShapeScope, read: BoundRead): boolean {
  return visibleRows(scope.guard, read.rows.row).length > 0;
}

/** Why changes of the read cannot be tracked; undefined if they can. */
function untrackable(
  { rows, query, wanted }: BoundRead,
  negotiated: Negotiated,
): string | undefined {
  const { set } = rows.row.source;
  const isWhole = wanted.kind === 'entities' || wanted.kind === 'count';
  if (!isWhole || set?.kind !== 'set' || rows.origin.kind !== 'source') return OF_A_SET;
  if (set.administrative === true) return 'the set is reserved for administrators';
  if (query.row.kind !== 'entity' || query.apply.length > 0)
    return 'results of $apply are not records';
  if (wanted.kind === 'entities' && !canRepresentChanges(negotiated))
    return 'changes are available as JSON with metadata=minimal or metadata=full';
  return undefined;
}

export const OF_A_SET = 'only the records of an entity set can be followed';

const OF_THE_MOMENT =
  'the query uses the present time, elapsed or remaining time, accounts, or records outside of the set';

function canRepresentChanges({ format }: Negotiated): boolean {
  return format.kind === 'json' && format.metadata !== 'none';
}

function requireFormat(scope: ShapeScope, { wanted }: BoundRead, negotiated: Negotiated): void {
  if (wanted.kind !== 'entities' || canRepresentChanges(negotiated)) return;
  const { format } = negotiated;
  const accept = format.kind === 'json' ? `metadata=${scope.metadata}` : format.kind;
  const supported =
    'changes are available as application/json with metadata=minimal or metadata=full';
  throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
}

/** The defining query of a delta link. */
interface DefiningQuery {
  readonly select: RowSelection;
  readonly shape: Shape;
  readonly address: readonly LinkPart[];
  readonly dependencies: RowDependencies;
  readonly signature: string;
}

interface TrackedQuery extends DefiningQuery {
  /** Whether the tokens list the records that the client knows. */
  readonly listsKnown: boolean;
}

/**
 * Undefined if the response depends on data that cannot be tracked.
 * @param listsKnown which rows belong to the query is compared with the records that the client knows, so only records need to be tracked
 */
function defineQuery(
  scope: ShapeScope,
  read: BoundRead,
  listsKnown = false,
): DefiningQuery | undefined {
  const { rows, query, address } = read;
  const select = { ...selectRows(scope.guard, rows, query, []), count: false };
  const shape = rowShape(scope, read);
  const [url] = urlsOfRows(scope.model, rows, address);
  const followed = listsKnown ? withoutConditions(select) : select;
  const dependencies = findDependencies(scope.model, followed, shape);
  if (dependencies === undefined || url === undefined) return undefined;
  const signature = signatureFor(scope, select, shape);
  return { select, shape, address: url.parts, dependencies, signature };
}

function withoutConditions(select: RowSelection): RowSelection {
  return { ...select, rows: { ...select.rows, where: [] }, filter: undefined };
}

/** A signature that changes with the selected rows or members, whether through options, the model or rights. */
function signatureFor(
  { options, guard }: ShapeScope,
  { rows, filter }: RowSelection,
  shape: Shape,
): string {
  const { everything, types } = guard.rights;
  const rights = [...types].map(([name, { actions, reading }]) => [name, actions.read, ...reading]);
  const queryText = printQuery({ ...definingOptions(options), format: undefined });
  return digest([
    rows.row.source.id,
    rows.where,
    filter,
    queryText,
    everything,
    rights,
    namesOf(shape),
  ]);
}

/** Names of all members, without annotations, which depend on the requested format. */
function namesOf({ members }: Pick<Shape, 'members'>): readonly unknown[] {
  return members.flatMap((member): readonly unknown[] => {
    if (member.kind === 'shared') return namesOf(member);
    if (!('name' in member) || member.name.includes('@')) return [];
    if (member.kind === 'one' || member.kind === 'many') {
      return [member.name, namesOf(member.shape)];
    }
    const extended = 'besides' in member ? member.besides : undefined;
    const inner = 'members' in member ? (member.members ?? extended) : extended;
    return inner === undefined ? [member.name] : [member.name, namesOf({ members: inner })];
  });
}

/** /$count of a delta link counts the changes of the same rows. */
function entitiesOf(read: BoundRead): BoundRead {
  return read.wanted.kind === 'count' ? { ...read, wanted: { kind: 'entities' } } : read;
}
