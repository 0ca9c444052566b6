// Answers GET of an entity set with `Accept: text/event-stream`: a live stream of the changes of the query.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { writeKnown } from '../../plan/read/known-records.ts';
import { writeDeltaToken, writePosition } from '../../plan/read/tokens.ts';
import { readAccept } from '../../request/headers/media-types.ts';
import type { MediaRange } from '../../request/tree.ts';
import { deltaLink } from '../../response/links.ts';
import type { Answer } from '../../response/response.ts';
import { compile } from '../../sql/compile.ts';
import type { Script } from '../../sql/script.ts';
import { requireAccount } from '../accounts/anonymous-requests.ts';
import { stampOf } from '../deferred/rights-stamp.ts';
import type { Call, Service } from '../service.ts';
import type { Event } from './event.ts';
import type { ListenerStart } from './listener.ts';
import { liveStreamsOf } from './live-streams.ts';
import { compareVisible, newestPosition, readChanges, requirePosition } from './read-events.ts';
import {
  addressesOf,
  MOST_LISTED,
  readStreamPosition,
  type StreamPosition,
} from './stream-position.ts';
import { messagesOf, positionMessage } from './stream-text.ts';
import { type Followed, follow, sourcesOf } from './watch.ts';

const STREAM_TYPE = 'text/event-stream';

/** Whether the client prefers a live stream to all other formats. */
export function isStreamRequest({ method, headers: { accept } }: Call): boolean {
  return (
    method === 'GET' && accept?.includes('text/event-stream') === true && prefersStream(accept)
  );
}

function prefersStream(accept: string): boolean {
  return preferred(accept)?.name === STREAM_TYPE;
}

/** The range with the highest quality, of equal ones the first. Throws: request.header. */
function preferred(accept: string): MediaRange | undefined {
  const [first, ...others] = readAccept(accept);
  return others.reduce(
    (best, one) => (best !== undefined && one.quality > best.quality ? one : best),
    first,
  );
}

/**
 * Opens a live stream.
 * Throws: events.*, plan.untracked, plan.delta-gone, plan.deltatoken, and the faults of parsing, binding, deciding and the store.
 */
export async function answerStream(
  call: Call,
  service: Service,
  principal: Principal,
): Promise<Answer> {
  requireAccount(call, service, principal);
  const streams = liveStreamsOf(service);
  streams.requirePlace(principal, call.address);
  const inner = recordCall(call);
  const given = lastEvent(call) ?? positionIn(call.query);
  const after = given?.after ?? (await newestPosition(service));
  const part = { span: requirePosition(after), limit: 1 };
  const followed = follow(inner, service, principal, part);
  // Only now can the status of the response show that changes are missing.
  if (given !== undefined) await readChanges(service, principal, inner, { after, limit: 1 });
  const { from, withdrawn } = await startingPoint(inner, service, principal, { given, followed });
  const start = startOf(inner, service, principal, { followed, from });
  const source = streams.open(start);
  const first = given ?? from;
  source.push(positionMessage(first, start.linkAfter(first)));
  if (withdrawn.length > 0) source.push(messagesOf(withdrawn, from));
  return { status: 200, headers: headersOf(followed), body: undefined, source };
}

interface StartingPoint {
  readonly from: StreamPosition;
  /** Events for the records that the client has stated to know, and that the account does not see. */
  readonly withdrawn: readonly Event[];
}

/**
 * The position to start from. A client that has not stated which records it knows is expected to know those that the account sees now;
 * without a position, it gets that of the moment at which they were read. What it has stated is compared first: from now on, only
 * records are in its list that it has seen, so that it cannot observe others by stating them.
 */
