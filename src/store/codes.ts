// This file puts the texts of codes where statements find them: one row for each code and language, with the JSON of the coded value
// ready-made. A text that a language lacks is taken from the default language.
import type { Code, ModelDefinition, Texts } from '../edm/model.ts';
import type { Database, Transaction } from './database.ts';

const CLEAR = 'DELETE FROM "docket_code_text"';
const INSERT =
  'INSERT INTO "docket_code_text" ("language", "value", "text", "folded", "json") VALUES (?, ?, ?, ?, ?)';

/** Replaces all code texts by those of the model. */
export function storeCodeTexts(transaction: Transaction, definition: ModelDefinition): void {
  transaction.change(CLEAR, []);
  for (const language of definition.languages) {
    for (const list of definition.codeLists) {
      for (const code of list.codes) {
        const text = codeText(code, language, definition.languages);
        transaction.change(INSERT, [
          language,
          code.value,
          text,
          text.toLowerCase(),
          codeJson(text, code.value),
        ]);
      }
    }
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

const RENAME =
  'UPDATE "docket_code_text" SET "text" = ?, "folded" = ?, "json" = ? WHERE "language" = ? AND "value" = ?';

/** Gives codes other texts, while records keep their values. */
export async function renameCodes(
  database: Database,
  changes: readonly { readonly value: number; readonly texts?: Texts }[],
): Promise<void> {
  await database.write((transaction) => {
    for (const { value, texts } of changes) {
      for (const [language, text] of Object.entries(texts ?? {})) {
        transaction.change(RENAME, [
          text,
          text.toLowerCase(),
          codeJson(text, BigInt(value)),
          language,
          BigInt(value),
        ]);
      }
    }
    return { result: undefined, keep: true };
  });
}

/** The members of a coded value. */
function codeJson(text: string, value: bigint): string {
  return `"Text":${JSON.stringify(text)},"Value":${value}`;
}
