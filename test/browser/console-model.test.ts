// This file changes the model of a service in the console: mistakes in the files, a plan that loses data, and its application. The service
// is a process of its own, since it hands over its database.
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { servedAddress } from '../child-output.ts';
import { docketHere, makeProgram, type Program } from '../cli/run-docket.ts';
import { PASSWORD } from '../journeys/desk.ts';
import { startBrowser } from './chromium.ts';
import { unexpected, violations, visit } from './console-service.ts';

let browser: Browser;
let program: Program;
let service: ChildProcess;
let origin: string;
beforeAll(async () => {
  program = makeProgram();
  const place = ['--data', join(program.folder, 'data')];
  const environment = { DOCKET_ADMIN_PASSWORD: PASSWORD };
  expect(await docketHere(['demo', '--requests', '5', ...place], environment)).toMatchObject({
    code: 0,
  });
  const file = join(program.folder, 'floors.json');
  writeFileSync(file, extension({ Floor: { $Type: 'Edm.Int32', $DefaultValue: 1 } }));
  expect(await docketHere(['model', 'apply', file, ...place])).toMatchObject({ code: 0 });
  service = program.launch(['serve', '--port', '0', '--log-level', 'error', ...place]);
  origin = new URL(await servedAddress(service)).origin;
  browser = await startBrowser();
}, 200_000);
afterAll(async () => {
  await browser?.close();
  const ended = new Promise((resolve) => service?.once('close', resolve));
  service?.kill('SIGTERM');
  await ended;
  program?.remove();
}, 60_000);

/** An extension with other members of service requests. */
const extension = (members: object) =>
  JSON.stringify({
    $Version: '4.01',
    'Service.Web.OData.Model': { ServiceRequest: { $Kind: 'EntityType', ...members } },
  });
/** A file with a room, and another label of the description. It lacks the floor. */
const rooms = (type: string) => {
  const Room = { $Type: type, $Nullable: true };
  const text = extension({ Room, Description: { '@Core.Description': 'Subject' } });
  return { name: 'rooms.csdl.json', mimeType: 'application/json', buffer: Buffer.from(text) };
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
it('an administrator uploads an extension, reads its plan, and applies it', {
  timeout: 200_000,
}, async () => {
  const watched = await visit(browser, origin, { path: '/admin/model' });
  const { page } = watched;
  await button(page, 'Change model').click();
  await page.getByText(/replace those of version 2/).waitFor();
  const input = page.getByLabel('Choose files').last();
  await input.setInputFiles(rooms('Edm.Nope'));
  await button(page, 'Show plan').click();
  const mistakes = page.getByRole('alert');
  await mistakes
    .getByText('The model does not have the type Edm.Nope.', { exact: false })
    .waitFor();
  await mistakes.getByText('.ServiceRequest.Room.$Type').waitFor();
  expect(await violations(page)).toEqual([]);

  await input.setInputFiles(rooms('Edm.Int32'));
  await mistakes.waitFor({ state: 'detached' });
  await button(page, 'Show plan').click();
  const added = page.getByRole('row').filter({ hasText: 'ServiceRequest/Room' });
  await added.getByText('added').waitFor();
  await page.getByText('Subject', { exact: false }).waitFor();
  const step = page.getByRole('row').filter({ hasText: 'without "Floor"' });
  await step.getByText(/^Values of Floor in \d+ rows of ServiceRequests$/).waitFor();
  expect(await button(page, 'Apply').isDisabled()).toBe(true);
  expect(await page.getByRole('dialog').locator(':focus').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('I accept that these data are lost').check();
  await button(page, 'Apply').click();
  await page.getByText('Apply this model?').waitFor();
  await button(page, 'Apply now').click();
  await page.getByText('The model is being applied.', { exact: false }).waitFor();
  await page.getByText('Version 3 of the model is in force.').waitFor();
  expect(await violations(page)).toEqual([]);
  await button(page, 'Close').last().click();
  await page.goto(`${origin}/console/admin/model?type=Service.Web.OData.Model.ServiceRequest`);
  await page.getByRole('rowheader', { name: 'Room', exact: true }).waitFor();
  // The console asks for the outcome while the service closes its connections, and none listens for a moment.
  const problems = watched.problems.filter(
    (one) => !/ERR_CONNECTION_\w+ \/odata\/ModelIn/.test(one),
  );
  expect(unexpected({ problems }, ['400 /odata/PlanModel', '503 /'])).toEqual([]);
  await watched.close();
});
