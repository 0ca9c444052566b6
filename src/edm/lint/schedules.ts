// This file checks schedules (`Docket.Schedule`) and the functions that calculate with them (`Docket.Calculates`): whether the members
// exist, and whether they, the parameters and the results have suitable types.
import type { Calculation } from '../clocks/clock-rules.ts';
import {
  type EntityType,
  entityType,
  lineage,
  type Member,
  type Model,
  type Operation,
  type Parameter,
  type QualifiedName,
} from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';

const WHOLE_NUMBERS = ['Edm.Byte', 'Edm.SByte', 'Edm.Int16', 'Edm.Int32', 'Edm.Int64'];
const TIME = ['Edm.TimeOfDay'];
const INSTANT = ['Edm.DateTimeOffset'];
const DURATION = ['Edm.Duration'];

/** The types of the parameters after the binding parameter, and of the result. */
const SIGNATURES: Readonly<
  Record<Calculation, { readonly takes: readonly string[][]; readonly returns: readonly string[] }>
> = {
  'working-time': { takes: [INSTANT, INSTANT], returns: DURATION },
  'add-working-time': { takes: [INSTANT, DURATION], returns: INSTANT },
  'add-working-days': { takes: [INSTANT, WHOLE_NUMBERS], returns: INSTANT },
  'next-opening': { takes: [INSTANT], returns: INSTANT },
};

export function lintSchedule(model: Model, type: EntityType): readonly Mistake[] {
  const { schedule } = type;
  if (schedule === undefined) return [];
  const path = elementPath(type.name, '@Docket.Schedule');
  const { timeZone, windows, holidays } = schedule;
  const window = rowsAt(model, type, windows.rows);
  const holiday = holidays && rowsAt(model, type, holidays.rows);
  return [
    ...lintMember(model, type, timeZone, ['Edm.String'], path),
    ...(window === undefined ? [notRows(path, windows.rows)] : []),
    ...(holidays !== undefined && holiday === undefined ? [notRows(path, holidays.rows)] : []),
    ...lintMember(model, window, windows.weekday, WHOLE_NUMBERS, path),
    ...[windows.from, windows.to, holidays?.from, holidays?.to].flatMap((name, index) =>
      lintMember(model, index < 2 ? window : holiday, name, TIME, path),
    ),
    ...lintMember(model, holiday, holidays?.date, ['Edm.Date'], path),
    ...lintMember(model, holiday, holidays?.open, ['Edm.Boolean'], path),
    ...[holidays?.name, holidays?.source].flatMap((name) =>
      lintMember(model, holiday, name, ['Edm.String'], path),
    ),
    ...lintMember(model, holiday, holidays?.sequence, WHOLE_NUMBERS, path),
  ];
}

/** The type at the end of a path of navigations to collections. */
function rowsAt(model: Model, type: EntityType, path: string): EntityType | undefined {
  return path.split('/').reduce<EntityType | undefined>((owner, name) => {
    const member = owner && model.members(owner).get(name);
    return member?.kind === 'navigation' && member.collection
      ? entityType(model, member.target)
      : undefined;
  }, type);
}

function notRows(path: string, rows: string): Mistake {
  const message = `${rows} is not a path of collection-valued navigations.`;
  return mistake(path, message, 'Name navigation properties, such as Calendars/Holidays.');
}

function lintMember(
  model: Model,
  type: EntityType | undefined,
  name: string | undefined,
  types: readonly string[],
  path: string,
): readonly Mistake[] {
  if (type === undefined || name === undefined) return [];
  const member = model.members(type).get(name);
  if (member === undefined)
    return [
      missing(path, `the property ${name} of ${type.name}`, name, model.members(type).keys()),
    ];
  return mistakeIf(!isOneOf(member, types), () =>
    mistake(path, `${name} is not of type ${types.join(' or ')}.`, 'Name another property.'),
  );
}

function isOneOf(member: Member, types: readonly QualifiedName[]): boolean {
  return member.kind === 'property' && !member.collection && types.includes(member.type);
}

export function lintCalculation(model: Model, operation: Operation): readonly Mistake[] {
  const { calculates, kind, name, bound, parameters, returns, expression } = operation;
  if (calculates === undefined) return [];
  const path = elementPath(name, '@Docket.Calculates');
  const [binding, ...own] = parameters;
  if (kind !== 'function' || !bound || !isSchedule(model, binding)) {
    const remedy = 'Make it a function that is bound to one entity with @Docket.Schedule.';
    return [mistake(path, `${name} is not a function of a schedule.`, remedy)];
  }
  const { takes, returns: result } = SIGNATURES[calculates];
  const fits =
    own.length === takes.length &&
    own.every(({ type, collection }, index) => takes[index]?.includes(type) && !collection) &&
    returns !== undefined &&
    result.includes(returns.type) &&
    !returns.collection;
  const taken = takes.map(([first, ...others]) => (others.length > 0 ? 'an integer' : first));
  const message = `${name} does not have the parameters and the result of ${calculates}.`;
  const remedy = `Take ${taken.join(' and ')}, and return ${result.join()}.`;
  return [
    ...mistakeIf(!fits, () => mistake(path, message, remedy)),
    ...mistakeIf(expression !== undefined, () =>
      mistake(path, `${name} has an expression, too.`, 'Remove @Docket.Expression.'),
    ),
  ];
}

function isSchedule(model: Model, binding: Parameter | undefined): boolean {
  const type = binding?.collection === false ? model.types.get(binding.type) : undefined;
  if (type?.kind !== 'entity') return false;
  return lineage(type, model.types).some((one) => one.kind === 'entity' && one.schedule);
}
