// This file reads who has written the lines of a history and added files, as every shipped role: the name of an account whose person may be read, one's own
// account whole, and of all others nothing, by no answer, condition, order or group.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesDocument } from '../../src/edm/account-sets.ts';
import { importRecords } from '../../src/service/import.ts';
import { suiteRoles } from '../service-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { MEMBER } from './records.ts';

type Asking = Pick<Desk, 'get' | 'send'>;
interface Line {
  readonly Information: string;
  readonly CreatedBy: object | null;
}

const ROLES = suiteRoles.map(({ name }) => name).filter((name) => name !== 'administrator');

let desk: Desk;
/** The request, whose caller is the person of the requester. */
let path: string;
const accounts = new Map<string, Asking>();
beforeAll(async () => {
  desk = await openDesk();
  await importRecords(
    rolesDocument(suiteRoles.filter(({ name }) => name !== 'administrator')),
    desk.service,
  );
  const persons = new Map<string, number>();
  for (const role of ROLES) {
    const { json } = await desk.send('POST', '/Persons', { body: { LastName: `The ${role}` } });
    persons.set(role, json.Uid);
    accounts.set(role, await desk.join({ loginName: role, roles: [role], person: json.Uid }));
  }
  const author = await desk.join({ loginName: 'zz-secret', roles: ['agent'], person: MEMBER });
  const account = (await desk.get(`/Persons(${MEMBER})/Account`)).json;
  await desk.send('PATCH', `/Accounts(${account.Uid})`, { body: { Name: 'Shown name' } });
  const body = {
    Description: 'Printer',
    'Caller@odata.bind': `Persons(${persons.get('requester')})`,
  };
  path = `/ServiceRequests(${(await desk.send('POST', '/ServiceRequests', { body })).json.Uid})`;
  const write = async (asking: Asking, Information: string) => {
    const Visibility = { Value: 203002 };
    const Kind = { Value: 202003 };
    const answer = await asking.send('POST', `${path}/HistoryLines`, {
      body: { Information, Visibility, Kind },
    });
    expect(answer.status, answer.text).toBe(201);
  };
  await write(author, 'by the author');
  const robot = await desk.join({ loginName: 'robot', roles: ['agent'] });
  await write(robot, 'by an account without a person');
  await write(of('requester'), 'by the requester');
  for (const [asking, name] of [
    [author, 'author.txt'],
    [of('requester'), 'requester.txt'],
  ] as const) {
    const headers = { 'content-type': 'text/plain', slug: name };
    const answer = await asking.send('POST', `${path}/Attachments`, { body: name, headers });
    expect(answer.status, answer.text).toBe(201);
  }
});
afterAll(async () => await desk?.close());

function of(role: string): Asking {
  const asking = accounts.get(role);
  if (asking === undefined) throw new Error(`no ${role}`);
  return asking;
}

const AUTHOR = '$expand=CreatedBy';
const notes = '$filter=Information ne null';

async function authors(asking: Asking, options = AUTHOR) {
  const { status, text, json } = await asking.get(`${path}/HistoryLines?${notes}&${options}`);
  expect(status, text).toBe(200);
  const lines = json.value as readonly Line[];
  return Object.fromEntries(lines.map((line) => [line.Information, line.CreatedBy]));
}

describe('The author of a line', () => {
  it('is shown to an agent by name, where the person may be read, and nothing else of it', async () => {
    const found = await authors(of('agent'));
    const shown = Object.keys(found['by the author'] ?? {}).filter((name) => !name.includes('@'));
    expect(shown).toEqual(['Name']);
    expect(found).toMatchObject({
      'by the author': { Name: 'Shown name' },
      'by an account without a person': null,
    });
    const named = await of('agent').get(
      `${path}/HistoryLines?$filter=CreatedBy/Name eq 'Shown name'&$select=Information`,
    );
    expect(named.json.value).toMatchObject([{ Information: 'by the author' }]);
  });

  it('is shown to a requester if it is that account, which sees it whole', async () => {
    expect(await authors(of('requester'))).toMatchObject({
      'by the author': null,
      'by an account without a person': null,
      'by the requester': { LoginName: 'requester' },
    });
    const named = await of('requester').get(
      `${path}/HistoryLines?$filter=CreatedBy/Name eq 'Shown name'`,
    );
    expect(named.json.value).toEqual([]);
    const known = await of('requester').get(
      `${path}/HistoryLines?$filter=CreatedBy ne null&$select=Information`,
    );
    expect(known.json.value).toMatchObject([{ Information: 'by the requester' }]);
  });

  it('is shown whole to administrators, as before', async () => {
    expect(await authors(desk)).toMatchObject({ 'by the author': { LoginName: 'zz-secret' } });
  });
});

