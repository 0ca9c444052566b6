// This file answers GET /openapi.json, the OpenAPI description of the service: `?sets=Persons,Services` describes only these sets, and
// `?compact=true` only the main operations.
import { Fault } from '../base/fault.ts';
import { readConditions } from '../request/headers/entity-tags.ts';
import { conditional } from '../response/conditional.ts';
import type { OpenApiSelection } from '../response/site.ts';
import type { AppSettings } from './app-settings.ts';
import { clientAddress } from './client-address.ts';
import { type Exchange, send } from './send-response.ts';
import { DEFAULT_LOCATION, publicRoot } from './service-location.ts';

/** Sends the document, or 304 if the client has it. Throws: auth.*, request.header, request.*-option, request.option-value, response.changed. */
export async function answerOpenApi(
  exchange: Exchange,
  { service, proxies, location }: Pick<AppSettings, 'service' | 'proxies' | 'location'>,
): Promise<void> {
  const { request } = exchange;
  const { authorization, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (!service.anonymous.has('metadata'))
    await service.sessions.authenticate(authorization, clientAddress(request, proxies));
  const document = service.documents.openapi(
    publicRoot(request, proxies, location ?? DEFAULT_LOCATION),
    readSelection(request.url ?? ''),
  );
  const headers = {
    'Content-Type': document.type,
    ETag: document.etag,
    Vary: 'Accept-Encoding, Authorization',
  };
  const response = { status: 200, headers, body: document.text };
  const conditions = readConditions({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
  await send(exchange, conditional(response, conditions));
}

const OPTIONS = ['sets', 'compact'] as const;

/** The part of the service to describe. */
function readSelection(url: string): OpenApiSelection {
  const fields = new Map<string, string>();
  for (const [name, value] of new URL(url, 'http://localhost').searchParams) {
    if (fields.has(name)) throw new Fault('request.duplicate-option', { name }, { target: name });
    fields.set(name, value);
  }
  const unknown = [...fields.keys()].find((name) => !OPTIONS.some((option) => option === name));
  if (unknown !== undefined) throw unknownOption(unknown.slice(0, 100));
  const sets = fields.get('sets');
  return {
    isCompact: readFlag(fields.get('compact')),
    ...(sets === undefined ? {} : { sets: sets.split(',').map((name) => name.trim()) }),
  };
}

function unknownOption(name: string): Fault {
  const hint = ` Use ${OPTIONS.join(' or ')}.`;
  return new Fault('request.unknown-option', { name, place: '', hint }, { target: name });
}

function readFlag(value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new Fault(
    'request.option-value',
    { value: value.slice(0, 100), name: 'compact', expected: 'use true or false' },
    { target: 'compact' },
  );
}
