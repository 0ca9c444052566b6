// This file creates the errors for steps of a path, with suggestions.
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { StructuredType } from '../../edm/model.ts';
import { adviceForWord } from '../../request/expression/syntax-hints.ts';
import type * as Tree from '../../request/tree.ts';
import { visibleNames } from '../apply/derived-columns.ts';
import { hintAt } from '../names.ts';
import { type Frame, faultAt, type Resolved } from '../scope.ts';
import { collectionOf, resolvedTypeName } from './collection.ts';
import { castHint } from './name-suggestions.ts';

/** The error for a name that the type does not have. */
export function unknownProperty(frame: Frame, type: StructuredType, step: Tree.NameStep): Fault {
  const names = [...frame.model.members(type).keys(), ...frame.variables.keys()];
  const hint =
    castHint(frame.model, type, step.name) ||
    hintAt(frame.model, type, step.name, names) ||
    adviceAtStart(frame, type, step.name);
  return faultAt(frame, step.at, 'bind.unknown-property', {
    type: type.name,
    name: step.name,
    hint,
  });
}

/** Advice for a word at the start of an expression, such as missing quotes. Options that take paths cannot contain text. */
function adviceAtStart(frame: Frame, type: StructuredType, name: string): string {
  const subject = frame.current?.resolved;
  const isFirst = subject?.kind === 'row' && subject.type === type;
  const isPath = frame.part.name === 'orderby' || frame.pathCollections !== undefined;
  return isFirst && !isPath ? adviceForWord(name) : '';
}

/** The error for a name that a row produced by $apply does not have. */
export function unknownColumn(
  frame: Frame,
  resolved: Resolved & { readonly kind: 'derived' },
  at: number,
  name: string,
): Fault {
  const columns = visibleNames(resolved.row);
  const list = columns.slice(0, 10).join(', ');
  return faultAt(frame, at, 'bind.aggregated-away', {
    name: name === '' ? resolved.prefix : name,
    columns: columns.length > 10 ? `${list}, …` : list,
    hint: didYouMean(name, columns) || adviceBeforeApply(frame),
  });
}

/** Advice for conditions on rows that $apply has replaced by others. */
function adviceBeforeApply({ part }: Frame): string {
  return part.name === 'filter' ? ' To choose the rows before, use $apply=filter(…)/….' : '';
}

/** The error for a step after something that has no members. */
export function notAPath(frame: Frame, resolved: Resolved, name: string, at: number): Fault {
  const isMany = collectionOf(frame, resolved) !== undefined;
  return isMany
    ? faultAt(frame, at, 'bind.collection', {
        thing: `The path before "${name}"`,
        type: itemTypeName(resolved),
        instead: `test its items, for example with any(x:x/${name} …)`,
      })
    : faultAt(frame, at, 'bind.not-a-path', {
        thing: `The path before "${name}"`,
        type: resolvedTypeName(resolved),
        name,
      });
}

/** The type name of the items of a collection, for messages. */
export function itemTypeName(resolved: Resolved): string {
  return resolvedTypeName(resolved).replace(/^Collection\((.*)\)$/, '$1');
}
