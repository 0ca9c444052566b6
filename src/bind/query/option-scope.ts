// This file holds what the files about query options share: the surroundings in which the options of one level are bound, and the
// refusal of options that have no meaning where they stand.
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
  type Reached,
  type Session,
  type Subject,
  startFrame,
  subjectOf,
} from '../scope.ts';

/** Where options stand: at the outermost level, or in parentheses behind an item of $expand or $select. */
export interface Level {
  readonly session: Session;
  readonly aliases: ReadonlyMap<string, Tree.Expression>;
  /** The row of the outermost level, which `$it` means everywhere; undefined at that level itself. */
  readonly it: Subject | undefined;
  /** The outermost option in whose text positions count; undefined at the outermost level, where it is the option itself. */
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

/** The level of options in parentheses. Aliases given there are added to those outside. */
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

/** The frame in which the expressions of one option are bound. */
export function optionFrame(level: Level, option: OptionName, subject: Subject | undefined): Frame {
  const part = level.part ?? { name: option, target: `$${option}` };
  const frame = startFrame(level.session, part, subject);
  return { ...frame, it: level.it ?? subject, aliases: level.aliases };
}

/** Faults: request.misplaced-option for the first option that is given but not allowed. `place` is such as `on a single entity`. */
export function refuseOthers(
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

/** Everything that is declared: what no $select means. */
export const EVERYTHING: Selection = { all: true, items: [] };

/** The rows as they are, where no option asks anything of them. */
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

/** What the names of computed properties stand for, in the order of their definition. */
function computedByName(computed: readonly Computed[]): ReadonlyMap<string, Computed> {
  return new Map(computed.map((one) => [one.name, one]));
}

/** The row with the computed properties, as expressions see it. */
export function subjectWith(
  reached: Reached,
  computed: readonly Computed[],
  nested?: readonly NestedRows[],
): Subject {
  const subject = subjectOf(reached, computedByName(computed));
  return nested === undefined ? subject : { ...subject, nested };
}
