// This file has a desk listen on a port of its own, for clients that open connections themselves.
import { type Listening, listen } from '../../src/http/server.ts';
import { type Desk, PASSWORD } from './desk.ts';

export interface Reachable {
  /** `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly port: number;
  /** Of the administrator, for clients on this machine. */
  readonly token: string;
  readonly stop: () => Promise<void>;
}

export async function makeReachable(desk: Desk): Promise<Reachable> {
  const listening: Listening = await listen(
    desk.app,
    { host: '127.0.0.1', port: 0 },
    () => undefined,
    async () => undefined,
  );
  const origin = `http://127.0.0.1:${listening.port}`;
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'admin',
    password: PASSWORD,
  });
  const answer = await fetch(`${origin}/token`, { method: 'POST', body });
  const { access_token: token } = (await answer.json()) as { readonly access_token: string };
  return { origin, port: listening.port, token, stop: async () => await listening.stop() };
}
