// This file loads the codes of the installation as one immutable value. Statements, bodies and documents of a process refer to the same
// catalog; an edit by any process replaces it.
import { type CodeBook, codeBook } from '../../bind/codes.ts';
import type { CodeList } from '../../edm/model.ts';
import type { CodeTexts, Layout } from '../../sql/schema/layout.ts';
import type { Database, Work } from '../database.ts';
import { runQueries } from '../work.ts';
import { codeTextsOf, readCodeRevision } from './code-texts.ts';
import { readStoredCodes, toCodeLists } from './stored-codes.ts';

/** The codes in all forms that requests need. */
export interface CodeCatalog {
  readonly lists: readonly CodeList[];
  readonly book: CodeBook;
  readonly texts: CodeTexts;
  /** Grows with each edit. */
  readonly revision: string;
}

/** The codes of this process. */
export class InstalledCodes {
  readonly #database: Pick<Database, 'read'>;
  readonly #layout: Layout;
  #catalog: CodeCatalog;

  private constructor(database: Pick<Database, 'read'>, layout: Layout, catalog: CodeCatalog) {
    this.#database = database;
    this.#layout = layout;
    this.#catalog = catalog;
  }

  /** Reads the codes. Throws errors of the database. */
  static async read(database: Pick<Database, 'read'>, layout: Layout): Promise<InstalledCodes> {
    return new InstalledCodes(database, layout, await runQueries(readCatalog(layout), database));
  }

  /** The same object until a code changes. */
  get catalog(): CodeCatalog {
    return this.#catalog;
  }

  /** Reads the codes again if they have changed. Throws errors of the database. */
  async load(): Promise<void> {
    const revision = await runQueries(readCodeRevision(), this.#database);
    if (revision !== this.#catalog.revision)
      this.#catalog = await runQueries(readCatalog(this.#layout), this.#database);
  }

  /** The codes as a transaction sees them. */
  *read(): Work<CodeCatalog> {
    return yield* readCatalog(this.#layout);
  }
}

/** Reads the revision first, so that the codes are at least as new. */
function* readCatalog(layout: Layout): Work<CodeCatalog> {
  const revision = yield* readCodeRevision();
  const lists = toCodeLists(layout.model, yield* readStoredCodes(layout));
  return { lists, book: codeBook(lists), texts: codeTextsOf(layout.model, lists), revision };
}
