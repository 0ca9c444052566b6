// This file generates a model and a change of it: elements are kept, renamed, converted, removed and added. It knows the records of the
// first model, what they become by the change, and what they are after a rollback.
import fc from 'fast-check';

/** What becomes of an element of the first model; `added` elements are in the second one only. */
type Fate = 'kept' | 'renamed' | 'removed' | 'added';

/** The three states of an installation. */
export type State = 'first' | 'second' | 'restored';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Members = Readonly<Record<string, Json>>;

const NAMESPACE = 'Random';
const ROWS = 3;
const CODES = [
  { Value: 1, first: 'Red', second: 'Red' },
  { Value: 2, first: 'Green', second: 'Dark green' },
];
const EXTRA_CODE = { Value: 3, Texts: [{ Language: 'en', Text: 'Blue' }] };
const CODED = { $Type: `${NAMESPACE}.Code`, $Nullable: true, '@Docket.CodeList': 'Colour' };

/** A kind of property: its definitions in both models, and its value in a row and state. */
interface Kind {
  readonly first: Members;
  /** The definition in the second model, where it is another. */
  readonly second?: Members;
  readonly value: (row: number, at: number, state: State) => Json;
}

const int32 = { $Type: 'Edm.Int32', $Nullable: true };
const required = { $Type: 'Edm.Int32', $DefaultValue: 7 };
const moment = (digits: number) => ({
  $Type: 'Edm.DateTimeOffset',
  $Precision: digits,
  $Nullable: true,
});
const number = (row: number, at: number) => row * 70 + at;
const text = (row: number, at: number) => `value ${row} ${at}`;
/** The last row has no value. */
const optional =
  (value: Kind['value']): Kind['value'] =>
  (row, at, state) =>
    row === ROWS - 1 ? null : value(row, at, state);

const KINDS = {
  text: { first: { $Nullable: true }, value: optional(text) },
  searched: { first: { $Nullable: true, '@Docket.Searchable': true }, value: optional(text) },
  becomesSearched: {
    first: { $Nullable: true },
    second: { $Nullable: true, '@Docket.Searchable': true },
    value: optional(text),
  },
  unique: {
    first: { '@Docket.Unique': true, $MaxLength: 20, $Nullable: true },
    value: optional(text),
  },
  indexed: { first: { ...int32, '@Docket.Indexed': true }, value: optional(number) },
  flag: { first: { $Type: 'Edm.Boolean', $Nullable: true }, value: optional((row) => row === 0) },
  date: {
    first: { $Type: 'Edm.Date', $Nullable: true },
    value: optional((row) => `2026-0${row + 1}-28`),
  },
  required: { first: required, value: number },
  becomesRequired: {
    first: int32,
    second: required,
    value: (row, at, state) => (row < ROWS - 1 ? number(row, at) : state === 'first' ? null : 7),
  },
  becomesOptional: { first: required, second: int32, value: number },
  numberToLong: {
    first: int32,
    second: { $Type: 'Edm.Int64', $Nullable: true },
    value: optional(number),
  },
  numberToText: {
    first: int32,
    second: { $Nullable: true },
    value: optional((row, at, state) =>
      state === 'second' ? String(number(row, at)) : number(row, at),
    ),
  },
  flagToText: {
    first: { $Type: 'Edm.Boolean', $Nullable: true },
    second: { $Nullable: true },
    value: optional((row, _, state) => (state === 'second' ? String(row === 0) : row === 0)),
  },
  numberToDecimal: {
    first: int32,
    second: { $Type: 'Edm.Decimal', $Precision: 12, $Scale: 2, $Nullable: true },
    value: optional(number),
  },
  textToDate: {
    first: { $Nullable: true },
    second: { $Type: 'Edm.Date', $Nullable: true },
    value: optional((row, at, state) =>
      row === 0 ? '2026-02-28' : state === 'first' ? text(row, at) : null,
    ),
  },
  longerMoment: {
    first: moment(0),
    second: moment(3),
    value: optional((row) => `2026-0${row + 1}-28T10:00:00Z`),
  },
  pair: {
    first: { $Type: `${NAMESPACE}.Pair`, $Nullable: true },
    value: optional((row, at) => ({ Left: row, Right: text(row, at) })),
  },
  tags: {
    first: { $Collection: true },
    value: (row, at) => Array.from({ length: row }, (_, index) => `tag ${index} ${at}`),
  },
  code: { first: CODED, value: optional((row) => ({ Value: (row % CODES.length) + 1 })) },
} as const satisfies Record<string, Kind>;

