// This file reads the content of a message again before it is sent some time after it was read: the entity as the owner may see it then. Events are lines of the body, of which the data is the last member.
import type { Principal } from '../access/principal.ts';
import { performer } from '../service/handle-request.ts';
import type { Call, Service } from '../service/service.ts';
import type { Subscription } from './read-subscriptions.ts';

/** Where an event begins to contain data. Strings cannot contain it, because quotes in them are escaped. */
const DATA = ',"data":';

interface Setting {
  readonly service: Service;
  readonly principal: Principal;
  /** The service root in events. */
  readonly root: string;
}

/** The body with current data; undefined if the owner may no longer see any of its entities, or none exists. Throws for errors that may pass. */
export async function currentBody(
  setting: Setting,
  subscription: Pick<Subscription, 'select' | 'expand'>,
  body: string,
): Promise<string | undefined> {
  const events = isBatch(body) ? eventsIn(body) : [body];
  const current: string[] = [];
  for (const event of events) {
    const found = await currentEvent(setting, subscription, event);
    if (found !== undefined) current.push(found);
  }
  if (current.length === 0) return undefined;
  return isBatch(body) ? batchOf(current) : current.join('');
}

/** Whether the body contains a batch: one that is queued keeps its form when the subscription gets another format. */
export function isBatch(body: string): boolean {
  return body.startsWith('[');
}

/** The body of a batch, with an event on each line. */
export function batchOf(events: readonly string[]): string {
  return `[\n${events.join(',\n')}\n]`;
}

function eventsIn(body: string): readonly string[] {
  return body
    .slice(2, -2)
    .split('\n')
    .map((line) => line.replace(/,$/, ''));
}

async function currentEvent(
  setting: Setting,
  { select, expand }: Pick<Subscription, 'select' | 'expand'>,
  event: string,
): Promise<string | undefined> {
  const end = event.indexOf(DATA);
  const head = event.slice(0, end);
  const { subject, type }: { subject: string; type: string } = JSON.parse(`${head}}`);
  // What is left of a deleted entity is its key.
  if (/\.(?:deleted|removed)$/.test(type)) return event;
  const data = await read(setting, subject, { $select: select, $expand: expand });
  return data === undefined ? undefined : `${head}${DATA}${data}}`;
}

/** The entity as JSON text. */
async function read(
  { service, principal, root }: Setting,
  path: string,
  options: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const query = Object.entries(options).flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${encodeURIComponent(text)}`],
  );
  const call: Call = {
    id: `webhook-${process.pid}`,
    method: 'GET',
    path,
    query: query.join('&'),
    headers: { accept: 'application/json', 'odata-version': '4.01', 'odata-maxversion': '4.01' },
    body: undefined,
    address: '',
    root,
  };
  const { status, body } = await performer(service)(call, principal);
  const text = Buffer.from(body ?? '').toString('utf8');
  if (status === 404 || status === 403) return undefined;
  if (status !== 200) throw new Error(`${path} could not be read: ${status}`);
  return text;
}
