// This file checks that indexes follow from the model, that databases use them, and that adding one leaves the rest of a table alone.
import { describe, expect, it } from 'vitest';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { makeModel } from '../../src/edm/model.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import { planMigration } from '../../src/sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../../src/sql/schema/model-layout.ts';
import { openInMemory } from '../../src/store/sqlite/connection.ts';
import { suiteModel } from '../service-desk.ts';
import { layout, NO_METADATA, openZoo, planOf as readPlanOf, scriptOf } from './zoo.ts';

const zoo = openZoo();

function planOf(url: string): string {
  const { text, parameters } = scriptOf(url, NO_METADATA).statement;
  const values = parameters.map((one) => (one.kind === 'value' ? one.value : null));
  return zoo
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(values.map((one) => (typeof one === 'boolean' ? Number(one) : one)))
    .map((row) => String(row[3]))
    .join('\n');
}

function shop(...indexes: readonly (readonly string[])[]) {
  const { definition } = readCsdl({
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Order: {
        $Kind: 'EntityType',
        $Key: ['Number'],
        '@Docket.Indexes': indexes.map((members) => ({ Members: [...members] })),
        Number: { $Type: 'Edm.Int64' },
        Size: { $Type: 'Edm.Int64', $Nullable: true },
        Note: { $Nullable: true, '@Docket.Searchable': true },
      },
      Container: { $Kind: 'EntityContainer', Orders: { $Collection: true, $Type: 'Shop.Order' } },
    },
  });
  return makeLayout(makeModel(definition));
}

describe('the built-in model', () => {
  it('finds a related record of any kind in each table by its key', () => {
    const model = suiteModel();
    const layout = makeLayout(model);
    const database = openInMemory();
    for (const statement of ddl(layout, SQLITE)) database.exec(statement);
    const url = 'RecordRelations?$expand=Source($select=Uid)&$select=Uid';
    const script = compile(readPlanOf(url, NO_METADATA, model), layout, SQLITE);
    const { text, parameters } =
      script.kind === 'read' ? script.statement : { text: '', parameters: [] };
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(parameters.map(() => null));
    database.close();
    const details = plan.map((row) => String(row[3]));
    expect(details).toContain('SEARCH ServiceRequests USING INTEGER PRIMARY KEY (rowid=?)');
    expect(details).toContain('SEARCH Workorders USING INTEGER PRIMARY KEY (rowid=?)');
    expect(details.filter((one) => one.startsWith('SCAN'))).toEqual(['SCAN t1']);
  });

  it.each(['ServiceRequests', 'Incidents'])(
    'has the deadlines of each clock state in order: %s',
    (set) => {
      const database = openInMemory();
      for (const statement of ddl(makeLayout(suiteModel()), SQLITE)) database.exec(statement);
      const plan = database
        .prepare(
          `EXPLAIN QUERY PLAN SELECT "Uid" FROM "${set}" WHERE "Sla/State" = ? ORDER BY "Deadline" LIMIT 50`,
        )
        .all([1]);
      database.close();
      const [search, ...others] = plan.map((row) => String(row[3]));
      expect(search).toContain(`INDEX ${set}|Sla/State,Deadline (Sla/State=?)`);
      expect(others).toEqual([]);
    },
  );
});

