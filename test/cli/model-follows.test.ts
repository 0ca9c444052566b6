// This file applies extensions to an installation by the command line: the catalog, roles and their rights follow the model, and edits of
// administrators survive, on both databases.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { withService } from '../../src/cli/in-process-client.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere } from './run-docket.ts';

const DESK = 'Service.Web.OData.Model';

interface Extension {
  readonly type?: string;
  readonly plate?: string;
  readonly label?: string;
  readonly roles?: readonly object[];
  readonly former?: { readonly type: string; readonly plate: string };
  readonly desk?: object;
}

/** An extension with a type of vehicles, which is derived from service requests. */
function documentOf(extension: Extension): object {
  const { type = 'Vehicle', plate = 'Plate', label = 'Plate', former, desk = {} } = extension;
  const renamed = (from: string | undefined) =>
    from === undefined ? {} : { '@Docket.RenamedFrom': from };
  return {
    $Version: '4.01',
    $EntityContainer: 'Fleet.Container',
    Fleet: {
      [type]: {
        $Kind: 'EntityType',
        $BaseType: `${DESK}.Record`,
        ...renamed(former?.type),
        [plate]: { $MaxLength: 12, '@Core.Description': label, ...renamed(former?.plate) },
      },
      Container: {
        $Kind: 'EntityContainer',
        $Extends: `${DESK}.Container`,
        Vehicles: { $Collection: true, $Type: `Fleet.${type}`, '@Docket.Singular': 'Vehicle' },
      },
    },
    [DESK]: desk,
  };
}

const READER = { Name: 'reader', EntityAccess: [{ Entity: 'Fleet.Vehicle', Read: true }] };
const MANAGER = {
  Name: 'fleet-manager',
  Description: 'Looks after the vehicles',
  EntityAccess: [{ Entity: 'Fleet.Vehicle', Read: true, Create: true }],
  AttributeAccess: [{ Entity: 'Fleet.Vehicle', Attribute: 'Plate', Read: true, Modify: false }],
};

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
type Json = any;

