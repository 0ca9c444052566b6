// This file answers requests to status monitors: the state of an asynchronous request, its response, and its cancellation. Only the
// account that sent the request can see the monitor, and the response only while it has the rights that this was created with.
// Source: OData 4.01 Protocol, "Asynchronous Requests", "Header AsyncResult".
import type { Principal } from '../../access/principal.ts';
import { Fault, notAllowed } from '../../base/fault.ts';
import { responseVersionFor } from '../../request/headers/headers.ts';
import { readAccept } from '../../request/headers/media-types.ts';
import { readPreferences } from '../../request/headers/parse-prefer.ts';
import type { Answer } from '../../response/response.ts';
import { kept } from '../../store/work.ts';
import { writeMessage } from '../batch/multipart-format.ts';
import type { Call, Service } from '../service.ts';
import { MONITORS, readJobAnswer, removeJob } from './job-table.ts';
import { acceptance, requireRights } from './jobs.ts';

/** Whether the call is to a status monitor. */
export function isMonitor({ path }: Call): boolean {
  const isSpecial = path.startsWith('$') || path.startsWith('%');
  return isSpecial && path.replace('%24', '$').startsWith(MONITORS);
}

/** Whether the client sends Prefer: respond-async with a request that supports it. */
export function prefersAsync({ headers, method }: Call): boolean {
  return (
    method !== 'OPTIONS' &&
    method !== 'HEAD' &&
    headers.prefer?.includes('respond-async') === true &&
    readPreferences(headers.prefer).respondAsync
  );
}

/** Answers GET, HEAD and DELETE of a status monitor. Throws: async.unknown, async.rights, async.started, request.method. */
export async function answerMonitor(
  call: Call,
  service: Service,
  principal: Principal,
): Promise<Answer> {
  const id = call.path.replace('%24', '$').slice(MONITORS.length).replace(/\/$/, '');
  switch (call.method) {
    case 'GET':
    case 'HEAD':
      return answerStatus(call, service, principal, id);
    case 'DELETE': {
      const existed = await service.database.write(() => kept(removeJob(id, principal)));
      if (!existed) throw unknownMonitor(id);
      return {
        status: 204,
        headers: { 'OData-Version': responseVersionFor(call.headers) },
        body: undefined,
      };
    }
    default:
      throw notAllowed(call.method, ['GET', 'HEAD', 'DELETE']);
  }
}

async function answerStatus(
  call: Call,
  service: Service,
  principal: Principal,
  id: string,
): Promise<Answer> {
  const now = service.world.now();
  const finished = await readJobAnswer(service.database, id, principal, now);
  if (finished === undefined) throw unknownMonitor(id);
  if (finished === 'waiting') return acceptance(call, id);
  requireRights(finished, service, principal);
  const { answer } = finished;
  const asyncResult = { AsyncResult: String(answer.status) };
  if (!wantsMessage(call))
    return { ...answer, status: 200, headers: { ...answer.headers, ...asyncResult } };
  return {
    status: 200,
    headers: {
      'OData-Version': responseVersionFor(call.headers),
      'Content-Type': 'application/http',
      'Content-Transfer-Encoding': 'binary',
      ...asyncResult,
    },
    body: Buffer.concat(writeMessage(answer).map((chunk) => Buffer.from(chunk))),
  };
}

/** Whether the result is an HTTP message: if Accept names application/http, and by default in version 4.0. */
function wantsMessage(call: Call): boolean {
  const accept = readAccept(call.headers.accept ?? '');
  if (accept.some(({ name }) => name === 'application/http')) return true;
  return responseVersionFor(call.headers) === '4.0' && accept.every(({ name }) => name === '*/*');
}

function unknownMonitor(id: string): Fault {
  return new Fault('async.unknown', { id: id.slice(0, 100) });
}
