// This file checks the clocks of entities (`Docket.Clocks`): whether the members exist and have suitable types. bind/ checks the expressions.
import { calculatedPaths, typeOfSet } from '../clocks/clock-members.ts';
import {
  type AgreementRules,
  CLOCK_SYMBOLS,
  type ClockRules,
  type LevelRules,
} from '../clocks/clock-rules.ts';
import {
  type EntityType,
  entityType,
  lineage,
  type Member,
  type Model,
  memberAt,
  type Operation,
  type Property,
} from '../model.ts';
import {
  elementPath,
  type Mistake,
  missing,
  mistake,
  mistakeIf,
  requireKnown,
} from '../model-error.ts';

/** What is checked of a member: its place, the type that has it, and the expected kind of member. */
interface Place {
  readonly model: Model;
  readonly type: EntityType;
  readonly path: string;
}

/** A kind of member, and whether a member is of the kind. */
type Kind = readonly [text: string, fits: (model: Model, member: Member) => boolean];

const ofType =
  (type: string): ((model: Model, member: Member) => boolean) =>
  (_, member) =>
    member.kind === 'property' && !member.collection && member.type === type;

const CODE: Kind = ['a coded property', (model, member) => isCode(model, member)];
const TEXT: Kind = ['a string', ofType('Edm.String')];
const FLAG: Kind = ['an Edm.Boolean property', ofType('Edm.Boolean')];
const NUMBER: Kind = ['an Edm.Int32 property', ofType('Edm.Int32')];
const DURATION: Kind = ['an Edm.Duration property', ofType('Edm.Duration')];
const TIME: Kind = [
  'a nullable Edm.Duration property',
  (model, member) =>
    ofType('Edm.Duration')(model, member) && member.kind === 'property' && member.nullable,
];
const INSTANT: Kind = [
  'an Edm.DateTimeOffset property with $Precision 3',
  (_, member) =>
    member.kind === 'property' &&
    member.type === 'Edm.DateTimeOffset' &&
    member.facets.precision === 3,
];
const ONE: Kind = [
  'a single navigation property',
  (_, member) => member.kind === 'navigation' && !member.collection,
];
const MANY: Kind = [
  'a collection of entities',
  (_, member) => member.kind === 'navigation' && member.collection,
];
const RELATED: Kind = ['a navigation property', (_, member) => member.kind === 'navigation'];

function isCode(model: Model, member: Member): boolean {
  const type = member.kind === 'property' ? model.types.get(member.type) : undefined;
  return type?.kind === 'complex' && type.coded !== undefined;
}

export function lintClocks(model: Model, type: EntityType): readonly Mistake[] {
  const { clocks: rules } = type;
  if (rules === undefined) return [];
  const path = elementPath(type.name, '@Docket.Clocks');
  const place = { model, type, path };
  const found = [
    ...lintMembers(place, membersOf(rules)),
    ...lintKey(place, type),
    ...lintLevel(place, rules.level, rules),
    ...(rules.agreement === undefined ? [] : lintAgreement(place, rules.agreement)),
    ...mistakeIf(rules.clocks.length === 0, () =>
      mistake(path, 'There are no clocks.', 'Add one to Clocks.'),
    ),
  ];
  return found.length > 0 ? found : [...lintSymbols(place, rules), ...lintSetters(place, rules)];
}

function membersOf(rules: ClockRules): readonly (readonly [string | undefined, Kind])[] {
  const { status, priority, record, nextMark, outdatedSince, state } = rules;
  return [
    [status, CODE],
    [priority.member, CODE],
    [priority.manual, FLAG],
    [priority.impact, CODE],
    [record, TEXT],
    [nextMark, INSTANT],
    [outdatedSince, INSTANT],
    [state, CODE],
    [rules.chosenAgreement, ONE],
    [rules.chosenLevel, ONE],
    ...rules.timers.map(({ member }) => [member, INSTANT] as const),
    ...rules.clocks.flatMap((clock): readonly (readonly [string | undefined, Kind])[] => [
      [clock.deadline, INSTANT],
      [clock.manual, FLAG],
      [clock.copiedTo, INSTANT],
      [clock.state, CODE],
      [clock.outcome, CODE],
      [clock.stoppedAt, INSTANT],
      [clock.mark, NUMBER],
      [clock.pausedTotal, DURATION],
      [clock.elapsed, TIME],
      [clock.remaining, TIME],
    ]),
  ];
}

