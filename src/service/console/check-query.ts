// This file checks query options that are stored as text: they must be a valid request for the collection of a set.
import { Fault } from '../../base/fault.ts';
import { bind } from '../../bind/bind-read.ts';
import type { Scope } from '../../bind/scope.ts';
import { DEFAULT_LIMITS, parse } from '../../request/parse.ts';

export interface StoredQuery {
  readonly set: string;
  /** As in a URL after the question mark. */
  readonly query: string;
}

/** Options that belong to one request rather than to a list. */
const PASSING = ['format', 'skiptoken', 'deltatoken', 'schemaversion', 'index', 'id'] as const;

/** Throws: request.*, bind.*, not-built, with the position in the option where it is known. */
export function checkQuery({ set, query }: StoredQuery, scope: Scope): void {
  const path = encodeURIComponent(set);
  const tree = parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
  const { options } = tree;
  const passing = PASSING.find((name) => options[name] !== undefined);
  const name = passing === undefined ? [...options.custom.keys()][0] : `$${passing}`;
  if (name !== undefined)
    throw new Fault('request.unknown-option', { name, place: ' in a stored query', hint: '' });
  bind(tree, scope);
}