type KindName = keyof typeof KINDS;
type Relation = 'one' | 'many';

interface RandomMember {
  readonly kind: KindName | Relation;
  readonly fate: Fate;
}

interface RandomType {
  readonly fate: Fate;
  readonly set: 'kept' | 'renamed';
  readonly members: readonly RandomMember[];
}

export type RandomModel = readonly RandomType[];

const isRelation = (kind: RandomMember['kind']): kind is Relation =>
  kind === 'one' || kind === 'many';

const kinds = [...(Object.keys(KINDS) as KindName[]), 'one', 'many'] as const;
const member: fc.Arbitrary<RandomMember> = fc.record({
  kind: fc.constantFrom(...kinds),
  fate: fc.constantFrom<Fate>('kept', 'kept', 'renamed', 'removed', 'added'),
});
const typeWith = (fate: fc.Arbitrary<Fate>): fc.Arbitrary<RandomType> =>
  fc.record({
    fate,
    set: fc.constantFrom('kept', 'renamed'),
    members: fc.array(member, { minLength: 1, maxLength: 8 }),
  });

/** Two types that stay, and one that may be removed or added. */
export const randomModels: fc.Arbitrary<RandomModel> = fc.tuple(
  typeWith(fc.constantFrom<Fate>('kept', 'renamed')),
  typeWith(fc.constantFrom<Fate>('kept', 'renamed')),
  typeWith(fc.constantFrom<Fate>('removed', 'added', 'kept')),
);

const isFirst = (state: State) => state !== 'second';
const isIn = (fate: Fate, state: State) =>
  fate === (isFirst(state) ? 'removed' : 'added') || fate === 'kept' || fate === 'renamed';
const nameOf = (name: string, fate: Fate, state: State) =>
  fate === 'renamed' && !isFirst(state) ? `${name}Next` : name;
const formerName = (name: string, fate: Fate, state: State): Members =>
  fate === 'renamed' && !isFirst(state) ? { '@Docket.RenamedFrom': name } : {};

/** The types that a state has, with their places. */
const typesIn = (model: RandomModel, state: State) =>
  [...model.entries()].filter(([, { fate }]) => isIn(fate, state));
/** The type that relations of a type point to: one that stays. */
const targetOf = (at: number) => (at + 1) % 2;

const typeName = (model: RandomModel, at: number, state: State) =>
  nameOf(`Type${at}`, model[at]?.fate ?? 'kept', state);
const setName = (model: RandomModel, at: number, state: State) => {
  const { set = 'kept', fate = 'kept' } = model[at] ?? {};
  return nameOf(`Set${at}`, fate === 'added' ? 'kept' : set, state);
};

/** The text of the model in a state. */
export function modelText(model: RandomModel, state: 'first' | 'second'): string {
  const types = typesIn(model, state).map(([at, type]) => {
    const former = formerName(`Type${at}`, type.fate, state);
    const target = `${NAMESPACE}.${typeName(model, targetOf(at), state)}`;
    const members = membersIn(type, state).map(({ name, kind, fate, index }) => [
      name,
      { ...definitionOf(kind, target, state), ...formerName(`Member${index}`, fate, state) },
    ]);
    const definition = {
      $Kind: 'EntityType',
      $Key: ['Id'],
      ...former,
      Id: { $Type: 'Edm.Int32' },
      ...Object.fromEntries(members),
    };
    return [typeName(model, at, state), definition];
  });
  return JSON.stringify({
    $Version: '4.01',
    $EntityContainer: `${NAMESPACE}.Container`,
    [NAMESPACE]: {
      ...SHARED_TYPES,
      ...Object.fromEntries(types),
      Container: container(model, state),
    },
  });
}

const SHARED_TYPES = {
  Code: {
    $Kind: 'ComplexType',
    '@Docket.Coded': { Value: 'Value', Text: 'Text' },
    Value: { $Type: 'Edm.Int64', $Nullable: true },
    Text: { $Nullable: true },
  },
  Pair: {
    $Kind: 'ComplexType',
    Left: { $Type: 'Edm.Int32', $Nullable: true },
    Right: { $Nullable: true },
  },
};

