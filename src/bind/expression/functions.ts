// This file lists the canonical functions with their signatures, and the aggregation methods. sql/dialect/dialect.ts maps every name in
// this table to SQL.

export type FunctionName = keyof typeof FUNCTIONS;

/** Kinds of parameters. Geo functions are defined for these shapes only. The items of a collection can have any type. */
export type ParameterType =
  | 'string'
  | 'int'
  | 'decimal'
  | 'double'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'duration'
  | `${'geography' | 'geometry'}${'point' | 'linestring' | 'polygon'}`
  | 'collection';

/** The result `same` has the type of the first argument. */
type ResultType = Exclude<ParameterType, 'collection'> | 'same';

export interface Signature {
  readonly parameters: readonly ParameterType[];
  readonly result: ResultType;
}

/** Signatures with the same result, given as lists of parameters. */
function returns(
  result: ResultType,
  ...lists: readonly (readonly ParameterType[])[]
): readonly Signature[] {
  return lists.map((parameters) => ({ parameters, result }));
}

const ROUNDING = [...returns('decimal', ['decimal']), ...returns('double', ['double'])];

/** Each function is defined in the section of OData 4.01 URL Conventions that has its name. */
export const FUNCTIONS = {
  contains: returns('boolean', ['string', 'string'], ['collection', 'collection']),
  startswith: returns('boolean', ['string', 'string'], ['collection', 'collection']),
  endswith: returns('boolean', ['string', 'string'], ['collection', 'collection']),
  length: returns('int', ['string'], ['collection']),
  indexof: returns('int', ['string', 'string'], ['collection', 'collection']),
  substring: [
    ...returns('string', ['string', 'int'], ['string', 'int', 'int']),
    ...returns('same', ['collection', 'int'], ['collection', 'int', 'int']),
  ],
  tolower: returns('string', ['string']),
  toupper: returns('string', ['string']),
  trim: returns('string', ['string']),
  concat: [
    ...returns('string', ['string', 'string']),
    ...returns('same', ['collection', 'collection']),
  ],
  matchespattern: returns('boolean', ['string', 'string']),
  hassubset: returns('boolean', ['collection', 'collection']),
  hassubsequence: returns('boolean', ['collection', 'collection']),
  year: returns('int', ['date'], ['datetime']),
  month: returns('int', ['date'], ['datetime']),
  day: returns('int', ['date'], ['datetime']),
  hour: returns('int', ['datetime'], ['time']),
  minute: returns('int', ['datetime'], ['time']),
  second: returns('int', ['datetime'], ['time']),
  fractionalseconds: returns('decimal', ['datetime'], ['time']),
  totalseconds: returns('decimal', ['duration']),
  date: returns('date', ['datetime']),
  time: returns('time', ['datetime']),
  totaloffsetminutes: returns('int', ['datetime']),
  mindatetime: returns('datetime', []),
  maxdatetime: returns('datetime', []),
  now: returns('datetime', []),
  round: ROUNDING,
  floor: ROUNDING,
  ceiling: ROUNDING,
  'geo.distance': returns(
    'double',
    ['geographypoint', 'geographypoint'],
    ['geometrypoint', 'geometrypoint'],
  ),
  'geo.intersects': returns(
    'boolean',
    ['geographypoint', 'geographypolygon'],
    ['geometrypoint', 'geometrypolygon'],
  ),
  'geo.length': returns('double', ['geographylinestring'], ['geometrylinestring']),
} satisfies Record<string, readonly Signature[]>;

/** Aggregation methods of OData Data Aggregation 4.0, "Keyword with". */
export const AGGREGATE_METHODS = ['sum', 'min', 'max', 'average', 'countdistinct'] as const;

export type AggregateMethod = (typeof AGGREGATE_METHODS)[number];