function lintMembers(
  { model, type, path }: Place,
  members: readonly (readonly [string | undefined, Kind])[],
): readonly Mistake[] {
  return members.flatMap(([name, [expected, fits]]) => {
    if (name === undefined) return [];
    const member = memberAt(model, type, name);
    if (member === undefined)
      return [
        missing(path, `the member ${name} of ${type.name}`, name, model.members(type).keys()),
      ];
    return mistakeIf(!fits(model, member), () =>
      mistake(path, `${name} is not ${expected}.`, 'Name another member.'),
    );
  });
}

function lintLevel(
  { model, path }: Place,
  level: LevelRules,
  { clocks }: ClockRules,
): readonly Mistake[] {
  const type = typeOfSet(model, level.from);
  if (type === undefined) return requireKnown(path, 'the set', level.from, model.sets.keys());
  const place = { model, type, path };
  const own = [
    ...lintMembers(place, [
      [level.schedule, ONE],
      [level.targets, MANY],
    ]),
    ...lintKey(place, type),
  ];
  if (own.length > 0) return own;
  const target = targetOf(model, type, level.targets);
  const schedule = targetOf(model, type, level.schedule);
  const isSchedule = lineage(schedule, model.types).some(
    (one) => one.kind === 'entity' && one.schedule,
  );
  return [
    ...lintMembers({ model, type: target, path }, [
      [level.impact, CODE],
      [level.priority, CODE],
      ...clocks.map((clock) => [clock.target, DURATION] as const),
    ]),
    ...mistakeIf(!isSchedule, () =>
      mistake(path, `${schedule.name} is not a schedule.`, 'Annotate it with @Docket.Schedule.'),
    ),
  ];
}

function lintAgreement(
  { model, type, path }: Place,
  agreement: AgreementRules,
): readonly Mistake[] {
  const from = typeOfSet(model, agreement.from);
  if (from === undefined) return requireKnown(path, 'the set', agreement.from, model.sets.keys());
  const place = { model, type: from, path };
  const whole: Kind = ['an Edm.Int32 property', ofType('Edm.Int32')];
  const instant: Kind = ['an Edm.DateTimeOffset property', ofType('Edm.DateTimeOffset')];
  const alternatives = agreement.match.flatMap(({ alternatives: all }) => all);
  return [
    ...lintMembers(place, [
      [agreement.validFrom, instant],
      [agreement.validUntil, instant],
      [agreement.order, whole],
      [agreement.level, ONE],
      ...alternatives.map(({ of }) => [of, RELATED] as const),
    ]),
    ...lintMembers(
      { model, type, path },
      alternatives.map(({ is }) => [is, ONE] as const),
    ),
    ...lintKey(place, from),
    ...alternatives.flatMap(({ is, parent }) => {
      const member = memberAt(model, type, is);
      if (member?.kind !== 'navigation') return [];
      const target = { model, type: entityType(model, member.target), path };
      return [...lintMembers(target, [[parent, ONE]]), ...lintKey(target, target.type)];
    }),
  ];
}

/** The service stores keys as they are, so that they must be those that it generates. */
function lintKey({ model, path }: Place, type: EntityType): readonly Mistake[] {
  const [part, ...others] = model.key(type);
  const property = part === undefined ? undefined : model.members(type).get(part.path);
  const isGenerated = property?.kind === 'property' && property.generated?.by === 'key';
  return mistakeIf(!isGenerated || others.length > 0, () =>
    mistake(
      path,
      `The key of ${type.name} is not generated by the service.`,
      'Use entities whose only key property has @Docket.Generated with By "key".',
    ),
  );
}

function targetOf(model: Model, type: EntityType, path: string): EntityType {
  const member = memberAt(model, type, path);
  return entityType(model, member?.kind === 'navigation' ? member.target : '');
}

