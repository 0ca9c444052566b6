// This file resolves the step after `$root` in expressions: an entity set, an entity, a singleton, or a function import.
// OData 4.01 URL Conventions, "$root".
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { setSource } from '../../edm/source.ts';
import type * as Tree from '../../request/tree.ts';
import { rejectSecondKey } from '../path/key-predicate.ts';
import { addressedRow, allRows, type Frame, faultAt, type Resolved } from '../scope.ts';
import { rowByKey } from './member.ts';
import { callFunction } from './operation-call.ts';

/** The first step after `$root`. Throws: bind.unknown-set, bind.key, and the codes of callFunction. */
export function stepFromRoot(frame: Frame, step: Tree.PathStep | undefined): Resolved {
  if (step?.kind !== 'name') throw unknownSet(frame, step?.at ?? 0, step?.kind ?? '');
  const { model } = frame;
  const set = model.sets.get(step.name) ?? singularSet(frame, step);
  if (set !== undefined) {
    const rows = allRows(frame.session, setSource(model, set.name));
    const keyed = { row: rows.row, type: rows.row.type };
    const isSingleton = set.kind === 'singleton';
    rejectSecondKey(frame, keyed, isSingleton ? { key: step.arguments } : step);
    if (isSingleton) return addressedRow(rows);
    return step.arguments === undefined
      ? { kind: 'rows', rows }
      : rowByKey(frame, rows, step.arguments);
  }
  const imported = model.imports.get(step.name);
  if (imported?.kind !== 'function-import') throw unknownSet(frame, step.at, step.name);
  const { at } = step;
  const name = imported.operation;
  const result = callFunction(frame, { name, at, arguments: step.arguments, binding: undefined });
  if (step.key === undefined || result.kind !== 'rows') return result;
  return rowByKey(frame, result.rows, step.key);
}

/** The set of a singular alias, which addresses one entity. */
function singularSet(frame: Frame, step: Tree.NameStep) {
  return step.arguments === undefined ? undefined : frame.model.singulars.get(step.name);
}

function unknownSet(frame: Frame, at: number, name: string): Fault {
  const hint = didYouMean(name, frame.model.sets.keys());
  return faultAt(frame, at, 'bind.unknown-set', { name, hint });
}
