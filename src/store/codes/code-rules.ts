// This file checks edits of code lists in the transaction that makes them, and updates the stored texts: texts exist and identify a code
// among its siblings, parents are in the same list, and codes in use are not deleted.
import { Fault } from '../../base/fault.ts';
import { type CodeSources, codeSources } from '../../edm/code-sets.ts';
import { list, sql, tableName, value } from '../../sql/fragment.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Cell, Work } from '../database.ts';
import { query } from '../work.ts';
import { codeSymbolsOf } from './code-symbols.ts';
import { storeCodeTexts, valuesWithTexts } from './code-texts.ts';
import { modelUsesOf, usesOfCode } from './code-uses.ts';
import { readStoredCodes, type StoredCode, type StoredCodes, toCodeLists } from './stored-codes.ts';

/** The most properties that a message names. */
const LISTED_USES = 5;
const LONGEST_TEXT = 255;

/** The rules for the code lists of a model. */
export class CodeRules {
  readonly #layout: Layout;
  readonly #listOf: (code: bigint) => string | undefined;
  readonly #sources: CodeSources | undefined;

  /** @param listOf the list of a code before the change, as far as this process knows */
  constructor(layout: Layout, listOf: (code: bigint) => string | undefined) {
    this.#layout = layout;
    this.#listOf = listOf;
    this.#sources = codeSources(layout.model);
  }

  /** Whether a write to these sources can change codes. */
  concerns(sources: readonly string[]): boolean {
    const own = this.#sources;
    return own !== undefined && (sources.includes(own.lists.id) || sources.includes(own.codes.id));
  }

  /**
   * Checks the changes of codes after the number `since` of the change log, and stores the texts.
   * Throws: codes.texts, codes.parent, codes.taken, codes.default, codes.symbol, codes.in-use.
   */
  *check(since: bigint): Work<void> {
    const own = this.#sources;
    if (own === undefined) return;
    const changed = yield* this.#changedIn([own.lists.id, own.codes.id], since);
    if (changed.size === 0) return;
    const stored = yield* readStoredCodes(this.#layout);
    if (stored === undefined) return;
    this.#checkCodes(stored, changed);
    yield* this.#checkDeleted(stored);
    const { model } = this.#layout;
    yield* storeCodeTexts(model, toCodeLists(model, stored));
  }

  /** The value and the text of a code, for the audit trail; undefined for anything else. */
  *describe(source: string, identity: Cell): Work<string | undefined> {
    if (source !== this.#sources?.codes.id) return undefined;
    const stored = yield* readStoredCodes(this.#layout);
    const code = stored?.codes.find((one) => one.identity === identity);
    const [language = ''] = this.#layout.model.definition.languages;
    return (
      code &&
      `${code.list} ${code.value} ${code.texts[language]}${code.disabled ? ', disabled' : ''}`
    );
  }

  *#changedIn(sources: readonly string[], since: bigint): Work<ReadonlySet<Cell>> {
    const names = list(sources.map((source) => value(source)));
    const { rows } = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" IN (${names})`,
    );
    return new Set(rows.map(([identity = null]) => identity));
  }

  #checkCodes(stored: StoredCodes, changed: ReadonlySet<Cell>): void {
    const lists = new Set(
      [...stored.lists].flatMap(([key, { identity }]) => (changed.has(identity) ? [key] : [])),
    );
    for (const code of stored.codes) {
      if (!changed.has(code.identity) && !lists.has(code.list)) continue;
      checkParent(code, stored);
      if (!changed.has(code.identity)) continue;
      checkTexts(code, this.#layout.model.definition.languages);
      checkUnique(code, stored);
      this.#requireSymbol(code.value, code.meaning);
      if (code.disabled) this.#requireNoDefault(code.value);
    }
  }

  /** The model refers to some codes by value, for example in defaults. */
  #requireNoDefault(code: bigint): void {
    const uses = modelUsesOf(this.#layout.model, code);
    if (uses.length === 0) return;
    throw new Fault('codes.default', { code: code.toString(), properties: uses.join(', ') });
  }

  /** The model refers to some codes by their Meaning, for example in workflows. @param meaning undefined for a deleted code */
  #requireSymbol(code: bigint, meaning?: string): void {
    const symbol = codeSymbolsOf(this.#layout.model).get(code);
    if (symbol === undefined || symbol.meaning === meaning) return;
    const users = shortened(symbol.users);
    const parameters = { code: code.toString(), meaning: symbol.meaning, users };
    throw new Fault('codes.symbol', parameters, { target: 'Meaning' });
  }

  /** Codes with stored texts that have no record any more have been deleted. */
  *#checkDeleted({ codes }: StoredCodes): Work<void> {
    const existing = new Set(codes.map(({ value: one }) => one));
    for (const code of yield* valuesWithTexts()) {
      if (existing.has(code)) continue;
      this.#requireNoDefault(code);
      this.#requireSymbol(code);
      const uses = yield* usesOfCode(this.#layout, code, this.#listOf(code));
      if (uses.length > 0)
        throw new Fault('codes.in-use', { code: code.toString(), uses: shortened(uses) });
    }
  }
}

function shortened(uses: readonly string[]): string {
  const more = uses.length - LISTED_USES;
  return `${uses.slice(0, LISTED_USES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function checkTexts(
  { texts, repeated, value: code }: StoredCode,
  languages: readonly string[],
): void {
  const [first = ''] = languages;
  const reject = (reason: string) => {
    throw new Fault('codes.texts', { code: code.toString(), reason }, { target: 'Texts' });
  };
  if (texts[first] === undefined)
    reject(`Add one in ${first}, which is used where a translation is missing.`);
  if (repeated !== undefined) reject(`There is more than one text in ${repeated}.`);
  for (const [language, text] of Object.entries(texts)) {
    if (!languages.includes(language))
      reject(
        `${JSON.stringify(language)} is not a language of the model; use ${languages.join(', ')}.`,
      );
    if (text.trim() === '') reject(`The text in ${language} is blank.`);
    if (text.length > LONGEST_TEXT)
      reject(`The text in ${language} has more than ${LONGEST_TEXT} characters.`);
  }
}

function checkParent(code: StoredCode, { lists, codes }: StoredCodes): void {
  if (code.parent === undefined) return;
  const parent = codes.find(({ value: one }) => one === code.parent);
  const reject = (reason: string) => {
    throw new Fault('codes.parent', { code: code.value.toString(), reason }, { target: 'Parent' });
  };
  if (parent?.list !== code.list)
    reject(`the parent ${code.parent} is not in the list ${code.list}`);
  if (lists.get(code.list)?.hierarchical !== true)
    reject(`the list ${code.list} is not hierarchical`);
}

/** Enabled codes with the same parent differ in their texts, and all codes of a list in their meanings. */
function checkUnique(code: StoredCode, { codes }: StoredCodes): void {
  const others = codes.filter((one) => one.list === code.list && one.value !== code.value);
  const reject = (other: StoredCode, what: string, target: string) => {
    const parameters = { code: other.value.toString(), list: code.list, what };
    throw new Fault('codes.taken', parameters, { target });
  };
  for (const other of others) {
    if (code.meaning !== undefined && code.meaning === other.meaning)
      reject(other, `the meaning ${code.meaning}`, 'Meaning');
    if (code.disabled || other.disabled || code.parent !== other.parent) continue;
    for (const [language, text] of Object.entries(code.texts))
      if (other.texts[language]?.toLowerCase() === text.toLowerCase())
        reject(other, `the text ${JSON.stringify(text)} in ${language}`, 'Texts');
  }
}
