// This file changes the types of properties of an installation with records, on both databases: keys keep their values, digits that
// are lost are listed, and computed values follow those that they are computed from.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config/config.ts';
import { withService } from '../../src/cli/in-process-client.ts';
import { dropDatabase } from '../postgres/databases.ts';
import { postgresUrl } from '../postgres.ts';
import { SAMPLED_DATABASES } from '../sample-size.ts';
import { docketHere } from './run-docket.ts';

const set = (type: string) => ({ $Collection: true, $Type: `Shop.${type}` });
const nullable = (type: string, facets = {}) => ({ $Type: type, $Nullable: true, ...facets });

const computed = (type: string, expression: string, facets = {}) =>
  nullable(type, { ...facets, '@Docket.Generated': { By: 'expression', Expression: expression } });

/** A shop whose types have the members. */
const shop = (part: object, code: object = {}) => ({
  $Version: '4.01',
  $EntityContainer: 'Shop.Container',
  Shop: {
    Part: { $Kind: 'EntityType', $Key: ['Id'], Id: { $Type: 'Edm.Int64' }, ...part },
    Kit: {
      $Kind: 'EntityType',
      $BaseType: 'Shop.Part',
      Double: computed('Edm.Decimal', 'Price mul 2', { $Precision: 12, $Scale: 4 }),
    },
    Code: { $Kind: 'EntityType', $Key: ['Text'], Text: {}, ...code },
    Container: { $Kind: 'EntityContainer', Parts: set('Part'), Codes: set('Code') },
  },
});

// biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect of the body
type Json = any;

