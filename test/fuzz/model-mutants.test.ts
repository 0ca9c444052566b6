// This file changes a model at random places: each mutant is either rejected by `docket model check`, or it can be served without an
// error of ours: $metadata, every set, a POST to every set, and every operation.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { hasMistakes } from '../../src/edm/lint/lint.ts';
import type { ModelDefinition } from '../../src/edm/model.ts';
import { type Desk, openDesk } from '../journeys/desk.ts';
import { cases, timeLimit } from './cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'docket-mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODEL = {
  $Version: '4.01',
  $EntityContainer: 'Fleet.Container',
  Fleet: {
    Code: {
      $Kind: 'ComplexType',
      '@Docket.Coded': { Value: 'Value', Text: 'Text' },
      Text: { $Nullable: true },
      Value: { $Type: 'Edm.Int64', $Nullable: true },
    },
    Colour: { $Kind: 'EnumType', Red: 1, Green: 2 },
    Plate: { $Kind: 'TypeDefinition', $UnderlyingType: 'Edm.String', $MaxLength: 12 },
    Size: {
      $Kind: 'ComplexType',
      Length: { $Type: 'Edm.Decimal', $Precision: 6, $Scale: 2 },
      Unit: { $DefaultValue: 'm' },
    },
    Thing: {
      $Kind: 'EntityType',
      $Abstract: true,
      $Key: ['Id'],
      '@Docket.DisplayName': 'Name',
      Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
      Name: { $MaxLength: 40, '@Docket.Searchable': true },
    },
    Vehicle: {
      $Kind: 'EntityType',
      $BaseType: 'Fleet.Thing',
      '@Docket.Indexes': [{ Members: ['Fuel', 'Seats'] }],
      '@Docket.Recorded': 'Seats eq 99',
      LicencePlate: { $Type: 'Fleet.Plate', '@Docket.Unique': true, $DefaultValue: 'X-1' },
      Fuel: {
        $Type: 'Fleet.Code',
        $Nullable: true,
        $DefaultValue: { Value: 1 },
        '@Docket.CodeList': 'Fuel',
      },
      Seats: { $Type: 'Edm.Int16', $DefaultValue: 5 },
      Colour: { $Type: 'Fleet.Colour', $Nullable: true, $DefaultValue: 'Red' },
      Size: { $Type: 'Fleet.Size', $Nullable: true },
      Tags: { $Collection: true },
      Since: {
        $Type: 'Edm.DateTimeOffset',
        $Precision: 3,
        '@Docket.Generated': { By: 'initial', Expression: '@now' },
      },
      Title: {
        $Nullable: true,
        '@Core.Computed': true,
        '@Docket.Generated': {
          By: 'expression',
          Expression: "concat(Name,concat('/',LicencePlate))",
        },
      },
      Trips: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'Fleet.Trip',
        $ContainsTarget: true,
      },
      Driver: {
        $Kind: 'NavigationProperty',
        $Type: 'Fleet.Person',
        $Nullable: true,
        $Partner: 'Vehicles',
      },
    },
    Trip: {
      $Kind: 'EntityType',
      $Key: ['Id'],
      Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
      Distance: { $Type: 'Edm.Int32', $DefaultValue: 1 },
    },
    Person: {
      $Kind: 'EntityType',
      $BaseType: 'Fleet.Thing',
      Vehicles: {
        $Kind: 'NavigationProperty',
        $Collection: true,
        $Type: 'Fleet.Vehicle',
        $Partner: 'Driver',
        $OnDelete: 'SetNull',
      },
    },
    Big: [
      {
        $Kind: 'Function',
        $Parameter: [{ $Name: 'seats', $Type: 'Edm.Int32' }],
        $ReturnType: { $Type: 'Fleet.Vehicle', $Collection: true },
        $IsComposable: true,
        '@Docket.Expression': '$root/Vehicles/$filter(Seats ge @seats)',
      },
    ],
    Label: [
      {
        $Kind: 'Function',
        $IsBound: true,
        $Parameter: [{ $Name: 'vehicle', $Type: 'Fleet.Vehicle' }],
        $ReturnType: {},
        '@Docket.Expression': "concat($it/Name,'!')",
      },
    ],
    Drive: [
      {
        $Kind: 'Action',
        $IsBound: true,
        $Parameter: [
          { $Name: 'vehicle', $Type: 'Fleet.Vehicle' },
          { $Name: 'Far', $Type: 'Edm.Int32', '@Core.OptionalParameter': {} },
        ],
        $ReturnType: { $Type: 'Fleet.Trip' },
        '@Docket.Available': 'Seats gt 0',
        '@Docket.Effects': [
          { Require: '$it/Seats lt 100', Message: 'Too big' },
          { Change: '$it', Values: [{ Member: 'Name', Expression: "'moved'" }] },
          { Create: '$it/Trips', Values: [{ Member: 'Distance', Expression: '7' }], As: 'trip' },
        ],
        '@Docket.Expression': '@trip',
      },
    ],
    Container: {
      $Kind: 'EntityContainer',
      '@Docket.Languages': ['en'],
      '@Docket.CodeLists': [
        { Name: 'Fuel', Codes: [{ Value: 1, Texts: [{ Language: 'en', Text: 'Petrol' }] }] },
      ],
      Vehicles: {
        $Collection: true,
        $Type: 'Fleet.Vehicle',
        $NavigationPropertyBinding: { Driver: 'Persons' },
        '@Capabilities.DeleteRestrictions': { Deletable: false },
      },
      Persons: { $Collection: true, $Type: 'Fleet.Person' },
      Main: { $Type: 'Fleet.Vehicle', $Nullable: true },
      Big: { $Function: 'Fleet.Big', $EntitySet: 'Vehicles' },
    },
  },
};

