// This file defines the odd model: a zoo that has one of everything a model can hold, so that the engine is proven on records
// that have nothing to do with a service desk. It is kept small: a type is here because of what it is, not for its own sake.

import { makeModel, type NamedType, type Operation } from '../src/edm/model.ts';
import {
  binary,
  binding,
  byte,
  code,
  codeList,
  codeValue,
  containedOne,
  date,
  decimal,
  double,
  duration,
  enumType,
  functionImport,
  guid,
  int16,
  singleton,
  stream,
  timeOfDay,
  typeDefinition,
} from './define.ts';
import {
  actionImport,
  actionOf,
  boolean,
  collectionOf,
  complex,
  complexType,
  contained,
  dateTime,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int32,
  int64,
  many,
  one,
  parameter,
  property,
  returning,
  text,
} from './define-model.ts';

const key = { nullable: false, generated: { by: 'key' } } as const;

/** Values: enumerations (of flags too), type definitions, and complex types of every sort. */
const valueTypes: readonly NamedType[] = [
  enumType('Diet', { Plants: 0, Meat: 1, Everything: 2 }),
  enumType('Skills', { Runs: 1, Swims: 2, Flies: 4, Dives: 6 }, { flags: true }),
  enumType('Depth', { Surface: -1, Abyss: 9007199254740993n }, { underlying: 'Edm.Int64' }),
  typeDefinition('Kilograms', 'Edm.Decimal', { precision: 9, scale: 3 }),
  typeDefinition('ShortText', 'Edm.String', { maxLength: 20 }),
  complexType('Code', [text('Text'), int64('Value')], { coded: { value: 'Value', text: 'Text' } }),
  complexType('Care', [
    one('Vet', 'Keeper'),
    dateTime('Since'),
    code('Mood', 'Moods'),
    complex('Room', 'Room'),
  ]),
  complexType('Room', [text('Name'), int32('Floor')]),
  complexType('ColdRoom', [double('Temperature')], { base: 'Room' }),
  complexType('Habit', [text('Name', { nullable: false }), int32('TimesADay')], { open: true }),
];

/** An abstract type, types derived from it twice over, and their relations of every sort. */
const animalTypes: readonly NamedType[] = [
  entityType(
    'Creature',
    [
      int64('Id', key),
      text('Name', { maxLength: 60, nullable: false, searchable: true, indexed: true }),
      dateTime('Created', { generated: { by: 'created' } }),
      dateTime('Modified', { generated: { by: 'modified' } }),
      contained('Notes', 'Note'),
    ],
    { key: ['Id'], abstract: true },
  ),
  entityType(
    'Animal',
    [
      int64('Number', { generated: { by: 'sequence' } }),
      text('Remark', { searchable: true }),
      property('Weight', 'Kilograms'),
      date('Born'),
      boolean('Tame', { nullable: false, default: false }),
      property('Diet', 'Diet', { default: 'Plants' }),
      property('Skills', 'Skills'),
      code('Mood', 'Moods'),
      code('Size', 'Sizes', { custom: true, nullable: false, default: { Value: 2 } }),
      complex('Care', 'Care'),
      collectionOf(text('Nicknames', { maxLength: 30 })),
      collectionOf(complex('Habits', 'Habit')),
      text('Label', { generated: { by: 'expression', expression: "concat(Name,'!')" } }),
      one('Species', 'Species', { nullable: true }),
      one('Mother', 'Animal', { partner: 'Children' }),
      many('Children', 'Animal', { partner: 'Mother' }),
      one('Enclosure', 'Enclosure', { partner: 'Animals', onDelete: 'set-null' }),
      many('Keepers', 'Keeper', { partner: 'Animals' }),
      one('Passport', 'Passport', { partner: 'Animal', inverse: true }),
      containedOne('Chip', 'Chip'),
    ],
    {
      base: 'Creature',
      alternateKeys: [['Number']],
      indexes: [
        ['Mood', 'Born'],
        ['Mood', 'Name'],
        ['Care/Mood', 'Enclosure', 'Weight'],
      ],
    },
  ),
  entityType('Bird', [double('Wingspan'), one('Nest', 'Enclosure'), contained('Eggs', 'Egg')], {
    base: 'Animal',
  }),
  entityType('Parrot', [collectionOf(text('Words'))], { base: 'Bird' }),
  entityType('Fish', [property('Depth', 'Depth'), boolean('SaltWater')], {
    base: 'Animal',
    indexes: [['SaltWater', 'Depth']],
  }),
  entityType('Chip', [text('Serial', { nullable: false })], { key: ['Serial'] }),
  entityType('Egg', [int64('Id', key), date('Laid')], { key: ['Id'] }),
  entityType(
    'Passport',
    [int64('Id', key), text('Country'), one('Animal', 'Animal', { partner: 'Passport' })],
    {
      key: ['Id'],
    },
  ),
  entityType(
    'Note',
    [
      int64('Id', key),
      text('Text', { searchable: true }),
      dateTime('At'),
      contained('Files', 'File'),
    ],
    {
      key: ['Id'],
    },
  ),
  entityType('File', [int64('Id', key), text('Title')], { key: ['Id'], hasStream: true }),
];