describe.each(SAMPLED_DATABASES)('with %s', (kind) => {
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  let removeDatabase: () => Promise<void> = async () => undefined;
  const docket = async (...words: readonly string[]) =>
    await docketHere([...words, '--data', join(folder, 'data')], environment);
  const fileOf = (model: object) => {
    const file = join(folder, 'shop.json');
    writeFileSync(file, JSON.stringify(model));
    return file;
  };
  const apply = async (model: object, ...flags: readonly string[]) =>
    await docket('model', 'apply', fileOf(model), ...flags);
  const send = async (method: string, url: string, body?: object): Promise<Json> => {
    const config = readConfig({ data: join(folder, 'data') }, environment);
    let found: Json;
    await withService({ config }, async (client) => {
      found = await (client.send as Json)(method, url, body);
    });
    return found;
  };
  const get = async (url: string): Promise<Json> => (await send('GET', url)).value;

  const BEFORE = {
    Weight: nullable('Edm.Decimal', { $Precision: 30, $Scale: 4 }),
    Price: nullable('Edm.Decimal', { $Precision: 9, $Scale: 4 }),
    Amount: { $Type: 'Edm.Int32' },
    Total: computed('Edm.Decimal', 'Price mul Amount', { $Precision: 12, $Scale: 4 }),
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docket-types-'));
    environment = { DOCKET_ADMIN_PASSWORD: 'correct horse battery' };
    if (kind === 'PostgreSQL') {
      const url = await postgresUrl();
      environment = { ...environment, DOCKET_DATABASE: url };
      removeDatabase = async () => await dropDatabase(url);
    }
    const made = await docket('init', '--admin', 'ada', '--model', fileOf(shop(BEFORE)));
    expect(made).toMatchObject({ code: 0 });
    expect(await docket('enable')).toMatchObject({ code: 0 });
    for (const [at, Id] of [7, 5_000_000_000, 6_000_000_000].entries())
      await send('POST', 'Parts', {
        ...(at === 1 ? { '@odata.type': '#Shop.Kit' } : {}),
        Id,
        Weight: 1.2345,
        Price: at + 0.25,
        Amount: 2,
      });
    for (const Text of ['1', '01']) await send('POST', 'Codes', { Text });
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await removeDatabase();
  });

  const ids = async () => (await get('Parts?$orderby=Id')).map(({ Id }: Json) => Id);

  it('keys that the new type cannot hold are listed, and nothing is changed', async () => {
    const before = await ids();
    const model = shop({ ...BEFORE, Id: { $Type: 'Edm.Int32' } });
    const plan = await docket('model', 'apply', fileOf(model), '--plan');
    expect(plan.out).toContain('fails: 5000000000 in "Id" of "Parts" does not fit the new type');
    expect(plan.out).not.toContain('7 in "Id"');
    const rejected = await apply(model, '--allow-loss');
    expect(rejected.code).toBe(1);
    expect(rejected.err).toContain(
      'these values: 5000000000 in "Id" of "Parts"; 6000000000 in "Id" of "Parts"; nothing was changed',
    );
    expect(await ids()).toEqual(before);
  }, 60_000);

  it('keys that would have the same value in the new type are listed, and nothing is changed', async () => {
    const rejected = await apply(shop(BEFORE, { Text: { $Type: 'Edm.Int32' } }), '--allow-loss');
    expect(rejected.code).toBe(1);
    expect(rejected.err).toContain('1 in "Text" of "Codes" (2 times)');
    expect(rejected.err).not.toMatch(/constraint/i);
    expect(await get('Codes')).toHaveLength(2);
  }, 60_000);

  it('keys that fit get the new type', async () => {
    await send('DELETE', "Codes('01')");
    const applied = await apply(shop(BEFORE, { Text: { $Type: 'Edm.Int32' } }));
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(await get('Codes')).toMatchObject([{ Text: 1 }]);
  }, 60_000);

  it('decimals lose digits beyond a smaller scale or precision only with --allow-loss', async () => {
    const decimals = async () => (await get('Parts?$orderby=Id&$select=Weight,Price'))[0];
    const narrow = {
      ...BEFORE,
      Weight: nullable('Edm.Decimal', { $Precision: 28, $Scale: 2 }),
      Price: nullable('Edm.Decimal', { $Precision: 4, $Scale: 4 }),
    };
    const model = shop(narrow, { Text: { $Type: 'Edm.Int32' } });
    const rejected = await apply(model);
    expect(rejected.code).toBe(1);
    expect(rejected.out).toContain('loses digits of "Weight" in 3 rows of "Parts"');
    expect(rejected.out).toContain('loses the value of "Price" in 2 rows of "Parts"');
    expect(await decimals()).toMatchObject({ Weight: 1.2345, Price: 0.25 });
    expect(await apply(model, '--allow-loss')).toMatchObject({ code: 0, err: '' });
    expect(await decimals()).toMatchObject({ Weight: 1.23, Price: 0.25 });
    const wide = { ...narrow, Weight: nullable('Edm.Decimal', { $Precision: 30, $Scale: 4 }) };
    const applied = await apply(shop(wide, { Text: { $Type: 'Edm.Int32' } }));
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).not.toContain('Rebuild');
  }, 60_000);

  it('computed values are computed again when a property that they read gets another type', async () => {
    const parts = async () =>
      (await get('Parts?$orderby=Amount,Id')).map(({ Price, Total, Double, Label }: Json) => [
        Price,
        Total,
        Double,
        Label,
      ]);
    const prices = [
      ['Parts(7)', 0.25],
      ['Parts(5000000000)/Shop.Kit', 0.75],
      ['Parts(6000000000)', 0.5],
    ] as const;
    for (const [url, Price] of prices) await send('PATCH', url, { Price });
    expect(await parts()).toEqual([
      [0.25, 0.5, undefined, undefined],
      [0.75, 1.5, 1.5, undefined],
      [0.5, 1, undefined, undefined],
    ]);
    const part = {
      ...BEFORE,
      Price: nullable('Edm.Decimal', { $Precision: 9, $Scale: 1 }),
      Label: computed('Edm.String', `concat('total ',cast(Total,Edm.String))`),
    };
    const applied = await apply(shop(part, { Text: { $Type: 'Edm.Int32' } }), '--allow-loss');
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).toContain('Compute "Total" of "Parts" again.');
    expect(await parts()).toEqual([
      [0.3, 0.6, undefined, 'total 0.6'],
      [0.8, 1.6, 1.6, 'total 1.6'],
      [0.5, 1, undefined, 'total 1'],
    ]);
    expect(await docket('model', 'apply', join(folder, 'shop.json'), '--plan')).toMatchObject({
      out: expect.not.stringContaining('Compute'),
    });
  }, 60_000);

  it('computed values are computed again when their expression changes', async () => {
    const parts = async () =>
      (await get('Parts?$orderby=Id')).map(({ Amount, Total, Double, Label, Id }: Json) =>
        Id === 5_000_000_000 ? [Amount, Total, Double, Label] : [Amount, Total, Label],
      );
    const model = (total: object, twice: string) => {
      const { Shop, ...whole } = shop(
        {
          ...BEFORE,
          Price: nullable('Edm.Decimal', { $Precision: 9, $Scale: 1 }),
          Total: total,
          Label: computed('Edm.String', `concat('total ',cast(Total,Edm.String))`),
        },
        { Text: { $Type: 'Edm.Int32' } },
      );
      const Kit = { ...Shop.Kit, Double: computed('Edm.Decimal', twice, SCALE) };
      return { ...whole, Shop: { ...Shop, Kit } };
    };
    const SCALE = { $Precision: 12, $Scale: 4 };
    const plain = nullable('Edm.Decimal', SCALE);
    expect(await apply(model(plain, 'Price mul 2'))).toMatchObject({ code: 0, err: '' });
    for (const id of await ids()) await send('PATCH', `Parts(${id})`, { Total: 7, Amount: 3 });
    const changed = model(computed('Edm.Decimal', 'Amount mul 10', SCALE), 'Amount mul 20');
    const applied = await apply(changed);
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).toContain('Compute "Total" of "Parts" again.');
    expect(applied.out).toContain('Compute "Double" of "Parts" again.');
    expect(applied.out).not.toContain('Record the new order');
    expect(await parts()).toEqual([
      [3, 30, 'total 30'],
      [3, 30, 60, 'total 30'],
      [3, 30, 'total 30'],
    ]);
    expect(await docket('model', 'apply', join(folder, 'shop.json'), '--plan')).toMatchObject({
      out: expect.not.stringContaining('Compute'),
    });
  }, 60_000);

  it('dynamic properties with the name of a new relation or a renamed property are lost', async () => {
    const model = (members: object) => {
      const { Shop, ...whole } = shop(BEFORE, { Text: { $Type: 'Edm.Int32' } });
      const Tray = { $Kind: 'EntityType', $OpenType: true, $Key: ['Id'], Id: {}, ...members };
      const Container = { ...Shop.Container, Trays: set('Tray') };
      return { ...whole, Shop: { ...Shop, Tray, Container } };
    };
    expect(await apply(model({ Old: { $Nullable: true } }), '--allow-loss')).toMatchObject({
      code: 0,
    });
    await send('POST', 'Trays', { Id: 'a', Old: 'kept', New: 'x', Spares: 'y', Color: 'red' });
    await send('POST', 'Trays', { Id: 'b', Old: 'b' });
    const next = model({
      New: { $Nullable: true, '@Docket.RenamedFrom': 'Old' },
      Spares: { $Kind: 'NavigationProperty', $Type: 'Shop.Part', $Collection: true },
      Boxes: { $Kind: 'NavigationProperty', $Type: 'Shop.Part', $Collection: true },
    });
    const rejected = await apply(next);
    expect(rejected.code).toBe(1);
    for (const name of ['New', 'Spares']) {
      expect(rejected.out).toContain(`Declare "${name}" in "Trays": values of dynamic properties`);
      expect(rejected.out).toContain(`loses the value of "${name}" in 1 row of "Trays"`);
    }
    expect(rejected.out).not.toContain('Boxes" in "Trays');
    expect(await apply(next, '--allow-loss')).toMatchObject({ code: 0, err: '' });
    expect(await get('Trays?$orderby=Id&$expand=Spares')).toEqual([
      expect.objectContaining({ Id: 'a', New: 'kept', Spares: [], Color: 'red' }),
      expect.objectContaining({ Id: 'b', New: 'b', Spares: [] }),
    ]);
    expect((await apply(next, '--plan')).out).not.toContain('Declare');
  }, 60_000);
});
