// This file checks the parts of lists that need no page: the window of loaded rows, selections, state in URLs, keys, and long scroll bars.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileName } from '../../console/src/components/attachments/file-rules.ts';
import { editableFor, isEditable } from '../../console/src/list/edit-target.ts';
import { type GridCommand, gridCommand, nextCell } from '../../console/src/list/grid/grid-keys.ts';
import { offsetForRow, scrollScale } from '../../console/src/list/grid/scroll-scale.ts';
import { changesBetween } from '../../console/src/list/list-changes.ts';
import { possibleColumns } from '../../console/src/list/list-columns.ts';
import {
  columnsText,
  moved,
  nextOrder,
  orderText,
  readColumns,
  readOrder,
} from '../../console/src/list/list-state.ts';
import {
  evicted,
  extentOf,
  needFor,
  type Page,
  placeOf,
  type RowWindow,
  slotAt,
  withPage,
} from '../../console/src/list/row-window.ts';
import {
  EVERYTHING_SELECTED,
  isSelected,
  NOTHING_SELECTED,
  type Selection,
  selectedCount,
  toggled,
  withRows,
} from '../../console/src/list/selection.ts';
import { compileModel } from '../../console/src/model/compile-model.ts';
import { columnAt } from '../../console/src/model/layout.ts';
import { typeNamed } from '../../console/src/model/model.ts';
import { searchText } from '../../console/src/model/search-text.ts';
import { split } from '../../console/src/query/split.ts';

/** A page of a service with `total` rows, whose keys are their places. */
function page(start: number, total: number, size = 100): Page {
  const length = Math.max(0, Math.min(size, total - start));
  const keys = Array.from({ length }, (_, index) => String(start + index));
  const rows = keys.map((Uid) => ({ Uid }));
  const end = start + length;
  return { start, link: `at ${start}`, keys, rows, next: end < total ? `at ${end}` : undefined };
}

/** Loads what rows need, as the list does, until nothing is missing. */
function load(window: RowWindow, first: number, last: number, total: number): RowWindow {
  let loaded = window;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const need = needFor(loaded, first, Math.min(last, total - 1));
    if (need === undefined) return loaded;
    loaded = evicted(withPage(loaded, page(need.start, total)), first, last);
  }
  throw new Error('The window asks for pages without end.');
}

describe('The window of rows', () => {
  it('follows next links, and jumps to places that are far away', () => {
    const window = load([], 0, 40, 5000);
    expect(needFor(window, 90, 130)).toEqual({ kind: 'follow', link: 'at 100', start: 100 });
    expect(needFor(window, 3000, 3040)).toEqual({ kind: 'jump', start: 2950 });
    expect(slotAt(window, 7)).toMatchObject({ kind: 'row', key: '7' });
    expect(slotAt(window, 3000)).toEqual({ kind: 'missing', key: undefined });
  });

  it('has each visible row at its place after any scrolling, once, and at most 1,000 of them', () => {
    const places = fc.array(fc.nat(4999), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 5000 }), (jumps, total) => {
        let window: RowWindow = [];
        for (const jump of jumps) {
          const first = Math.min(jump, total - 1);
          const last = Math.min(first + 30, total - 1);
          window = load(window, first, last, total);
          for (let index = first; index <= last; index += 1)
            expect(slotAt(window, index)).toMatchObject({ kind: 'row', key: String(index) });
        }
        const keys = window.flatMap((one) => one.keys);
        expect(new Set(keys).size).toBe(keys.length);
        const rows = window.reduce((sum, one) => sum + (one.rows?.length ?? 0), 0);
        expect(rows).toBeLessThanOrEqual(1100);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps keys and links of rows that it drops, and reads them again by their link', () => {
    let window = load([], 0, 2000, 3000);
    window = evicted(window, 1900, 2000);
    expect(slotAt(window, 5)).toEqual({ kind: 'missing', key: '5' });
    expect(placeOf(window, '5')).toBe(5);
    expect(needFor(window, 0, 30)).toEqual({ kind: 'follow', link: 'at 0', start: 0 });
  });

  it('shows a row once that has moved to a later page', () => {
    const first = page(0, 200);
    const second = { ...page(100, 200), keys: ['7', ...page(100, 200).keys.slice(1)] };
    const keys = withPage([first], second).flatMap((one) => one.keys);
    expect(keys.filter((key) => key === '7')).toHaveLength(1);
  });

  it('makes room page by page until the number of rows is known', () => {
    const window = load([], 0, 40, 5000);
    expect(extentOf(window, undefined)).toBe(200);
    expect(extentOf(window, 5000)).toBe(5000);
    expect(extentOf(load([], 0, 99, 60), 61)).toBe(60);
    expect(extentOf([], undefined)).toBe(0);
  });
});

