import type * as Tree from '../../request/tree.ts';
import type { Expression, Grouping, NestedRows, Query, Rows, Transformation } from '../bound.ts';
import { comparison, joinConditions, not } from '../expression/constructors.ts';
import { show } from '../expression/excerpt.ts';
import { TRUE } from '../expression/literal.ts';
import { BOOLEAN } from '../expression/types.ts';
import { plainQuery } from '../query/option-scope.ts';
import type { DerivedRow, Frame } from '../scope.ts';
import { faultAt, newEntityRow, notBuilt, positionText } from '../scope.ts';
import {
  type AppliedRows,
  declaredNames,
  deriveRows,
  indicatorValue,
  type Of,
  type Stage,
  type Step,
} from './derived-columns.ts';

/** Binds a sequence of transformations. apply.ts passes the function in to avoid an import cycle. */
type BindChain = (frame: Frame, start: Stage, apply: Tree.Apply) => AppliedRows;

/**
 * One row with the results of all sequences. OData Data Aggregation 4.0, "Transformation nest".
 * Throws: bind.name-taken and the errors of the transformations.
 */
export function bindNest(
  frame: Frame,
  stage: AppliedRows,
  tree: Of<'nest'>,
  bindChain: BindChain,
): Step {
  const names = new Set(declaredNames(frame, stage));
  const nested = tree.items.map((item) => {
    claimName(frame, names, item);
    const inner = bindChain(frame, stage, item.apply);
    return nestedRows(item.alias, { ...inner, apply: [...stage.apply, ...inner.apply] });
  });
  return withNested(deriveRows(frame, stage, { kind: 'nest' }, []), nested);
}

/**
 * Adds related rows under an alias, next to their navigation property. OData Data Aggregation 4.0, "Transformation addnested".
 * Throws: bind.name-taken, bind.operand, bind.option-on, not-built, and the errors of the transformations.
 */
export function bindAddNested(
  frame: Frame,
  stage: Stage,
  tree: Of<'addnested'>,
  bindChain: BindChain,
): Step {
  const rows = nestedTarget(frame, tree);
  const names = new Set([
    ...declaredNames(frame, stage),
    ...stage.computed.map(({ name }) => name),
    ...(stage.nested ?? []).map(({ name }) => name),
  ]);
  const single = rows.origin.kind === 'navigated' && !rows.origin.navigation.collection;
  const added = tree.items.map((item): NestedRows => {
    claimName(frame, names, item);
    if (single) requireOneToOne(frame, item);
    const start: Stage = { row: rows.row, type: rows.row.type, computed: [] };
    return { ...nestedRows(item.alias, bindChain(frame, start, item.apply)), rows, single };
  });
  return { stage: { ...stage, nested: [...(stage.nested ?? []), ...added] }, transformations: [] };
}

/** The rows at the path of addnested. */
function nestedTarget(frame: Frame, tree: Of<'addnested'>): Rows {
  const names = tree.path.steps.filter((step) => step.kind === 'name' && !step.name.includes('.'));
  if (names.length > 1) {
    throw notBuilt(frame, 'addnested inside complex values', tree.path.at);
  }
  const resolved = frame.session.resolve(frame, tree.path);
  if (resolved.kind === 'rows') return resolved.rows;
  if (resolved.kind === 'row' && resolved.row.kind === 'follow' && resolved.guards.length === 0) {
    const { from, path, navigation, target } = resolved.row;
    const row = newEntityRow(frame.session, target.source, resolved.type);
    return { row, origin: { kind: 'navigated', from, path, navigation }, where: [] };
  }
  throw faultAt(frame, tree.path.at, 'bind.operand', {
    operator: 'addnested',
    types: show(tree.path),
    hint: ' Name a navigation property of the rows.',
  });
}

function requireOneToOne(frame: Frame, { apply, alias, at }: Tree.NestItem): void {
  const other = apply.find(({ kind }) => !ONE_TO_ONE.has(kind));
  if (other === undefined) return;
  throw faultAt(frame, at, 'bind.option-on', {
    name: other.kind,
    what: `not applicable to ${alias}, which is a single entity`,
    instead: 'use identity, compute or addnested',
    place: positionText(frame, other.at),
  });
}

const ONE_TO_ONE: ReadonlySet<Tree.Transformation['kind']> = new Set([
  'identity',
  'compute',
  'addnested',
]);

function claimName(frame: Frame, names: Set<string>, { alias, at }: Tree.NestItem): void {
  if (names.has(alias)) {
    throw faultAt(frame, at, 'bind.name-taken', { name: alias });
  }
  names.add(alias);
}

function nestedRows(name: string, { row, apply, computed, nested }: AppliedRows): NestedRows {
  const query: Query = {
    ...plainQuery(row),
    apply,
    compute: computed,
    nested,
  };
  return { name, single: false, query };
}

export function withNested(step: Step, nested: readonly NestedRows[]): Step {
  return nested.length === 0 ? step : { ...step, stage: { ...step.stage, nested } };
}

export interface Grouped {
  readonly derived: Step;
  readonly base: Pick<Transformation & { readonly kind: 'groupby' }, 'groupings' | 'sets'>;
  readonly inner: AppliedRows;
  readonly at: number;
}

/** The nested rows inside groups, filtered to the values of their group. Throws: not-built if a row can be in several groups. */
export function nestedInGroups(
  frame: Frame,
  stage: AppliedRows,
  { derived, base, inner, at }: Grouped,
): readonly NestedRows[] {
  const { row } = derived.stage;
  if (inner.nested === undefined || row.kind !== 'derived') return [];
  const operands = base.groupings.flatMap((grouping): readonly Expression[] => {
    if (grouping.indicates !== undefined) return [];
    if (grouping.over !== undefined || grouping.tree !== undefined) {
      throw notBuilt(frame, 'nest in groups that share rows', at);
    }
    return [inGroup(row, grouping)];
  });
  const predicate: Expression = { kind: 'and', operands: [TRUE, ...operands], type: BOOLEAN };
  const own: Transformation = { kind: 'filter', input: stage.row, output: stage.row, predicate };
  return inner.nested.map((nested) => {
    const apply = [...stage.apply, own, ...nested.query.apply];
    return { ...nested, query: { ...nested.query, apply } };
  });
}

/** Compares a row with the value of its group; columns that rollup omits match every row. */
function inGroup(row: DerivedRow, { name, expression, type }: Grouping): Expression {
  const column: Expression = { kind: 'column', row, name, type };
  const same = comparison('eq', expression, column, type);
  const defined = indicatorValue(row, 'defined', name);
  if (defined === undefined) return same;
  return joinConditions('or', [not(defined), same]);
}
