// This file lets a jury vote in a model of its own, under names that the service has never seen, and checks what `docket model check` reports about
// mistakes in `Docket.Approval`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import type { JsonInput, JsonObject } from '../../src/edm/value/lossless-json.ts';
import { performer } from '../../src/service/handle-request.ts';
import { juryDocument, juryModel } from './approval-models.ts';
import { type Desk, openForeignDesk } from './desk.ts';

describe.each([
  ['takes transitions', () => juryModel(), 'Stage'],
  ['is an outcome of its own', () => readCsdl(verdictDocument()).definition, 'Verdict'],
] as const)('An approval of a foreign model that %s', (_, model, member) => {
  let museum: Desk;
  beforeAll(async () => {
    museum = await openForeignDesk(model(), {});
  });
  afterAll(async () => await museum?.close());

  async function create(set: string, body: object): Promise<number> {
    const { json, text } = await museum.send('POST', `/${set}`, { body });
    expect(json?.No, text).toBeDefined();
    return json.No;
  }

  /** The status of the answer to the vote of a juror. The model has no accounts with persons, so the juror is a principal without a login. */
  async function vote(juror: number, opinion: number): Promise<number> {
    const principal = {
      account: 1n,
      loginName: 'juror',
      person: BigInt(juror),
      roles: [],
      administrator: true,
    };
    const call = {
      id: 'vote',
      method: 'PATCH',
      path: `Opinions(${opinion})`,
      query: '',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"InFavour":true}'),
      address: '',
      root: museum.root,
    };
    return (await performer(museum.service)(call, principal)).status;
  }

  it('is decided by votes', async () => {
    const jurors = [await create('Jurors', { Name: 'Vera' }), await create('Jurors', {})];
    await create('Jurors', { Name: 'Wim', Retired: true });
    const ids = jurors.map((juror) => ({ '@odata.id': `Jurors(${juror})` }));
    const jury = await create('Juries', { Jurors: ids });
    const no = await create('Paintings', {
      [member]: { Id: 2 },
      Needed: 2,
      Jury: { '@odata.id': `Juries(${jury})` },
    });
    const opinions = await museum.get(`/Opinions?$filter=Painting/No eq ${no}&$expand=Juror`);
    expect(opinions.json.value, opinions.text).toHaveLength(2);
    for (const { No, Juror } of opinions.json.value) {
      expect(await vote(Juror.No + 100, No)).toBe(403);
      expect(await vote(Juror.No, No)).toBe(204);
    }
    const { json } = await museum.get(`/Paintings(${no})`);
    expect(json).toMatchObject({ [member]: { Id: 3 }, InFavour: 2, Session: 1 });
  });
});

/** Members of `Docket.Approval`; those that are undefined are left out. */
type Changes = Readonly<Record<string, JsonInput | undefined>>;

function jury(changes: Changes): JsonObject {
  return JSON.parse(JSON.stringify(juryDocument(changes as JsonObject)));
}

/** Paintings whose stage is left alone: `Verdict` shows how far their approval is. */
function verdictDocument(changes: Changes = {}): JsonObject {
  const document = jury({
    Waiting: undefined,
    Approve: undefined,
    Reject: undefined,
    Outcome: {
      Member: 'Verdict',
      Waiting: 'JUDGED',
      Approved: 'SHOWN',
      Rejected: 'RETURNED',
      Withdrawn: 'SENT',
    },
    ...changes,
  });
  const art = document.Art as Record<string, Record<string, unknown>>;
  const { Painting } = art;
  const { '@Docket.Workflow': _, ...members } = Painting ?? {};
  const Verdict = { $Type: 'Art.Choice', $Nullable: true, '@Docket.CodeList': 'Stage' };
  return { ...document, Art: { ...art, Painting: { ...members, Verdict } } } as JsonObject;
}

describe('Mistakes in Docket.Approval', () => {
  function mistakesOf(changes: Changes, make = jury): string {
    const { definition, mistakes } = readCsdl(make(changes));
    const found = mistakes.length > 0 ? mistakes : lintModel(definition);
    return found.map(({ message }) => message).join('\n');
  }

  it.each<[JsonObject, string]>([
    [{ Votes: 'Opinion' }, 'the member Opinion of Art.Painting'],
    [{ Votes: 'Jury' }, 'Jury is not a collection of entities'],
    [{ Vote: 'Juror' }, 'Juror is not an Edm.Boolean property'],
    [{ VoteReason: 'InFavour' }, 'InFavour is not an Edm.String property'],
    [{ Needed: 1 }, 'Needed is not allowed here'],
    [{ Required: 'Jury' }, 'Jury is not an Edm.Int32 or Edm.Int64 property'],
    [{ Deadline: 'InFavour' }, 'InFavour is not an Edm.DateTimeOffset property'],
    [{ Waiting: 'JUDGE' }, 'the state JUDGE'],
    [{ Approve: ['judge'] }, 'the transition judge from JUDGED'],
    [{ Reject: [] }, 'Approve or Reject is empty'],
    [{ Deputy: { Person: 'Stand', Until: 'Retired' } }, 'Retired is not an Edm.DateTimeOffset'],
    [
      {
        Outcome: {
          Member: 'Stage',
          Waiting: 'A',
          Approved: 'SENT',
          Rejected: 'SENT',
          Withdrawn: 'SENT',
        },
      },
      'the code A',
    ],
  ])('%j is reported', (changes, text) => {
    expect(mistakesOf(changes)).toContain(text);
  });

  it.each<[Changes, string]>([
    [{}, ''],
    [{ Outcome: undefined }, 'neither a state in which votes are given nor an outcome'],
    [{ Waiting: 'JUDGED' }, 'Waiting without all of Waiting, Approve and Reject'],
    [
      { Approve: ['accept'], Reject: ['decline'] },
      'Approve, Reject without all of Waiting, Approve and Reject',
    ],
    [{ StateBefore: 'Session' }, 'StateBefore without all of Waiting, Approve and Reject'],
    [{ Waiting: 'JUDGED', Approve: ['accept'], Reject: ['decline'] }, 'has no workflow'],
  ])('without a state that waits, %j is reported', (changes, text) => {
    const found = mistakesOf(changes, verdictDocument);
    if (text === '') expect(found).toBe('');
    else expect(found).toContain(text);
  });

  it('does not occur in the model, which survives being written', () => {
    expect(mistakesOf({})).toBe('');
    const written = toCsdl(juryModel(), { complete: true });
    expect(readCsdl(written).definition).toEqual(juryModel());
  });
});
