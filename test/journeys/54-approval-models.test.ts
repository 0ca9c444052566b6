// This file lets a jury vote in a model of its own, under names that the service has never seen, and checks what `docket model check` reports about
// mistakes in `Docket.Approval`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { performer } from '../../src/service/handle-request.ts';
import { juryDocument, juryModel } from './approval-models.ts';
import { type Desk, openForeignDesk } from './desk.ts';

describe('Approvals of a foreign model', () => {
  let museum: Desk;
  beforeAll(async () => {
    museum = await openForeignDesk(juryModel(), {});
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

  it('are decided by votes', async () => {
    const jurors = [await create('Jurors', { Name: 'Vera' }), await create('Jurors', {})];
    await create('Jurors', { Name: 'Wim', Retired: true });
    const ids = jurors.map((juror) => ({ '@odata.id': `Jurors(${juror})` }));
    const jury = await create('Juries', { Jurors: ids });
    const no = await create('Paintings', {
      Stage: { Id: 2 },
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
    expect(json).toMatchObject({ Stage: { Id: 3 }, InFavour: 2, Session: 1 });
  });
});

describe('Mistakes in Docket.Approval', () => {
  function mistakesOf(changes: JsonObject): string {
    const { definition, mistakes } = readCsdl(juryDocument(changes));
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

  it('does not occur in the model, which survives being written', () => {
    expect(mistakesOf({})).toBe('');
    const written = toCsdl(juryModel(), { complete: true });
    expect(readCsdl(written).definition).toEqual(juryModel());
  });
});
