// Checks the expressions of a model at startup by binding them: results of functions, effects of actions, and conditions of types
// and navigations. This reports mistakes with their path that would otherwise fail requests.
import { Fault } from '../../base/fault.ts';
import type {
  Effect,
  EffectValues,
  EntityType,
  Model,
  Operation,
  StructuredType,
} from '../../edm/model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../../edm/model-error.ts';
import { typeSource } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import { startSession } from '../expression/expression.ts';
import { contextParameters, ownParameters, readBody } from '../expression/operation-call.ts';
import { bindCondition } from '../expression/promotion.ts';
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

/** Returns all mistakes in expressions of operations. The model must have passed lint. */
export function checkOperations(model: Model): readonly Mistake[] {
  return model.definition.operations
    .filter(({ engine }) => engine === undefined)
    .flatMap((operation) => checkOperation(model, operation));
}

/** Returns all mistakes in conditions of types (`Docket.Recorded`) and navigations (`Docket.Discloses`) after lint. */
export function checkConditions(model: Model): readonly Mistake[] {
  return model.definition.types.flatMap((type) => {
    if (type.kind === 'enum' || type.kind === 'definition') return [];
    const recorded = type.kind === 'entity' ? type.recorded : undefined;
    return [
      ...checkCondition(model, type.name, recorded, elementPath(type.name, '@Docket.Recorded')),
      ...type.members.flatMap((member) => {
        if (member.kind === 'property') return [];
        const path = elementPath(type.name, member.name, '@Docket.Discloses');
        return checkCondition(model, member.target, member.discloses?.whole, path);
      }),
    ];
  });
}

/** Checks a condition on entities of the type. */
function checkCondition(
  model: Model,
  name: string,
  condition: string | undefined,
  path: string,
): readonly Mistake[] {
  const type = model.types.get(name);
  if (type?.kind !== 'entity') return [];
  const target = `the type ${name}`;
  const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
  const subject = subjectOf(reachEntity(session, type));
  const frame = startFrame(session, { name: undefined, target }, subject);
  const known = { ...frame, parameters: contextParameters(frame) };
  return tryBind(path, condition, (text) => {
    bindCondition(known, parseExpression(text, target));
  });
}

function checkOperation(model: Model, operation: Operation): readonly Mistake[] {
  const { name, expression, available, effects = [] } = operation;
  const frame = frameOf(model, operation);
  const parameters = new Map(frame.parameters);
  const path = (term: string) => elementPath(name, `@Docket.${term}`);
  const inside: Frame = { ...frame, parameters };
  return [
    ...tryBind(path('Available'), available, (text) => {
      bindCondition(frame, readBody(text, name));
    }),
    ...effects.flatMap((effect, index) => {
      const found = checkEffect(inside, effect, `${path('Effects')}[${index}]`, name);
      if (effect.kind === 'create' && effect.as !== undefined && found.type !== undefined)
        parameters.set(effect.as, reachEntity(inside.session, found.type));
      return found.mistakes;
    }),
    ...tryBind(path('Expression'), expression, (text) => {
      frame.session.resolve(inside, readBody(text, name));
    }),
  ];
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

function reachEntity(session: Session, type: EntityType): Resolved {
  const source = typeSource(session.scope.model, type.name);
  return resolvedVariable(newEntityRow(session, source, type));
}

interface CheckedEffect {
  readonly mistakes: readonly Mistake[];
  /** The type of the entities that the effect creates or changes. */
  readonly type?: EntityType;
}

function checkEffect(frame: Frame, effect: Effect, path: string, name: string): CheckedEffect {
  if (effect.kind === 'require') {
    const check = (text: string) => void bindCondition(frame, readBody(text, name));
    return { mistakes: tryBind(path, effect.condition, check) };
  }
  const text = effect.kind === 'create' ? effect.in : effect.rows;
  let resolved: Resolved | undefined;
  const mistakes = tryBind(path, text, () => {
    resolved = frame.session.resolve(frame, readBody(text, name));
  });
  if (resolved === undefined) return { mistakes };
  const found = entitiesOf(resolved, effect.kind === 'create');
  if (found === undefined) {
    const wanted = effect.kind === 'create' ? 'a collection of entities' : 'entities';
    return { mistakes: [mistake(path, `${text} is not a path to ${wanted}.`, 'Change the path.')] };
  }
  const declared = effect.kind === 'create' ? frame.model.types.get(effect.type ?? '') : undefined;
  const type = declared?.kind === 'entity' ? declared : found;
  const values = effect.kind === 'delete' ? {} : effect.values;
  return { mistakes: checkValues(frame, values, type, { path, name }), type };
}

function entitiesOf(resolved: Resolved, isCollection: boolean): EntityType | undefined {
  if (resolved.kind === 'rows') return resolved.rows.row.type;
  return resolved.kind === 'row' && !isCollection ? resolved.type : undefined;
}

function checkValues(
  frame: Frame,
  values: EffectValues,
  type: EntityType,
  { path, name }: { readonly path: string; readonly name: string },
): readonly Mistake[] {
  return Object.entries(values).flatMap(([member, text]) => [
    ...mistakeIf(!hasMember(frame.model, type, member.split('/')), () =>
      missing(path, `${member} in ${type.name}`, member, frame.model.members(type).keys()),
    ),
    ...tryBind(path, text, () => {
      frame.session.resolve(frame, readBody(text, name));
    }),
  ]);
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

/** Binds an expression, and returns the error as a mistake of the model. */
function tryBind(
  path: string,
  text: string | undefined,
  bind: (text: string) => void,
): readonly Mistake[] {
  if (text === undefined) return [];
  try {
    bind(text);
    return [];
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return [mistake(path, `${text}: ${fault.message}`, 'Correct the expression.')];
  }
}
