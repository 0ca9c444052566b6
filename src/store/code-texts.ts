// This file stores the texts of codes for use in statements: one row per code and language, including the precomputed JSON of the
// coded value. Texts missing in a language fall back to the default language.
import type { Code, Model, Texts } from '../edm/model.ts';
import { ARGUMENT, sql, tableName } from '../sql/fragment.ts';
import { precomputedJson } from '../sql/read/code-texts.ts';
import type { CodeTexts } from '../sql/schema/layout.ts';
import type { Database, Work } from './database.ts';
import { change, kept, query } from './work.ts';

const READ = sql`SELECT "language", "value", "json" FROM ${tableName('docket_code_text')}`;
const INSERT = sql`INSERT INTO ${tableName('docket_code_text')} ("language", "value", "text", "folded", "json") VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;

const REMOVE_ALL = sql`DELETE FROM ${tableName('docket_code_text')}`;

interface LanguageCode {
  readonly language: string;
  readonly code: Code;
}

/** Replaces all code texts with those of the model. */
export function* storeCodeTexts(model: Model): Work<void> {
  yield change(REMOVE_ALL, []);
  yield* addCodeTexts(model);
}

/** Codes of the model, per language, that have no stored text. */
export function* missingCodes(model: Model): Work<readonly LanguageCode[]> {
  const { languages, codeLists } = model.definition;
  const { rows } = yield query(READ, []);
  const found = new Set(rows.map(([language, value]) => `${language} ${value}`));
  const codes = codeLists.flatMap((list) => list.codes);
  return languages.flatMap((language) =>
    codes
      .filter((code) => !found.has(`${language} ${code.value}`))
      .map((code) => ({ language, code })),
  );
}

/** The stored JSON of coded values, by language and code. */
export function readCodeTexts({ read }: Pick<Database, 'read'>): CodeTexts {
  const texts = new Map<string, Map<bigint, string>>();
  for (const [language, value, json] of read(READ, [])) {
    const byValue = texts.get(String(language)) ?? new Map<bigint, string>();
    texts.set(String(language), byValue);
    if (typeof value === 'bigint') byValue.set(value, String(json));
  }
  return texts;
}

/** Adds missing texts. Existing ones are kept, since the installation may have changed them. */
export function* addCodeTexts(model: Model): Work<void> {
  for (const { language, code } of yield* missingCodes(model)) {
    const text = codeText(code, language, model.definition.languages);
    const json = precomputedJson(model, text, code.value);
    yield change(INSERT, [language, code.value, text, text.toLowerCase(), json]);
  }
}

function codeText(code: Code, language: string, languages: readonly string[]): string {
  const [fallback = language] = languages;
  return (
    code.texts[language] ??
    code.texts[fallback] ??
    Object.values(code.texts)[0] ??
    String(code.value)
  );
}

const RENAME = sql`UPDATE ${tableName('docket_code_text')} SET "text" = ${ARGUMENT}, "folded" = ${ARGUMENT}, "json" = ${ARGUMENT} WHERE "language" = ${ARGUMENT} AND "value" = ${ARGUMENT}`;

interface CodeChange {
  readonly value: number;
  readonly texts?: Texts;
}

/** Changes the texts of codes. Records are not affected, since they store the code's value. */
export async function renameCodes(
  database: Database,
  model: Model,
  changes: readonly CodeChange[],
): Promise<void> {
  await database.write(() => kept(storeTexts(model, changes)));
}

function* storeTexts(model: Model, changes: readonly CodeChange[]): Work<void> {
  for (const { value, texts } of changes) {
    for (const [language, text] of Object.entries(texts ?? {})) {
      const json = precomputedJson(model, text, BigInt(value));
      yield change(RENAME, [text, text.toLowerCase(), json, language, BigInt(value)]);
    }
  }
}
