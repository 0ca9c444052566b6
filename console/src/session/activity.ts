// This file knows when people last used the console, in any tab of the browser.

/** Milliseconds between messages to other tabs. */
const SHARE_EVERY = 5000;
const EVENTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'];

let last = Date.now();
let shared = 0;
/** Whether only `noteActivity` counts: people are asked whether they are there. */
let isAsking = false;
const channel = new BroadcastChannel('docket-activity');

channel.onmessage = ({ data }: MessageEvent<number>) => {
  last = Math.max(last, data);
};

for (const event of EVENTS)
  addEventListener(event, () => !isAsking && noteActivity(), { capture: true, passive: true });

export function noteActivity(): void {
  last = Date.now();
  if (last - shared < SHARE_EVERY && !isAsking) return;
  shared = last;
  channel.postMessage(last);
}

/** Milliseconds since people last used the console. */
export const inactivity = (): number => Date.now() - last;

export function askForActivity(isAsked: boolean): void {
  isAsking = isAsked;
}
