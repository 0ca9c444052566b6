// This file reads the code lists of a model from two tables: code-lists.csv has a row for each list, codes.csv one for each code. The
// tables are an alternative to the term Docket.CodeLists; a list must not be in both.
import { didYouMean } from '../../base/nearest-name.ts';
import { definedMembers } from '../defined-members.ts';
import type { Code, CodeList, Texts } from '../model.ts';
import type { Mistake } from '../model-error.ts';
import { CRITICALITIES, type Criticality, criticalityOf } from '../value/criticality.ts';
import type { TextFile } from './csv.ts';
import {
  cellText,
  flagCell,
  integerCell,
  readTable,
  reportCell,
  requiredCell,
  type TableRow,
  textsOfRow,
} from './table.ts';

export const CODE_LISTS_FILE = 'code-lists.csv';
export const CODES_FILE = 'codes.csv';

interface CodeTables {
  readonly lists: TextFile | undefined;
  readonly codes: TextFile | undefined;
}

/** What the tables may refer to. */
interface CodeTableContext {
  /** Languages of the model, the default one first. */
  readonly languages: readonly string[];
  /** Lists in the CSDL of the same model. */
  readonly own: readonly CodeList[];
  /** Lists of the base model that this one extends. */
  readonly base: readonly CodeList[];
}

interface DraftList extends Omit<CodeList, 'codes'> {
  readonly codes: Code[];
}

/** Reads the lists in the order of their rows. A list that extends the base contains only the codes in the tables. */
export function readCodeTables(
  tables: CodeTables,
  context: CodeTableContext,
  mistakes: Mistake[],
): readonly CodeList[] {
  const { languages } = context;
  const drafts = new Map<string, DraftList>();
  const listColumns = { required: ['list'], optional: ['ordered', 'hierarchical'], languages };
  for (const row of rowsOf(tables.lists, listColumns, mistakes)) readList(row, drafts, context);
  const optional = ['parent', 'meaning', 'disabled', 'criticality', 'icon'];
  const codeColumns = { required: ['list', 'value'], optional, languages };
  const rows = rowsOf(tables.codes, codeColumns, mistakes);
  const read = rows.map((row) => ({ row, code: readCode(row, drafts, context) }));
  for (const { row, code } of read) if (code !== undefined) checkParent(row, code, drafts, context);
  return [...drafts.values()];
}

function rowsOf(
  file: TextFile | undefined,
  columns: Parameters<typeof readTable>[1],
  mistakes: Mistake[],
): readonly TableRow[] {
  return file === undefined ? [] : readTable(file, columns, mistakes);
}

function readList(
  row: TableRow,
  drafts: Map<string, DraftList>,
  { own, base }: CodeTableContext,
): void {
  const name = requiredCell(row, 'list');
  if (name === undefined) return;
  if (drafts.has(name)) {
    const message = `The code list ${name} has more than one row.`;
    reportCell(row, 'list', message, 'Remove one of them.');
    return;
  }
  if (own.some((list) => list.name === name)) {
    const message = `The code list ${name} is also in @Docket.CodeLists.`;
    reportCell(row, 'list', message, 'Remove one of the two.');
  }
  const known = base.find((list) => list.name === name);
  const labels = textsOfRow(row);
  drafts.set(name, {
    ...emptyList(name),
    ordered: listFlag(row, 'ordered', known),
    hierarchical: listFlag(row, 'hierarchical', known),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  });
}

/** Whether codes are ordered or have parents, which an extension cannot change, because conditions and records rely on it. */
function listFlag(
  row: TableRow,
  column: 'ordered' | 'hierarchical',
  known: CodeList | undefined,
): boolean {
  const flag = flagCell(row, column);
  if (known === undefined) return flag ?? false;
  if (flag !== undefined && flag !== known[column]) {
    const message = `An extension cannot change "${column}" of the code list ${known.name}, which is ${known[column]}.`;
    reportCell(row, column, message, 'Leave the cell empty, or add a code list of your own.');
  }
  return known[column];
}

function emptyList(name: string): DraftList {
  return { name, ordered: false, hierarchical: false, codes: [] };
}

