// Advertises the actions and functions bound to an entity, with their target URLs. OData JSON Format 4.01, "Bound Action", "Bound
// Function".

import { Fault } from '../../base/fault.ts';
import type { Expression, Selection } from '../../bind/bound.ts';
import { variable } from '../../bind/expression/constructors.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { EntityType, Model, Operation, QualifiedName } from '../../edm/model.ts';
import { isAssignable, simpleName, structuredType } from '../../edm/model.ts';
import { isUnpublished } from '../../edm/unpublished-engine.ts';
import { encodeSegment } from '../../request/print/url.ts';
import { type RowUrl, textPart } from '../read/row-urls.ts';
import type { ShapeMember } from '../read-plan.ts';
import { secureExpression } from '../rights/read-rights.ts';
import type { Guard } from '../rights/row-conditions.ts';
import { readModelExpression } from '../write/model-expression.ts';
import type { ShapeScope } from './shape-scope.ts';

/** An operation that all entities of a type offer, or only those of a derived type. */
interface Offer {
  readonly operation: Operation;
  readonly onType?: EntityType | undefined;
}

/** `"#Model.Feed":{"title":"Feed","target":"…/Animals(1)/Model.Feed"}`, only with full metadata: clients can derive the URLs. */
export function operationMembers(
  scope: ShapeScope,
  row: EntityRow,
  urls: readonly RowUrl[],
  selection: Selection,
): readonly ShapeMember[] {
  const [firstUrl, ...others] = urls;
  const isCertain = firstUrl !== undefined && firstUrl.when === undefined && others.length === 0;
  if (scope.metadata !== 'full' || !isCertain) return [];
  return operationsOf(scope.model, row.type)
    .filter(({ operation }) => isSelected(operation.name, selection))
    .flatMap((offer) => {
      const when = availability(scope.guard, row, offer);
      return when === 'never' ? [] : [operationMember(firstUrl, offer, when)];
    });
}

/** The condition under which an entity offers the operation; `never` if the principal may not read it. */
function availability(
  guard: Guard,
  row: EntityRow,
  { operation, onType }: Offer,
): Expression | undefined | 'never' {
  const { kind, effects, available, annotations } = operation;
  if (annotations?.['Core.OperationAvailable'] === false) return 'never';
  if (kind === 'action' && effects === undefined) return 'never';
  if (available === undefined) return undefined;
  const type = onType ?? row.type;
  try {
    const condition = guard.bindRule(readModelExpression(available), variable(row), type);
    return secureExpression(guard, condition);
  } catch (fault) {
    if (fault instanceof Fault) return 'never';
    throw fault;
  }
}

/** Operations bound to a single entity of the type or its base types, then those of derived types. */
function operationsOf(model: Model, type: EntityType): readonly Offer[] {
  const bound = [...model.operations.values()].flatMap((overloads) =>
    overloads.filter(
      (operation) =>
        operation.bound &&
        operation.parameters[0]?.collection === false &&
        !isUnpublished(model.definition, operation),
    ),
  );
  const own = bound.filter((operation) => isBindable(model, type, operation));
  const derived = model.derived(type).flatMap((onType) => {
    const declared = bound.filter((operation) => bindingType(operation) === onType.name);
    return declared.map((operation) => ({ operation, onType }));
  });
  return oncePerName([...own.map((operation) => ({ operation })), ...derived]);
}

/** Keeps one operation per name. A call resolves the overload by the type at the end of the URL. */
function oncePerName(offers: readonly Offer[]): readonly Offer[] {
  return [
    ...new Map(offers.toReversed().map((offer) => [offer.operation.name, offer])).values(),
  ].toReversed();
}

function isBindable(model: Model, type: EntityType, operation: Operation): boolean {
  const binding = model.types.get(bindingType(operation));
  if (binding?.kind !== 'entity') return false;
  return isAssignable(model, type, structuredType(model, binding.name));
}

function bindingType({ parameters }: Operation): QualifiedName {
  return parameters[0]?.type ?? '';
}

function isSelected(name: QualifiedName, { all, items }: Selection): boolean {
  const namespace = `${name.slice(0, name.lastIndexOf('.'))}.*`;
  return (
    all || items.some((item) => item.kind === 'operation' && [name, namespace].includes(item.name))
  );
}

function operationMember(
  { parts }: RowUrl,
  { operation, onType }: Offer,
  when: Expression | undefined,
): ShapeMember {
  const cast = onType === undefined ? '' : `/${onType.name}`;
  const target = `${cast}/${operation.name}${parameterList(operation)}`;
  return {
    kind: 'object',
    name: `#${operation.name}`,
    members: [
      { kind: 'constant', name: 'title', json: JSON.stringify(simpleName(operation.name)) },
      { kind: 'link', name: 'target', parts: [...parts, textPart(encodePath(target))] },
    ],
    onType,
    when,
  };
}

/** Parameter aliases, for which the client supplies values. */
function parameterList({ kind, parameters }: Operation): string {
  if (kind === 'action') return '';
  const pairs = parameters.slice(1).map(({ name }) => `${name}=@${name}`);
  return `(${pairs.join(',')})`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}
