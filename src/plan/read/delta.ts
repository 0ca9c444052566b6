// This file decides how changes are tracked: whether the preference track-changes is followed, what the token of a delta link stands
// for, and what is read when a client comes back with one. A delta link asks for the rows of the same query as a whole, whatever part
// of them the client has read. OData 4.01 Protocol, "Requesting Changes"; docs/deviations.md says where we differ.
import { Fault } from '../../base/fault.ts';
import type { BoundRead } from '../../bind/bound.ts';
import { appliedPreference } from '../../request/headers/prefer.ts';
import { printQuery } from '../../request/print/url.ts';
import type { Options, Wishes } from '../../request/tree.ts';
import type { DeltaPlan, LinkPart, ReadPlan, Selecting, Shape, Watched } from '../read-plan.ts';
import { visibleRows } from '../rights/row-conditions.ts';
import type { Drafting } from '../shape/shape-scope.ts';
import { contextOf } from './context-url.ts';
import { watch } from './delta-dependencies.ts';
import { readDeltaToken } from './delta-token.ts';
import { digest, preferredSize } from './page.ts';
import { appliedPreferences, rowShape } from './read.ts';
import { selfOfRows } from './row-address.ts';
import { selectingOf } from './select-rows.ts';

/** Whether the request is one for changes. A skip token beside the delta token goes on with the rows themselves. */
export function isDelta({ deltatoken, skiptoken }: Options): boolean {
  return deltatoken !== undefined && skiptoken === undefined;
}

/**
 * The read with changes tracked, where the client wants it and it can be done; else as it is.
 * Faults: plan.deltatoken, plan.delta-gone for the next page of a tracked read that cannot go on.
 */
export function withTracking(
  drafting: Drafting,
  read: BoundRead,
  wishes: Wishes,
  plan: ReadPlan,
): ReadPlan {
  const { deltatoken } = drafting.options;
  if (deltatoken === undefined && !wishes.prefer.trackChanges) return plan;
  const defining = isTrackable(drafting, read, wishes) ? defineQuery(drafting, read) : undefined;
  if (deltatoken === undefined) {
    if (defining === undefined || read.wanted.kind !== 'entities') return plan;
    const applied = [...plan.applied, ...followed(wishes)];
    return { ...plan, tracking: { signature: defining.signature }, applied };
  }
  const { signature, span } = readDeltaToken(deltatoken);
  if (signature !== defining?.signature) throw goneFault(drafting.options, OTHER_QUERY);
  return { ...plan, tracking: { signature, since: span.since } };
}

/**
 * What is read for a delta link.
 * Faults: plan.deltatoken, plan.delta-gone, request.misplaced-option, request.not-acceptable.
 */
export function planDelta(drafting: Drafting, read: BoundRead, wishes: Wishes): DeltaPlan {
  const { deltatoken = '', orderby, top, skip } = drafting.options;
  const { signature, span } = readDeltaToken(deltatoken);
  const added = Object.entries({ $orderby: orderby, $top: top, $skip: skip });
  for (const [name, value] of added) if (value !== undefined) throw misplaced(name);
  requireForm(drafting, read, wishes);
  const defining = isTrackable(drafting, read, wishes) ? defineQuery(drafting, read) : undefined;
  if (defining === undefined || signature !== defining.signature) {
    throw goneFault(drafting.options, OTHER_QUERY);
  }
  const { limits, prefer, form, version, options } = drafting;
  const size = preferredSize(limits, prefer.maxpagesize ?? span.size);
  return {
    kind: 'delta',
    language: form.language,
    select: { ...defining.select, count: read.query.count },
    shape: defining.shape,
    address: defining.address,
    watched: defining.watched,
    span,
    limit: size ?? limits.maximum,
    ...(size === undefined ? {} : { size }),
    output: read.wanted.kind === 'count' ? 'count' : 'records',
    signature,
    context: `${contextOf(entitiesOf(read), { version, written: options })}/$delta`,
    removedContext: `#${read.rows.row.source.id}/$deletedEntity`,
    applied: [...appliedPreferences(drafting, true), ...followed(wishes)],
  };
}

