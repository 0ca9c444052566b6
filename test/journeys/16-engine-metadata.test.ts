// This file checks that the metadata of a foreign model contains nothing of the engine unless a setting publishes it, and that the engine's
// operations and sets work in both cases.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { type Desk, openDesk, openForeignDesk } from './desk.ts';

const { definition } = readCsdl({
  $Version: '4.01',
  $EntityContainer: 'Shop.Desk',
  Shop: {
    Item: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' } },
    Slip: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
    },
    Check: [
      {
        $Kind: 'Function',
        $IsBound: true,
        $Parameter: [{ $Name: 'it', $Type: 'Shop.Item' }],
        $ReturnType: { $Type: 'Edm.Int64' },
        '@Docket.Expression': '$it/Id',
      },
    ],
    Desk: { $Kind: 'EntityContainer', Items: { $Collection: true, $Type: 'Shop.Item' } },
  },
});

const ENGINE = /Docket\.System|EffectiveRights|ChangePassword|MemberRights|EntityAccess|"Roles"/;
const FULL = { accept: 'application/json;odata.metadata=full' };
const TEXTS = [
  '/',
  '/$metadata',
  '/$metadata?$format=json',
  'http://desk.example/openapi.json',
] as const;

describe.each([false, true])('A model of its own, systemMetadata: %s', (systemMetadata) => {
  let shop: Desk;
  beforeAll(async () => {
    const settings = { systemMetadata };
    shop = await openForeignDesk(definition, { Items: [{ Id: 1n }] }, { settings });
  });
  afterAll(async () => await shop?.close());

  it('publishes the engine only if it is set', async () => {
    for (const path of TEXTS) {
      const { status, text } = await shop.get(path);
      expect(status).toBe(200);
      expect([path, ENGINE.test(text)]).toEqual([path, systemMetadata && path !== '/']);
    }
    const { json } = await shop.get('/Items(1)', FULL);
    expect('#Shop.EffectiveRights' in json).toBe(systemMetadata);
    expect('#Shop.Check' in json).toBe(true);
  });

  it('publishes all of the engine to those who ask for it', async () => {
    for (const format of ['json', 'xml'])
      for (const flat of ['', '&flat=true']) {
        const url = `/$metadata?engine=true&$format=${format}${flat}`;
        const { status, text } = await shop.get(url);
        expect([url, status]).toEqual([url, 200]);
        for (const name of ['Accounts', 'Settings', 'ConsoleViews', 'ConsoleTile', 'MailRules'])
          expect([url, name, text.includes(`"${name}"`)]).toEqual([url, name, true]);
        expect(text).toContain('EffectiveRights');
      }
    const plain = await shop.get('/$metadata');
    const whole = await shop.get('/$metadata?engine=true');
    expect(whole.headers.etag).not.toBe(plain.headers.etag);
    expect((await shop.get('/$metadata?engine=false')).text).toBe(plain.text);
    expect((await shop.get('/$metadata?engine=yes')).status).toBe(400);
  });

  it('lets administrators use the sets and operations of the engine', async () => {
    expect((await shop.get('/Items(1)/EffectiveRights()')).json).toMatchObject({ Read: true });
    for (const set of ['Accounts', 'Roles', 'Sessions', 'Settings', 'AuditEntries'])
      expect((await shop.get(`/${set}`)).status, set).toBe(200);
    const role = { Name: 'reader', EntityAccess: [{ Entity: 'Item', Read: true }] };
    expect((await shop.send('POST', '/Roles', { body: role })).status).toBe(201);
    const body = { CurrentPassword: 'x', NewPassword: 'a passphrase of good length' };
    const refused = await shop.send('POST', '/ChangePassword', { body });
    expect(refused.json.error.code).toBe('auth.current-password');
  });
});

