// This file adds the action ImportHolidays to the types that contain the holidays of schedules, if the model declares where imported ones keep
// their source (`Docket.Schedule`).
import {
  about,
  namespaceOf,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  withEngine,
  withSchema,
} from '../engine-schema.ts';
import type { ModelDefinition, NamedType, QualifiedName } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';
import type { HolidayMembers } from './schedule-members.ts';

const ACTION = 'ImportHolidays';

/** The names of the parameters of ImportHolidays. */
export const HOLIDAY_PARAMETERS = { content: 'Content', from: 'From', until: 'Until' } as const;

const RESULT_TYPE = `${SYSTEM_NAMESPACE}.HolidayImport`;

const count = (text: string) => ({ $Type: 'Edm.Int32', ...about(text) });

const TYPES = {
  HolidayImport: {
    $Kind: 'ComplexType',
    ...about('What an import of holidays has changed'),
    Events: count('Events of the file, by UID'),
    Created: count('Holidays that were added'),
    Changed: count('Holidays with another name or source'),
    Deleted: count('Holidays that their event no longer has'),
    Unchanged: count('Holidays that were there already'),
    Outdated: count('Events of which a later version was imported before'),
  },
} satisfies JsonObject;

/** A type with the holidays of schedules: their collection, and their members. */
export interface HolidayOwner {
  readonly type: QualifiedName;
  readonly collection: string;
  readonly members: HolidayMembers;
}

/** The types into which holidays can be imported. */
export function holidayOwners(types: readonly NamedType[]): readonly HolidayOwner[] {
  const owners = types.flatMap((type) => {
    const members = type.kind === 'entity' ? type.schedule?.holidays : undefined;
    if (type.kind !== 'entity' || members?.source === undefined) return [];
    const [collection = '', ...path] = members.rows.split('/').reverse();
    const owner = path.reduceRight<string | undefined>(
      (name, step) => targetOf(types, name, step),
      type.name,
    );
    return owner === undefined ? [] : [{ type: owner, collection, members }];
  });
  return owners.filter(({ type }, index) => owners.findIndex((one) => one.type === type) === index);
}

function targetOf(
  types: readonly NamedType[],
  name: string | undefined,
  step: string,
): string | undefined {
  const type = types.find((one) => one.name === name);
  if (type?.kind !== 'entity') return undefined;
  const member = type.members.find((one) => one.name === step);
  if (member?.kind === 'navigation') return member.target;
  return targetOf(types, type.base, step);
}

/** Adds the action; none without such types. */
export function withHolidayImport(definition: ModelDefinition): ModelDefinition {
  const owners = holidayOwners(definition.types);
  if (owners.length === 0) return definition;
  return withEngine('import-holidays', withSchema(definition, { elements: TYPES }), {
    elements: { [ACTION]: owners.map(({ type }) => action(type)) },
    namespace: namespaceOf(definition, ACTION),
  });
}

function action(type: string): JsonObject {
  const { content, from, until } = HOLIDAY_PARAMETERS;
  const date = { $Type: 'Edm.Date', ...OPTIONAL, '@Core.OptionalParameter': {} };
  return {
    $Kind: 'Action',
    $IsBound: true,
    $Parameter: [
      { $Name: 'it', $Type: type },
      { $Name: content, ...about('The text of an iCalendar file') },
      { $Name: from, ...date, ...about('The first day; by default that of this year') },
      { $Name: until, ...date, ...about('The last day; by default that of the fifth year') },
    ],
    $ReturnType: { $Type: RESULT_TYPE },
    ...about('Adds the days of an iCalendar file, and updates those of the same events'),
  };
}