/** Fault plan.delta-gone, with the address of the collection as it is now. */
export function goneFault(options: Options, reason: string): Fault {
  const query = printQuery(withoutTokens(options));
  return new Fault(
    'plan.delta-gone',
    { reason },
    { target: '$deltatoken', headers: { Location: `?${query}` } },
  );
}

/** What a delta link asks for besides its token. OData 4.01 Protocol, "Delta Links": neither part nor number nor order of the rows. */
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

function misplaced(name: string): Fault {
  return new Fault(
    'request.misplaced-option',
    { name, place: 'with $deltatoken', instead: 'follow the delta link as it was given' },
    { target: name },
  );
}

function followed({ prefer }: Wishes): readonly string[] {
  return prefer.trackChanges ? [appliedPreference(prefer, 'track-changes')] : [];
}

/** The rows of one set, as a whole and as JSON with control information, for somebody who may see every one of them. */
function isTrackable(drafting: Drafting, read: BoundRead, wishes: Wishes): boolean {
  const { rows, query, wanted } = read;
  const { source } = rows.row;
  const isWhole = wanted.kind === 'entities' || wanted.kind === 'count';
  const isSet = source.set?.kind === 'set' && source.set.administrative !== true;
  if (!isWhole || !isSet || rows.origin.kind !== 'source') return false;
  if (query.row.kind !== 'entity' || query.apply.length > 0) return false;
  if (wanted.kind === 'entities' && !isTellable(wishes)) return false;
  // Who may see only some of the rows must not learn that others have changed: what they were before is not known any more.
  return visibleRows(drafting.guard, rows.row).length === 0;
}

function isTellable({ format }: Wishes): boolean {
  return format.kind === 'json' && format.metadata !== 'none';
}

function requireForm(drafting: Drafting, { wanted }: BoundRead, wishes: Wishes): void {
  if (wanted.kind !== 'entities' || isTellable(wishes)) return;
  const { format } = wishes;
  const accept = format.kind === 'json' ? `metadata=${drafting.metadata}` : format.kind;
  const supported = 'changes are told in application/json, with metadata minimal or full';
  throw new Fault('request.not-acceptable', { accept, supported }, { target: 'Accept' });
}

/** The query whose changes are told. */
interface Defining {
  readonly select: Selecting;
  readonly shape: Shape;
  readonly address: readonly LinkPart[];
  readonly watched: Watched;
  readonly signature: string;
}

/** Undefined where the answer depends on what cannot be tracked. */
function defineQuery(drafting: Drafting, read: BoundRead): Defining | undefined {
  const { rows, query, address } = read;
  const select = { ...selectingOf(drafting.guard, rows, query, []), count: false };
  const shape = rowShape(drafting, read);
  const [self] = selfOfRows(drafting.model, rows, address);
  const watched = watch(select, shape);
  if (watched === undefined || self === undefined) return undefined;
  const signature = sign(drafting, select, shape);
  return { select, shape, address: self.parts, watched, signature };
}

/** Differs where rows or members do, be it by what was asked, by the model or by rights. */
function sign({ options, guard }: Drafting, { rows, filter }: Selecting, shape: Shape): string {
  const { everything, types } = guard.rights;
  const rights = [...types].map(([name, { actions, reading }]) => [name, actions.read, ...reading]);
  const asked = printQuery({ ...definingOptions(options), format: undefined });
  return digest([
    rows.row.source.id,
    rows.where,
    filter,
    asked,
    everything,
    rights,
    namesOf(shape),
  ]);
}

/** Names of all members, annotations left out: they differ between forms of the same answer. */
function namesOf({ members }: Pick<Shape, 'members'>): readonly unknown[] {
  return members.flatMap((member): readonly unknown[] => {
    if (!('name' in member) || member.name.includes('@')) return [];
    if (member.kind === 'one' || member.kind === 'many') {
      return [member.name, namesOf(member.shape)];
    }
    const inner = 'members' in member ? member.members : undefined;
    return inner === undefined ? [member.name] : [member.name, namesOf({ members: inner })];
  });
}

/** /$count of a delta link counts changes of the same rows. */
function entitiesOf(read: BoundRead): BoundRead {
  return read.wanted.kind === 'count' ? { ...read, wanted: { kind: 'entities' } } : read;
}
