// This file changes workflows at run time: administrators add, replace and block transitions as entities of the set Transitions.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setSource } from '../../src/edm/source.ts';
import { catalogRecords } from '../../src/seed/catalog.ts';
import { sql, tableName, value } from '../../src/sql/fragment.ts';
import { tableOf } from '../../src/sql/schema/layout.ts';
import { query } from '../../src/store/work.ts';
import { suiteModel } from '../service-desk.ts';
import { type Desk, type DeskAnswer, openDesk } from './desk.ts';
import { MEMBER, RECORDS } from './records.ts';
import { joinWorker } from './workflow-table.ts';

let desk: Desk;
let worker: Pick<Desk, 'get' | 'send'>;
beforeAll(async () => {
  const records = [...RECORDS, ...catalogRecords(suiteModel())];
  desk = await openDesk({ records, settings: { workflows: ['enforce'] } });
  worker = await joinWorker(desk);
});
afterAll(async () => await desk?.close());

const written: string[] = [];
afterEach(async () => {
  for (const path of written.splice(0)) expect((await desk.send('DELETE', path)).status).toBe(204);
});

/** The body of a transition of service requests between statuses by their values. */
async function transition(symbol: string, from: number | undefined, to: number, more: object = {}) {
  const [entity] = (await desk.get("/Entities?$filter=Name eq 'ServiceRequest'")).json.value;
  return {
    Symbol: symbol,
    'Entity@odata.bind': `Entities(${entity.Uid})`,
    ...(from === undefined ? {} : { 'From@odata.bind': `Codes(${from})` }),
    'To@odata.bind': `Codes(${to})`,
    ...more,
  };
}

async function add(body: object): Promise<string> {
  const created = await desk.send('POST', '/Transitions', { body });
  expect(created.status, created.text).toBe(201);
  const path = `/Transitions(${created.json.Uid})`;
  written.push(path);
  return path;
}

const [REGISTERED, ASSIGNED, SUPPLIER] = [101001, 101002, 101005];
const BLOCKED = { Blocked: true };
const PERSON = { Assignment: { AssigneePerson: { '@odata.id': `Persons(${MEMBER})` } } };

async function request(body: object = {}): Promise<string> {
  const created = await worker.send('POST', '/ServiceRequests', {
    body: { Description: 'Printer', ...body },
  });
  expect(created.status, created.text).toBe(201);
  return `/ServiceRequests(${created.json.Uid})`;
}

const move = async (path: string, to: number) =>
  await worker.send('PATCH', path, { body: { Status: { Value: to } } });
const problems = ({ status, json, text }: DeskAnswer): readonly (readonly string[])[] => {
  expect(status, text).toBe(409);
  return json.error.details.map(({ code, target }: { code: string; target?: string }) =>
    target === undefined ? [code] : [code, target],
  );
};
const symbols = async (path: string): Promise<readonly string[]> => {
  const { Transitions } = (await worker.get(`${path}/AllowedTransitions()`)).json;
  return Transitions.map((one: { readonly Symbol: string }) => one.Symbol);
};
/** The targets and messages of the mistakes in a body. */
const mistakes = ({ status, json, text }: DeskAnswer): readonly (readonly string[])[] => {
  expect(status, text).toBe(400);
  const found = json.error.details ?? [json.error];
  return found.map(({ target, message }: { target: string; message: string }) => [target, message]);
};