async function startingPoint(
  call: Call,
  service: Service,
  principal: Principal,
  { given, followed }: { readonly given: StreamPosition | undefined; readonly followed: Followed },
): Promise<StartingPoint> {
  const { span, hidesInvisible } = followed.plan;
  const after = writePosition(span);
  if (hidesInvisible !== true) return { from: { after }, withdrawn: [] };
  const known = given === undefined ? [] : addressesOf(given);
  const comparison = { known, at: after, limit: MOST_LISTED };
  const visible = await compareVisible(service, principal, call, comparison);
  if (visible === undefined) return { from: { after }, withdrawn: [] };
  const isStated = given?.known !== undefined;
  const listed = isStated ? known.filter(isIn(visible.addresses)) : visible.addresses;
  const from = { after: given?.after ?? visible.position, known: writeKnown(listed) };
  return { from, withdrawn: visible.withdrawn };
}

function isIn(all: readonly string[]): (one: string) => boolean {
  const set = new Set(all);
  return (one) => set.has(one);
}

function headersOf({ tree: { negotiated } }: Followed): Answer['headers'] {
  return {
    'Content-Type': STREAM_TYPE,
    'Cache-Control': 'no-store',
    'OData-Version': negotiated.version,
    // nginx would collect the events.
    'X-Accel-Buffering': 'no',
    Vary: 'Accept, Authorization',
  };
}

/** The request for the records in place of the stream. Parameters such as `odata.metadata` describe the records. */
function recordCall(call: Call): Call {
  const parameters = preferred(call.headers.accept ?? '')?.parameters ?? new Map();
  const accept = ['application/json', ...[...parameters].map(([name, text]) => `${name}=${text}`)];
  const conditions = { 'if-match': undefined, 'if-none-match': undefined, prefer: undefined };
  return { ...call, headers: { ...call.headers, ...conditions, accept: accept.join(';') } };
}

/** The position after the last event that the client has received. Throws: events.position. */
function lastEvent({ headers: { 'last-event-id': id } }: Call): StreamPosition | undefined {
  const position = id === undefined ? undefined : readStreamPosition(id);
  if (id === undefined || position !== undefined) return position;
  const target = 'Last-Event-ID';
  throw new Fault('events.position', { value: id.slice(0, 40) }, { target });
}

/** The position in the delta token of a query. */
function positionIn(query: string): StreamPosition | undefined {
  const [, token] = /(?:^|&)(?:\$|%24)?deltatoken=([^&]*)/i.exec(query) ?? [];
  if (token === undefined) return undefined;
  const position = readStreamPosition(token.split('.').slice(2).join('.'));
  if (position !== undefined) return position;
  const reason = 'only the delta link at the end of a response can be followed';
  throw new Fault('plan.deltatoken', { reason }, { target: '$deltatoken' });
}

interface Opening {
  readonly followed: Followed;
  readonly from: StreamPosition;
}

function startOf(
  call: Call,
  service: Service,
  principal: Principal,
  { followed: { tree, plan }, from }: Opening,
): ListenerStart {
  const stamp = stampOf(service, principal);
  const script = compile(plan, service.layout, service.dialect);
  const [, ...rights] = stamp.split(' ');
  const { path, query, root, headers } = call;
  const form = ['accept', 'accept-language', 'odata-maxversion', 'user-agent'];
  const key = JSON.stringify([
    dependsOnAccount(script) ? stamp : rights,
    path,
    query,
    root,
    form.map((name) => headers[name]),
  ]);
  return {
    call,
    principal,
    key,
    stamp,
    sources: sourcesOf(plan.dependencies),
    from,
    linkAfter: ({ after, known: list }) =>
      plan.hidesInvisible === true && list === undefined
        ? undefined
        : deltaLink(root, tree, writeDeltaToken(plan.signature, requirePosition(after), list)),
  };
}

/** Whether the records depend on the account, not only on its roles. */
function dependsOnAccount(script: Script): boolean {
  if (script.kind !== 'delta') return true;
  return script.statement.parameters.some(
    ({ kind, ...parameter }) =>
      kind === 'context' && 'name' in parameter && OF_THE_ACCOUNT.has(String(parameter.name)),
  );
}

const OF_THE_ACCOUNT: ReadonlySet<string> = new Set(['me', 'account', 'accountKey', 'session']);
