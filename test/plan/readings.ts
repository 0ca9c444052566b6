// This file makes bound readings of the odd model by hand, and what the client wished besides, so that plans can be tested without a
// URL. Expressions are bound from their text.
import {
  ADMINISTRATORS_ONLY,
  type Policy,
  type Role,
  resolveRights,
} from '../../src/access/policy.ts';
import type {
  AddressStep,
  BoundRead,
  Expansion,
  Expression,
  Query,
  RowOrigin,
  Rows,
  RowVariable,
  SelectedItem,
  Wanted,
} from '../../src/bind/bound.ts';
import { bindExpression, startSession } from '../../src/bind/expression/expression.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import {
  DEFAULT_BIND_LIMITS,
  resolvedVariable,
  type Scope,
  startFrame,
  subjectOf,
} from '../../src/bind/scope.ts';
import {
  entityType,
  type Member,
  type Navigation,
  type Property,
  structuredType,
} from '../../src/edm/model.ts';
import { type Source, setSource, targetSource } from '../../src/edm/source.ts';
import { decide, type Setting, type UnboundRequest } from '../../src/plan/decide-read.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import type { Plan, ReadPlan } from '../../src/plan/read-plan.ts';
import type { Guard } from '../../src/plan/rights/row-conditions.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import type { Tree } from '../../src/request/tree.ts';
import { oddModel } from '../odd-model.ts';

const model = oddModel;
export const scope: Scope = { model, rules: 'odata', limits: DEFAULT_BIND_LIMITS };

type EntityRow = RowVariable & { readonly kind: 'entity' };

let lastId = 0;

function rowsFrom(source: Source, origin: RowOrigin = { kind: 'source' }): Rows {
  const row: EntityRow = { kind: 'entity', id: ++lastId, source, type: source.type };
  return { row, origin, where: [] };
}

export function set(name: string): Rows {
  return rowsFrom(setSource(model, name));
}

/** The rows of the set whose key is the number. */
export function one(name: string, key: bigint): Rows {
  const rows = set(name);
  return { ...rows, where: [bindText(rows, `Id eq ${key}`)] };
}

function member(type: string, name: string): Member {
  const found = model.members(structuredType(model, `Odd.Zoo.${type}`)).get(name);
  if (found === undefined) throw new Error(`no ${name} in ${type}`);
  return found;
}

export function property(type: string, name: string): Property {
  const found = member(type, name);
  if (found.kind !== 'property') throw new Error(`${name} is a navigation`);
  return found;
}

export function navigation(type: string, name: string): Navigation {
  const found = member(type, name);
  if (found.kind !== 'navigation') throw new Error(`${name} is a property`);
  return found;
}

/** The rows behind a navigation of the one row. */
export function related(from: Rows, name: string, path: readonly Property[] = []): Rows {
  const step = path.at(-1);
  const owner = step === undefined ? from.row.type : structuredType(model, step.type);
  const found = model.members(owner).get(name);
  if (found?.kind !== 'navigation') throw new Error(`no navigation ${name}`);
  const text = [...path.map((inner) => inner.name), name].join('/');
  const source = targetSource(model, from.row.source, owner, found, text);
  return rowsFrom(source, { kind: 'related', from, path, navigation: found });
}

export interface ExpansionParts {
  readonly query?: Partial<Query>;
  readonly path?: readonly Property[];
  readonly form?: Expansion['form'];
}

/** $expand of a navigation of the rows, possibly out of a complex value. */
export function expand(
  from: Rows,
  name: string,
  { path = [], form = 'entities', query = {} }: ExpansionParts = {},
): Expansion {
  const rows = related(from, name, path);
  if (rows.origin.kind !== 'related') throw new Error('related rows are related');
  const { navigation: step } = rows.origin;
  const navigated: Rows = {
    ...rows,
    origin: {
      kind: 'navigated',
      from: { kind: 'variable', row: from.row },
      path,
      navigation: step,
    },
  };
  return { path, navigation: step, rows: navigated, form, query: queryOf(navigated, query) };
}

export function queryOf({ row }: Rows, parts: Partial<Query> = {}): Query {
  return {
    row,
    apply: [],
    compute: [],
    orderby: [],
    count: false,
    selection: { all: true, items: [] },
    expansions: [],
    streams: [],
    ...parts,
  };
}

/** $select of properties by name. */
export function select(type: string, ...names: readonly string[]): Query['selection'] {
  const items = names.map(
    (name): SelectedItem => ({ kind: 'property', property: property(type, name) }),
  );
  return { all: false, items };
}

export interface ReadParts {
  readonly wanted?: Wanted;
  readonly query?: Partial<Query>;
  readonly address?: readonly AddressStep[];
  readonly parent?: Rows;
  readonly nullable?: boolean;
}

export function read(rows: Rows, parts: ReadParts = {}): BoundRead {
  const { wanted = { kind: 'entities' }, query = {}, nullable = false, parent } = parts;
  const address = parts.address ?? [{ name: rows.row.source.id, kind: 'set', many: true }];
  return {
    kind: 'read',
    rows,
    wanted,
    query: queryOf(rows, query),
    address,
    nullable,
    ...(parent === undefined ? {} : { parent }),
  };
}

/** An expression on the row. */
export function bindText({ row }: Rows, text: string): Expression {
  const session = { ...startSession(scope), rowId: () => ++lastId };
  const part = { name: 'filter', target: '$filter' };
  return bindExpression(
    startFrame(session, part, subjectOf(resolvedVariable(row))),
    parseExpression(text, '$filter'),
  );
}

/** A request as it was written, for the options and wishes in it. */
export function ask(url: string, headers: Readonly<Record<string, string>> = {}): Tree {
  const [path = '', query = ''] = url.split('?');
  return parse({ method: 'GET', path, query, headers }, DEFAULT_LIMITS);
}

/** What the roles come to for somebody who is no administrator. */
export function rightsOf(...roles: readonly Role[]): Setting['rights'] {
  const policy: Policy = { roles };
  const principal = {
    account: 1n,
    loginName: 'ann',
    person: 7n,
    roles: roles.map((role) => role.name),
    administrator: false,
  };
  return resolveRights(policy, principal, model);
}

export const everything: Setting['rights'] = resolveRights(
  ADMINISTRATORS_ONLY,
  { account: 1n, loginName: 'root', person: undefined, roles: [], administrator: true },
  model,
);

export function setting(rights: Setting['rights'] = everything): Setting {
  return {
    model,
    rights,
    limits: DEFAULT_PAGE_LIMITS,
    languages: ['en', 'nl'],
    bindRule: ruleBinder(scope),
  };
}

export function guardOf(rights: Setting['rights']): Guard {
  return { model, rights, bindRule: ruleBinder(scope) };
}

export function plan(
  bound: BoundRead,
  asked: UnboundRequest,
  rights: Setting['rights'] = everything,
): ReadPlan {
  const decided: Plan = decide(bound, asked, setting(rights));
  if (decided.kind !== 'read') throw new Error(`a ${decided.kind} was planned`);
  return decided;
}

export const zoo = (name: string) => entityType(model, `Odd.Zoo.${name}`);