describe('A transition that an administrator adds', () => {
  it('can be taken where its guard is true, and ends when it is deleted', async () => {
    const path = await request();
    expect(problems(await move(path, SUPPLIER))).toEqual([['workflow.next', 'Status']]);
    const added = await add(
      await transition('escalate', REGISTERED, SUPPLIER, {
        Guard: "contains(Description,'urgent')",
        RequiredProperties: ['OnHoldReason'],
      }),
    );
    expect(await symbols(path)).toContain('escalate');
    expect(problems(await move(path, SUPPLIER))).toEqual([
      ['workflow.guard'],
      ['workflow.required', 'OnHoldReason'],
      ['workflow.next', 'Status'],
    ]);
    const body = {
      Status: { Value: SUPPLIER },
      Description: 'urgent',
      OnHoldReason: { Text: 'Part on order' },
    };
    const moved = await worker.send('PATCH', path, { body });
    expect(moved.status, moved.text).toBe(204);
    expect((await desk.send('DELETE', added)).status).toBe(204);
    written.splice(0);
    expect(await symbols(await request())).not.toContain('escalate');
  });

  it('is reserved for its roles', async () => {
    const [role] = (await desk.get("/Roles?$filter=Name eq 'administrator'")).json.value;
    await add(
      await transition('skip', REGISTERED, SUPPLIER, {
        'AllowedRoles@odata.bind': [`Roles(${role.Uid})`],
      }),
    );
    const path = await request({ OnHoldReason: { Text: 'Part on order' } });
    const answer = await move(path, SUPPLIER);
    expect(problems(answer)).toEqual([['workflow.roles'], ['workflow.next', 'Status']]);
    expect(answer.json.error.message).toContain('reserved for administrator');
    expect(answer.json.error.details.at(-1).message).not.toContain('SUPPLIER');
    const body = { Status: { Value: SUPPLIER } };
    expect((await desk.send('PATCH', path, { body })).status).toBe(204);
  });

  it('stays reserved: its roles cannot be deleted', async () => {
    const role = await desk.send('POST', '/Roles', { body: { Name: 'gatekeeper' } });
    const path = `/Roles(${role.json.Uid})`;
    const reserved = { 'AllowedRoles@odata.bind': [`Roles(${role.json.Uid})`] };
    const added = await add(await transition('skip', REGISTERED, SUPPLIER, reserved));
    const rejected = await desk.send('DELETE', path);
    expect([rejected.status, rejected.json.error.code]).toEqual([409, 'write.referenced']);
    expect(rejected.json.error.details).toEqual([
      expect.objectContaining({ target: 'Transitions/AllowedRoles' }),
    ]);
    const waiting = await request({ OnHoldReason: { Text: 'Part on order' } });
    expect(problems(await move(waiting, SUPPLIER))[0]).toEqual(['workflow.roles']);
    const reference = `${added}/AllowedRoles(${role.json.Uid})/$ref`;
    expect((await desk.send('DELETE', reference)).status).toBe(204);
    expect((await desk.send('DELETE', path)).status).toBe(204);
  });

  it('can require a comment', async () => {
    await add(await transition('return', ASSIGNED, REGISTERED, { CommentRequired: true }));
    const path = await request(PERSON);
    expect((await move(path, ASSIGNED)).status).toBe(204);
    expect(problems(await move(path, REGISTERED))).toEqual([
      ['workflow.comment', 'Comment'],
      ['workflow.next', 'Status'],
    ]);
    for (const Comment of ['', ' ', '\u200B\n']) {
      const blank = { To: 'REGISTERED', Comment };
      const answer = await worker.send('POST', `${path}/Transition`, { body: blank });
      expect(problems(answer)[0], JSON.stringify(Comment)).toEqual(['workflow.comment', 'Comment']);
    }
    for (const note of [{}, { Information: null }, { TimeSpent: 'PT1H' }, { Information: ' ' }]) {
      const body = { Status: { Value: REGISTERED }, 'HistoryLines@delta': [note] };
      const answer = await worker.send('PATCH', path, { body });
      expect(problems(answer)[0], JSON.stringify(note)).toEqual(['workflow.comment', 'Comment']);
    }
    const call = { To: 'REGISTERED', Comment: 'Wrong group' };
    const taken = await worker.send('POST', `${path}/Transition`, { body: call });
    expect(taken.status, taken.text).toBeLessThan(300);
  });
});

describe('A transition with the symbol of a declared one', () => {
  it('replaces it for its status, and leaves it for the others', async () => {
    const before = await symbols(await request());
    expect(before).toContain('ask-approval');
    const changed = await transition('ask-approval', REGISTERED, 101006, { Guard: 'false' });
    await add(changed);
    const path = await request({ Approval: { NrOfApproversRequired: 1 } });
    expect(await symbols(path)).toEqual(expect.arrayContaining([...before]));
    expect(problems(await move(path, 101006))[0]).toEqual(['workflow.guard']);
    const { Transitions } = (await worker.get(`${path}/AllowedTransitions()`)).json;
    expect(Transitions).toEqual(
      expect.arrayContaining([expect.objectContaining({ Symbol: 'ask-approval', Guard: 'false' })]),
    );
  });

  it('blocks it', async () => {
    const path = await request(PERSON);
    const blocked = await add(await transition('assign', undefined, ASSIGNED, { Blocked: true }));
    expect(await symbols(path)).not.toContain('assign');
    expect(problems(await move(path, ASSIGNED))).toEqual([['workflow.next', 'Status']]);
    const body = { Blocked: false };
    expect((await desk.send('PATCH', blocked, { body })).status).toBe(204);
    expect((await move(path, ASSIGNED)).status).toBe(204);
  });
});