/** Keys of every sort, open types, streams, places, trees and ordered collections. */
const otherTypes: readonly NamedType[] = [
  entityType(
    'Keeper',
    [
      int64('Id', key),
      text('Name', { nullable: false, maxLength: 60, searchable: true }),
      text('Email', { unique: true }),
      text('Country', { maxLength: 2 }),
      int32('Badge'),
      many('Animals', 'Animal', { partner: 'Keepers' }),
      one('Boss', 'Keeper', { partner: 'Staff' }),
      many('Staff', 'Keeper', { partner: 'Boss' }),
      stream('Portrait'),
    ],
    {
      key: ['Id'],
      alternateKeys: [['Email'], ['Country', { path: 'Badge', alias: 'No' }]],
      annotations: { 'Aggregation.LeveledHierarchy#Places': ['Country', 'Name'] },
    },
  ),
  entityType(
    'Enclosure',
    [
      text('Wing', { nullable: false, maxLength: 10 }),
      int32('Number', { nullable: false }),
      text('Name'),
      property('Place', 'Edm.GeographyPoint'),
      property('Fence', 'Edm.GeographyPolygon'),
      many('Animals', 'Animal', { partner: 'Enclosure' }),
      { ...contained('Feedings', 'Feeding'), ordered: true },
    ],
    { key: ['Wing', 'Number'] },
  ),
  entityType('Feeding', [int32('Hour', { nullable: false }), property('Food', 'ShortText')], {
    key: ['Hour'],
  }),
  entityType(
    'Species',
    [
      text('Latin', { nullable: false, maxLength: 40 }),
      text('Title'),
      one('Parent', 'Species', { partner: 'Parts' }),
      many('Parts', 'Species', { partner: 'Parent' }),
    ],
    {
      key: ['Latin'],
      annotations: {
        'Aggregation.RecursiveHierarchy#Tree': {
          NodeProperty: 'Latin',
          ParentNavigationProperty: 'Parent',
        },
      },
    },
  ),
  entityType('Picture', [guid('Id', { nullable: false }), text('Title'), one('Of', 'Animal')], {
    key: ['Id'],
    hasStream: true,
  }),
  entityType('Oddity', [int64('Id', key), text('Name'), complex('First', 'Habit')], {
    key: ['Id'],
    open: true,
  }),
  entityType(
    'Sample',
    [
      int64('Id', key),
      binary('Bytes', { maxLength: 100 }),
      boolean('Flag'),
      byte('Small'),
      property('Tiny', 'Edm.SByte'),
      int16('Short'),
      int32('Whole'),
      int64('Big'),
      decimal('Exact', { precision: 20, scale: 4 }),
      decimal('Free'),
      property('Single', 'Edm.Single'),
      double('Double'),
      guid('Tag'),
      text('Words'),
      date('Day'),
      dateTime('Moment'),
      dateTime('Instant', { precision: 7 }),
      timeOfDay('Clock', { precision: 3 }),
      duration('Span', { precision: 3 }),
      property('Spot', 'Edm.GeographyPoint'),
      property('Route', 'Edm.GeographyLineString'),
      property('Area', 'Edm.GeographyPolygon'),
      property('Plan', 'Edm.GeometryPoint'),
      property('Shape', 'Edm.Geography'),
      property('Anything', 'Edm.Untyped'),
      property('Diet', 'Diet'),
      property('Load', 'Kilograms'),
      stream('Scan'),
      collectionOf(int32('Numbers')),
      collectionOf(property('Diets', 'Diet')),
      collectionOf(dateTime('Moments')),
      collectionOf(decimal('Amounts'), true),
    ],
    { key: ['Id'] },
  ),
];