/** Values and names that a mutation puts in another place. */
const VALUES = [
  null,
  true,
  false,
  0,
  7,
  -1,
  '',
  'Name',
  'Seats',
  'Fuel',
  'Driver',
  'Trips',
  'Size',
  '$it',
  '@now',
  '@me',
  '$root/Vehicles',
  '$root/Persons',
  'Fleet.Vehicle',
  'Fleet.Person',
  'Fleet.Trip',
  'Fleet.Code',
  'Fleet.Colour',
  'Fleet.Size',
  'Fleet.Plate',
  'Edm.String',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Guid',
  'Edm.Boolean',
  'Edm.Stream',
  'Edm.Duration',
  'Edm.GeographyPoint',
  'Edm.Untyped',
  'Edm.DateTimeOffset',
  'ComplexType',
  'EntityType',
  'NavigationProperty',
  'Seats add 1',
  "concat(Name,'x')",
  'Fuel/Text',
  'Size/Length',
  'Driver/Name',
  'Trips/$count',
  'Name eq null',
  {},
  [],
  { By: 'sequence' },
  { By: 'modified' },
  { By: 'initial', Expression: 'Seats' },
  { Value: 9 },
  ['Name'],
] as const;

const ADDED: readonly (readonly [string, unknown])[] = [
  ['$Nullable', true],
  ['$Nullable', false],
  ['$Collection', true],
  ['$DefaultValue', 1],
  ['$DefaultValue', 'x'],
  ['$DefaultValue', null],
  ['$MaxLength', 1],
  ['$Partner', 'Driver'],
  ['$OpenType', true],
  ['$HasStream', true],
  ['$Abstract', true],
  ['$ContainsTarget', true],
  ['$BaseType', 'Fleet.Thing'],
  ['$BaseType', 'Fleet.Vehicle'],
  ['@Docket.Unique', true],
  ['@Docket.Indexed', true],
  ['@Docket.Searchable', true],
  ['@Docket.Ordered', true],
  ['@Docket.Acyclic', true],
  ['@Docket.Inverse', true],
  ['@Docket.OnDelete', 'cascade'],
  ['@Docket.OnDelete', 'set-null'],
  ['@Docket.CodeList', 'Fuel'],
  ['@Docket.FilePart', 'name'],
  ['@Docket.ChangePart', 'before'],
  ['@Docket.History', 'Trips'],
  ['@Docket.People', 'Persons'],
  ['@Docket.Singular', 'Vehicle'],
  ['@Docket.Listed', false],
  ['@Docket.Administrative', true],
  ['@Docket.Generated', { By: 'creator' }],
  ['@Docket.Generated', { By: 'expression', Expression: 'Name' }],
  ['@Core.Computed', true],
  ['@Core.Immutable', true],
  ['@Core.AlternateKeys', [{ Key: [{ Name: 'Name' }] }]],
  ['$ReferentialConstraint', { Name: 'Name' }],
  ['@Capabilities.InsertRestrictions', { Insertable: false }],
];