describe('$metadata?engine=true', () => {
  let shop: Desk;
  beforeAll(async () => {
    shop = await openForeignDesk(definition, { Items: [{ Id: 1n }] });
  });
  afterAll(async () => await shop?.close());

  it.each(['json', 'xml'])(
    'describes the sets and operations of the engine in %s',
    async (format) => {
      const usual = (await shop.get(`/$metadata?$format=${format}`)).text;
      const engine = (await shop.get(`/$metadata?engine=true&$format=${format}`)).text;
      for (const name of ['EffectiveRights', 'Accounts', 'Sessions', 'AuditEntries', 'Shop.Item']) {
        expect([name, engine.includes(name)]).toEqual([name, true]);
        expect([name, usual.includes(name)]).toEqual([name, name === 'Shop.Item']);
      }
      expect((await shop.get(`/$metadata?engine=false&$format=${format}`)).text).toBe(usual);
    },
  );

  it('names sets that the account can read', async () => {
    const { json } = await shop.get('/$metadata?engine=true&$format=json');
    const { definition: read } = readCsdl(json);
    const sets = read.sets.filter(({ kind }) => kind !== 'singleton').map(({ name }) => name);
    expect(sets).toEqual(expect.arrayContaining(['Items', 'Accounts', 'Roles', 'Settings']));
    for (const set of sets) expect([set, (await shop.get(`/${set}`)).status]).toEqual([set, 200]);
  });

  it('marks the keys that the service generates, which the usual document does not', async () => {
    const keysIn = async (query: string) => {
      const { Item, Slip } = (await shop.get(`/$metadata?$format=json${query}`)).json.Shop;
      return [Item.Id['@Core.Computed'], Slip.Id['@Core.Computed']];
    };
    expect(await keysIn('&engine=true')).toEqual([undefined, true]);
    expect(await keysIn('')).toEqual([undefined, undefined]);
  });

  it('names the code list of each coded property', async () => {
    const desk = await openDesk();
    const { json } = await desk.get('/$metadata?engine=true&$format=json');
    const model = json['Service.Web.OData.Model'];
    expect(model.ServiceRequest.Status['@Docket.CodeList']).toBe('ServiceRequestStatus');
    const { Name } = (await desk.get("/CodeLists(Name='ServiceRequestStatus')")).json;
    expect(Name).toBe('ServiceRequestStatus');
    expect((await desk.get('/$metadata?$format=json')).text).not.toContain('Docket.CodeList');
    await desk.close();
  });

  it('describes the layout of screens, which the usual document leaves out', async () => {
    const desk = await openDesk();
    const { json } = await desk.get('/$metadata?engine=true&$format=json');
    const model = json['Service.Web.OData.Model'];
    const line = model.ServiceRequest['@UI.LineItem#Docket'];
    expect(line[0]).toMatchObject({ Value: { $Path: 'ID' }, '@UI.Importance': 'High' });
    expect(model.ServiceRequest.Sla['@Docket.Console.V1.Clock']).toBe(true);
    expect(model.Container.ServiceRequests['@Docket.Console.V1.Portal']).toBe('Write');
    expect(Object.keys(json['Docket.Console.V1'])).toEqual(
      expect.arrayContaining(['Clock', 'Icon', 'Portal']),
    );
    expect(JSON.stringify(json.$Reference)).toContain('"com.sap.vocabularies.UI.v1"');
    const xml = (await desk.get('/$metadata?engine=true&$format=xml')).text;
    expect(xml).toMatch(
      /Term="UI.SelectionFields" Qualifier="Docket">\s*<Collection>\s*<PropertyPath>Status</,
    );
    expect(xml).toContain('AnnotationPath="@UI.FieldGroup#DocketPeople"');
    expect(xml).toContain('Term="UI.Importance" EnumMember="UI.ImportanceType/High"');
    expect(xml).toContain('vocabularies/UI.xml"');
    for (const format of ['json', 'xml'])
      expect((await desk.get(`/$metadata?$format=${format}`)).text).not.toMatch(
        /Docket\.Console|UI\.v1|UI\./,
      );
    await desk.close();
  });

  it('shares layout without the qualifier with everybody', async () => {
    const csdl = {
      $Version: '4.01',
      $EntityContainer: 'Shop.Desk',
      Shop: {
        Item: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          '@UI.SelectionFields': ['Id'],
          Id: { $Type: 'Edm.Int64' },
        },
        Desk: { $Kind: 'EntityContainer', Items: { $Collection: true, $Type: 'Shop.Item' } },
      },
    };
    const open = await openForeignDesk(readCsdl(csdl).definition, { Items: [] });
    const { text } = await open.get('/$metadata');
    expect(text).toContain('Term="UI.SelectionFields"');
    expect(text).toContain('<PropertyPath>Id</PropertyPath>');
    expect(text).toContain('Namespace="com.sap.vocabularies.UI.v1"');
    await open.close();
  });

  it('rejects other values', async () => {
    const { status, json } = await shop.get('/$metadata?engine=maybe');
    const expected = expect.stringContaining('it is true or false');
    expect([status, json.error.message]).toEqual([400, expected]);
  });
});

it('The built-in model publishes EffectiveRights, whatever the setting is', async () => {
  const desk = await openDesk({ settings: { systemMetadata: false } });
  expect((await desk.get('/$metadata')).text).toContain('Function Name="EffectiveRights"');
  await desk.close();
});

describe('Metadata that needs no token', () => {
  it('does not include the engine', async () => {
    const shop = await openForeignDesk(
      definition,
      { Items: [] },
      { settings: { anonymous: ['metadata'] } },
    );
    const stranger = shop.as('anonymous');
    expect((await stranger.get('/$metadata')).status).toBe(200);
    expect((await stranger.get('/$metadata?engine=true')).status).toBe(401);
    await shop.close();
  });
});
