// This file generates the CSDL JSON of a large model: 200 entity types with 5,000 properties, and with one of everything that a check
// compiles: relations in both directions, complex types, code lists, indexes, rules, conditions, functions and actions.

const TYPES = 200;
const NAMESPACE = 'Large';
const CODE_LISTS = 20;
const CODES = 25;

export const LARGE_MODEL = { types: TYPES, properties: 5_000 };

const range = (length: number) => Array.from({ length }, (_, at) => at);
const qualified = (name: string) => `${NAMESPACE}.${name}`;

/** The members that hold one value of each type; with those of `entityType`, an entity type has 25 properties. */
const PLAIN_MEMBERS = {
  Name: { '@Docket.Searchable': true, '@Validation.Pattern': '\\S' },
  Number: { $MaxLength: 20, '@Docket.Unique': true, '@Validation.Pattern': '^[A-Z]+-[0-9]+$' },
  Remark: { $Nullable: true },
  Notes: { $Nullable: true, '@Docket.Searchable': true },
  Language: { $Nullable: true, $MaxLength: 5 },
  Count: { $Type: 'Edm.Int32', '@Validation.Minimum': 0, $DefaultValue: 1 },
  Limit: { $Type: 'Edm.Int32', $Nullable: true, '@Validation.Maximum': 1_000 },
  Size: { $Type: 'Edm.Int64', $Nullable: true },
  Weight: { $Type: 'Edm.Double', $Nullable: true },
  Share: { $Type: 'Edm.Decimal', $Precision: 8, $Scale: 2, $Nullable: true },
  Active: { $Type: 'Edm.Boolean', $DefaultValue: true },
  Archived: { $Type: 'Edm.Boolean', $Nullable: true },
  StartsOn: { $Type: 'Edm.Date', $Nullable: true },
  EndsOn: { $Type: 'Edm.Date', $Nullable: true, '@Docket.Indexed': true },
  Opened: { $Type: 'Edm.DateTimeOffset', $Precision: 3, $Nullable: true },
  Hours: { $Type: 'Edm.Duration', $Nullable: true },
  Token: { $Type: 'Edm.Guid', $Nullable: true },
  Tags: { $Collection: true, '@Validation.MaxItems': 10 },
  Price: { $Type: qualified('Money'), $Nullable: true },
  Site: { $Type: qualified('Address'), $Nullable: true },
  Cost: { $Type: qualified('Money'), $Nullable: true },
};

const DATES_IN_ORDER = {
  FailureMessage: 'The end must not be before the start.',
  Condition: {
    $Or: [
      { $Eq: [{ $Path: 'EndsOn' }, null] },
      { $Ge: [{ $Path: 'EndsOn' }, { $Path: 'StartsOn' }] },
    ],
  },
};

function entityType(at: number) {
  const other = (distance: number) => qualified(`Type${(at + distance) % TYPES}`);
  const code = (list: number) => ({
    $Type: qualified('Code'),
    $Nullable: true,
    '@Docket.CodeList': `List${(at + list) % CODE_LISTS}`,
  });
  return {
    $Kind: 'EntityType',
    $Key: ['Id'],
    '@Core.LongDescription': `The entity type ${at}`,
    '@Docket.Indexes': [{ Members: ['Status', 'Kind', 'EndsOn'] }, { Members: ['Parent', 'Name'] }],
    '@Validation.Constraint': DATES_IN_ORDER,
    Id: { $Type: 'Edm.Int64', '@Docket.Generated': { By: 'key' } },
    Status: { ...code(0), '@Docket.Indexed': true },
    Kind: code(1),
    Priority: code(2),
    ...PLAIN_MEMBERS,
    Parent: navigation(other(1), { $Nullable: true, $Partner: 'Children' }),
    Children: navigation(other(TYPES - 1), { $Collection: true, $Partner: 'Parent' }),
    Members: navigation(other(7), { $Collection: true, $Partner: 'Groups' }),
    Groups: navigation(other(TYPES - 7), { $Collection: true, $Partner: 'Members' }),
  };
}

const navigation = (type: string, facets: object) => ({
  $Kind: 'NavigationProperty',
  $Type: type,
  ...facets,
});

/** A function and an action of the type. */
const operations = (at: number) => ({
  [`Busy${at}`]: [
    {
      $Kind: 'Function',
      $IsBound: true,
      $Parameter: [{ $Name: 'item', $Type: qualified(`Type${at}`) }],
      $ReturnType: { $Type: 'Edm.Boolean' },
      '@Docket.Expression': `$it/Active and $it/Children/any(c:c/Count gt 3)`,
    },
  ],
  [`Close${at}`]: [
    {
      $Kind: 'Action',
      $IsBound: true,
      $Parameter: [
        { $Name: 'item', $Type: qualified(`Type${at}`) },
        { $Name: 'On', $Type: 'Edm.Date' },
      ],
      '@Docket.Available': 'Active',
      '@Docket.Effects': [
        { Require: '@On ge $it/StartsOn', Message: 'It has not started yet.' },
        {
          Change: '$it',
          Values: [
            { Member: 'Active', Expression: 'false' },
            { Member: 'EndsOn', Expression: '@On' },
          ],
        },
      ],
    },
  ],
});

const CODE = {
  $Kind: 'ComplexType',
  '@Docket.Coded': { Value: 'Value', Text: 'Text' },
  Value: { $Type: 'Edm.Int64', $Nullable: true },
  Text: { $Nullable: true, $MaxLength: 255 },
};
const MONEY = {
  $Kind: 'ComplexType',
  Amount: { $Type: 'Edm.Decimal', $Precision: 12, $Scale: 2, $Nullable: true },
  Currency: { $Nullable: true, $MaxLength: 3, '@Validation.Pattern': '^[A-Z]{3}$' },
};
const ADDRESS = {
  $Kind: 'ComplexType',
  Street: { $Nullable: true },
  City: { $Nullable: true, '@Docket.Searchable': true },
  PostalCode: { $Nullable: true, $MaxLength: 10 },
};

const codeLists = range(CODE_LISTS).map((list) => ({
  Name: `List${list}`,
  Codes: range(CODES).map((at) => ({
    Value: (list + 1) * 1_000 + at,
    Texts: [
      { Language: 'en', Text: `Code ${at} of list ${list}` },
      { Language: 'nl', Text: `Code ${at} van lijst ${list}` },
    ],
  })),
}));

const sets = range(TYPES).map((at) => [
  `Set${at}`,
  {
    $Collection: true,
    $Type: qualified(`Type${at}`),
    $NavigationPropertyBinding: {
      Parent: `Set${(at + 1) % TYPES}`,
      Children: `Set${(at + TYPES - 1) % TYPES}`,
      Members: `Set${(at + 7) % TYPES}`,
      Groups: `Set${(at + TYPES - 7) % TYPES}`,
    },
  },
]);

/** The model as the text of a file. */
export const largeModel = (): string =>
  JSON.stringify({
    $Version: '4.01',
    $EntityContainer: qualified('Container'),
    [NAMESPACE]: {
      Code: CODE,
      Money: MONEY,
      Address: ADDRESS,
      ...Object.fromEntries(range(TYPES).map((at) => [`Type${at}`, entityType(at)])),
      ...Object.assign({}, ...range(TYPES).map(operations)),
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.Languages': ['en', 'nl'],
        '@Docket.CodeLists': codeLists,
        ...Object.fromEntries(sets),
      },
    },
  });
