// This file makes small installations for tests of indexes, on both databases: books with an indexed property, a unique one, a relation and,
// unless removed, a shelf.
import { join } from 'node:path';
import { readConfig } from '../../src/cli/config/config.ts';
import { databaseOf } from '../../src/cli/wire.ts';
import { postgresUrl } from '../postgres.ts';
import { docketHere, type Ended } from './run-docket.ts';

const property = (type: string, more: object = {}) => ({ $Type: type, ...more });
export const SHELF = { Shelf: property('Edm.Int32', { $Nullable: true }) };

/** The model, with further properties of books. */
export function modelText(more: object): string {
  return JSON.stringify({
    $Version: '4.01',
    $EntityContainer: 'Library.Desk',
    Library: {
      Book: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: property('Edm.Int64', { '@Docket.Generated': { By: 'key' } }),
        Title: property('Edm.String', { $Nullable: true }),
        Isbn: property('Edm.String', { $Nullable: true, '@Docket.Unique': true }),
        Stars: property('Edm.Int32', { $Nullable: true, '@Docket.Indexed': true }),
        Reader: { $Kind: 'NavigationProperty', $Type: 'Library.Reader', $Nullable: true },
        ...more,
      },
      Reader: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        Id: property('Edm.Int64', { '@Docket.Generated': { By: 'key' } }),
        Name: property('Edm.String', { $Nullable: true }),
      },
      Desk: {
        $Kind: 'EntityContainer',
        Books: {
          $Collection: true,
          $Type: 'Library.Book',
          $NavigationPropertyBinding: { Reader: 'Readers' },
        },
        Readers: { $Collection: true, $Type: 'Library.Reader' },
      },
    },
  });
}

export type Kind = 'sqlite' | 'postgres';

export const KINDS: readonly Kind[] = ['sqlite', 'postgres'];

export interface Library {
  readonly data: string;
  readonly model: string;
  /** Variables that name the database. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a command on the installation. */
  readonly docket: (...words: readonly string[]) => Promise<Ended>;
  /** Runs a statement on the database. */
  readonly run: (statement: string) => Promise<void>;
}

/** An installation with 3,000 books, whose keys do not meet those of new books. `model` is the file of the model. @param url the PostgreSQL database, by default a new one */
export async function makeLibrary(
  kind: Kind,
  folder: string,
  model: string,
  url?: string,
): Promise<Library> {
  const data = join(folder, kind);
  const environment: Record<string, string> =
    kind === 'postgres' ? { DOCKET_DATABASE: url ?? (await postgresUrl()) } : {};
  const docket = async (...words: readonly string[]): Promise<Ended> =>
    await docketHere([...words, '--data', data], {
      DOCKET_ADMIN_PASSWORD: 'correct horse battery',
      ...environment,
    });
  const run = async (statement: string) => {
    const { open } = await databaseOf(readConfig({ data, model }, environment));
    const database = await open();
    await database.define([statement]);
    await database.close();
  };
  const { code, err } = await docket('init', '--admin', 'ada', '--model', model);
  if (code !== 0) throw new Error(err);
  await run(`INSERT INTO "Books" ("Id", "Title", "Isbn", "Stars", "Shelf")
    SELECT "n" + 1000000, 'Title ' || "n", 'isbn' || "n", "n" % 5, "n" % 100 FROM (${NUMBERS[kind]}) AS "numbers"`);
  return { data, model, environment, docket, run };
}

const NUMBERS: Readonly<Record<Kind, string>> = {
  postgres: 'SELECT generate_series AS "n" FROM generate_series(1, 3000)',
  sqlite: `WITH RECURSIVE "c" ("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "c" WHERE "n" < 3000) SELECT "n" FROM "c"`,
};