function container(model: RandomModel, state: 'first' | 'second') {
  const sets = typesIn(model, state).map(([at, { set, fate }]) => [
    setName(model, at, state),
    {
      $Collection: true,
      $Type: `${NAMESPACE}.${typeName(model, at, state)}`,
      ...formerName(`Set${at}`, fate === 'added' ? 'kept' : set, state),
    },
  ]);
  const codes = CODES.map(({ Value, [state]: Text }) => ({
    Value,
    Texts: [{ Language: 'en', Text }],
  }));
  const Codes = state === 'first' ? codes : [...codes, EXTRA_CODE];
  return {
    $Kind: 'EntityContainer',
    '@Docket.CodeLists': [{ Name: 'Colour', Codes }],
    ...Object.fromEntries(sets),
  };
}

function definitionOf(kind: RandomMember['kind'], target: string, state: State): Members {
  if (isRelation(kind)) {
    const facet = kind === 'many' ? { $Collection: true } : { $Nullable: true };
    return { $Kind: 'NavigationProperty', $Type: target, ...facet };
  }
  const { first, second = first }: Kind = KINDS[kind];
  return isFirst(state) ? first : second;
}

const membersIn = ({ members }: RandomType, state: State) =>
  members.flatMap(({ kind, fate }, index) =>
    isIn(fate, state) ? [{ kind, fate, index, name: nameOf(`Member${index}`, fate, state) }] : [],
  );

export interface RandomSet {
  readonly name: string;
  readonly isSearchable: boolean;
  readonly properties: readonly string[];
  /** The records without relations, and then the relations. */
  readonly records: readonly Members[];
  readonly relations: readonly { readonly id: number; readonly body: Members }[];
}

/** The sets in a state, with the records that they contain. */
export function setsIn(model: RandomModel, state: State): readonly RandomSet[] {
  return typesIn(model, state).map(([at, type]) => {
    const members = membersIn(type, state);
    const properties = members.filter(({ kind }) => !isRelation(kind));
    // Sets that the second model adds are empty, and so are those that it removed.
    const rows = type.fate === 'kept' || type.fate === 'renamed' || state === 'first' ? ROWS : 0;
    const ids = Array.from({ length: rows }, (_, row) => row);
    const target = setName(model, targetOf(at), state);
    return {
      name: setName(model, at, state),
      isSearchable: properties.some(
        (one) => definitionOf(one.kind, '', state)['@Docket.Searchable'],
      ),
      properties: properties.map(({ name }) => name),
      records: ids.map((row) => ({
        Id: row,
        ...Object.fromEntries(
          properties.flatMap(({ name, kind, fate, index }) =>
            valuesOf({ kind, fate }, row, index, state).map((value) => [name, value]),
          ),
        ),
      })),
      relations: ids.flatMap((row) =>
        members
          .filter(({ kind, fate }) => isRelation(kind) && survives(fate, state))
          .map(({ name, kind, index }) => ({
            id: row,
            body: { [name]: referenceTo(kind, `${target}(${(row + index) % ROWS})`) },
          })),
      ),
    };
  });
}

const referenceTo = (kind: RandomMember['kind'], id: string): Json =>
  kind === 'many' ? [{ '@odata.id': id }] : { '@odata.id': id };

/** Whether a member has values: added ones have none, and removed ones lose them. */
const survives = (fate: Fate, state: State) =>
  state === 'first' || fate === 'kept' || fate === 'renamed';

/** The value of a property as a list; empty where the default or null applies. */
function valuesOf(
  { kind, fate }: RandomMember,
  row: number,
  at: number,
  state: State,
): readonly Json[] {
  if (isRelation(kind)) return [];
  return survives(fate, state) ? [KINDS[kind].value(row, at, state)] : valueWhenNew(kind, state);
}

/** What existing rows have in a new property: the default where it is required, otherwise null. */
function valueWhenNew(kind: KindName, state: State): readonly Json[] {
  return definitionOf(kind, '', state).$Nullable === true ? [null] : [];
}