const animal = returning('Animal', { nullable: true });
const animals = returning('Animal', { collection: true });

/** Actions bound to one entity, to a collection and to nothing, with results of every sort. */
const actions: readonly Operation[] = [
  actionOf('Feed', [binding('Animal'), parameter(text('Food', { nullable: false }))], {
    bound: true,
    effects: [
      { kind: 'require', condition: "@Food ne 'Plastic'", message: 'Plastic is no food.' },
      { kind: 'change', rows: '$it', values: { Remark: "concat('Fed with ',@Food)" } },
      {
        kind: 'create',
        in: '$it/Notes',
        values: { Text: "concat(concat(Name,' had '),@Food)", At: '@now' },
      },
    ],
  }),
  actionOf('Weigh', [binding('Animal'), parameter(property('Weight', 'Kilograms'))], {
    bound: true,
    effects: [{ kind: 'change', rows: '$it', values: { Weight: '@Weight' } }],
    returns: returning('Kilograms', { nullable: true }),
    expression: 'Weight',
  }),
  actionOf(
    'Settle',
    [
      binding('Animal'),
      parameter(complex('Room', 'Room')),
      parameter(code('Mood', 'Moods'), { optional: true }),
    ],
    {
      bound: true,
      effects: [
        {
          kind: 'change',
          rows: '$it',
          values: { 'Care/Room': '@Room', Mood: '@Mood', 'Care/Since': '@now' },
        },
      ],
      returns: returning('Care', { nullable: true }),
      expression: 'Care',
    },
  ),
  actionOf(
    'Move',
    [
      binding('Animal'),
      parameter({ ...complex('To', 'Enclosure'), nullable: true }, { optional: true }),
    ],
    {
      bound: true,
      effects: [{ kind: 'change', rows: '$it', values: { Enclosure: '@To' } }],
      returns: animal,
      expression: '$it',
    },
  ),
  actionOf('Hatch', [binding('Bird'), parameter(text('Name', { nullable: false }))], {
    bound: true,
    available: 'Tame',
    effects: [
      {
        kind: 'create',
        in: '$root/Animals',
        type: 'Bird',
        values: { Name: '@Name', Mother: '$it', Diet: 'Diet', Keepers: 'Keepers' },
        as: 'chick',
      },
      { kind: 'delete', rows: '$it/Odd.Zoo.Bird/Eggs' },
    ],
    returns: animal,
    expression: '@chick',
  }),
  actionOf('Greet', [binding('Animal')], {
    bound: true,
    effects: [],
    returns: returning('Edm.String'),
    expression: "concat('Hello ',Name)",
  }),
  actionOf('Greet', [binding('Bird')], {
    bound: true,
    effects: [],
    returns: returning('Edm.String'),
    expression: "concat('Tweet ',Name)",
  }),
  actionOf('Greet', [binding('Animal', { collection: true })], {
    bound: true,
    effects: [],
    returns: returning('Edm.String'),
    expression: "concat('Hello all ',cast($it/$count,Edm.String))",
  }),
  actionOf('Greet', [binding('Keeper', { collection: true })], {
    bound: true,
    effects: [],
    returns: returning('Edm.String'),
    expression: "'Good morning'",
  }),
  actionOf('Calm', [binding('Animal', { collection: true })], {
    bound: true,
    effects: [{ kind: 'change', rows: '$it', values: { 'Mood/Value': '1001' } }],
    returns: animals,
    expression: '$it',
  }),
  actionOf('Train', [binding('Animal')], { bound: true }),
  actionOf('Clone', [binding('Animal')], {
    bound: true,
    effects: [],
    annotations: { 'Core.OperationAvailable': false },
  }),
  actionOf('CloseZoo', [parameter(text('Reason'))], {
    effects: [
      {
        kind: 'change',
        rows: '$root/Enclosures',
        values: { Name: "concat('Closed: ',case(@Reason ne null:@Reason,true:'no reason'))" },
      },
    ],
  }),
  actionOf(
    'Adopt',
    [
      parameter(complex('By', 'Keeper', { nullable: false })),
      parameter(collectionOf(complex('Wards', 'Animal'))),
    ],
    {
      effects: [{ kind: 'change', rows: '@Wards', values: { Keepers: '@By' } }],
      returns: returning('Keeper'),
      expression: '@By',
    },
  ),
];

