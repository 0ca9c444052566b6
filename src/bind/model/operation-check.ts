// Checks the expressions of operations, types and navigations of a model by binding and compiling them: results of functions, effects
// of actions, and conditions. This reports mistakes with their path that would otherwise fail requests.

import { readExpressions, stopConditions, typeOfSet } from '../../edm/clocks/clock-members.ts';
import { isOutOfReach } from '../../edm/hidden-operations.ts';
import type {
  Effect,
  EffectValues,
  EntityType,
  Member,
  Model,
  Operation,
  StructuredType,
} from '../../edm/model.ts';
import { memberAt, memberType } from '../../edm/model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../../edm/model-error.ts';
import { typeSource } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import type { ValueType } from '../bound.ts';
import { startSession } from '../expression/expression.ts';
import { bindResultOf } from '../expression/limited-rows.ts';
import {
  contextParameters,
  ownParameters,
  readBody,
  typedResult,
} from '../expression/operation-call.ts';
import { typeOfReference } from '../expression/types.ts';
import {
  allRows,
  DEFAULT_BIND_LIMITS,
  type Frame,
  newEntityRow,
  type Resolved,
  resolvedVariable,
  type Session,
  startFrame,
  subjectOf,
} from '../scope.ts';
import { type EntityConstraint, entityConstraints } from './constraint.ts';
import {
  type ExpressionCheck,
  misfit,
  tryCondition,
  tryExpression,
  typeOfResolved,
} from './expression-check.ts';
import { sourcesOf } from './policy-condition.ts';

/** Returns all mistakes in expressions of operations. The model must have passed lint. */
export function checkOperations(check: ExpressionCheck): readonly Mistake[] {
  return check.model.definition.operations
    .filter(({ engine }) => engine === undefined)
    .flatMap((operation) => checkOperation(check, operation));
}

/** Returns all mistakes in conditions of types (`Docket.Recorded`) and navigations (`Docket.Discloses`) after lint. */
export function checkConditions(check: ExpressionCheck): readonly Mistake[] {
  return check.model.definition.types.flatMap((type) => {
    if (type.kind === 'enum' || type.kind === 'definition') return [];
    const recorded = type.kind === 'entity' ? type.recorded : undefined;
    return [
      ...checkCondition(check, type.name, recorded, elementPath(type.name, '@Docket.Recorded')),
      ...checkEditable(check, type),
      ...(type.kind === 'entity' ? checkClocks(check, type) : []),
      ...type.members.flatMap((member) => {
        if (member.kind === 'property') return [];
        const path = elementPath(type.name, member.name, '@Docket.Discloses');
        return checkCondition(check, member.target, member.discloses?.whole, path);
      }),
    ];
  });
}

/** The conditions and expressions of clocks: the start is a point in time, the priority an integer. */
function checkClocks(check: ExpressionCheck, type: EntityType): readonly Mistake[] {
  const { model } = check;
  const { clocks } = type;
  if (clocks === undefined) return [];
  const path = elementPath(type.name, '@Docket.Clocks');
  const { agreement, level } = clocks;
  const [start, otherwise, raisedIf] = readExpressions(model, type, clocks);
  const nameOf = (set: string) => typeOfSet(model, set)?.name ?? '';
  return [
    ...checkCondition(check, nameOf(agreement?.from ?? ''), agreement?.where, path),
    ...checkCondition(check, nameOf(level.from), level.default, path),
    ...[raisedIf, ...stopConditions(clocks)].flatMap((condition) =>
      checkCondition(check, type.name, condition, path),
    ),
    ...checkCondition(check, type.name, `(${start}) ge 2000-01-01T00:00:00Z`, path),
    ...checkCondition(check, type.name, `(${otherwise}) ge 0`, path),
  ];
}

/** Returns all mistakes in constraints of entities (`Validation.Constraint`). The model must have passed lint. */
export function checkConstraints(check: ExpressionCheck): readonly Mistake[] {
  const { model } = check;
  const found = new Map<string, readonly Mistake[]>();
  for (const type of model.definition.types) {
    if (type.kind !== 'entity') continue;
    for (const one of entityConstraints(model, type)) {
      // A derived type has the constraints of its base type, too.
      const isKnown = (found.get(one.location) ?? []).length > 0;
      if (!isKnown) found.set(one.location, checkConstraint(check, type, one));
    }
  }
  return [...found.values()].flat();
}

function checkConstraint(
  check: ExpressionCheck,
  type: EntityType,
  { location, condition, reads }: EntityConstraint,
): readonly Mistake[] {
  const { model } = check;
  const collection = reads.find((path) => readsEntities(model, type, path));
  if (collection !== undefined) {
    const message = `${collection.join('/')} reads entities that can change without this one.`;
    return [
      mistake(location, message, 'Read properties and single, not contained navigations only.'),
    ];
  }
  const target = 'the condition';
  const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const subject = subjectOf(reachEntity(session, type));
  const frame = startFrame(session, { name: undefined, target }, subject);
  const known = { ...frame, parameters: contextParameters(frame) };
  return tryCondition(check, {
    path: location,
    text: 'Condition',
    frame: known,
    read: () => condition(),
  });
}

