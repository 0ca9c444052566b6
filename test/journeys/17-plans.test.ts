// This file asks for the plans of reads, and reads those of slow statements in the log. Neither contains what clients send.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { World } from '../../src/base/world.ts';
import { processWorld } from '../../src/cli/wire.ts';
import { usesPostgres } from '../database.ts';
import { type Desk, openDesk } from './desk.ts';

const MARK = 'zqx7marked';
const asked = { prefer: 'odata.include-annotations="Docket.Plan"' };
const lines: string[] = [];
let desk: Desk;

/** Every statement takes 2 milliseconds. */
function slowWorld(): World {
  let time = 0;
  const elapsed = () => {
    time += 2;
    return time;
  };
  return { ...processWorld, elapsed };
}

beforeAll(async () => {
  const settings = { logLevel: 'warn', limits: { slowMilliseconds: 1 } };
  const world = slowWorld();
  desk = await openDesk({ settings, world, onLog: (line) => void lines.push(line) });
});
afterAll(async () => await desk?.close());

it('is in the response if an administrator asks for it: statements, their plans and advice', async () => {
  const query = `$filter=Name eq '${MARK}'&$orderby=Name&$top=3`;
  const plain = await desk.as('admin').get(`/Persons?${query}`);
  const { json, headers, text } = await desk.as('admin').get(`/Persons?${query}`, asked);
  const { '@Docket.Plan': plan, ...rest } = json;
  expect(rest).toEqual(plain.json);
  expect(headers['preference-applied']).toContain('odata.include-annotations');
  expect(plan.Template).toMatch(/^Persons\?\$filter=Name eq \?/);
  expect(plan.Milliseconds).toBeGreaterThan(0);
  const [statement] = plan.Statements;
  expect(statement.Sql).toMatch(/SELECT .* FROM/s);
  expect(statement.Plan.join('\n')).toMatch(
    usesPostgres ? /(?:Scan|Search).*cost=/s : /(?:SCAN|SEARCH) /,
  );
  expect(JSON.stringify(plan)).not.toContain(MARK);
  expect(text).toContain('@Docket.Plan');
});

it('advises on an index, unless it exists', async () => {
  const adviceFor = async (filter: string) =>
    (await desk.as('admin').get(`/Persons?$filter=${filter}`, asked)).json['@Docket.Plan'].Advice;
  expect(await adviceFor("Jobtitle eq 'x'")).toEqual(['docket index add Persons Jobtitle']);
  expect(await adviceFor("EmployeeNumber eq 'x'")).toEqual([]);
});

it('is in the log of slow statements', async () => {
  const slow = () =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'slow statement');
  await desk.get(`/Persons?$filter=Jobtitle eq '${MARK}' and contains(Name,'${MARK}')`);
  await desk.storeSlowStatements();
  const found = slow().find(({ template }) => /Jobtitle eq \?/.test(template));
  expect(found).toMatchObject({ level: 'warn', advice: ['docket index add Persons Jobtitle'] });
  expect(found.statements[0].Sql).toContain('SELECT');
  expect(found.statements[0].Plan.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(MARK);
});

it('is for administrators who name it, and never cached', async () => {
  const path = '/ServiceRequests?$top=2';
  const access = { Entity: 'ServiceRequest', Read: true };
  const role = { Name: 'reader', EntityAccess: [access] };
  expect((await desk.send('POST', '/Roles', { body: role })).status).toBe(201);
  const caller = { loginName: 'caller', roles: ['reader'] };
  const { status, json } = await (await desk.join(caller)).get(path, asked);
  expect([status, json['@Docket.Plan']]).toEqual([200, undefined]);
  const all = { prefer: 'odata.include-annotations="*"' };
  expect((await desk.as('admin').get(path, all)).json['@Docket.Plan']).toBeUndefined();
  for (let index = 0; index < 3; index++)
    expect((await desk.as('admin').get(path, asked)).json['@Docket.Plan']).toBeDefined();
  expect((await desk.as('admin').get(path)).json['@Docket.Plan']).toBeUndefined();
  expect((await desk.as('admin').get('/Persons(999999)', asked)).status).toBe(404);
});
