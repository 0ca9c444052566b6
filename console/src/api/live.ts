// This file follows changes on the service by a live stream, and looks for them at intervals where there is none. A tab has one stream, for
// the screen that was opened last: browsers open few connections to a server.
import { useEffect, useRef } from 'react';
import { request } from './client.ts';
import { RequestFailed } from './request-failed.ts';

/** Milliseconds between looks for changes without a stream, and before the next attempt to open one. */
const LOOK_EVERY = 60_000;
/** Milliseconds that events are collected for one look. */
const COLLECTED = 300;
/** Milliseconds before a stream that has ended is opened again, unless it names another time. */
const REOPEN = 3000;
const GONE = 410;
/** The service is busy, or has enough streams; later it may have a place. */
const TEMPORARY = new Set([0, 429]);

/** A screen that follows changes. */
interface Follower {
  readonly path: string | undefined;
  readonly onChange: () => void;
}

type Followed = Follower & { readonly path: string };

const followers: Follower[] = [];
/** The sets whose changes the service does not report to the account. Another account loads the page again. */
const untracked = new Set<string>();

const setOf = (path: string): string => path.split('?')[0] ?? path;
let following: { readonly follower: Follower; readonly stop: AbortController } | undefined;
/** Whether the stream is open, so that nobody has to look for changes. */
let isLive = false;

/**
 * Calls back after changes of the records at a path, while the page is visible.
 * @param path undefined if the service does not report changes of the records, which are then looked for at intervals
 */
export function useLiveChanges(path: string | undefined, onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const follower = { path, onChange: () => latest.current() };
    followers.push(follower);
    follow();
    const timer = setInterval(() => {
      const isFollowed = isLive && following?.follower === follower;
      if (!isFollowed && document.visibilityState === 'visible') follower.onChange();
    }, LOOK_EVERY);
    return () => {
      clearInterval(timer);
      followers.splice(followers.indexOf(follower), 1);
      follow();
    };
  }, [path]);
}

document.addEventListener('visibilitychange', () => {
  follow();
  if (document.visibilityState === 'visible') for (const { onChange } of followers) onChange();
});

/** Opens the stream of the last follower while the page is visible, and ends any other. */
function follow(): void {
  const wanted = document.visibilityState === 'visible' ? followers.at(-1) : undefined;
  if (following?.follower === wanted) return;
  following?.stop.abort();
  isLive = false;
  following = undefined;
  if (wanted?.path === undefined || untracked.has(setOf(wanted.path))) return;
  const stop = new AbortController();
  following = { follower: wanted, stop };
  void keepOpen({ ...wanted, path: wanted.path }, stop.signal);
}

/** Opens the stream again whenever it has ended, after the last event. */
async function keepOpen(follower: Followed, signal: AbortSignal): Promise<void> {
  let position: string | undefined;
  let pause = 0;
  while (!signal.aborted) {
    try {
      const stream = await openStream(follower, position, signal);
      position = stream.position ?? position;
      pause = stream.retry;
    } catch (error) {
      if (signal.aborted) return;
      const { status, code } = error instanceof RequestFailed ? error : { status: 0, code: '' };
      if (code === 'plan.untracked') untracked.add(setOf(follower.path));
      // The stream cannot continue, but can start again; other mistakes of a request will be the same the next time.
      if (status === GONE) {
        position = undefined;
        follower.onChange();
      } else if (status >= 400 && status < 500 && !TEMPORARY.has(status)) return;
      pause = status === GONE ? REOPEN : LOOK_EVERY;
    }
    isLive = false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

interface Ended {
  /** The id of the last message. */
  readonly position: string | undefined;
  /** Milliseconds before the next attempt. */
  readonly retry: number;
}

/** Reads a stream to its end. */
async function openStream(
  { path, onChange }: Followed,
  from: string | undefined,
  signal: AbortSignal,
): Promise<Ended> {
  const response = await request(path, {
    signal,
    headers: {
      Accept: 'text/event-stream',
      ...(from === undefined ? {} : { 'Last-Event-ID': from }),
    },
  });
  isLive = true;
  const state = { position: from, retry: REOPEN };
  let isCollecting = false;
  const onEvent = () => {
    if (isCollecting) return;
    isCollecting = true;
    setTimeout(() => {
      isCollecting = false;
      if (!signal.aborted) onChange();
    }, COLLECTED);
  };
  // What changed between the first read of the screen and the opening of the stream.
  if (from === undefined) onEvent();
  try {
    for await (const message of messagesOf(response)) {
      state.position = message.get('id') ?? state.position;
      state.retry = Number(message.get('retry') ?? state.retry);
      const event = message.get('event');
      // An end for other reasons than a restart may mean that other records are visible now.
      if (event !== 'position' && message.has('data')) onEvent();
    }
  } catch {
    // The connection broke; the next stream continues after the last message.
  }
  return state;
}

/** The fields of the messages of a stream (WHATWG HTML, "Server-sent events"). */
async function* messagesOf(response: Response): AsyncGenerator<ReadonlyMap<string, string>> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return;
    text += decoder.decode(piece.value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield fieldsOf(block);
  }
}

function fieldsOf(block: string): ReadonlyMap<string, string> {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
}
