// This file reads rows and cells of a worksheet while it is being parsed. ECMA-376, "Worksheets", "Cell", "ST_CellType".
import { Fault } from '../../../base/fault.ts';
import { LONGEST_TEXT } from '../../../response/table/sheet.ts';
import type { ImportCell } from '../table-row.ts';
import { columnIndex, dateText, unescaped } from './cell-values.ts';
import type { PartHandler } from './read-part.ts';
import type { Workbook } from './workbook-parts.ts';

export interface SheetRow {
  readonly number: number;
  readonly cells: readonly ImportCell[];
}

/** Columns of a worksheet. */
const COLUMNS = 16_384;

/** Cells of all rows, with the empty ones before others. */
const CELLS_LIMIT = 10_000_000;

const EMPTY: ImportCell = { text: '', raw: '' };

export class SheetReader implements PartHandler {
  readonly rows: SheetRow[] = [];
  readonly problems: { readonly number: number; readonly reason: string }[] = [];
  readonly #workbook: Pick<Workbook, 'calendar' | 'dateStyles' | 'sharedTexts'>;
  #number = 0;
  #count = 0;
  #cells: ImportCell[] = [];
  #column = 0;
  #type = 'n';
  #style = 0;
  #text = '';
  #isText = false;
  #isPhonetic = false;
  #hasText = false;
  #isFormula = false;

  constructor(workbook: Pick<Workbook, 'calendar' | 'dateStyles' | 'sharedTexts'>) {
    this.#workbook = workbook;
  }

  readonly start = (name: string, attributes: Readonly<Record<string, string>>): void => {
    switch (name) {
      case 'row':
        this.#number = Number.parseInt(attributes.r ?? '', 10) || this.#number + 1;
        this.#cells = [];
        break;
      case 'c':
        this.#column = columnIndex(attributes.r) ?? this.#cells.length;
        this.#type = attributes.t ?? 'n';
        this.#style = Number(attributes.s ?? 0);
        this.#text = '';
        this.#hasText = false;
        this.#isFormula = false;
        break;
      case 'f':
        this.#isFormula = true;
        break;
      case 'rPh':
        this.#isPhonetic = true;
        break;
      case 'v':
      case 't':
        this.#isText = !this.#isPhonetic;
        this.#hasText ||= this.#isText;
        break;
    }
  };

  readonly text = (piece: string): void => {
    if (this.#isText && this.#text.length <= LONGEST_TEXT) this.#text += piece;
  };

  readonly end = (name: string): void => {
    switch (name) {
      case 'v':
      case 't':
        this.#isText = false;
        break;
      case 'rPh':
        this.#isPhonetic = false;
        break;
      case 'c':
        this.#addCell();
        break;
      case 'row':
        this.#addRow();
        break;
    }
  };

  #addRow(): void {
    const isBlank = this.#cells.every(({ text }) => text === '');
    if (!isBlank) this.rows.push({ number: this.#number, cells: this.#cells });
  }

  #addCell(): void {
    // Programs that write workbooks do not calculate. An empty text as result has the type str.
    if (this.#isFormula && this.#text === '' && this.#type !== 'str')
      this.#reject('a formula in it has no result; save the file in a spreadsheet program');
    if (!this.#hasText || this.#column >= COLUMNS) return;
    this.#count += Math.max(1, this.#column + 1 - this.#cells.length);
    if (this.#count > CELLS_LIMIT)
      throw new Fault('import.file', { reason: `it has more than ${CELLS_LIMIT} cells` });
    while (this.#cells.length < this.#column) this.#cells.push(EMPTY);
    const text = this.#value();
    if (text.length > LONGEST_TEXT) this.#reject(`a cell has more than ${LONGEST_TEXT} characters`);
    const isQuoted = this.#type === 'inlineStr' || this.#type === 's' || this.#type === 'str';
    this.#cells[this.#column] = { text, raw: text, isQuoted };
  }

  #reject(reason: string): void {
    this.problems.push({ number: this.#number, reason });
  }

  #value(): string {
    const { sharedTexts, dateStyles, calendar } = this.#workbook;
    switch (this.#type) {
      case 's':
        return sharedTexts[Number(this.#text)] ?? '';
      case 'inlineStr':
      case 'str':
        return unescaped(this.#text);
      case 'b':
        return this.#text === '1' ? 'true' : 'false';
      case 'e':
        this.#reject(`a formula in it has the result ${this.#text}`);
        return this.#text;
      case 'n': {
        const isDate = dateStyles[this.#style] === true;
        return (isDate ? dateText(this.#text, calendar) : undefined) ?? this.#text;
      }
      default:
        return this.#text;
    }
  }
}