describe('Another process', () => {
  it('follows a new transition, and what the model declares after its deletion, within a second', async () => {
    const other = await desk.another();
    const path = await request({ OnHoldReason: { Text: 'Part on order' } });
    const reached = async () => {
      const body = { Status: { Value: SUPPLIER } };
      const { status } = await other.send('PATCH', path, { body });
      return status;
    };
    const within = { timeout: 10_000 };
    expect(await reached()).toBe(409);
    const added = await add(await transition('escalate', REGISTERED, SUPPLIER));
    await expect.poll(reached, within).toBe(204);
    expect((await desk.send('DELETE', added)).status).toBe(204);
    written.splice(0);
    const next = await request({ OnHoldReason: { Text: 'Part on order' } });
    const offered = async () => (await other.get(`${next}/AllowedTransitions()`)).text;
    await expect.poll(offered, within).not.toContain('escalate');
    await other.close();
  });
});

it('A transition that does not fit the model any more is ignored, and others apply', async () => {
  const path = await add(await transition('escalate', REGISTERED, SUPPLIER));
  const { auth, layout } = desk.installation;
  const { table } = tableOf(layout, setSource(layout.model, 'Transitions'));
  const uid = value(BigInt(path.replace(/\D/g, '')));
  await auth.write(function* () {
    yield query(
      sql`UPDATE ${tableName(table.name)} SET "Guard" = ${value('Retired eq 1')} WHERE "Uid" = ${uid}`,
    );
  });
  await add(await transition('skip', REGISTERED, SUPPLIER));
  const offered = await symbols(await request());
  expect(offered).toContain('skip');
  expect(offered).not.toContain('escalate');
});

describe('A mistake in a transition', () => {
  const send = async (body: object) => await desk.send('POST', '/Transitions', { body });

  it('is returned with all others, and nothing is stored', async () => {
    const body = await transition('', 102001, 102003, {
      Guard: 'Descripton eq null',
      RequiredProperties: ['Solution', 'Soluton'],
    });
    const found = mistakes(await send(body));
    expect(found.map(([target]) => target)).toEqual([
      ...['Symbol', 'To', 'From', 'RequiredProperties', 'Guard'],
    ]);
    const messages = found.map(([, message]) => message).join('\n');
    expect(messages).toContain(
      '102003 is no state of ServiceRequest. Use one of 101001 (REGISTERED)',
    );
    expect(messages).toContain('has no member "Soluton". Did you mean "Solution"?');
    expect(messages).toContain('has no property "Descripton" (at position 0 of the condition).');
    expect((await desk.get('/Transitions/$count')).text).toBe('0');
  });

  it('names the entities that have workflows', async () => {
    const [entity] = (await desk.get("/Entities?$filter=Name eq 'Person'")).json.value;
    const person = await transition('x', undefined, ASSIGNED, {
      'Entity@odata.bind': `Entities(${entity.Uid})`,
    });
    const [[target, message] = []] = mistakes(await send(person));
    expect(target).toBe('Entity');
    expect(message).toContain('Person declares no workflow. Use one of ServiceRequest, Incident,');
  });

  it('is a second one of the same symbol and status', async () => {
    const body = await transition('escalate', REGISTERED, SUPPLIER);
    await add(body);
    const [[target, message] = []] = mistakes(await send(body));
    expect(target).toBe('Symbol');
    expect(message).toContain('has a transition "escalate" from REGISTERED already');
  });

  it('is that a new one would block nothing', async () => {
    const blocked = async (symbol: string, from: number) =>
      mistakes(await send(await transition(symbol, from, 101009, BLOCKED)));
    expect(await blocked('auto-close', 101008)).toEqual([
      [
        'Symbol',
        expect.stringContaining('no transition "auto-close" that could be blocked. Did you mean'),
      ],
    ]);
    expect(await blocked('close', REGISTERED)).toEqual([
      ['From', expect.stringContaining('does not start in REGISTERED')],
    ]);
    const own = await add(await transition('escalate', REGISTERED, SUPPLIER));
    expect((await desk.send('PATCH', own, { body: BLOCKED })).status).toBe(204);
  });

  it('is found in a change of an existing one', async () => {
    const path = await add(await transition('escalate', REGISTERED, SUPPLIER));
    const changed = await desk.send('PATCH', path, { body: { Guard: 'Status' } });
    expect(mistakes(changed)[0]?.[0]).toBe('Guard');
    expect((await desk.get(path)).json.Guard).toBeNull();
  });
});

