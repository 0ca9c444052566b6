// Shared by the files that bind query options: the context of one level of options, and the check for options that are not allowed
// there.
import {
  misplacedOption,
  NESTED_OPTIONS,
  type OptionName,
} from '../../request/options/option-names.ts';
import type * as Tree from '../../request/tree.ts';
import type { Computed, NestedRows, Query, RowVariable, Selection } from '../bound.ts';
import {
  type Frame,
  type Part,
  type Resolved,
  type Session,
  type Subject,
  startFrame,
  subjectOf,
} from '../scope.ts';

/** A level of options: the outermost one, or one in parentheses after an item of $expand or $select. */
export interface Level {
  readonly session: Session;
  readonly aliases: ReadonlyMap<string, Tree.Expression>;
  /** The row of the outermost level, which `$it` refers to on every level; undefined on the outermost level itself. */
  readonly it: Subject | undefined;
  /** The outermost option, to which positions in errors refer; undefined on the outermost level, where it is the option itself. */
  readonly part: Part | undefined;
  /** 0 for the outermost level. */
  readonly depth: number;
  /** Expansions of the whole request so far. */
  readonly expansions: { count: number };
}

export function outermostLevel(
  session: Session,
  aliases: ReadonlyMap<string, Tree.Expression>,
): Level {
  return { session, aliases, it: undefined, part: undefined, depth: 0, expansions: { count: 0 } };
}

/** The level of options in parentheses. Its aliases are added to those of the outer levels. */
export function innerLevel(level: Level, frame: Frame, options: Tree.NestedOptions): Level {
  const { aliases } = options;
  return {
    ...level,
    it: frame.it,
    part: frame.part,
    depth: level.depth + 1,
    aliases: aliases.size === 0 ? level.aliases : new Map([...level.aliases, ...aliases]),
  };
}

/** The frame for the expressions of one option. */
export function optionFrame(level: Level, option: OptionName, subject: Subject | undefined): Frame {
  const part = level.part ?? { name: option, target: `$${option}` };
  const frame = startFrame(level.session, part, subject);
  return { ...frame, it: level.it ?? subject, aliases: level.aliases };
}

/** Throws: request.misplaced-option for the first option that is not allowed. `place` is text such as `on a single entity`. */
export function rejectOtherOptions(
  options: Tree.NestedOptions,
  allowed: readonly OptionName[],
  place: string,
): void {
  for (const name of NESTED_OPTIONS) {
    if (options[name] !== undefined && !allowed.includes(name)) {
      throw misplacedOption(name, place, allowed);
    }
  }
}

/** All declared properties: the selection without $select. */
export const EVERYTHING: Selection = { all: true, items: [] };

/** The computed and dynamic properties in a selection. */
export function namedItems({ items }: Pick<Selection, 'items'>): readonly string[] {
  return items.flatMap((item) => (item.kind === 'named' ? [item.name] : []));
}

/** Whether the selection has the computed or dynamic property. */
export function selectsName(selection: Selection, name: string): boolean {
  return (
    selection.all || selection.items.some((item) => item.kind === 'named' && item.name === name)
  );
}

/** A query without options. */
export function plainQuery(row: RowVariable): Query {
  return {
    row,
    apply: [],
    compute: [],
    orderby: [],
    count: false,
    selection: EVERYTHING,
    expansions: [],
    streams: [],
  };
}

/** The row with its computed properties, as expressions see it. */
export function subjectWith(
  resolved: Resolved,
  computed: readonly Computed[],
  nested?: readonly NestedRows[],
): Subject {
  const subject = subjectOf(resolved, new Map(computed.map((one) => [one.name, one])));
  return nested === undefined ? subject : { ...subject, nested };
}
