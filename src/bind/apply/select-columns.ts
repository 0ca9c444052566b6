import { didYouMean } from '../../base/nearest-name.ts';
import type * as Tree from '../../request/tree.ts';
import type { SelectedItem, Selection } from '../bound.ts';
import { type Level, optionFrame } from '../query/option-scope.ts';
import { type DerivedRow, faultAt } from '../scope.ts';
import { visibleNames } from './derived-columns.ts';

/** Throws: bind.aggregated-away for names that the row does not have. */
export function bindColumnSelect(
  level: Level,
  row: DerivedRow,
  items: readonly Tree.SelectItem[],
  computed: ReadonlySet<string>,
): Selection {
  const frame = optionFrame(level, 'select', undefined);
  const columns = [...visibleNames(row), ...computed];
  const named = items.flatMap((item): readonly SelectedItem[] => {
    if (item.kind === 'star') return [];
    const name = item.kind === 'operations' ? `${item.namespace}.*` : stepNames(item).join('/');
    if (columns.some((column) => column === name || column.startsWith(`${name}/`))) {
      return [{ kind: 'named', name }];
    }
    throw faultAt(frame, item.at, 'bind.aggregated-away', {
      name,
      columns: columns.slice(0, 10).join(', '),
      hint: didYouMean(name, columns),
    });
  });
  return { all: items.some(({ kind }) => kind === 'star'), items: named };
}

/** The names in the steps of a path; annotations start with `@`. */
export function stepNames(path: Tree.SelectPath): readonly string[] {
  return path.steps.map((step) => (step.kind === 'name' ? step.name : `@${step.term}`));
}