describe('Changes since a list was read', () => {
  const row = (Uid: string, etag: string) => ({ Uid, '@odata.etag': etag });
  const shown: Page = {
    start: 0,
    link: '',
    keys: ['1', '2'],
    rows: [row('1', 'a'), row('2', 'a')],
    next: 'more',
  };

  it('are new rows of the first page and other versions of rows', () => {
    const fresh = { ...shown, keys: ['3', '1'], rows: [row('3', 'a'), row('1', 'b')] };
    expect(changesBetween([shown], [fresh])).toEqual({ added: 1, changed: 1 });
    expect(changesBetween([shown], [shown])).toEqual({ added: 0, changed: 0 });
  });

  it('leave out rows that moved up on a later page', () => {
    const later = { ...shown, start: 100, keys: ['9'], rows: [row('9', 'a')] };
    expect(changesBetween([shown], [later])).toEqual({ added: 0, changed: 0 });
  });
});

describe('A selection', () => {
  it('is a rule: all rows except some, whether they are loaded or not', () => {
    const all = toggled(EVERYTHING_SELECTED, '5');
    expect([isSelected(all, '5'), isSelected(all, 'never loaded')]).toEqual([false, true]);
    expect(selectedCount(all, 200_000)).toBe(199_999);
    expect(selectedCount(all, undefined)).toBeUndefined();
  });

  it('has the rows that were added and not removed since', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), on: fc.boolean() }));
    fc.assert(
      fc.property(steps, fc.boolean(), (list, startsFull) => {
        let selection: Selection = startsFull ? EVERYTHING_SELECTED : NOTHING_SELECTED;
        const expected = new Map<string, boolean>();
        for (const { key, on } of list) {
          selection = withRows(selection, [key], on);
          expected.set(key, on);
        }
        for (const key of ['a', 'b', 'c'])
          expect(isSelected(selection, key)).toBe(expected.get(key) ?? startsFull);
      }),
    );
  });
});

describe('The state in the URL', () => {
  it('has columns with widths, each once', () => {
    expect(readColumns('Description:320,Status,Status:90,A/B:5')).toEqual([
      { path: 'Description', width: 320 },
      { path: 'Status', width: undefined },
      { path: 'A/B', width: 60 },
    ]);
    const text = 'Description:320,Assignment/AssigneePerson';
    expect(columnsText(readColumns(text) ?? [])).toBe(text);
    expect(readColumns(undefined)).toBeUndefined();
  });

  it('has an order of several paths, and keeps expressions', () => {
    const text = "Caller/Name desc,concat(A,',') asc,B";
    expect(orderText(readOrder(text))).toBe("Caller/Name desc,concat(A,','),B");
    expect(orderText(nextOrder(readOrder('B'), 'B'))).toBe('B desc');
    expect(orderText(nextOrder(readOrder('B desc'), 'B'))).toBe('');
    expect(orderText(nextOrder(readOrder('B'), 'C', true))).toBe('B,C');
    expect(orderText(nextOrder(readOrder('B'), 'C'))).toBe('C');
  });

  it('is split outside of quotes and parentheses', () => {
    expect(split("A eq 'x and y' and (B and C) and D", ' and ')).toEqual([
      "A eq 'x and y'",
      '(B and C)',
      'D',
    ]);
    expect(split("'it''s, so',b", ',')).toEqual(["'it''s, so'", 'b']);
  });

  it('moves a column within the list only', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
  });
});

