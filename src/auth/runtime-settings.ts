// The settings that administrators can change at run time, stored as records of the set Settings. Stored values override the
// configuration. They are validated in the transaction that writes them and take effect with the next request.
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import { SETTING_TYPE, SYSTEM_TABLES } from '../edm/administration-sets.ts';
import { list, sql, tableName, value } from '../sql/fragment.ts';
import type { Cell, Row, Work } from '../store/database.ts';
import { query } from '../store/work.ts';
import { type AuthDatabase, nextIdentity } from './database.ts';

export interface SettingDefinition {
  readonly name: string;
  readonly kind: 'number' | 'choice' | 'list';
  readonly description: string;
  /** A description of the permitted values. */
  readonly range: string;
  /** The configured value. */
  readonly configured: unknown;
  readonly applies: 'at once' | 'at the next start';
  /** The problem with a value, and what is permitted instead; undefined if it is valid. */
  readonly mistake: (value: unknown) => string | undefined;
}

export interface SettingsParts<Whole> {
  readonly database: AuthDatabase;
  readonly definitions: readonly SettingDefinition[];
  /** Returns the configuration with overriding values. */
  readonly merge: (values: ReadonlyMap<string, unknown>) => Whole;
  readonly observe: Observe;
}

const TABLE = tableName(SYSTEM_TABLES[SETTING_TYPE]);
const READ = sql`SELECT "Name", "Value", "Configured", "Range" FROM ${TABLE} ORDER BY "Name"`;

/** The settings of this process. */
export class StoredSettings<Whole> {
  readonly #parts: SettingsParts<Whole>;
  readonly #definitions: ReadonlyMap<string, SettingDefinition>;
  #whole: Whole;
  #isTouched = false;

  private constructor(parts: SettingsParts<Whole>, rows: readonly Row[]) {
    this.#parts = parts;
    this.#definitions = new Map(
      parts.definitions.map((definition) => [definition.name, definition]),
    );
    this.#whole = this.#merge(rows);
  }

  /** Reads the settings. Throws errors of the database. */
  static async read<Whole>(parts: SettingsParts<Whole>): Promise<StoredSettings<Whole>> {
    return new StoredSettings(parts, await parts.database.read(READ));
  }

  /** The configuration with the current settings. */
  get current(): Whole {
    return this.#whole;
  }

  /** The names of all settings. */
  get names(): readonly string[] {
    return [...this.#definitions.keys()];
  }

  /** Whether this process has written settings since the last `load`. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  /** Reloads the settings and updates their rows if the definitions have changed. Throws errors of the database. */
  async load(): Promise<void> {
    this.#isTouched = false;
    const { database } = this.#parts;
    const rows = await database.read(READ);
    this.#whole = this.#merge(rows);
    if (!this.#isUpToDate(rows)) await database.write(() => this.#updateRows());
  }

  /** Rejects invalid values of written rows. Throws: auth.setting. */
  *check(identities: readonly Cell[]): Work<void> {
    const { rows } = yield query(
      sql`SELECT "Name", "Value" FROM ${TABLE} WHERE "$id" IN (${list(identities.map((one) => value(one)))})`,
    );
    for (const [key, text] of rows) {
      const definition = this.#definitions.get(String(key));
      if (definition === undefined || typeof text !== 'string') continue;
      const mistake = mistakeIn(definition, text);
      if (mistake === undefined) continue;
      const { name: setting } = definition;
      throw new Fault('auth.setting', { name: setting, reason: mistake }, { target: 'Value' });
    }
    this.#isTouched = true;
  }

  #merge(rows: readonly Row[]): Whole {
    const values = new Map<string, unknown>();
    for (const [key, text] of rows) {
      const definition = this.#definitions.get(String(key));
      if (definition === undefined || typeof text !== 'string') continue;
      const reason = mistakeIn(definition, text);
      if (reason === undefined) values.set(definition.name, JSON.parse(text));
      else this.#reportInvalid(definition, reason);
    }
    return this.#parts.merge(values);
  }

  /** Reports an invalid value, which another version has stored. */
  #reportInvalid({ name: setting }: SettingDefinition, reason: string): void {
    const error = new Fault('auth.setting', { name: setting, reason });
    this.#parts.observe({ kind: 'failure', id: 'settings', error });
  }

  #isUpToDate(rows: readonly Row[]): boolean {
    const stored = rows.map(([key, , configured, range]) => [key, configured, range].join('\n'));
    const defined = [...this.#definitions.values()].map((definition) =>
      [definition.name, JSON.stringify(definition.configured), definition.range].join('\n'),
    );
    return stored.join('\n') === defined.sort().join('\n');
  }

  *#updateRows(): Work<void> {
    const names = [...this.#definitions.keys()].map((one) => value(one));
    yield query(sql`DELETE FROM ${TABLE} WHERE "Name" NOT IN (${list(names)})`);
    for (const definition of this.#definitions.values()) {
      const { name: key, kind, range, applies, description, configured } = definition;
      const cells = sql`"Configured" = ${value(JSON.stringify(configured))}, "Kind" = ${value(kind)}, "Range" = ${value(range)},
        "Applies" = ${value(applies)}, "Description" = ${value(description)}`;
      const known = yield query(
        sql`UPDATE ${TABLE} SET ${cells} WHERE "Name" = ${value(key)} RETURNING "$id"`,
      );
      if (known.rows.length > 0) continue;
      const id = value(yield* nextIdentity());
      yield query(sql`INSERT INTO ${TABLE} ("$id", "Name") VALUES (${id}, ${value(key)})`);
      yield query(sql`UPDATE ${TABLE} SET ${cells} WHERE "Name" = ${value(key)}`);
    }
  }
}

function mistakeIn(definition: SettingDefinition, text: string): string | undefined {
  try {
    return definition.mistake(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `expected ${definition.range}. Values are JSON, such as 30, "debug" or ["a","b"]`;
  }
}
