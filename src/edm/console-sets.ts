// This file declares the administrative sets of the console: saved views and dashboards, which accounts own and share. A view may be shared
// with a group of people if the model has one (Docket.Recipient with Members).
import {
  about,
  COMPUTED,
  FLAG,
  INDEXED,
  INSTANT,
  KEYED,
  many,
  OPTIONAL,
  text,
} from './engine-schema.ts';
import type { EntityType, ModelDefinition, QualifiedName } from './model.ts';
import type { JsonObject } from './value/lossless-json.ts';

export const CONSOLE_VIEW_TYPE = 'Docket.System.ConsoleView';
export const CONSOLE_DASHBOARD_TYPE = 'Docket.System.ConsoleDashboard';
export const CONSOLE_TILE_TYPE = 'Docket.System.ConsoleTile';
/** The contained collection of a dashboard. */
export const TILES = 'Tiles';

/** The tables of the sets. */
export const CONSOLE_TABLES = {
  [CONSOLE_VIEW_TYPE]: 'docket:consoleview',
  [CONSOLE_DASHBOARD_TYPE]: 'docket:consoledashboard',
} as const;

/** Who sees a view or dashboard besides its owner. */
const SCOPES = ['own', 'workgroup', 'role', 'everybody'] as const;

/** A set whose entities are groups of people, by which views are shared. */
interface GroupSet {
  readonly set: string;
  readonly type: QualifiedName;
}

const UNLIMITED = { $Nullable: true };

/** The types. */
export function consoleTypes(definition: ModelDefinition, role: QualifiedName): JsonObject {
  const shared = sharedMembers(groupSet(definition), role);
  return {
    ConsoleView: {
      ...KEYED,
      ...about('A list of the console that an account has saved'),
      EntitySet: { ...text(128, 'The set whose entities the list shows'), ...INDEXED },
      Name: { ...text(128, 'Null for a view that only its URL refers to'), ...OPTIONAL },
      Query: {
        ...UNLIMITED,
        ...about('System query options, as in a URL after the question mark'),
      },
      Layout: { ...UNLIMITED, ...about('Columns and what else the console keeps, as JSON') },
      ...shared,
    },
    ConsoleDashboard: {
      ...KEYED,
      ...about('A page of the console with charts that an account has made'),
      Name: text(128),
      Layout: { ...UNLIMITED, ...about('What the console keeps, as JSON') },
      ...shared,
      [TILES]: many('ConsoleTile', { $ContainsTarget: true, $Partner: 'Dashboard' }),
    },
    ConsoleTile: {
      ...KEYED,
      ...about('A chart or number of a dashboard'),
      Title: text(128),
      Kind: text(32, 'How it is shown, such as "number" or "bar"'),
      EntitySet: text(128, 'The set that it counts'),
      Filter: { ...UNLIMITED, ...about('Condition on the entities, in $filter syntax') },
      Apply: { ...UNLIMITED, ...about('How they are aggregated, in $apply syntax') },
      Axes: { ...UNLIMITED, ...about('What the console shows where, as JSON') },
      Layout: { ...UNLIMITED, ...about('Size and what else the console keeps, as JSON') },
      Position: { $Type: 'Edm.Int32', ...OPTIONAL },
      Dashboard: {
        $Kind: 'NavigationProperty',
        $Type: CONSOLE_DASHBOARD_TYPE,
        $Partner: TILES,
      },
    },
  };
}

function sharedMembers(group: GroupSet | undefined, role: QualifiedName): JsonObject {
  const scopes = SCOPES.filter((scope) => scope !== 'workgroup' || group !== undefined);
  return {
    Scope: {
      ...text(16, `Who sees it besides the owner: ${scopes.join(', ')}`),
      $DefaultValue: 'own',
      '@Validation.Pattern': `^(${scopes.join('|')})$`,
      '@Validation.Pattern@Core.Description': scopes.join(', '),
    },
    Owner: {
      ...text(128, 'Login name of the account that has made it'),
      ...COMPUTED,
      ...INDEXED,
      '@Docket.Generated': { By: 'creator' },
    },
    ...(group === undefined ? {} : { Workgroup: sharedWith(group.type) }),
    Role: sharedWith(role),
    IsDefault: {
      ...FLAG,
      $DefaultValue: false,
      ...about('Whether the console opens it unasked, for those who have no default of their own'),
    },
    Position: { $Type: 'Edm.Int32', ...OPTIONAL },
    Created: { ...INSTANT, '@Docket.Generated': { By: 'created' } },
    Modified: { ...INSTANT, '@Docket.Generated': { By: 'modified' } },
  };
}

function sharedWith(type: QualifiedName): JsonObject {
  return {
    $Kind: 'NavigationProperty',
    $Type: type,
    $Nullable: true,
    '@Docket.OnDelete': 'set-null',
  };
}

/** The sets with their singular names. */
export function consoleSets(
  definition: ModelDefinition,
): readonly (readonly [string, string, JsonObject])[] {
  const group = groupSet(definition);
  const set = (type: QualifiedName) => ({
    $Type: type,
    '@Docket.Grantable': true,
    $NavigationPropertyBinding: {
      Role: 'Roles',
      ...(group === undefined ? {} : { Workgroup: group.set }),
    },
  });
  return [
    ['ConsoleViews', 'ConsoleView', set(CONSOLE_VIEW_TYPE)],
    ['ConsoleDashboards', 'ConsoleDashboard', set(CONSOLE_DASHBOARD_TYPE)],
  ];
}

/** The first set of groups whose members are the persons of accounts. */
function groupSet({ sets, types }: ModelDefinition): GroupSet | undefined {
  const entities = new Map(
    types.flatMap((type) => (type.kind === 'entity' ? [[type.name, type] as const] : [])),
  );
  const accounts = entities.get(sets.find(({ name }) => name === 'Accounts')?.type ?? '');
  const person = targetOf(accounts, 'Person');
  if (person === undefined) return undefined;
  const found = sets.find(({ kind, type }) => {
    const group = entities.get(type);
    const members = group?.recipient?.members;
    return kind === 'set' && members !== undefined && targetOf(group, members) === person;
  });
  return found && { set: found.name, type: found.type };
}

function targetOf(type: EntityType | undefined, name: string): QualifiedName | undefined {
  const member = type?.members.find((one) => one.name === name);
  return member?.kind === 'navigation' ? member.target : undefined;
}