/** Whether the path passes a navigation whose changes the constraint would miss: a collection or a containment. */
function readsEntities(model: Model, type: EntityType, path: readonly string[]): boolean {
  let current: StructuredType | undefined = type;
  for (const name of path) {
    const member: Member | undefined = current && model.members(current).get(name);
    if (member === undefined) return false;
    if (member.kind === 'navigation' && (member.collection || member.contained)) return true;
    current = memberType(model, member);
  }
  return false;
}

/** Checks a condition on entities of the type. */
export function checkCondition(
  check: ExpressionCheck,
  name: string,
  condition: string | undefined,
  path: string,
): readonly Mistake[] {
  const { model } = check;
  const type = model.types.get(name);
  if (type?.kind !== 'entity') return [];
  const target = 'the condition';
  const found = sourcesOf(model, type).map((source) => {
    const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
    const subject = subjectOf(resolvedVariable(newEntityRow(session, source, type)));
    const frame = startFrame(session, { name: undefined, target }, subject);
    const known = { ...frame, parameters: contextParameters(frame) };
    const read = (text: string) => parseExpression(text, target);
    return tryCondition(check, { path, text: condition, frame: known, read });
  });
  return found.find((mistakes) => mistakes.length > 0) ?? [];
}

function checkOperation(check: ExpressionCheck, operation: Operation): readonly Mistake[] {
  if (isOutOfReach(check.model, operation)) return [];
  const { name, available, due, effects = [] } = operation;
  const frame = frameOf(check.model, operation);
  const parameters = new Map(frame.parameters);
  const path = (term: string) => elementPath(name, `@Docket.${term}`);
  const inside: Frame = { ...frame, parameters };
  return [
    ...tryCondition(check, {
      path: path('Available'),
      text: available,
      frame,
      read: (text) => readBody(text, name),
      dependence: 'any',
    }),
    ...checkCondition(check, operation.parameters[0]?.type ?? '', due?.where, path('Due')),
    ...effects.flatMap((effect, index) => {
      const found = checkEffect(check, inside, effect, {
        path: `${path('Effects')}[${index}]`,
        name,
      });
      if (effect.kind === 'create' && effect.as !== undefined && found.type !== undefined)
        parameters.set(effect.as, reachEntity(inside.session, found.type));
      return found.mistakes;
    }),
    ...checkResult(check, inside, operation, path('Expression')),
  ];
}

/** The result must have the declared type. */
function checkResult(
  check: ExpressionCheck,
  frame: Frame,
  operation: Operation,
  path: string,
): readonly Mistake[] {
  const { model } = check;
  const { name, returns } = operation;
  let reason: string | undefined;
  const bind = (text: string) => {
    const result = bindResultOf(frame, text, name);
    const type = typeOfResolved(result);
    if (returns !== undefined && type !== undefined)
      reason = misfit(model, type, typeOfReference(model, returns));
    return reason === undefined ? typedResult(operation, frame, result) : result;
  };
  const mistakes = tryExpression(check, path, operation.expression, bind, 'any');
  const remedy = 'Change the expression or $ReturnType.';
  return [...mistakes, ...(reason === undefined ? [] : [mistake(path, reason, remedy)])];
}

/** The frame of a call with all parameters; each is a variable of its type. */
function frameOf(model: Model, operation: Operation): Frame {
  const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const [binding] = operation.bound ? operation.parameters : [];
  const subject = binding === undefined ? undefined : subjectOf(reachParameter(session, binding));
  const part = { name: undefined, target: `the operation ${operation.name}` };
  const frame = { ...startFrame(session, part, subject), resolving: [operation.name] };
  const parameters = ownParameters(operation).map(
    (parameter) => [parameter.name, reachParameter(session, parameter)] as const,
  );
  return { ...frame, parameters: new Map([...contextParameters(frame), ...parameters]) };
}

function reachParameter(session: Session, parameter: Operation['parameters'][number]): Resolved {
  const { model } = session.scope;
  const type = typeOfReference(model, parameter);
  if (type.kind !== 'entity')
    return resolvedVariable({ kind: 'element', id: session.rowId(), type });
  return parameter.collection
    ? { kind: 'rows', rows: allRows(session, typeSource(model, parameter.type)) }
    : reachEntity(session, type.type);
}

export function reachEntity(session: Session, type: EntityType): Resolved {
  const { model } = session.scope;
  const source = typeSource(model, type.name);
  const isContained = source.kind === 'union' && source.members?.length === 0;
  const [first = source] = isContained ? sourcesOf(model, type) : [];
  return resolvedVariable(newEntityRow(session, first, type));
}

