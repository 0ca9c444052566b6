// This file makes the tables of a model.
import { describe, expect, it } from 'vitest';
import { type Source, setSource } from '../../src/edm/source.ts';
import { SQLITE, toSqlite } from '../../src/sql/dialect/sqlite.ts';
import { type Fragment, sql, toStatement, value } from '../../src/sql/fragment.ts';
import { ddl } from '../../src/sql/schema/ddl.ts';
import { tableOf } from '../../src/sql/schema/layout.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { openInMemory } from '../../src/store/sqlite/connection.ts';
import { oddModel } from '../odd-model.ts';

const layout = makeLayout(oddModel);
const table = (name: string) => layout.tables.find((one) => one.name === name);
const columnOf = (source: Source, path: string) => tableOf(layout, source).columns.get(path);
const columns = (name: string) => table(name)?.columns.map((column) => column.name);

describe('tables of a model', () => {
  it('every statement is accepted by SQLite', () => {
    const database = openInMemory();
    for (const statement of ddl(layout, SQLITE)) database.exec(statement);
    const made = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all([])
      .map(([name]) => name);
    expect(made).toEqual(expect.arrayContaining(layout.tables.map((one) => one.name)));
    expect(made).toEqual(expect.arrayContaining(['docket_code_text', 'Animals$search']));
  });

  it('there is one for every set, singleton and containment', () => {
    expect(layout.tables.map((one) => one.name)).toEqual([
      'Animals',
      'Creature/Notes',
      'Note/Files',
      'Animal/Chip',
      'Bird/Eggs',
      'Keepers',
      'Enclosures',
      'Enclosure/Feedings',
      'AllSpecies',
      'Pictures',
      'Passports',
      'Oddities',
      'Samples',
      'Director',
      'Mascot',
    ]);
  });

  it('a key that the server gives out is the identity, any other key stands beside a hidden one', () => {
    expect(table('Animals')?.identity).toBe('Id');
    expect(table('Enclosures')?.identity).toBe('$id');
    expect(table('Enclosures')?.indexes).toContainEqual({
      name: 'Enclosures|Wing,Number',
      columns: ['Wing', 'Number'],
      unique: true,
    });
  });

  it('complex values are taken apart, unless they are open or have derived types', () => {
    expect(columns('Animals')).toEqual(
      expect.arrayContaining([
        'Care#',
        'Care/Vet',
        'Care/Since',
        'Care/Mood',
        'Care/Room',
        'Habits',
      ]),
    );
    expect(columnOf(setSource(oddModel, 'Animals'), 'Care/Room')?.storage.kind).toBe('json');
    expect(columnOf(setSource(oddModel, 'Animals'), 'Mood')?.storage.kind).toBe('integer');
  });

  it('members of one name in two derived types share a column only where they are stored alike', () => {
    expect(columns('Animals')).toEqual(expect.arrayContaining(['Depth', 'Wingspan', 'Words']));
  });

  it('a relation of partners is stored once', () => {
    expect(columns('Animals')).toContain('Enclosure');
    expect(columns('Animals')).not.toContain('Passport');
    expect(columns('Passports')).toContain('Animal');
    expect(layout.links.map((link) => link.name)).toContain('Animals.Keepers');
    expect(layout.links.map((link) => link.name)).not.toContain('Keepers.Animals');
    expect(columns('Animals')).not.toContain('Children');
  });

  it('a reference to rows of one table is a foreign key', () => {
    const source = setSource(oddModel, 'Animals');
    expect(columnOf(source, 'Enclosure')?.references).toBe('Enclosures');
    expect(columnOf(source, 'Mother')?.references).toBe('Animals');
  });

  it('contained rows know their parent', () => {
    expect(columns('Creature/Notes')).toContain('$parent');
    expect(table('Animal/Chip')?.indexes).toContainEqual(
      expect.objectContaining({ columns: ['$parent'], unique: true }),
    );
    expect(table('Enclosure/Feedings')?.indexes).toContainEqual(
      expect.objectContaining({ columns: ['$parent', 'Hour'], unique: true }),
    );
  });

  it('values can be inserted by the columns named', () => {
    const names = tableOf(layout, setSource(oddModel, 'Passports')).table.columns.map(
      (one) => one.name,
    );
    expect(names).toEqual(['Id', '$version', 'Country', 'Animal']);
  });

  it('decimals of few digits are integers, others are text', () => {
    const source = setSource(oddModel, 'Samples');
    expect(columnOf(source, 'Load')?.storage).toEqual({ kind: 'scaled', scale: 3 });
    expect(columnOf(source, 'Exact')?.storage).toEqual({ kind: 'decimal' });
  });
});

describe('text indexes', () => {
  const open = () => {
    const database = openInMemory();
    for (const statement of ddl(layout, SQLITE)) database.exec(statement);
    database.exec(`INSERT INTO "Keepers" ("Id", "Name") VALUES (1, 'Ada Lovelace'), (2, 'Bob')`);
    const find = (words: string) =>
      database
        .prepare('SELECT rowid FROM "Keepers$search" WHERE "Keepers$search" MATCH ?')
        .all([words])
        .map(([rowid]) => rowid);
    const run = (fragments: readonly Fragment[]) => {
      for (const fragment of fragments) {
        const { text, parameters } = toStatement(fragment, SQLITE.placeholder);
        database
          .prepare(text)
          .run(parameters.map((one) => (one.kind === 'value' ? toSqlite(one.value) : null)));
      }
    };
    return { database, find, run };
  };
  const keepers = tableOf(layout, setSource(oddModel, 'Keepers')).table;

  it('take the texts of a new row as they are inserted', () => {
    const { find, run } = open();
    const contents = { Id: value(1n), Name: value('Ada Lovelace') };
    run(SQLITE.schema.indexTexts(keepers, new Map(Object.entries(contents))));
    expect(find('lovelace')).toEqual([1n]);
  });

  it('take the texts of all rows that fulfil a condition', () => {
    const { find, run } = open();
    run(SQLITE.schema.indexTextsOfRows(keepers, sql`"Id" < ${value(2n)}`));
    expect(find('lovelace')).toEqual([1n]);
    expect(find('bob')).toEqual([]);
  });

  it('follow every later change of their rows', () => {
    const { database, find, run } = open();
    run(SQLITE.schema.indexTextsOfRows(keepers, sql`1`));
    expect(find('lovelace')).toEqual([1n]);
    database.exec(`UPDATE "Keepers" SET "Name" = 'Ada Byron' WHERE "Id" = 1`);
    database.exec('DELETE FROM "Keepers$changed"');
    expect(find('lovelace')).toEqual([]);
    expect(find('byron')).toEqual([1n]);
    database.exec('DELETE FROM "Keepers" WHERE "Id" = 1');
    expect(find('byron')).toEqual([]);
  });
});