type Json = unknown;
type Step = readonly [kind: 'replace' | 'remove' | 'add', at: number, choice: number];

/** Every place in a document: its holder and name. */
function placesIn(value: Json, found: (readonly [object, string])[] = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const name of Object.keys(value)) {
    found.push([value, name]);
    placesIn(Reflect.get(value, name), found);
  }
  return found;
}

function mutate(steps: readonly Step[]): Json {
  const model = structuredClone(MODEL);
  for (const [kind, at, choice] of steps) {
    const places = placesIn(model.Fleet);
    const [holder, name] = places[at % places.length] ?? [model, '$Version'];
    const [member, added] = ADDED[choice % ADDED.length] ?? ['$Nullable', true];
    const inner: Json = Reflect.get(holder, name);
    if (kind === 'remove') Reflect.deleteProperty(holder, name);
    else if (kind === 'replace')
      Reflect.set(holder, name, structuredClone(VALUES[choice % VALUES.length]));
    else if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      Reflect.set(inner, member, structuredClone(added));
  }
  return model;
}

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('replace' as const, 'remove' as const, 'add' as const),
  fc.nat(10_000),
  fc.nat(10_000),
);

/** Requests that every model permits to ask, whatever the response. */
function requestsTo({ sets, operations, imports }: ModelDefinition) {
  const own = sets.filter(({ administrative }) => administrative !== true).map(({ name }) => name);
  const names = [...own, ...imports.map(({ name }) => name)];
  const vehicle = {
    Name: 'a',
    LicencePlate: 'A-1',
    Trips: [{}],
    Driver: { Name: 'd' },
    Size: { Length: 1 },
  };
  return [
    ['GET', '/'],
    ['GET', '/$metadata'],
    ['GET', '/$metadata?$format=json'],
    ...names.flatMap((name) => [
      ['POST', `/${name}`, {}],
      ['POST', `/${name}`, { Name: 'a', Id: 1 }],
      ['POST', `/${name}`, vehicle],
      ['GET', `/${name}`],
      ['GET', `/${name}?$expand=*&$count=true`],
      ['GET', `/${name}?$search=a&$orderby=Name`],
    ]),
    ['PUT', '/Main', vehicle],
    ['PATCH', '/Main', { Name: 'b' }],
    ['GET', '/Main?$expand=*'],
    ['GET', '/Big(seats=1)'],
    ['PATCH', '/Vehicles/$each', { Seats: 4 }],
    ['GET', '/Vehicles?$filter=Fleet.Label() ne null'],
    ...operations.map(({ name }) => ['POST', `/Vehicles/$each/${name}`, {}]),
    ['DELETE', '/Vehicles/$each'],
    ['DELETE', '/Persons/$each'],
  ] as const;
}

async function failuresOf(desk: Desk, definition: ModelDefinition): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const [method, path, body] of requestsTo(definition)) {
    const { status, text } = await desk.send(String(method), String(path), { body });
    if (status === 500) failures.push(`${String(method)} ${String(path)}: ${text}`);
  }
  return failures;
}

let made = 0;

test('a mutant that passes the check can be served', { timeout: timeLimit(120_000) }, async () => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 0, maxLength: 2 }), async (steps) => {
      const model = join(folder, `${made++}.csdl.json`);
      writeFileSync(model, JSON.stringify(mutate(steps)));
      const { definition, mistakes } = checkModelFile(model);
      if (hasMistakes(mistakes)) return;
      served += 1;
      const desk = await openDesk({ settings: { model }, records: [] });
      try {
        expect(await failuresOf(desk, definition)).toEqual([]);
      } finally {
        await desk.close();
      }
    }),
    { ...cases(15), endOnFailure: true },
  );
  expect(served).toBeGreaterThan(0);
});