interface CheckedEffect {
  readonly mistakes: readonly Mistake[];
  /** The type of the entities that the effect creates or changes. */
  readonly type?: EntityType;
}

/** The path of an effect, and the name of its operation. */
interface EffectPlace {
  readonly path: string;
  readonly name: string;
}

function checkEffect(
  check: ExpressionCheck,
  frame: Frame,
  effect: Effect,
  place: EffectPlace,
): CheckedEffect {
  const { path, name } = place;
  if (effect.kind === 'require') {
    const read = (text: string) => readBody(text, name);
    const condition = { path, text: effect.condition, frame, read, dependence: 'any' } as const;
    return { mistakes: tryCondition(check, condition) };
  }
  const text = effect.kind === 'create' ? effect.in : effect.rows;
  let resolved: Resolved | undefined;
  const bind = () => {
    resolved = frame.session.resolve(frame, readBody(text, name));
    return resolved;
  };
  const mistakes = tryExpression(check, path, text, bind, 'any');
  if (resolved === undefined) return { mistakes };
  const found = entitiesOf(resolved, effect.kind === 'create');
  if (found === undefined) {
    const wanted = effect.kind === 'create' ? 'a collection of entities' : 'entities';
    return { mistakes: [mistake(path, `${text} is not a path to ${wanted}.`, 'Change the path.')] };
  }
  const declared = effect.kind === 'create' ? frame.model.types.get(effect.type ?? '') : undefined;
  const type = declared?.kind === 'entity' ? declared : found;
  const values = effect.kind === 'delete' ? {} : effect.values;
  const changed =
    effect.kind === 'change' ? subjectOf(reachEntity(frame.session, type)) : frame.this;
  const own = { ...frame, this: changed };
  return { mistakes: [...mistakes, ...checkValues(check, own, values, type, place)], type };
}

function entitiesOf(resolved: Resolved, isCollection: boolean): EntityType | undefined {
  if (resolved.kind === 'rows') return resolved.rows.row.type;
  return resolved.kind === 'row' && !isCollection ? resolved.type : undefined;
}

function checkValues(
  check: ExpressionCheck,
  frame: Frame,
  values: EffectValues,
  type: EntityType,
  { path, name }: EffectPlace,
): readonly Mistake[] {
  return Object.entries(values).flatMap(([member, text]) => {
    let bound: Resolved | undefined;
    return [
      ...mistakeIf(!hasMember(frame.model, type, member.split('/')), () =>
        missing(path, `${member} in ${type.name}`, member, frame.model.members(type).keys()),
      ),
      ...tryExpression(
        check,
        path,
        text,
        () => {
          bound = frame.session.resolve(frame, readBody(text, name));
          return bound;
        },
        'any',
      ),
      ...checkValue(frame.model, type, member, bound).map((reason) =>
        mistake(path, `${member}: ${reason}`, 'Change the expression.'),
      ),
    ];
  });
}

/** Why the member cannot have the value. */
export function checkValue(
  model: Model,
  type: EntityType,
  path: string,
  bound: Resolved | undefined,
): readonly string[] {
  const member = memberAt(model, type, path);
  const given = bound === undefined ? undefined : typeOfResolved(bound);
  if (member === undefined || given === undefined || given.kind === 'null') return [];
  // A collection takes one entity or several.
  const collection = member.collection && given.kind === 'entity' && given.collection;
  const target = member.kind === 'navigation' ? model.types.get(member.target) : undefined;
  const wanted: ValueType | undefined =
    member.kind === 'property'
      ? typeOfReference(model, member)
      : target?.kind === 'entity'
        ? { kind: 'entity', type: target, collection }
        : undefined;
  const reason = wanted === undefined ? undefined : misfit(model, given, wanted);
  return reason === undefined ? [] : [reason];
}

/** Whether the path is that of a member of the type or a derived type. */
function hasMember(
  model: Model,
  type: StructuredType,
  [step = '', ...rest]: readonly string[],
): boolean {
  return [type, ...model.derived(type)].some((one) => {
    const member = model.members(one).get(step);
    if (member === undefined || rest.length === 0) return member !== undefined;
    const inner = member.kind === 'property' ? model.types.get(member.type) : undefined;
    return inner?.kind === 'complex' && hasMember(model, inner, rest);
  });
}

/** The condition on the author, and the time since which an entity exists (`Docket.Editable`). */
function checkEditable(check: ExpressionCheck, type: StructuredType): readonly Mistake[] {
  const rule = type.kind === 'entity' ? type.editable : undefined;
  if (rule === undefined) return [];
  const path = elementPath(type.name, '@Docket.Editable');
  return [rule.where, `${rule.since} gt @now`].flatMap((condition) =>
    checkCondition(check, type.name, condition, path),
  );
}