/** The symbols must be those of codes. */
function lintSymbols({ model, type, path }: Place, rules: ClockRules): readonly Mistake[] {
  const symbolsOf = (member: string) => {
    const property = memberAt(model, type, member) as Property;
    const codes = model.codeLists.get(property.codeList ?? '')?.codes ?? [];
    return codes.flatMap(({ meaning }) => meaning ?? []);
  };
  const known = symbolsOf(rules.status);
  const states = rules.clocks.flatMap(({ state, outcome }) => [state, outcome]);
  const all = rules.state === undefined ? states : [rules.state, ...states];
  const named = rules.clocks.flatMap(({ pausedIn = [], stoppedIn, cancelledIn = [] }) => [
    ...pausedIn,
    ...stoppedIn,
    ...cancelledIn,
  ]);
  return [
    ...[...named, ...rules.timers.flatMap((timer) => timer.in)].flatMap((symbol) =>
      requireKnown(path, 'a status with the meaning', symbol, known),
    ),
    ...lintTimers(path, rules),
    ...lintTimes(path, rules),
    ...[...new Set(all)].flatMap((member) => {
      const lacking = CLOCK_SYMBOLS.filter((symbol) => !symbolsOf(member).includes(symbol));
      return mistakeIf(lacking.length > 0, () =>
        mistake(
          path,
          `The codes of ${member} lack the meanings ${lacking.join(', ')}.`,
          'Add codes with these meanings to its code list.',
        ),
      );
    }),
  ];
}

/** Each time of each clock has a member of its own. */
function lintTimes(path: string, { clocks }: ClockRules): readonly Mistake[] {
  const times = clocks.flatMap(({ elapsed, remaining }) => [elapsed ?? [], remaining ?? []].flat());
  return times
    .filter((member, index) => times.indexOf(member) < index)
    .map((member) => {
      const message = `${member} has the times of two clocks, or two times of one.`;
      return mistake(path, message, 'Name another member.');
    });
}

function lintTimers(path: string, { timers }: ClockRules): readonly Mistake[] {
  return timers
    .filter(({ workingDays }) => !Number.isInteger(workingDays) || workingDays < 1)
    .map(({ member }) =>
      mistake(path, `WorkingDays of ${member} is not a positive integer.`, 'Write 1 or more.'),
    );
}

/** Only the service may set what it calculates, but for the priority and for deadlines that can be manual. */
function lintSetters({ model, type, path }: Place, rules: ClockRules): readonly Mistake[] {
  const open = [
    rules.priority.member,
    ...rules.clocks.flatMap(({ deadline, manual }) => (manual ? [deadline] : [])),
  ];
  return calculatedPaths(rules).flatMap((name) => {
    const steps = name.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'));
    const isComputed = steps.some((step) => memberAt(model, type, step)?.computed === true);
    return mistakeIf(!isComputed && !open.includes(name), () =>
      mistake(
        path,
        `Clients may set ${name}.`,
        'Annotate it with @Core.Computed or @Docket.Computed.',
      ),
    );
  });
}

/** An action that calculates clocks is bound to one entity that has some. */
export function lintRecalculation(model: Model, operation: Operation): readonly Mistake[] {
  const { recalculates, kind, name, bound, parameters, effects, returns } = operation;
  if (recalculates !== true) return [];
  const [binding, ...others] = parameters;
  const type = bound && binding?.collection === false ? model.types.get(binding.type) : undefined;
  const hasClocks =
    type?.kind === 'entity' &&
    lineage(type, model.types).some((one) => one.kind === 'entity' && one.clocks !== undefined);
  const isPlain = others.length === 0 && effects === undefined && returns === undefined;
  return mistakeIf(kind !== 'action' || !hasClocks || !isPlain, () =>
    mistake(
      elementPath(name, '@Docket.Recalculates'),
      `${name} cannot calculate clocks.`,
      'Make it an action without other parameters, effects and result that is bound to one entity with @Docket.Clocks.',
    ),
  );
}
