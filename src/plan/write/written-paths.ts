// This file finds out which members of which rows the steps of a write change.
import { type Model, pathName } from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import type { Register, Steps, StoredValue, WriteStep } from '../write-plan.ts';

/** What the steps write to a row. */
export interface Written {
  readonly paths: Set<string>;
  isNew: boolean;
  /** Position of the entity in the body. */
  target?: string | undefined;
}

/** What the steps write, by row. */
export function collectWritten(model: Model, steps: Steps, written = new Map<string, Written>()) {
  for (const step of steps) {
    if (step.kind === 'branch') {
      collectWritten(model, step.there, written);
      collectWritten(model, step.absent, written);
    }
    if (step.kind === 'each') collectWritten(model, step.steps, written);
    for (const { row, paths, isNew, target } of changesOf(model, step)) {
      const known = written.get(row.name) ?? { paths: new Set(), isNew: false };
      for (const path of paths) known.paths.add(path);
      known.isNew ||= isNew === true;
      known.target ??= target;
      written.set(row.name, known);
    }
  }
  return written;
}

/** A row that a step changes, and the paths of the members that it changes there. */
interface Change {
  readonly row: Register;
  readonly paths: readonly string[];
  readonly isNew?: boolean;
  /** Position of the entity in the body. */
  readonly target?: string | undefined;
}

export function changesOf(model: Model, step: WriteStep): readonly Change[] {
  switch (step.kind) {
    case 'insert':
      return [
        { row: step.into, paths: step.values.map(pathOf), isNew: true, target: step.target },
        ...changesOfOwner(step),
      ];
    case 'update':
      return [{ row: step.row, paths: step.values.map(pathOf), target: step.target }];
    case 'link': {
      const own = { row: step.row, paths: [pathName([...step.path, step.navigation])] };
      const partners = partnersOf(model, step.navigation).map(({ name }) => name);
      return step.to === undefined ? [own] : [own, { row: step.to, paths: partners }];
    }
    default:
      return [];
  }
}

/** A new contained row changes the collection of its owner. */
function changesOfOwner({ into, parent }: Extract<WriteStep, { kind: 'insert' }>): Change[] {
  const { navigation } = into.source;
  return parent === undefined || navigation === undefined
    ? []
    : [{ row: parent, paths: [navigation.name] }];
}

function pathOf(value: StoredValue): string {
  return value.kind === 'reference' ? value.navigation.name : pathName(value.path);
}