describe('The text of a search', () => {
  it.each([
    ['printer', 'printer'],
    ['  two words ', 'two words'],
    ['error 0x80070005', 'error "0x80070005"'],
    ['a-b', '"a-b"'],
    ["O'Brien (or so)", '"O\'Brien" "(or" "so)"'],
    ['"exact phrase"', '"exact phrase"'],
    ['printer NOT laser', 'printer NOT laser'],
    ['5" disk', '"5" disk'],
    ['AND', '"AND"'],
    ['C:\\temp\\', '"C:\\\\temp\\\\"'],
    ['', undefined],
    ['"', undefined],
  ])('%s is sent as %s', (typed, sent) => {
    expect(searchText(typed)).toBe(sent);
  });
});

describe('The keys of a grid', () => {
  const press = (key: string, held: Partial<Record<string, boolean>> = {}, letters = true) =>
    gridCommand(
      { key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held },
      letters,
    );

  it.each<[string, GridCommand]>([
    ['ArrowDown', { kind: 'move', to: 'down', extend: false }],
    ['k', { kind: 'move', to: 'up', extend: false }],
    [' ', { kind: 'peek' }],
    ['Enter', { kind: 'open' }],
    ['F2', { kind: 'edit' }],
    ['x', { kind: 'select' }],
    ['s', { kind: 'status' }],
    ['f', { kind: 'filter' }],
  ])('%j is a command', (key, command) => {
    expect(press(key)).toEqual(command);
  });

  it('select and copy with Ctrl or Cmd, and extend with Shift', () => {
    expect(press('a', { ctrlKey: true })).toEqual({ kind: 'selectAll' });
    expect(press('c', { metaKey: true })).toEqual({ kind: 'copy' });
    expect(press('ArrowUp', { shiftKey: true })).toEqual({ kind: 'move', to: 'up', extend: true });
  });

  it('leave keys with Alt alone, and single letters when they are switched off', () => {
    expect(press('j', { altKey: true })).toBeUndefined();
    expect(press('a', { ctrlKey: true, altKey: true })).toBeUndefined();
    expect(press('j', {}, false)).toBeUndefined();
    expect(press('ArrowDown', {}, false)).toBeDefined();
  });

  it('never leave the grid', () => {
    const extent = { rows: 3, columns: 2, page: 10 };
    const from = { row: 1, column: 1 };
    expect(nextCell(from, 'pageDown', extent)).toEqual({ row: 2, column: 1 });
    expect(nextCell(from, 'pageUp', extent)).toEqual({ row: 0, column: 1 });
    expect(nextCell(from, 'right', extent)).toEqual(from);
    expect(nextCell({ row: 0, column: 0 }, 'up', extent)).toEqual({ row: -1, column: 0 });
    expect(nextCell({ row: -1, column: 0 }, 'bottom', { ...extent, rows: 0 }).row).toBe(-1);
  });
});

describe('The scroll bar', () => {
  it('is exact up to 400,000 rows, and no longer than browsers permit beyond', () => {
    expect(scrollScale(400_000, 600)).toEqual({ height: 14_400_000, factor: 1 });
    const long = scrollScale(5_000_000, 600);
    expect(long.height).toBe(14_400_000);
    const bottom = (long.height - 600) * long.factor;
    expect(bottom + 600).toBeCloseTo(5_000_000 * 36, 3);
  });

  it('brings a row into view, and stays where it is visible', () => {
    const scale = scrollScale(1000, 360);
    expect(offsetForRow(5, 0, 360, scale)).toBeUndefined();
    expect(offsetForRow(10, 0, 360, scale)).toBe(36);
    expect(offsetForRow(2, 360, 360, scale)).toBe(72);
  });
});