describe('the indexes of a table', () => {
  const { table } =
    layout.tables
      .map((one) => ({ table: one }))
      .find(({ table: { name } }) => name === 'Animals') ?? {};
  const names = table?.indexes.map(({ name }) => name) ?? [];

  it('are those of its type and of types derived from it', () => {
    expect(names).toContain('Animals|Mood,Born');
    expect(names).toContain('Animals|Care/Mood,Enclosure,Weight');
    expect(names).toContain('Animals|SaltWater,Depth');
  });

  it.each([
    ['Animals?$filter=Mood/Value eq 1001&$orderby=Born', 'Animals|Mood,Born'],
    ['Animals?$filter=Mood/Value eq 1001&$orderby=Born desc', 'Animals|Mood,Born'],
    ['Animals?$orderby=Name desc', 'Animals|Name'],
    [
      'Animals?$filter=Care/Mood/Value eq 1003 and Enclosure/Number eq 1',
      'Animals|Care/Mood,Enclosure,Weight',
    ],
  ])('serve %s', (url, index) => {
    expect(planOf(url)).toContain(index);
  });

  it.each([
    '$filter=Mood/Value eq 1001&$orderby=Born',
    '$filter=Mood/Value eq 1001&$orderby=Born desc',
    '$orderby=Name desc',
  ])('serve order and tie-break: %s', (options) => {
    // The second sort is that of the rows of one page.
    const [page = ''] = planOf(`Animals?$select=Name&${options}`).split('SCAN p');
    expect(page).not.toContain('TEMP B-TREE');
  });

  it.each(['', ' desc'])('serve the order by a property of a related row%s', (direction) => {
    const plan = planOf(`Animals?$select=Name&$orderby=Enclosure/Wing${direction}`);
    expect(plan).toMatch(/SCAN t\d+ USING (?:COVERING )?INDEX Enclosures\|Wing,Number/);
    expect(plan).toMatch(/SEARCH t1 USING (?:COVERING )?INDEX Animals\|Enclosure \(Enclosure=\?\)/);
    expect(plan).not.toContain('SCAN t1');
  });

  it('serve the first rows by a value', () => {
    const [page = ''] = planOf('Animals?$apply=topcount(2,Id)').split('SCALAR');
    expect(page).not.toContain('TEMP B-TREE');
    expect(page).not.toContain('subquery');
  });

  it('find the rows whose identities a window function has sorted', () => {
    const plan = planOf('Animals?$apply=groupby((Tame),topcount(1,Weight))');
    expect(plan).toMatch(/SCAN w\nSEARCH t1 USING INTEGER PRIMARY KEY/);
  });

  it('find the rows of several sets, which are not read as a whole for a window function', () => {
    const pet = { $Kind: 'EntityType', $BaseType: 'Shop.Pet' };
    const { definition } = readCsdl({
      $Version: '4.01',
      $EntityContainer: 'Shop.Container',
      Shop: {
        Owner: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          Id: { $Type: 'Edm.Int64' },
          Pets: {
            $Kind: 'NavigationProperty',
            $Collection: true,
            $Type: 'Shop.Pet',
            $Partner: 'Owner',
          },
        },
        Pet: {
          $Kind: 'EntityType',
          $Abstract: true,
          $Key: ['Id'],
          Id: { $Type: 'Edm.Int64' },
          Owner: { $Kind: 'NavigationProperty', $Type: 'Shop.Owner', $Partner: 'Pets' },
        },
        Dog: pet,
        Cat: pet,
        Container: {
          $Kind: 'EntityContainer',
          Owners: { $Collection: true, $Type: 'Shop.Owner' },
          Dogs: { $Collection: true, $Type: 'Shop.Dog' },
          Cats: { $Collection: true, $Type: 'Shop.Cat' },
        },
      },
    });
    const model = makeModel(definition);
    const url = 'Owners(1)/Pets?$apply=toppercent(50,Id)';
    const script = compile(readPlanOf(url, NO_METADATA, model), makeLayout(model), SQLITE);
    const { text } = 'statement' in script ? script.statement : { text: '' };
    expect(text.match(/FROM "Dogs"/g)).toHaveLength(1);
  });

  it('hide values from the planner where one range serves all of them', () => {
    const conditionOf = (url: string) => /"Mood" = (\+?\?)/.exec(scriptOf(url).statement.text)?.[1];
    expect(conditionOf('Animals?$filter=Mood/Value eq 1001&$orderby=Born')).toBe('+?');
    expect(conditionOf('Animals?$filter=Mood/Value eq 1001&$orderby=Weight')).toBe('?');
  });

  it('make reads of one range quick enough for the main thread, but not their counts', () => {
    const url = 'Animals?$filter=Mood/Value eq 1001&$orderby=Born';
    expect(scriptOf(url).scans).toBe(false);
    expect(scriptOf(`${url}&$count=true`).scans).toBe(true);
    expect(scriptOf(`${url} desc`).scans).toBe(false);
    expect(scriptOf('Animals?$filter=Mood/Value eq 1001&$orderby=Name').scans).toBe(false);
    expect(scriptOf('Animals?$filter=Mood/Value eq 1001 and Tame&$orderby=Name').scans).toBe(true);
    expect(scriptOf('Animals?$filter=Mood/Value eq 1001 and Tame&$orderby=Born').scans).toBe(true);
    expect(scriptOf('Animals?$skip=10000').scans).toBe(false);
    expect(scriptOf('Animals?$skip=10001').scans).toBe(true);
    expect(scriptOf('Animals?$filter=Mood/Value gt 1001&$orderby=Born').scans).toBe(true);
    expect(scriptOf('Animals?$filter=Mood/Value eq 1001&$orderby=Weight').scans).toBe(true);
    expect(scriptOf('Animals?$filter=Mood/Value eq 1001&$orderby=length(Name)').scans).toBe(true);
  });
});

describe('a new index', () => {
  const [before, after] = [shop(), shop(['Size', 'Note'])];
  const steps = planMigration(storedLayout(before), storedLayout(after), SQLITE);

  it('is one step, which leaves text indexes alone', () => {
    expect(steps.map(({ text }) => text)).toEqual(['Add an index on Size, Note of "Orders".']);
    const back = planMigration(storedLayout(after), storedLayout(before), SQLITE);
    expect(back.map(({ text }) => text)).toEqual(['Drop the index on Size, Note of "Orders".']);
  });

  it('is in new and in migrated databases', () => {
    const [made, migrated] = [openInMemory(), openInMemory()];
    for (const statement of ddl(after, SQLITE)) made.exec(statement);
    for (const statement of ddl(before, SQLITE)) migrated.exec(statement);
    for (const statement of steps.flatMap(({ sql }) => sql)) migrated.exec(statement);
    const schema = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name";
    expect(migrated.prepare(schema).all([])).toEqual(made.prepare(schema).all([]));
  });
});

describe('a text index of SQLite', () => {
  it('has no rows without texts, and follows when a text is written or removed', () => {
    const shopLayout = shop();
    const database = openInMemory();
    for (const statement of ddl(shopLayout, SQLITE)) database.exec(statement);
    database.exec(
      `INSERT INTO "Orders" ("Number", "Note") VALUES (1, 'glass'), (2, NULL), (3, '')`,
    );
    const [table] = shopLayout.tables;
    for (const statement of table === undefined ? [] : SQLITE.schema.fillTextIndex(table))
      database.exec(statement);
    const rows = (text: string) => database.prepare(text).all([]).flat();
    const indexed = () => rows('SELECT id FROM "Orders$search_docsize" ORDER BY id');
    const found = (word: string) =>
      rows(`SELECT rowid FROM "Orders$search" WHERE "Orders$search" MATCH '${word}'`);
    expect(indexed()).toEqual([1n, 3n]);
    database.exec(`UPDATE "Orders" SET "Note" = 'paper' WHERE "Number" = 2`);
    database.exec(`UPDATE "Orders" SET "Note" = NULL WHERE "Number" = 1`);
    database.exec('DELETE FROM "Orders$changed"');
    expect([found('paper'), found('glass')]).toEqual([[2n], []]);
    database.exec(`DELETE FROM "Orders" WHERE "Number" = 2`);
    expect(found('paper')).toEqual([]);
    database.close();
  });
});
