// This file creates the demo installation that the pages describe, and its service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/cli/config/config.ts';
import { openInstallation, wireService } from '../../src/cli/wire.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { ADMIN, makeDemo } from '../make-demo.ts';

/** The address that the pages show. */
export const HOST = '127.0.0.1:5181';

/** A served demo installation. */
export interface Demo {
  readonly app: App;
  readonly token: string;
  readonly close: () => Promise<void>;
}

/** Creates a demo installation and its service. Each page has one of its own, so that none sees what another has written. */
export async function openDemo(): Promise<Demo> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-pages-'));
  const config = readConfig({ data: join(directory, 'data'), logLevel: 'silent' }, {});
  await makeDemo(config, { requests: 1500, seed: 1, hasClock: true });
  const installation = await openInstallation(config);
  const { service, grants } = await wireService(installation);
  const proxies = { trusted: new Set<string>() };
  const app = createApp({ service, grants, proxies, corsOrigins: new Set() });
  await app.server.ready();
  return {
    app,
    token: await logIn(app),
    close: async () => {
      await app.server.close();
      await service.jobs.close();
      await service.sessions.close();
      await installation.database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function logIn({ server }: App): Promise<string> {
  const fields = { grant_type: 'password', username: ADMIN.name, password: ADMIN.password };
  const answer = await server.inject({
    method: 'POST',
    url: '/token',
    headers: { host: HOST, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
  return String(answer.json().access_token);
}