describe('The author of a file', () => {
  it('is shown by the same rules', async () => {
    const asked = `${path}/Attachments?$expand=CreatedBy`;
    const namesOf = async (asking: Asking) => {
      const { status, text, json } = await asking.get(asked);
      expect(status, text).toBe(200);
      const files = json.value as readonly { Name: string; CreatedBy: { Name: string } | null }[];
      return Object.fromEntries(files.map((file) => [file.Name, file.CreatedBy?.Name]));
    };
    const name = (await desk.get("/Accounts?$filter=LoginName eq 'requester'")).json.value[0].Name;
    const all = { 'author.txt': 'Shown name', 'requester.txt': name };
    expect(await namesOf(of('agent'))).toEqual(all);
    expect(await namesOf(of('requester'))).toEqual({ ...all, 'author.txt': undefined });
  });
});

describe.each(ROLES)('Of the author of a line or file the role %s', (role) => {
  it.each(['HistoryLines', 'Attachments'])(
    'finds nothing out in %s that is not shown',
    async (list) => {
      const asking = of(role);
      const lines = `${path}/${list}`;
      const isAuthor = "CreatedBy/LoginName eq 'zz-secret'";
      const paths = [
        `${lines}?${AUTHOR}`,
        `${lines}?$expand=CreatedBy($select=Uid,LoginName,Language,Blocked)`,
        `${lines}?$compute=CreatedBy/LoginName as L&$select=Uid,L`,
        `${lines}?$apply=groupby((CreatedBy/LoginName))`,
        `${lines}?$apply=aggregate(CreatedBy/LoginName with max as M)`,
        `${path}?$select=Uid&$expand=${list}($expand=CreatedBy)`,
        `/ServiceRequests?$select=Uid&$expand=${list}($expand=CreatedBy($compute=LoginName as L;$select=L))`,
      ];
      for (const one of paths) {
        for (const headers of [{}, { accept: 'application/json;odata.metadata=full' }]) {
          const answer = await asking.get(one, headers);
          expect(answer.status, `${one} ${answer.text}`).toBeLessThan(500);
          expect(answer.text, one).not.toContain('zz-secret');
          if (role === 'requester') expect(answer.text, one).not.toContain('Shown name');
        }
      }
      const conditions = [
        `${lines}?$filter=${isAuthor}`,
        `${lines}?$filter=startswith(CreatedBy/LoginName,'zz')`,
        `/ServiceRequests?$filter=${list}/any(l:l/${isAuthor})`,
        `${lines}?$apply=filter(${isAuthor})`,
        `${lines}?$filter=case(${isAuthor}:true,true:false)`,
      ];
      for (const one of conditions) {
        const answer = await asking.get(one);
        expect([one, answer.json?.value ?? []]).toEqual([one, []]);
      }
      const closed = [
        `${lines}?$filter=CreatedBy/Person/Uid eq ${MEMBER}`,
        `${lines}?$expand=CreatedBy($expand=Person)`,
        `${lines}?$expand=CreatedBy($expand=Roles)`,
        `${lines}?$filter=CreatedBy/Roles/any(r:r/Name eq 'agent')`,
        '/Accounts',
      ];
      for (const one of closed) expect([one, (await asking.get(one)).status]).toEqual([one, 403]);
    },
  );
});
