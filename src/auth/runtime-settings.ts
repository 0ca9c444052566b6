// This file keeps the settings that administrators change while the service runs: rows of the set Settings, one for each setting that
// there is. What a row says goes before what the configuration says; a value that is written is checked in the transaction that
// writes it, and counts with the next request.
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import { SETTING_TYPE, SYSTEM_TABLES } from '../edm/administration-sets.ts';
import type { Value } from '../edm/value/read-result.ts';
import { type Fragment, list, name, sql, value } from '../sql/fragment.ts';
import type { AuthDatabase, Row, RunStatement } from './database.ts';
import { nextIdentity } from './row-keys.ts';

/** A setting as it is shown and checked. */
export interface SettingDefinition {
  readonly name: string;
  readonly kind: 'number' | 'choice' | 'list';
  readonly description: string;
  /** The permitted values, in words. */
  readonly range: string;
  /** What the configuration says. */
  readonly configured: unknown;
  readonly applies: 'at once' | 'at the next start';
  /** What is wrong with a value, if anything is. */
  readonly mistake: (value: unknown) => string | undefined;
}

export interface SettingsParts<Whole> {
  readonly database: AuthDatabase;
  /** Rows at once, for the start. */
  readonly readNow: (statement: Fragment) => readonly Row[];
  readonly definitions: readonly SettingDefinition[];
  /** The whole configuration, with values that go before those it has. */
  readonly merge: (values: ReadonlyMap<string, unknown>) => Whole;
  readonly see: See;
}

const TABLE = name(SYSTEM_TABLES[SETTING_TYPE]);
const READ = sql`SELECT "Name", "Value", "Configured", "Range" FROM ${TABLE} ORDER BY "Name"`;

/** The settings of this process. */
export class StoredSettings<Whole> {
  readonly #parts: SettingsParts<Whole>;
  readonly #definitions: ReadonlyMap<string, SettingDefinition>;
  #whole: Whole;
  #isTouched = false;

  constructor(parts: SettingsParts<Whole>) {
    this.#parts = parts;
    this.#definitions = new Map(
      parts.definitions.map((definition) => [definition.name, definition]),
    );
    this.#whole = this.#understand(parts.readNow(READ));
  }

  /** What holds now. */
  get current(): Whole {
    return this.#whole;
  }

  /** What there is to be set. */
  get names(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** Whether something was written to settings in this process since they were read. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  /** Reads the settings again, and brings their rows to what there is to be set. Faults of Database.write. */
  async load(): Promise<void> {
    this.#isTouched = false;
    const { database } = this.#parts;
    const rows = await database.read(READ);
    this.#whole = this.#understand(rows);
    if (!this.#isShown(rows)) await database.write((run) => this.#show(run));
  }

  /** Refuses values that cannot be. Fault auth.setting. */
  check(run: RunStatement, identities: readonly Value[]): void {
    const changed = run(
      sql`SELECT "Name", "Value" FROM ${TABLE} WHERE "$id" IN (${list(identities.map((one) => value(one)))})`,
    );
    for (const [key, text] of changed) {
      const definition = this.#definitions.get(String(key));
      if (definition === undefined || typeof text !== 'string') continue;
      const mistake = mistakeIn(definition, text);
      if (mistake === undefined) continue;
      const { name: setting, range } = definition;
      throw new Fault(
        'auth.setting',
        { name: setting, reason: mistake, range },
        { target: 'Value' },
      );
    }
    this.#isTouched = true;
  }

  #understand(rows: readonly Row[]): Whole {
    const values = new Map<string, unknown>();
    for (const [key, text] of rows) {
      const definition = this.#definitions.get(String(key));
      if (definition === undefined || typeof text !== 'string') continue;
      const reason = mistakeIn(definition, text);
      if (reason === undefined) values.set(definition.name, JSON.parse(text));
      else this.#tellUnusable(definition, reason);
    }
    return this.#parts.merge(values);
  }

  /** A value that another version has stored. */
  #tellUnusable({ name: setting, range }: SettingDefinition, reason: string): void {
    const error = new Fault('auth.setting', { name: setting, reason, range });
    this.#parts.see({ kind: 'failure', id: 'settings', error });
  }

  #isShown(rows: readonly Row[]): boolean {
    const shown = rows.map(([key, , configured, range]) => [key, configured, range].join('\n'));
    const wanted = [...this.#definitions.values()].map((definition) =>
      [definition.name, JSON.stringify(definition.configured), definition.range].join('\n'),
    );
    return shown.join('\n') === wanted.sort().join('\n');
  }

  #show(run: RunStatement): void {
    const names = [...this.#definitions.keys()].map((one) => value(one));
    run(sql`DELETE FROM ${TABLE} WHERE "Name" NOT IN (${list(names)})`);
    for (const definition of this.#definitions.values()) {
      const { name: key, kind, range, applies, description, configured } = definition;
      const cells = sql`"Configured" = ${value(JSON.stringify(configured))}, "Kind" = ${value(kind)}, "Range" = ${value(range)},
        "Applies" = ${value(applies)}, "Description" = ${value(description)}`;
      const known = run(
        sql`UPDATE ${TABLE} SET ${cells} WHERE "Name" = ${value(key)} RETURNING "$id"`,
      );
      if (known.length > 0) continue;
      run(
        sql`INSERT INTO ${TABLE} ("$id", "Name") VALUES (${value(nextIdentity(run))}, ${value(key)})`,
      );
      run(sql`UPDATE ${TABLE} SET ${cells} WHERE "Name" = ${value(key)}`);
    }
  }
}

function mistakeIn(definition: SettingDefinition, text: string): string | undefined {
  try {
    return definition.mistake(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'it is not JSON: write 30, "debug" or ["a","b"]';
  }
}