describe('A list offers for editing', () => {
  const model = compileModel(
    {
      $Version: '4.01',
      Shop: {
        Shelf: { $Kind: 'ComplexType', State: { $Nullable: true } },
        Item: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          Id: { $Type: 'Edm.Int64' },
          Status: { $Nullable: true },
          Made: { $Type: 'Edm.Date', $Nullable: true, '@Core.Immutable': true },
          Clock: { $Type: 'Shop.Shelf', '@Core.Computed': true },
          Origin: { $Type: 'Shop.Shelf', '@Core.Immutable': true },
          Place: { $Type: 'Shop.Shelf' },
        },
      },
    },
    'en',
  );
  const type = typeNamed(model, 'Shop.Item');
  const among = (Unchangeable: readonly string[], Update = true) => ({
    model,
    type,
    rights: { Update, Unchangeable },
  });
  const offered = (editing: ReturnType<typeof among>) =>
    ['Id', 'Status', 'Made', 'Clock/State', 'Origin/State', 'Place/State'].filter((path) => {
      const column = columnAt(model, type, path);
      return column !== undefined && isEditable(editing, column);
    });

  it('nothing that the service computes or never changes, also as a part of a complex value', () => {
    expect(offered(among([]))).toEqual(['Status', 'Place/State']);
  });

  it('nothing that the account cannot change, which the service reports by the complex value', () => {
    expect(offered(among(['Place']))).toEqual(['Status']);
    expect(offered(among(['Place/State']))).toEqual(['Status']);
    expect(offered(among([], false))).toEqual([]);
  });

  it('by a letter, the first member of that kind that can be changed', () => {
    const clock = columnAt(model, type, 'Clock/State');
    expect(editableFor(among([]), 'status', clock)?.path).toBe('Status');
    expect(editableFor(among(['Status']), 'status', clock)?.path).toBe('Place/State');
    expect(editableFor(among(['Status', 'Place']), 'status', clock)).toBeUndefined();
    expect(editableFor(among([]), 'edit', clock)).toBeUndefined();
  });
});

it('Columns with the same name are distinguished by the complex value that they are a part of', () => {
  const Part = { $Kind: 'ComplexType', Status: { $Nullable: true }, Shelf: { $Nullable: true } };
  const Item = {
    $Kind: 'EntityType',
    $Key: ['Id'],
    Id: { $Type: 'Edm.Int64' },
    Status: { $Nullable: true },
    Approval: { $Type: 'Shop.Part' },
  };
  const model = compileModel({ $Version: '4.01', Shop: { Part, Item } }, 'en');
  const labels = possibleColumns(model, typeNamed(model, 'Shop.Item')).map(({ label }) => label);
  expect(labels).toEqual(['Id', 'Status', 'Approval: Status', 'Shelf']);
});

it('The text of a code has the label of the code, by which people know it', () => {
  const Code = {
    $Kind: 'ComplexType',
    Text: { '@Core.IsLanguageDependent': true },
    Value: { $Type: 'Edm.Int64' },
  };
  const Item = { $Kind: 'EntityType', $Key: ['Id'], Id: {}, Mood: { $Type: 'Shop.Code' } };
  const model = compileModel({ $Version: '4.01', Shop: { Code, Item } }, 'en');
  const type = typeNamed(model, 'Shop.Item');
  const labels = ['Mood', 'Mood/Text', 'Mood/Value'].map(
    (path) => columnAt(model, type, path)?.label,
  );
  expect(labels).toEqual(['Mood', 'Mood', 'Value']);
});

it('The name of a file is shown without characters that disguise its type', () => {
  expect(fileName({ FileName: 'a\u202Egpj.exe' })).toBe('a_gpj.exe');
  expect(fileName({ FileName: 'Übersicht (عرض) 1.pdf' })).toBe('Übersicht (عرض) 1.pdf');
});
