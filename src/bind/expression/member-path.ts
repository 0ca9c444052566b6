// This file resolves paths in expressions: from their root ($it, $this, $root, an alias, a lambda variable, the current row) along
// properties, navigations, casts and functions to any, all, $count and $filter. OData 4.01 URL Conventions, "Path Expressions".
import { Fault } from '../../base/fault.ts';
import type * as Tree from '../../request/tree.ts';
import { bindAggregate } from '../apply/aggregate.ts';
import type { Collection, Expression } from '../bound.ts';
import { bindSearch } from '../query/search.ts';
import { searchInItem } from '../query/search-condition.ts';
import { type Frame, placeOf, type Reached, reachValue, type Subject, whereOf } from '../scope.ts';
import { annotationAt } from './annotation-path.ts';
import { itemFrame, itemOf, narrow, reachCollection, toCollection } from './collection.ts';
import { show } from './excerpt.ts';
import { itemByKey, stepByName, stepFromSubject } from './member.ts';
import { bindCondition } from './promotion.ts';
import { stepFromRoot } from './root-path.ts';
import { theseOf } from './these-variable.ts';
import { BOOLEAN, INT64 } from './types.ts';

/** Resolves the path. Throws: the codes of member.ts, bind.no-row, bind.operand, not-built. */
export function resolvePath(frame: Frame, tree: Tree.PathExpression): Reached {
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
 * Throws: bind.alias-circle, and the codes of the expression.
 */
export function resolveAlias(frame: Frame, name: string, at: number): Reached {
  const parameter = frame.parameters.get(name);
  if (parameter !== undefined) return parameter;
  const tree = frame.aliases.get(name);
  if (tree === undefined) return reachValue(NULL_VALUE);
  const key = `@${name}`;
  if (frame.resolving.includes(key)) {
    throw new Fault('bind.alias-circle', { name, place: placeOf(frame, at) }, whereOf(frame, at));
  }
  const part = { name: key, target: key };
  return frame.session.reach({ ...frame, part, resolving: [...frame.resolving, key] }, tree);
}

const NULL_VALUE: Expression = { kind: 'literal', type: { kind: 'null' }, value: null };

/** Lambda variables take precedence over properties. */
function stepFromStart(
  frame: Frame,
  tree: Tree.PathExpression,
  step: Tree.PathStep | undefined,
): Reached {
  if (step?.kind === 'name' && step.arguments === undefined) {
    const variable = frame.variables.get(step.name);
    if (variable !== undefined) return variable;
  }
  const subject = subjectAt(frame, tree, frame.current);
  return step?.kind === 'name'
    ? stepFromSubject(frame, subject, step)
    : walk(frame, subject.reached, step === undefined ? [] : [step]);
}

function walkSubject(
  frame: Frame,
  tree: Tree.PathExpression,
  subject: Subject | undefined,
): Reached {
  const start = subjectAt(frame, tree, subject);
  const [first, ...others] = tree.steps;
  return first?.kind === 'name'
    ? walk(frame, stepFromSubject(frame, start, first), others)
    : walk(frame, start.reached, tree.steps);
}

function subjectAt(frame: Frame, tree: Tree.PathExpression, subject: Subject | undefined): Subject {
  if (subject !== undefined) return subject;
  throw new Fault(
    'bind.no-row',
    { thing: show(tree), place: placeOf(frame, tree.at) },
    whereOf(frame, tree.at),
  );
}

function resolveThese(frame: Frame, tree: Tree.PathExpression): Reached {
  if (frame.these === undefined) {
    throw new Fault(
      'bind.no-row',
      { thing: show(tree), place: placeOf(frame, tree.at) },
      whereOf(frame, tree.at),
    );
  }
  const reached = frame.these.reach();
  if (reached === undefined) throw notBuilt(frame, '$these for this collection', tree.at);
  return reached;
}

function walk(frame: Frame, start: Reached, steps: readonly Tree.PathStep[]): Reached {
  return steps.reduce((reached, step) => takeStep(frame, reached, step), start);
}

function takeStep(frame: Frame, reached: Reached, step: Tree.PathStep): Reached {
  switch (step.kind) {
    case 'name':
      return stepByName(frame, reached, step);
    case 'count':
      return reachValue(countOf(frame, reached, step));
    case 'filter': {
      const collection = collectionAt(frame, reached, step);
      const these = theseOf(frame.session, collection);
      const innerFrame = { ...itemFrame(frame, collection), these };
      const filtered = narrow(collection, bindCondition(innerFrame, step.condition));
      return step.key === undefined
        ? reachCollection(filtered)
        : itemByKey(frame, filtered, step.key, step.at);
    }
    case 'any':
    case 'all':
      return reachValue(bindLambda(frame, collectionAt(frame, reached, step), step));
    case 'annotation':
      return reachValue(annotationAt(frame, reached, step));
    case 'aggregate':
      return reachValue(bindAggregate(frame, collectionAt(frame, reached, step), step.item));
    case 'ordinal':
      throw noPosition(frame, step);
  }
}

function collectionAt(frame: Frame, reached: Reached, step: Tree.PathStep): Collection {
  const tree: Tree.PathExpression = {
    kind: 'path',
    at: step.at,
    root: { kind: 'current' },
    steps: [step],
  };
  const operator = step.kind === 'count' || step.kind === 'filter' ? `$${step.kind}` : step.kind;
  return toCollection(frame, reached, tree, operator);
}

/** `$count`, `$count($filter=…;$search=…)`. */
function countOf(frame: Frame, reached: Reached, step: Tree.CountStep): Expression {
  let collection = collectionAt(frame, reached, step);
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
    return searchInItem(frame.session.scope.model, collection.row, search);
  }
  const row = collection.kind === 'rows' ? collection.rows.row : collection.row;
  return {
    kind: 'search',
    row: { kind: 'variable', row },
    search,
    type: BOOLEAN,
  };
}

/** Names without the variable keep their outer meaning. */
function bindLambda(frame: Frame, collection: Collection, step: Tree.LambdaStep): Expression {
  const { kind, variable, condition } = step;
  if (condition === undefined || variable === undefined) return { kind, collection, type: BOOLEAN };
  const variables = new Map([...frame.variables, [variable, itemOf(collection)]]);
  const predicate = bindCondition({ ...frame, variables, spread: undefined }, condition);
  return { kind, collection, predicate, type: BOOLEAN };
}

/** Only resource paths can address items by position. OData 4.01 ABNF, `collectionPathExpr`. */
function noPosition(frame: Frame, { index, at }: Tree.OrdinalStep): Fault {
  return new Fault(
    'bind.option-on',
    {
      name: String(index),
      what: 'a position, which only resource paths can contain',
      instead: 'use any, all or $count',
      place: placeOf(frame, at),
    },
    whereOf(frame, at),
  );
}

function notBuilt(frame: Frame, feature: string, at: number): Fault {
  return new Fault('not-built', { feature }, whereOf(frame, at));
}