describe.each(SAMPLED_DATABASES)('with %s', (kind) => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  let removeDatabase: () => Promise<void> = async () => undefined;
  const path = (name: string) => join(folder, name);
  const docket = async (...words: readonly string[]) =>
    await docketHere([...words, '--data', path('data')], environment);

  const withClient = async (
    work: (send: (method: string, url: string, body?: object) => Promise<Json>) => Promise<void>,
  ) => {
    const config = readConfig({ data: path('data') }, environment);
    await withService({ config }, async ({ send }) => await work(send as never));
  };
  const get = async (url: string): Promise<Json> => {
    let found: Json;
    await withClient(async (send) => {
      found = await send('GET', url);
    });
    return found.value;
  };
  const apply = async (extension: Extension, ...flags: readonly string[]) => {
    mkdirSync(path('fleet'), { recursive: true });
    writeFileSync(path('fleet/fleet.csdl.json'), JSON.stringify(documentOf(extension)));
    const roles = { Roles: extension.roles ?? [MANAGER, READER] };
    writeFileSync(path('fleet/roles.json'), JSON.stringify(roles));
    return await docket('model', 'apply', path('fleet'), ...flags);
  };
  const platesOf = async (entity: string) =>
    await get(`Attributes?$filter=Entity/Name eq '${entity}' and Name eq 'Plate'`);
  const roles = async () =>
    await get(`Roles?$orderby=Name&$filter=Name in ('fleet-manager','reader')&$select=Uid,Name`);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docket-follows-'));
    environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    if (kind === 'PostgreSQL') {
      const url = await postgresUrl();
      environment = { ...environment, DOCKET_DATABASE: url };
      removeDatabase = async () => await dropDatabase(url);
    }
    expect(await docket('init', '--admin', 'ada')).toMatchObject({ code: 0 });
    expect(await docket('enable')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await removeDatabase();
  });

  it('a new installation is complete', async () => {
    expect(await docket('migrate', '--plan')).toMatchObject({
      code: 0,
      out: 'The database is up to date.\n',
    });
  }, 60_000);

  it('the plan names the roles and the catalog', async () => {
    const { out, err } = await apply({}, '--plan');
    expect(err).toBe('');
    expect(out).toContain('Update the records of Entities and Attributes.');
    expect(out).toContain('Add the role "fleet-manager".');
    expect(await roles()).toEqual([]);
  }, 60_000);

  it('apply adds the records of the type, and the roles with their rights', async () => {
    expect(await apply({})).toMatchObject({ code: 0, err: '' });
    expect(await get(`Entities?$filter=Name eq 'Vehicle'`)).toMatchObject([
      { EntitySet: 'Vehicles', HasWorkflow: false, HasAttachments: true },
    ]);
    expect(await platesOf('Vehicle')).toMatchObject([
      { Name: 'Plate', EdmType: 'Edm.String', MaxLength: 12, Required: true },
    ]);
    expect(await get(`Roles?$filter=Name eq 'fleet-manager'&$expand=*`)).toMatchObject([
      {
        Description: 'Looks after the vehicles',
        UpdateAllAllowed: false,
        EntityAccess: [{ Entity: 'Fleet.Vehicle', Read: true, Create: true, Delete: false }],
        AttributeAccess: [{ Attribute: 'Plate', Read: true, Modify: false }],
      },
    ]);
  }, 60_000);

  it('records keep their keys when labels, types and members change', async () => {
    const before = await get(`Entities?$filter=Name eq 'Vehicle'&$select=Uid`);
    const [{ Uid: plate }] = await get(`Attributes?$filter=Name eq 'Plate'&$select=Uid`);
    expect(await apply({ label: 'Licence plate' })).toMatchObject({ code: 0, err: '' });
    expect(await platesOf('Vehicle')).toMatchObject([
      { Label: [{ Language: 'en', Text: 'Licence plate' }] },
    ]);
    const rename = { type: 'Car', plate: 'Registration1' };
    const moved = JSON.parse(
      JSON.stringify([{ ...MANAGER, SecondFactorRequired: true }, READER])
        .replaceAll('Fleet.Vehicle', 'Fleet.Car')
        .replaceAll('"Plate"', '"Registration1"'),
    );
    const former = { type: 'Vehicle', plate: 'Plate' };
    expect(await apply({ ...rename, former, roles: moved })).toMatchObject({ code: 0, err: '' });
    expect(await get(`Entities?$filter=Name eq 'Car'&$select=Uid`)).toMatchObject([
      { Uid: before[0].Uid },
    ]);
    expect(await get(`Attributes?$filter=Name eq 'Registration1'`)).toMatchObject([{ Uid: plate }]);
    expect(await get(`Entities?$filter=Name eq 'Vehicle'`)).toEqual([]);
    expect(await get(`Roles?$filter=Name eq 'fleet-manager'&$expand=*`)).toMatchObject([
      {
        SecondFactorRequired: true,
        EntityAccess: [{ Entity: 'Fleet.Car' }],
        AttributeAccess: [{ Attribute: 'Registration1' }],
      },
    ]);
    expect(await docket('model', 'rollback')).toMatchObject({ code: 0, err: '' });
    expect(await get(`Entities?$filter=Name eq 'Vehicle'&$select=Uid`)).toMatchObject([
      { Uid: before[0].Uid },
    ]);
    expect(await get(`Attributes?$filter=Name eq 'Plate'`)).toMatchObject([{ Uid: plate }]);
    expect(await get(`Roles?$filter=Name eq 'fleet-manager'`)).toMatchObject([
      { SecondFactorRequired: false },
    ]);
  }, 120_000);

  it('hidden members leave the catalog, and return with new keys when they are shown again', async () => {
    const [{ Name }] = await get(
      `Attributes?$filter=Entity/Name eq 'ServiceRequest' and Required eq false and CodeList eq null and startswith(Name,'F')&$top=1`,
    );
    const hide = { ServiceRequest: { $Kind: 'EntityType', [Name]: { '@Docket.Hidden': true } } };
    expect(await apply({ desk: hide })).toMatchObject({ code: 0, err: '' });
    const filter = `Entity/Name eq 'ServiceRequest' and Name eq '${Name}'`;
    expect(await get(`Attributes?$filter=${filter}`)).toEqual([]);
    expect(await apply({})).toMatchObject({ code: 0, err: '' });
    expect(await get(`Attributes?$filter=${filter}`)).toHaveLength(1);
  }, 120_000);

  it('roles that administrators have edited stay as they are, others follow the model', async () => {
    const [manager, reader] = await roles();
    await withClient(async (send) => {
      await send('PATCH', `Roles(${manager.Uid})`, { Description: 'Edited' });
    });
    const more = (role: typeof READER) => ({
      ...role,
      EntityAccess: [{ Entity: 'Fleet.Vehicle', Read: true, Delete: true }],
    });
    const applied = await apply({ roles: [more(MANAGER), more(READER)] });
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).toContain('Change the role "reader".');
    expect(applied.out).toContain(
      'Keep the role "fleet-manager" as it is: the model changes it, but it has been edited.',
    );
    expect(await get(`Roles?$filter=Uid eq ${reader.Uid}&$expand=EntityAccess`)).toMatchObject([
      { EntityAccess: [{ Delete: true, Create: false }] },
    ]);
    expect(await get(`Roles?$filter=Uid eq ${manager.Uid}&$expand=EntityAccess`)).toMatchObject([
      { Description: 'Edited', EntityAccess: [{ Delete: false, Create: true }] },
    ]);
  }, 60_000);

  it('a rollback removes roles that were not edited, and the records of the type, which templates refer to', async () => {
    let template: Json;
    await withClient(async (send) => {
      const { value } = await send('GET', `Entities?$filter=Name eq 'Vehicle'&$select=Uid`);
      template = await send('POST', 'Templates', {
        Name: 'Van',
        Entity: { '@odata.id': `Entities(${value[0].Uid})` },
      });
    });
    const rolledBack = await docket('model', 'rollback', '1', '--allow-loss');
    expect(rolledBack).toMatchObject({ code: 0, err: '' });
    expect(rolledBack.out).toContain('Remove the role "reader".');
    expect(rolledBack.out).toContain(
      'Keep the role "fleet-manager" as it is: the model no longer has it, but it has been edited.',
    );
    expect(await roles()).toMatchObject([{ Name: 'fleet-manager' }]);
    expect(await get(`Entities?$filter=Name eq 'Vehicle'`)).toEqual([]);
    expect(await get(`Attributes?$filter=Name eq 'Plate'`)).toEqual([]);
    expect(await get(`Templates?$filter=Uid eq ${template.Uid}&$expand=Entity`)).toMatchObject([
      { Name: 'Van', Entity: null },
    ]);
    expect(await docket('migrate', '--plan')).toMatchObject({
      out: 'The database is up to date.\n',
    });
  }, 60_000);
});