it('Only who may write Transitions changes workflows', async () => {
  const body = await transition('escalate', REGISTERED, SUPPLIER);
  expect((await worker.send('POST', '/Transitions', { body })).status).toBe(403);
  expect((await desk.get('/Transitions/$count')).text).toBe('0');
});

describe('A status', () => {
  const WAITING = 101004;
  const code = (value: number) => `/Codes(Value=${value})`;
  const patch = async (value: number, body: object) =>
    await desk.send('PATCH', code(value), { body });
  const rejected = ({ status, json, text }: DeskAnswer) => {
    expect(status, text).toBe(409);
    return [json.error.code, json.error.target, json.error.message];
  };

  it('is not disabled as long as it is the target of transitions', async () => {
    const [name, target, message] = rejected(await patch(SUPPLIER, { Disabled: true }));
    expect([name, target]).toEqual(['workflow.code', 'Disabled']);
    expect(message).toContain('wait-for-supplier of ServiceRequest. Block them in the set');
  });

  it('is in no list of next states after its transitions were blocked and it was disabled', async () => {
    const before = await add(await transition('wait-for-supplier', undefined, SUPPLIER, BLOCKED));
    expect((await patch(SUPPLIER, { Disabled: true })).status).toBe(204);
    const path = await request(PERSON);
    expect((await move(path, 101003)).status).toBe(204);
    const offered = await worker.get(`${path}/AllowedTransitions()`);
    expect(offered.text).not.toContain('WAITING_SUPPLIER');
    const call = { To: 'WAITING_SUPPLIER' };
    const taken = await worker.send('POST', `${path}/Transition`, { body: call });
    const [[place, reason] = []] = mistakes(taken);
    expect([place, reason]).toEqual([
      'To',
      expect.stringContaining('"WAITING_SUPPLIER" is a state that is no longer in use. Write'),
    ]);
    expect(reason).not.toContain('did you mean WAITING_SUPPLIER');
    const [[member, problem] = []] = mistakes(
      await desk.send('PATCH', before, { body: { Blocked: false } }),
    );
    expect([member, problem]).toEqual(['To', expect.stringContaining('101005 is disabled')]);
    expect((await patch(SUPPLIER, { Disabled: false })).status).toBe(204);
  });

  it('keeps the Meaning by which workflow and clocks refer to it, and is not deleted', async () => {
    for (const answer of [
      await patch(WAITING, { Meaning: 'FOO' }),
      await patch(WAITING, { Meaning: null }),
      await desk.send('DELETE', code(WAITING)),
    ]) {
      const [name, target, message] = rejected(answer);
      expect([name, target]).toEqual(['codes.symbol', 'Meaning']);
      expect(message).toContain('the workflow of ServiceRequest, the clocks of ServiceRequest');
    }
    const Texts = [{ Language: 'en', Text: 'On hold by caller' }];
    expect((await patch(WAITING, { Texts })).status).toBe(204);
    const path = await request(PERSON);
    expect((await move(path, 101003)).status).toBe(204);
    expect((await worker.get(`${path}/AllowedTransitions()`)).text).toContain('On hold by caller');
  });

  it('without a symbol appears in errors with its text', async () => {
    const lists = await desk.get('/Codes(Value=101001)?$expand=List($select=Uid)');
    const body = {
      Value: 101050,
      'List@odata.bind': `CodeLists(${lists.json.List.Uid})`,
      Texts: [{ Language: 'en', Text: 'Parked' }],
    };
    expect((await desk.send('POST', '/Codes', { body })).status).toBe(201);
    const rejection = await move(await request(), 101050);
    expect(rejection.json.error.message).toContain('from Registered (REGISTERED) to Parked.');
    expect((await desk.send('DELETE', code(101050))).status).toBe(204);
  });
});
