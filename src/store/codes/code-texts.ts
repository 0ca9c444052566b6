// This file stores the texts of codes for use in statements: one row per code and language, including the precomputed JSON of the
// coded value. Texts missing in a language fall back to the default language. The rows follow from the code lists.
import type { Code, CodeList, Model } from '../../edm/model.ts';
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import { precomputedJson } from '../../sql/read/code-texts.ts';
import type { CodeTexts } from '../../sql/schema/layout.ts';
import { CODE_REVISION } from '../../sql/write/code-guard.ts';
import type { Work } from '../database.ts';
import { settingOf, storeSetting } from '../installation-settings.ts';
import { change, query } from '../work.ts';

const TABLE = tableName('docket_code_text');
const READ = sql`SELECT "language", "value", "text" FROM ${TABLE}`;
const INSERT = sql`INSERT INTO ${TABLE} ("text", "folded", "json", "language", "value") VALUES (${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT})`;
const UPDATE = sql`UPDATE ${TABLE} SET "text" = ${ARGUMENT}, "folded" = ${ARGUMENT}, "json" = ${ARGUMENT} WHERE "language" = ${ARGUMENT} AND "value" = ${ARGUMENT}`;
const REMOVE = sql`DELETE FROM ${TABLE} WHERE "language" = ${ARGUMENT} AND "value" = ${ARGUMENT}`;

interface CodeText {
  readonly language: string;
  readonly value: bigint;
  readonly text: string;
}

/** The JSON of coded values, by language and code. */
export function codeTextsOf(model: Model, lists: readonly CodeList[]): CodeTexts {
  const texts = new Map<string, Map<bigint, string>>();
  for (const { language, value, text } of textsOf(model, lists)) {
    const byValue = texts.get(language) ?? new Map<bigint, string>();
    texts.set(language, byValue);
    byValue.set(value, precomputedJson(model, text, value));
  }
  return texts;
}

/** Makes the stored texts those of the code lists, and raises their revision: writes with older codes prepare again. */
export function* storeCodeTexts(model: Model, lists: readonly CodeList[]): Work<void> {
  const { rows } = yield query(READ, []);
  const stored = new Map(
    rows.map(([language, value, text]) => [`${language} ${value}`, { language, value, text }]),
  );
  for (const { language, value, text } of textsOf(model, lists)) {
    const key = `${language} ${value}`;
    const known = stored.get(key);
    stored.delete(key);
    if (known?.text === text) continue;
    const cells = [text, text.toLowerCase(), precomputedJson(model, text, value), language, value];
    yield change(known === undefined ? INSERT : UPDATE, cells);
  }
  for (const { language = null, value = null } of stored.values())
    yield change(REMOVE, [language, value]);
  yield* storeSetting(CODE_REVISION, String(BigInt(yield* readCodeRevision()) + 1n));
}

/** A number that grows with each edit. */
export function* readCodeRevision(): Work<string> {
  return (yield* settingOf(CODE_REVISION)) ?? '';
}

/** The codes that have stored texts, before storeCodeTexts removes those of deleted codes. */
export function* valuesWithTexts(): Work<ReadonlySet<bigint>> {
  const { rows } = yield query(sql`SELECT DISTINCT "value" FROM ${TABLE}`, []);
  return new Set(rows.flatMap(([value]) => (typeof value === 'bigint' ? [value] : [])));
}

function textsOf(model: Model, lists: readonly CodeList[]): readonly CodeText[] {
  const { languages } = model.definition;
  return lists
    .flatMap(({ codes }) => codes)
    .flatMap((code) =>
      languages.map((language) => ({
        language,
        value: code.value,
        text: textIn(code, language, languages),
      })),
    );
}

function textIn(code: Code, language: string, languages: readonly string[]): string {
  const [fallback = language] = languages;
  return (
    code.texts[language] ??
    code.texts[fallback] ??
    Object.values(code.texts)[0] ??
    String(code.value)
  );
}
