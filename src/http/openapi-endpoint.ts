// This file answers GET /openapi.json, the OpenAPI description of the service.
import { readConditions } from '../request/headers/entity-tags.ts';
import { conditional } from '../response/conditional.ts';
import { type AppSettings, ROOT } from './app-settings.ts';
import { calledOrigin, clientAddress } from './client-address.ts';
import { type Exchange, send } from './send-response.ts';

/** Sends the document, or 304 if the client has it. Throws: auth.*, request.header, response.changed. */
export async function answerOpenApi(
  exchange: Exchange,
  { service, proxies }: Pick<AppSettings, 'service' | 'proxies'>,
): Promise<void> {
  const { request } = exchange;
  const { authorization, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (!service.anonymous.has('metadata'))
    await service.sessions.authenticate(authorization, clientAddress(request, proxies));
  const document = service.documents.openapi(`${calledOrigin(request, proxies)}${ROOT}/`);
  const headers = {
    'Content-Type': document.type,
    ETag: document.etag,
    Vary: 'Accept-Encoding, Authorization',
  };
  const response = { status: 200, headers, body: document.text };
  const conditions = readConditions({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
  await send(exchange, conditional(response, conditions));
}