function readCode(
  row: TableRow,
  drafts: Map<string, DraftList>,
  context: CodeTableContext,
): Code | undefined {
  const name = requiredCell(row, 'list');
  const list = name === undefined ? undefined : listOf(row, name, drafts, context);
  if (requiredCell(row, 'value') === undefined || list === undefined) return undefined;
  const value = integerCell(row, 'value');
  if (value === undefined) return undefined;
  if (list.codes.some((code) => code.value === value)) {
    const message = `The code list ${list.name} already has the code ${value}.`;
    reportCell(row, 'value', message, 'Use another value or remove one of the rows.');
    return undefined;
  }
  const texts = textsOfRow(row);
  checkTexts(row, list.name, value, texts, context);
  const optional = definedMembers({
    meaning: cellText(row, 'meaning'),
    parent: integerCell(row, 'parent'),
    disabled: flagCell(row, 'disabled'),
    criticality: criticalityCell(row),
    icon: cellText(row, 'icon'),
  });
  const code: Code = { value, texts, ...optional };
  list.codes.push(code);
  return code;
}

function criticalityCell(row: TableRow): Criticality | undefined {
  const value = integerCell(row, 'criticality');
  const known = criticalityOf(value);
  if (value !== undefined && known === undefined)
    reportCell(
      row,
      'criticality',
      `${value} is not a criticality.`,
      `Use one of ${CRITICALITIES.join(', ')}.`,
    );
  return known;
}

/** The list of a code: one from code-lists.csv or from the base model. */
function listOf(
  row: TableRow,
  name: string,
  drafts: Map<string, DraftList>,
  { base }: CodeTableContext,
): DraftList | undefined {
  const known = base.find((list) => list.name === name);
  const draft =
    drafts.get(name) ??
    (known === undefined
      ? undefined
      : { ...emptyList(name), ordered: known.ordered, hierarchical: known.hierarchical });
  if (draft === undefined) {
    const near = didYouMean(name, [...drafts.keys(), ...base.map((list) => list.name)]);
    const remedy = `Add a row for it to ${CODE_LISTS_FILE} or correct the name.${near}`;
    reportCell(row, 'list', `There is no code list "${name}".`, remedy);
  } else drafts.set(name, draft);
  return draft;
}

/** A new code needs a text in the default language, the fallback for other languages. */
function checkTexts(
  row: TableRow,
  list: string,
  value: bigint,
  texts: Texts,
  { languages, base }: CodeTableContext,
): void {
  const [language = ''] = languages;
  const isKnown = codeOf(base, list, value) !== undefined;
  if (isKnown || texts[language] !== undefined) return;
  reportCell(row, language, `The code ${value} has no text in ${language}.`, 'Add one.');
}

function checkParent(
  row: TableRow,
  { value, parent }: Code,
  drafts: ReadonlyMap<string, DraftList>,
  { base }: CodeTableContext,
): void {
  if (parent === undefined) return;
  const name = cellText(row, 'list') ?? '';
  const list = drafts.get(name);
  const known = base.find((other) => other.name === name);
  const codes = [...(list?.codes ?? []), ...(known?.codes ?? [])];
  if (!codes.some((code) => code.value === parent)) {
    const near = didYouMean(
      String(parent),
      codes.map((code) => String(code.value)),
    );
    const message = `The code ${value} has the parent ${parent}, which is not in the list ${name}.`;
    reportCell(row, 'parent', message, `Use a code of the same list.${near}`);
  } else if (list?.hierarchical !== true) {
    const message = `The code ${value} has a parent, but the list ${name} is not hierarchical.`;
    const remedy = `Set the column "hierarchical" of the list in ${CODE_LISTS_FILE} to true.`;
    const removal = 'Remove the parent, or add a code list of your own.';
    reportCell(row, 'parent', message, known === undefined ? remedy : removal);
  }
}

function codeOf(lists: readonly CodeList[], list: string, value: bigint): Code | undefined {
  return lists.find(({ name }) => name === list)?.codes.find((code) => code.value === value);
}
