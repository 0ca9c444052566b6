// This file resolves paths in expressions: from their root ($it, $this, $root, an alias, a lambda variable, the current row) along
// properties, navigations, casts and functions to any, all, $count and $filter. After `$root` follows an entity set, an entity, a
// singleton, or a function import. OData 4.01 URL Conventions, "Path Expressions", "$root".
import type { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { setSource } from '../../edm/source.ts';
import type * as Tree from '../../request/tree.ts';
import { bindAggregate } from '../apply/aggregate.ts';
import type { Collection, Expression } from '../bound.ts';
import { rejectSecondKey } from '../path/key-predicate.ts';
import { bindSearch, searchInItem } from '../query/search.ts';
import {
  addressedRow,
  allRows,
  countInserted,
  type Frame,
  faultAt,
  notBuilt,
  type Resolved,
  resolvedValue,
  type Subject,
} from '../scope.ts';
import { annotationAt } from './annotation-path.ts';
import { itemFrame, itemOf, narrow, resolvedCollection, toCollection } from './collection.ts';
import { variable } from './constructors.ts';
import { show } from './excerpt.ts';
import { constant } from './literal.ts';
import { itemByKey, rowByKey, stepByName, stepFromSubject } from './member.ts';
import { callFunction } from './operation-call.ts';
import { bindCondition } from './promotion.ts';
import { theseOf } from './these-variable.ts';
import { BOOLEAN, INT64, NULL } from './types.ts';

/** Resolves the path. Throws: the codes of member.ts, bind.no-row, bind.operand, not-built. */
export function resolvePath(frame: Frame, tree: Tree.PathExpression): Resolved {
  const [first, ...others] = tree.steps;
  switch (tree.root.kind) {
    case 'current':
      return walk(frame, stepFromStart(frame, tree, first), others);
    case 'root':
      return walk(frame, stepFromRoot(frame, first), others);
    case 'it':
      return walkSubject(frame, tree, frame.it);
    case 'this':
      return walkSubject(frame, tree, frame.this);
    case 'these':
      return walk(frame, resolveThese(frame, tree), tree.steps);
    case 'alias':
      return walk(frame, resolveAlias(frame, tree.root.name, tree.at), tree.steps);
  }
}

/**
 * Resolves `@name`: a parameter of the function being bound, or the expression of the query option `@name`; null if there is neither.
 * Throws: bind.alias-circle, bind.too-large, and the codes of the expression.
 */
export function resolveAlias(frame: Frame, name: string, at: number): Resolved {
  const parameter = frame.parameters.get(name);
  if (parameter !== undefined) return parameter;
  const tree = frame.aliases.get(name);
  if (tree === undefined) return resolvedValue(NULL_VALUE);
  const key = `@${name}`;
  if (frame.resolving.includes(key)) {
    throw faultAt(frame, at, 'bind.alias-circle', { name });
  }
  // Its parts are counted while they are bound.
  countInserted(frame, 0);
  const part = { name: key, target: key };
  return frame.session.resolve({ ...frame, part, resolving: [...frame.resolving, key] }, tree);
}

const NULL_VALUE = constant(NULL, null);

/** Lambda variables take precedence over properties. */
function stepFromStart(
  frame: Frame,
  tree: Tree.PathExpression,
  step: Tree.PathStep | undefined,
): Resolved {
  if (step?.kind === 'name' && step.arguments === undefined) {
    const variable = frame.variables.get(step.name);
    if (variable !== undefined) return variable;
  }
  const subject = subjectAt(frame, tree, frame.current);
  return step?.kind === 'name'
    ? stepFromSubject(frame, subject, step)
    : walk(frame, subject.resolved, step === undefined ? [] : [step]);
}

function walkSubject(
  frame: Frame,
  tree: Tree.PathExpression,
  subject: Subject | undefined,
): Resolved {
  const start = subjectAt(frame, tree, subject);
  const [first, ...others] = tree.steps;
  return first?.kind === 'name'
    ? walk(frame, stepFromSubject(frame, start, first), others)
    : walk(frame, start.resolved, tree.steps);
}

function subjectAt(frame: Frame, tree: Tree.PathExpression, subject: Subject | undefined): Subject {
  if (subject !== undefined) return subject;
  throw faultAt(frame, tree.at, 'bind.no-row', { thing: show(tree) });
}

function resolveThese(frame: Frame, tree: Tree.PathExpression): Resolved {
  if (frame.these === undefined) {
    throw faultAt(frame, tree.at, 'bind.no-row', { thing: show(tree) });
  }
  const resolved = frame.these.resolve();
  if (resolved === undefined) throw notBuilt(frame, '$these for this collection', tree.at);
  return resolved;
}

function walk(frame: Frame, start: Resolved, steps: readonly Tree.PathStep[]): Resolved {
  return steps.reduce((resolved, step) => takeStep(frame, resolved, step), start);
}

function takeStep(frame: Frame, resolved: Resolved, step: Tree.PathStep): Resolved {
  switch (step.kind) {
    case 'name':
      return stepByName(frame, resolved, step);
    case 'count':
      return resolvedValue(countOf(frame, resolved, step));
    case 'filter': {
      const collection = collectionAt(frame, resolved, step);
      const these = theseOf(frame.session, collection);
      const innerFrame = { ...itemFrame(frame, collection), these };
      const filtered = narrow(collection, bindCondition(innerFrame, step.condition));
      return step.key === undefined
        ? resolvedCollection(filtered)
        : itemByKey(frame, filtered, step.key, step.at);
    }
    case 'any':
    case 'all':
      return resolvedValue(bindLambda(frame, collectionAt(frame, resolved, step), step));
    case 'annotation':
      return resolvedValue(annotationAt(frame, resolved, step));
    case 'aggregate':
      return resolvedValue(bindAggregate(frame, collectionAt(frame, resolved, step), step.item));
    case 'ordinal':
      throw noPosition(frame, step);
  }
}

function collectionAt(frame: Frame, resolved: Resolved, step: Tree.PathStep): Collection {
  const tree: Tree.PathExpression = {
    kind: 'path',
    at: step.at,
    root: { kind: 'current' },
    steps: [step],
  };
  const operator = step.kind === 'count' || step.kind === 'filter' ? `$${step.kind}` : step.kind;
  return toCollection(frame, resolved, tree, operator);
}

/** `$count`, `$count($filter=…;$search=…)`. */
function countOf(frame: Frame, resolved: Resolved, step: Tree.CountStep): Expression {
  let collection = collectionAt(frame, resolved, step);
  if (step.filter !== undefined) {
    collection = narrow(collection, bindCondition(itemFrame(frame, collection), step.filter));
  }
  if (step.search !== undefined) {
    collection = narrow(collection, searchIn(frame, collection, step.search));
  }
  return { kind: 'count', collection, type: INT64 };
}

function searchIn(frame: Frame, collection: Collection, tree: Tree.SearchExpression): Expression {
  const search = bindSearch(frame, tree);
  if (collection.kind === 'elements') {
    return searchInItem(frame.model, collection.row, search);
  }
  const row = collection.kind === 'rows' ? collection.rows.row : collection.row;
  return { kind: 'search', row: variable(row), search, type: BOOLEAN };
}

/** Names without the variable keep their outer meaning. */
function bindLambda(frame: Frame, collection: Collection, step: Tree.LambdaStep): Expression {
  const { kind, variable, condition } = step;
  if (condition === undefined || variable === undefined) return { kind, collection, type: BOOLEAN };
  const variables = new Map([...frame.variables, [variable, itemOf(collection)]]);
  const predicate = bindCondition({ ...frame, variables, pathCollections: undefined }, condition);
  return { kind, collection, predicate, type: BOOLEAN };
}

/** Only resource paths can address items by position. OData 4.01 ABNF, `collectionPathExpr`. */
function noPosition(frame: Frame, { index, at }: Tree.OrdinalStep): Fault {
  return faultAt(frame, at, 'bind.option-on', {
    name: String(index),
    what: 'a position, which only resource paths can contain',
    instead: 'use any, all or $count',
  });
}

/** The first step after `$root`. Throws: bind.unknown-set, bind.key, and the codes of callFunction. */
function stepFromRoot(frame: Frame, step: Tree.PathStep | undefined): Resolved {
  if (step?.kind !== 'name') throw unknownSet(frame, step?.at ?? 0, step?.kind ?? '');
  const { model } = frame;
  const set = model.sets.get(step.name) ?? singularSet(frame, step);
  if (set !== undefined) {
    const rows = allRows(frame.session, setSource(model, set.name));
    const keyed = { row: rows.row, type: rows.row.type };
    const isSingleton = set.kind === 'singleton';
    rejectSecondKey(frame, keyed, isSingleton ? { key: step.arguments } : step);
    if (isSingleton) return addressedRow(rows);
    return step.arguments === undefined
      ? { kind: 'rows', rows }
      : rowByKey(frame, rows, step.arguments);
  }
  const imported = model.imports.get(step.name);
  if (imported?.kind !== 'function-import') throw unknownSet(frame, step.at, step.name);
  const { at } = step;
  const name = imported.operation;
  const result = callFunction(frame, { name, at, arguments: step.arguments, binding: undefined });
  if (step.key === undefined || result.kind !== 'rows') return result;
  return rowByKey(frame, result.rows, step.key);
}

/** The set of a singular alias, which addresses one entity. */
function singularSet(frame: Frame, step: Tree.NameStep) {
  return step.arguments === undefined ? undefined : frame.model.singulars.get(step.name);
}

function unknownSet(frame: Frame, at: number, name: string): Fault {
  const hint = didYouMean(name, frame.model.sets.keys());
  return faultAt(frame, at, 'bind.unknown-set', { name, hint });
}
