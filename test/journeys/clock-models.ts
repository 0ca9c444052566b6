// This file makes a model with clocks that has nothing of the built-in one: repairs of bicycles, promised by the subscriptions of their owners.
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { ModelDefinition } from '../../src/edm/model.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';

const key = { $Type: 'Edm.Int64', '@Core.Computed': true, '@Docket.Generated': { By: 'key' } };
const one = (type: string) => ({
  $Kind: 'NavigationProperty',
  $Type: `Shop.${type}`,
  $Nullable: true,
});
const contained = (type: string) => ({
  $Kind: 'NavigationProperty',
  $Type: `Shop.${type}`,
  $Collection: true,
  $ContainsTarget: true,
});
const entity = (members: JsonObject) => ({
  $Kind: 'EntityType',
  $Key: ['No'],
  No: key,
  ...members,
});
const instant = { $Type: 'Edm.DateTimeOffset', $Nullable: true, $Precision: 3 };
const computed = { '@Core.Computed': true };
const code = (list: string) => ({
  $Type: 'Shop.Choice',
  $Nullable: true,
  '@Docket.CodeList': list,
});
const codes = (list: string, first: number, ...symbols: readonly string[]) => ({
  Name: list,
  Ordered: true,
  Hierarchical: false,
  Codes: symbols.map((symbol, index) => ({
    Value: first + index,
    Texts: [{ Language: 'en', Text: symbol }],
    Meaning: symbol,
  })),
});

export const REPAIR_CLOCK: JsonObject = {
  Name: 'Repair',
  Target: 'Within',
  Deadline: 'ReadyBy',
  StoppedIn: ['READY'],
  PausedIn: ['PARTS'],
  StoppedIf: 'Collected eq true',
  State: 'ClockState',
  Outcome: 'ClockOutcome',
  Elapsed: 'Passed',
  Remaining: 'Left',
};

const CLOCKS: JsonObject = {
  Status: 'Stage',
  Start: 'Brought',
  Agreement: {
    From: 'Subscriptions',
    Match: [{ Alternatives: [{ Of: 'Owner', Is: 'Owner' }] }],
    Level: 'Plan',
  },
  Level: {
    From: 'Plans',
    Default: 'Basic eq true',
    Schedule: 'Hours',
    Targets: 'Promises',
    Impact: 'Damage',
    Priority: 'Rank',
  },
  Priority: { Member: 'Rank', Manual: 'RankIsManual', Impact: 'Damage' },
  Clocks: [REPAIR_CLOCK],
  Record: 'ClockRecord',
  NextMark: 'NextMark',
  OutdatedSince: 'OutdatedSince',
};

interface Changes {
  /** Members of `Docket.Clocks`. */
  readonly clocks?: JsonObject;
  /** Members of its only clock. */
  readonly clock?: JsonObject;
  /** Members of the entity type. */
  readonly repair?: JsonObject;
}

/** The document of the model, with changes. */
function documentOf({ clocks, clock, repair }: Changes): JsonObject {
  const Repair = entity({
    '@Docket.Clocks': { ...CLOCKS, Clocks: [{ ...REPAIR_CLOCK, ...clock }], ...clocks },
    Brought: instant,
    ReadyBy: { ...instant, ...computed },
    NextMark: { ...instant, ...computed },
    OutdatedSince: { ...instant, ...computed },
    Stage: code('Stage'),
    Damage: code('Damage'),
    Rank: code('Rank'),
    RankIsManual: { $Type: 'Edm.Boolean', $Nullable: true, ...computed },
    ClockState: { ...code('Clock'), ...computed },
    ClockOutcome: { ...code('Clock'), ...computed },
    ClockRecord: { $Nullable: true, '@Docket.Hidden': true, ...computed },
    Passed: { $Type: 'Edm.Duration', $Nullable: true, ...computed },
    Left: { $Type: 'Edm.Duration', $Nullable: true, ...computed },
    Owner: one('Owner'),
    Collected: { $Type: 'Edm.Boolean', $Nullable: true },
    ...repair,
  });
  const set = (type: string) => ({ $Collection: true, $Type: `Shop.${type}` });
  return {
    $Version: '4.01',
    $EntityContainer: 'Shop.Container',
    Shop: {
      Choice: {
        $Kind: 'ComplexType',
        '@Docket.Coded': { Value: 'Id', Text: 'Label' },
        Id: { $Type: 'Edm.Int64', $Nullable: true },
        Label: { $Nullable: true },
      },
      Repair,
      Owner: entity({ Name: {} }),
      Subscription: entity({ Owner: one('Owner'), Plan: one('Plan') }),
      Plan: entity({
        Basic: { $Type: 'Edm.Boolean', $Nullable: true },
        Hours: one('Hours'),
        Promises: contained('Promise'),
      }),
      Promise: entity({
        Damage: code('Damage'),
        Rank: code('Rank'),
        Within: { $Type: 'Edm.Duration', $Nullable: true },
      }),
      Hours: entity({
        '@Docket.Schedule': {
          TimeZone: 'Zone',
          Windows: { Rows: 'Open', Weekday: 'Day', From: 'Starts', To: 'Ends' },
        },
        Zone: { $Nullable: true, '@Docket.TimeZone': true },
        Open: contained('Window'),
      }),
      Window: entity({
        Day: { $Type: 'Edm.Int32' },
        Starts: { $Type: 'Edm.TimeOfDay', $Nullable: true },
        Ends: { $Type: 'Edm.TimeOfDay', $Nullable: true },
      }),
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.Languages': ['en'],
        '@Docket.CodeLists': [
          codes('Stage', 1, 'BROUGHT', 'PARTS', 'READY'),
          codes('Damage', 11, 'LARGE', 'SMALL'),
          codes('Rank', 21, 'FIRST', 'SECOND'),
          codes('Clock', 31, 'RUNNING', 'PAUSED', 'STOPPED', 'MET', 'BREACHED', 'CANCELLED'),
        ],
        Repairs: set('Repair'),
        Owners: set('Owner'),
        Subscriptions: set('Subscription'),
        Plans: set('Plan'),
        AllHours: set('Hours'),
      },
    },
  };
}

/** The model with changes. Throws: the mistakes that reading the document finds. */
export function repairModel(changes: Changes = {}): ModelDefinition {
  const { definition, mistakes } = readCsdl(documentOf(changes));
  if (mistakes.length > 0)
    throw new Error(mistakes.map(({ message, remedy }) => `${message} ${remedy}`).join('\n'));
  return definition;
}
