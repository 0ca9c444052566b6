// This file defines `Docket.Clocks`, the annotation of entities whose service level is calculated, as a shape from which its type, its
// reader and its vocabulary follow. docs/service-levels.md describes the members.

/** A member of a record: required and optional texts, numbers, lists, and records of a shape; `some` is a list that may be absent. */
export type MemberShape =
  | 'text'
  | 'text?'
  | 'texts'
  | 'texts?'
  | 'number'
  | 'numbers?'
  | 'flag?'
  | { readonly one: Shape }
  | { readonly optional: Shape }
  | { readonly many: Shape }
  | { readonly some: Shape };

export type Shape = { readonly [name: string]: MemberShape };

export type Shaped<Of extends Shape> = {
  readonly [Name in keyof Of as Uncapitalize<Name & string>]: ShapedMember<Of[Name]>;
};

type ShapedMember<Member extends MemberShape> = Member extends 'text'
  ? string
  : Member extends 'text?'
    ? string | undefined
    : Member extends 'texts'
      ? readonly string[]
      : Member extends 'texts?'
        ? readonly string[] | undefined
        : Member extends 'number'
          ? number
          : Member extends 'numbers?'
            ? readonly number[] | undefined
            : Member extends 'flag?'
              ? boolean | undefined
              : Member extends { readonly one: infer Inner extends Shape }
                ? Shaped<Inner>
                : Member extends { readonly optional: infer Inner extends Shape }
                  ? Shaped<Inner> | undefined
                  : Member extends
                        | { readonly many: infer Inner extends Shape }
                        | { readonly some: infer Inner extends Shape }
                    ? readonly Shaped<Inner>[]
                    : never;

/** How an agreement is chosen. Each group of `Match` ranks before the next, and so does each alternative of a group. */
const AGREEMENT = {
  From: 'text',
  Where: 'text?',
  ValidFrom: 'text?',
  ValidUntil: 'text?',
  Match: { many: { Alternatives: { many: { Of: 'text', Is: 'text', Parent: 'text?' } } } },
  Order: 'text?',
  Level: 'text',
} as const satisfies Shape;

const LEVEL = {
  From: 'text',
  Default: 'text',
  Schedule: 'text',
  Targets: 'text',
  Impact: 'text',
  Priority: 'text',
} as const satisfies Shape;

const PRIORITY = {
  Member: 'text',
  Manual: 'text',
  Impact: 'text',
  Otherwise: 'text?',
  RaisedIf: 'text?',
} as const satisfies Shape;

const CLOCK = {
  Name: 'text',
  Target: 'text',
  Deadline: 'text',
  Manual: 'text?',
  PausedIn: 'texts?',
  StoppedIn: 'texts',
  CancelledIn: 'texts?',
  StoppedIf: 'text?',
  Reopens: 'flag?',
  Marks: 'numbers?',
  State: 'text',
  Outcome: 'text',
  StoppedAt: 'text?',
  Mark: 'text?',
  PausedTotal: 'text?',
  Elapsed: 'text?',
  Remaining: 'text?',
  CopiedTo: 'text?',
} as const satisfies Shape;

/** A time that comes some working days after the entity has got one of the statuses; null in other statuses. */
const TIMER = { Member: 'text', In: 'texts', WorkingDays: 'number' } as const satisfies Shape;

export const CLOCKS = {
  Status: 'text',
  Start: 'text',
  Agreement: { optional: AGREEMENT },
  Level: { one: LEVEL },
  Priority: { one: PRIORITY },
  Clocks: { many: CLOCK },
  Timers: { some: TIMER },
  Record: 'text',
  NextMark: 'text',
  OutdatedSince: 'text',
  State: 'text?',
  ChosenAgreement: 'text?',
  ChosenLevel: 'text?',
} as const satisfies Shape;

/** The symbols of the codes with which states and outcomes of clocks are written. */
export const CLOCK_SYMBOLS = [
  'RUNNING',
  'PAUSED',
  'STOPPED',
  'MET',
  'BREACHED',
  'CANCELLED',
] as const;
export type ClockSymbol = (typeof CLOCK_SYMBOLS)[number];

export type ClockRules = Shaped<typeof CLOCKS>;
export type ClockRule = ClockRules['clocks'][number];
export type AgreementRules = Shaped<typeof AGREEMENT>;
export type LevelRules = Shaped<typeof LEVEL>;

/**
 * Calculations in the working time of a schedule: the time between two instants, the instant at which a duration has passed, the same
 * local time so many working days later, and the next instant that is open.
 */
export type Calculation = 'working-time' | 'add-working-time' | 'add-working-days' | 'next-opening';
