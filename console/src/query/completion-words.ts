// This file lists the words of requests that every model has (OData URL Conventions 4.01, "System Query Options" and "Canonical Functions").

export const OPTIONS = [
  '$select=',
  '$filter=',
  '$orderby=',
  '$expand=',
  '$top=',
  '$skip=',
  '$count=true',
  '$search=',
  '$apply=',
  '$compute=',
  '$format=',
] as const;

export const NESTED_OPTIONS = [
  '$select=',
  '$filter=',
  '$orderby=',
  '$expand=',
  '$top=',
  '$skip=',
  '$count=true',
  '$search=',
  '$levels=',
] as const;

export const OPERATORS = ['and', 'or', 'not', 'eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'null'];

export const FUNCTIONS = [
  'contains',
  'startswith',
  'endswith',
  'length',
  'indexof',
  'substring',
  'tolower',
  'toupper',
  'trim',
  'concat',
  'matchesPattern',
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
  'date',
  'time',
  'now',
  'round',
  'floor',
  'ceiling',
  'case',
  'cast',
  'isof',
  'filter',
  'groupby',
  'aggregate',
  'compute',
  'topcount',
] as const;
