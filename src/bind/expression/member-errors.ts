// This file tells what is wrong with a step of a path: the faults of member.ts, with the nearest name and what to write instead.
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { StructuredType } from '../../edm/model.ts';
import { adviceForWord } from '../../request/expression/syntax-hints.ts';
import type * as Tree from '../../request/tree.ts';
import { shownNames } from '../apply/derived-columns.ts';
import { hintAt } from '../names.ts';
import { type Frame, placeOf, type Reached, whereOf } from '../scope.ts';
import { collectionOf, reachedType } from './collection.ts';

/** A name that the type does not have. */
export function unknownProperty(frame: Frame, type: StructuredType, step: Tree.NameStep): Fault {
  const { model } = frame.session.scope;
  const names = [...model.members(type).keys(), ...frame.variables.keys()];
  const inherited = model
    .derived(type)
    .find((derived) => derived.members.some((member) => member.name === step.name));
  const hint =
    inherited === undefined
      ? hintAt(model, type, step.name, names) || adviceAtStart(frame, type, step.name)
      : ` Write ${inherited.name}/${step.name}, because only that type has it.`;
  return new Fault(
    'bind.unknown-property',
    { type: type.name, name: step.name, hint, place: placeOf(frame, step.at) },
    whereOf(frame, step.at),
  );
}

/** What a word may be where an expression begins with it; what is ordered, grouped or aggregated is no text. */
function adviceAtStart(frame: Frame, type: StructuredType, name: string): string {
  const subject = frame.current?.reached;
  const isFirst = subject?.kind === 'row' && subject.type === type;
  const isPath = frame.part.name === 'orderby' || frame.spread !== undefined;
  return isFirst && !isPath ? adviceForWord(name) : '';
}

/** A name that a row of $apply does not have. */
export function unknownColumn(
  frame: Frame,
  reached: Reached & { readonly kind: 'derived' },
  at: number,
  name: string,
): Fault {
  const columns = shownNames(reached.row);
  const list = columns.slice(0, 10).join(', ');
  return new Fault(
    'bind.aggregated-away',
    {
      name: name === '' ? reached.prefix : name,
      columns: columns.length > 10 ? `${list}, …` : list,
      hint: didYouMean(name, columns),
      place: placeOf(frame, at),
    },
    whereOf(frame, at),
  );
}

/** Nothing goes on from what was reached. */
export function notAPath(frame: Frame, reached: Reached, name: string, at: number): Fault {
  const isMany = collectionOf(frame, reached) !== undefined;
  return isMany
    ? new Fault(
        'bind.collection',
        {
          thing: `What stands before "${name}"`,
          type: itemTypeName(reached),
          instead: `ask of its items, such as any(x:x/${name} …)`,
          place: placeOf(frame, at),
        },
        whereOf(frame, at),
      )
    : new Fault(
        'bind.not-a-path',
        {
          thing: `What stands before "${name}"`,
          type: reachedType(reached),
          name,
          place: placeOf(frame, at),
        },
        whereOf(frame, at),
      );
}

/** The type of a collection's items. */
export function itemTypeName(reached: Reached): string {
  return reachedType(reached).replace(/^Collection\((.*)\)$/, '$1');
}