export const oddDefinition = defineModel({
  namespaces: [{ name: 'Odd.Zoo', alias: 'Zoo' }],
  types: [...valueTypes, ...animalTypes, ...otherTypes],
  sets: [
    entitySet('Animals', 'Animal', { singular: 'Animal' }),
    entitySet('Keepers', 'Keeper', { singular: 'Keeper' }),
    entitySet('Enclosures', 'Enclosure', { singular: 'Enclosure' }),
    entitySet('AllSpecies', 'Species'),
    entitySet('Pictures', 'Picture'),
    entitySet('Passports', 'Passport'),
    entitySet('Oddities', 'Oddity'),
    entitySet('Samples', 'Sample', { listed: false }),
    { ...singleton('Director', 'Keeper'), nullable: true },
    singleton('Mascot', 'Bird'),
  ],
  operations: [
    functionOf('Sum', [parameter(decimal('a')), parameter(decimal('b'), { optional: true })], {
      returns: returning('Edm.Decimal', { scale: 'variable', nullable: true }),
      expression: '@a add case(@b eq null:0,true:@b)',
    }),
    functionOf('Self', [], {
      returns: returning('Keeper', { nullable: true }),
      expression: '$root/Keepers(@me)',
      composable: true,
    }),
    functionOf('Heavy', [parameter(property('least', 'Kilograms'))], {
      returns: animals,
      expression: '$root/Animals/$filter(Weight ge @least)',
      composable: true,
    }),
    functionOf('Age', [binding('Animal'), parameter(date('on', { nullable: false }))], {
      bound: true,
      returns: returning('Edm.Duration', { nullable: true }),
      expression: '@on sub $it/Born',
    }),
    functionOf('Grandmother', [binding('Animal')], {
      bound: true,
      composable: true,
      returns: animal,
      entitySetPath: 'binding/Mother/Mother',
      expression: '$it/Mother/Mother',
    }),
    functionOf(
      'Grown',
      [binding('Animal', { collection: true }), parameter(property('least', 'Kilograms'))],
      {
        bound: true,
        composable: true,
        returns: animals,
        entitySetPath: 'binding',
        expression: '$it/$filter(Weight ge @least)',
      },
    ),
    functionOf('Mates', [binding('Animal')], {
      bound: true,
      composable: true,
      returns: animals,
      expression: '$it/Enclosure/Animals',
    }),
    ...actions,
  ],
  imports: [
    functionImport('Sum', 'Sum'),
    functionImport('Self', 'Self', {
      set: 'Keepers',
      listed: true,
      ignoredOptions: ['$filter', '$orderby', '$top', '$skip'],
    }),
    functionImport('Heavy', 'Heavy', { set: 'Animals' }),
    actionImport('CloseZoo', 'CloseZoo'),
    actionImport('Adopt', 'Adopt', { set: 'Keepers' }),
  ],
  codeLists: [
    codeList(
      'Moods',
      [
        codeValue(1001, { en: 'Calm', nl: 'Kalm' }, { meaning: 'CALM' }),
        codeValue(1002, { en: 'Angry', nl: 'Boos' }, { meaning: 'ANGRY' }),
        codeValue(1003, { en: 'Furious', nl: 'Woedend' }, { parent: 1002 }),
        codeValue(1004, { en: 'Sleepy', nl: 'Slaperig' }, { disabled: true }),
      ],
      { hierarchical: true },
    ),
    codeList(
      'Sizes',
      [codeValue(1, { en: 'Small', nl: 'Klein' }), codeValue(2, { en: 'Large', nl: 'Groot' })],
      {
        ordered: true,
      },
    ),
  ],
  languages: ['en', 'nl'],
  people: 'Keepers',
});

export const oddModel = makeModel(oddDefinition);
