// This file checks the views, dashboards and tiles of the console in the transaction that writes them: their sets exist, their queries fit
// the sets, and what the console stores as JSON is JSON.
import { rejectMistakes } from '../../auth/policy-reader.ts';
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { systemSet } from '../../edm/administration-sets.ts';
import { CONSOLE_DASHBOARD_TYPE, CONSOLE_VIEW_TYPE, TILES } from '../../edm/console-sets.ts';
import type { Model } from '../../edm/model.ts';
import { containmentSource, type Source, setSource } from '../../edm/source.ts';
import { column, join, name, sql, tableName, value } from '../../sql/fragment.ts';
import { type Layout, tableOf } from '../../sql/schema/layout.ts';
import type { Cell, Work } from '../../store/database.ts';
import { query } from '../../store/work.ts';

/** Throws the faults of a query that does not fit the set. */
export type QueryCheck = (set: string, query: string) => void;

type Values = ReadonlyMap<string, Cell>;

/** Where records are stored, and the columns that are checked. */
interface Checked {
  readonly source: Source;
  readonly columns: readonly string[];
}

/** The members that contain a query, and their query option; "" for a text with several options. */
const QUERIES: Readonly<Record<string, string>> = {
  Query: '',
  Filter: '$filter=',
  Apply: '$apply=',
};
const DOCUMENTS = ['Layout', 'Axes'];
/** The member that a scope requires. */
const SHARED_BY: Readonly<Record<string, string>> = { workgroup: 'Workgroup', role: 'Role' };

const COLUMNS = [
  'EntitySet',
  ...Object.keys(QUERIES),
  ...DOCUMENTS,
  'Scope',
  ...Object.values(SHARED_BY),
];

/** The rules for views, dashboards and tiles. */
export class ConsoleRecordCheck {
  readonly isPersonal = true;
  readonly #layout: Layout;
  readonly #checkQuery: QueryCheck;
  readonly #checked: readonly Checked[];

  constructor(layout: Layout, checkQuery: QueryCheck) {
    this.#layout = layout;
    this.#checkQuery = checkQuery;
    this.#checked = sourcesOf(layout.model).map((source) => {
      const known = new Set(tableOf(layout, source).table.columns.map((one) => one.name));
      return { source, columns: COLUMNS.filter((one) => known.has(one)) };
    });
  }

  /** Whether a write to these sources can change views, dashboards or tiles. */
  concerns(sources: readonly string[]): boolean {
    return this.#checked.some(({ source }) => sources.includes(source.id));
  }

  /**
   * Checks what has changed after the number `since` of the change log.
   * Throws: console.set, console.query, console.json, console.scope, write.body.
   */
  *check(since: bigint): Work<void> {
    const mistakes: Fault[] = [];
    for (const checked of this.#checked)
      for (const values of yield* this.#changedIn(checked, since))
        mistakes.push(...this.#mistakesIn(values));
    rejectMistakes(mistakes);
  }

  *#changedIn({ source, columns }: Checked, since: bigint): Work<readonly Values[]> {
    const { table } = tableOf(this.#layout, source);
    const alias = name('t');
    const cells = columns.map((one) => column(alias, one));
    const changed = sql`SELECT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" = ${value(source.id)}`;
    const { rows } = yield query(
      sql`SELECT ${join(cells, ', ')} FROM ${tableName(table.name)} ${alias} WHERE ${column(alias, table.identity)} IN (${changed})`,
    );
    return rows.map((row) => new Map(columns.map((one, index) => [one, row[index] ?? null])));
  }

  #mistakesIn(values: Values): readonly Fault[] {
    return [...this.#queryMistakes(values), ...documentMistakes(values), ...scopeMistakes(values)];
  }

  #queryMistakes(values: Values): readonly Fault[] {
    if (!values.has('EntitySet')) return [];
    const set = String(values.get('EntitySet'));
    const { sets } = this.#layout.model;
    if (sets.get(set)?.kind !== 'set') {
      const hint = didYouMean(set, sets.keys());
      return [new Fault('console.set', { name: set, hint }, { target: 'EntitySet' })];
    }
    return Object.entries(QUERIES).flatMap(([member, option]) => {
      const text = values.get(member);
      return typeof text === 'string' ? this.#mistakeOf({ set, member, option, text }) : [];
    });
  }

  #mistakeOf({ set, member, option, text }: StoredText): readonly Fault[] {
    try {
      this.#checkQuery(set, option === '' ? text : `${option}${encodeURIComponent(text)}`);
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { position, message: reason } = error;
      const place = { target: member, ...(position === undefined ? {} : { position }) };
      return [new Fault('console.query', { member, set, reason }, place)];
    }
  }
}

interface StoredText {
  readonly set: string;
  readonly member: string;
  readonly option: string;
  readonly text: string;
}

function documentMistakes(values: Values): readonly Fault[] {
  return DOCUMENTS.flatMap((member) => {
    const text = values.get(member);
    const reason = typeof text === 'string' ? reasonOf(text) : undefined;
    return reason === undefined
      ? []
      : new Fault('console.json', { member, reason }, { target: member });
  });
}

/** Why a text is not a JSON object. */
function reasonOf(text: string): string | undefined {
  try {
    const found: unknown = JSON.parse(text);
    const isObject = typeof found === 'object' && found !== null && !Array.isArray(found);
    return isObject ? undefined : 'it contains another value';
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'it cannot be parsed';
  }
}

function scopeMistakes(values: Values): readonly Fault[] {
  const scope = String(values.get('Scope'));
  const member = SHARED_BY[scope];
  if (member === undefined || (values.get(member) ?? null) !== null) return [];
  return [new Fault('console.scope', { scope, member }, { target: member })];
}

/** Views, dashboards and the tiles in them. */
function sourcesOf(model: Model): readonly Source[] {
  const sets = [CONSOLE_VIEW_TYPE, CONSOLE_DASHBOARD_TYPE].flatMap((type) => {
    const set = systemSet(model, type);
    return set === undefined ? [] : [setSource(model, set.name)];
  });
  return sets.flatMap((source) => {
    const tiles = model.members(source.type).get(TILES);
    const isContained = tiles?.kind === 'navigation';
    return isContained ? [source, containmentSource(model, source.type, tiles)] : [source];
  });
}
