// This file lists the canonical functions and aggregation methods with their signatures and the section of the standard that defines
// them. sql/dialect/dialect.ts maps every name in this table to SQL.

export type FunctionName = keyof typeof FUNCTIONS;

/** Kinds of parameters and results. `same` is the type of the first argument. */
export type SignatureType =
  | 'string'
  | 'int'
  | 'decimal'
  | 'double'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'duration'
  | GeoSignatureType
  | 'collection'
  | 'any'
  | 'same';

/** Geo functions are defined for these shapes only. */
type GeoSignatureType =
  | 'geographypoint'
  | 'geographylinestring'
  | 'geographypolygon'
  | 'geometrypoint'
  | 'geometrylinestring'
  | 'geometrypolygon';

export interface Signature {
  readonly parameters: readonly SignatureType[];
  readonly result: SignatureType;
}

interface FunctionRow {
  /** The section title in OData 4.01 URL Conventions. */
  readonly section: string;
  readonly signatures: readonly Signature[];
}

export const FUNCTIONS = {
  contains: {
    section: 'contains',
    signatures: [
      { parameters: ['string', 'string'], result: 'boolean' },
      { parameters: ['collection', 'collection'], result: 'boolean' },
    ],
  },
  startswith: {
    section: 'startswith',
    signatures: [
      { parameters: ['string', 'string'], result: 'boolean' },
      { parameters: ['collection', 'collection'], result: 'boolean' },
    ],
  },
  endswith: {
    section: 'endswith',
    signatures: [
      { parameters: ['string', 'string'], result: 'boolean' },
      { parameters: ['collection', 'collection'], result: 'boolean' },
    ],
  },
  length: {
    section: 'length',
    signatures: [
      { parameters: ['string'], result: 'int' },
      { parameters: ['collection'], result: 'int' },
    ],
  },
  indexof: {
    section: 'indexof',
    signatures: [
      { parameters: ['string', 'string'], result: 'int' },
      { parameters: ['collection', 'collection'], result: 'int' },
    ],
  },
  substring: {
    section: 'substring',
    signatures: [
      { parameters: ['string', 'int'], result: 'string' },
      { parameters: ['string', 'int', 'int'], result: 'string' },
      { parameters: ['collection', 'int'], result: 'same' },
      { parameters: ['collection', 'int', 'int'], result: 'same' },
    ],
  },
  tolower: { section: 'tolower', signatures: [{ parameters: ['string'], result: 'string' }] },
  toupper: { section: 'toupper', signatures: [{ parameters: ['string'], result: 'string' }] },
  trim: { section: 'trim', signatures: [{ parameters: ['string'], result: 'string' }] },
  concat: {
    section: 'concat',
    signatures: [
      { parameters: ['string', 'string'], result: 'string' },
      { parameters: ['collection', 'collection'], result: 'same' },
    ],
  },
  matchespattern: {
    section: 'matchesPattern',
    signatures: [{ parameters: ['string', 'string'], result: 'boolean' }],
  },
  hassubset: {
    section: 'hassubset',
    signatures: [{ parameters: ['collection', 'collection'], result: 'boolean' }],
  },
  hassubsequence: {
    section: 'hassubsequence',
    signatures: [{ parameters: ['collection', 'collection'], result: 'boolean' }],
  },
  year: {
    section: 'year',
    signatures: [
      { parameters: ['date'], result: 'int' },
      { parameters: ['datetime'], result: 'int' },
    ],
  },
  month: {
    section: 'month',
    signatures: [
      { parameters: ['date'], result: 'int' },
      { parameters: ['datetime'], result: 'int' },
    ],
  },
  day: {
    section: 'day',
    signatures: [
      { parameters: ['date'], result: 'int' },
      { parameters: ['datetime'], result: 'int' },
    ],
  },
  hour: {
    section: 'hour',
    signatures: [
      { parameters: ['datetime'], result: 'int' },
      { parameters: ['time'], result: 'int' },
    ],
  },
  minute: {
    section: 'minute',
    signatures: [
      { parameters: ['datetime'], result: 'int' },
      { parameters: ['time'], result: 'int' },
    ],
  },
  second: {
    section: 'second',
    signatures: [
      { parameters: ['datetime'], result: 'int' },
      { parameters: ['time'], result: 'int' },
    ],
  },
  fractionalseconds: {
    section: 'fractionalseconds',
    signatures: [
      { parameters: ['datetime'], result: 'decimal' },
      { parameters: ['time'], result: 'decimal' },
    ],
  },
  totalseconds: {
    section: 'totalseconds',
    signatures: [{ parameters: ['duration'], result: 'decimal' }],
  },
  date: { section: 'date', signatures: [{ parameters: ['datetime'], result: 'date' }] },
  time: { section: 'time', signatures: [{ parameters: ['datetime'], result: 'time' }] },
  totaloffsetminutes: {
    section: 'totaloffsetminutes',
    signatures: [{ parameters: ['datetime'], result: 'int' }],
  },
  mindatetime: { section: 'mindatetime', signatures: [{ parameters: [], result: 'datetime' }] },
  maxdatetime: { section: 'maxdatetime', signatures: [{ parameters: [], result: 'datetime' }] },
  now: { section: 'now', signatures: [{ parameters: [], result: 'datetime' }] },
  round: {
    section: 'round',
    signatures: [
      { parameters: ['decimal'], result: 'decimal' },
      { parameters: ['double'], result: 'double' },
    ],
  },
  floor: {
    section: 'floor',
    signatures: [
      { parameters: ['decimal'], result: 'decimal' },
      { parameters: ['double'], result: 'double' },
    ],
  },
  ceiling: {
    section: 'ceiling',
    signatures: [
      { parameters: ['decimal'], result: 'decimal' },
      { parameters: ['double'], result: 'double' },
    ],
  },
  'geo.distance': {
    section: 'geo.distance',
    signatures: [
      { parameters: ['geographypoint', 'geographypoint'], result: 'double' },
      { parameters: ['geometrypoint', 'geometrypoint'], result: 'double' },
    ],
  },
  'geo.intersects': {
    section: 'geo.intersects',
    signatures: [
      { parameters: ['geographypoint', 'geographypolygon'], result: 'boolean' },
      { parameters: ['geometrypoint', 'geometrypolygon'], result: 'boolean' },
    ],
  },
  'geo.length': {
    section: 'geo.length',
    signatures: [
      { parameters: ['geographylinestring'], result: 'double' },
      { parameters: ['geometrylinestring'], result: 'double' },
    ],
  },
} as const satisfies Record<string, FunctionRow>;

/** Aggregation methods of OData Data Aggregation 4.0, "Keyword with". */
export const AGGREGATE_METHODS = ['sum', 'min', 'max', 'average', 'countdistinct'] as const;

export type AggregateMethod = (typeof AGGREGATE_METHODS)[number];
