// This file answers POST /connect/endsession, which ends the session of the access token.
import { notAllowed } from '../base/fault.ts';
import type { AppSettings } from './app-settings.ts';
import { clientAddress } from './client-address.ts';
import { type Exchange, send } from './send-response.ts';

/** Ends the session of the bearer token. Throws: request.method, auth.*. */
export async function answerEndSession(
  exchange: Exchange,
  { service, proxies }: Pick<AppSettings, 'service' | 'proxies'>,
): Promise<void> {
  const { request } = exchange;
  if (request.method !== 'POST') throw notAllowed(request.method ?? '', ['POST']);
  const address = clientAddress(request, proxies);
  const { loginName } = await service.sessions.end(request.headers.authorization, address);
  service.observe({ kind: 'session ended', id: exchange.id, account: loginName, address });
  await send(exchange, { status: 204, headers: {}, body: undefined });
}
