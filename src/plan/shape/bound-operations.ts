// This file says how an entity offers what can be done with it: the actions and functions bound to its type, with their addresses.
// OData JSON Format 4.01, "Bound Action", "Bound Function".
import { Fault } from '../../base/fault.ts';
import type { Expression, Selection } from '../../bind/bound.ts';
import type { EntityType, Model, Operation, QualifiedName } from '../../edm/model.ts';
import { isAssignable, simpleName, structuredType } from '../../edm/model.ts';
import { encodeSegment } from '../../request/print/url.ts';
import { type Self, textPart } from '../read/row-address.ts';
import type { ShapeMember } from '../read-plan.ts';
import { secureExpression } from '../rights/read-rights.ts';
import { type EntityRow, type Guard, variable } from '../rights/row-conditions.ts';
import { readModelExpression } from '../write/model-expression.ts';
import { type Drafting, onlyOn } from './shape-scope.ts';

/** An operation as entities of a type, or only those of a derived one, offer it. */
interface Offer {
  readonly operation: Operation;
  readonly onType?: EntityType;
}

/** `"#Model.Feed":{"title":"Feed","target":"…/Animals(1)/Model.Feed"}`, in full metadata only: the addresses follow a convention. */
export function operationMembers(
  drafting: Drafting,
  row: EntityRow,
  self: readonly Self[],
  selection: Selection,
): readonly ShapeMember[] {
  const [own, ...others] = self;
  const isCertain = own !== undefined && own.when === undefined && others.length === 0;
  if (drafting.metadata !== 'full' || !isCertain) return [];
  return offers(drafting.model, row.type)
    .filter(({ operation }) => isSelected(operation.name, selection))
    .flatMap((offer) => {
      const when = availability(drafting.guard, row, offer);
      return when === 'never' ? [] : [operationMember(own, offer, when)];
    });
}

/** On what it depends whether an entity offers the operation; who may not see that is not offered it. */
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

/** Operations bound to one entity of the type or of a type above it, then those of derived types. */
function offers(model: Model, type: EntityType): readonly Offer[] {
  const bound = [...model.operations.values()].flatMap((overloads) =>
    overloads.filter(
      ({ bound: isBound, parameters }) => isBound && parameters[0]?.collection === false,
    ),
  );
  const own = bound.filter((operation) => fits(model, type, operation));
  const derived = model
    .derived(type)
    .flatMap((onType) =>
      onType.kind === 'entity'
        ? bound
            .filter((operation) => bindingType(operation) === onType.name)
            .map((operation) => ({ operation, onType }))
        : [],
    );
  return oncePerName([...own.map((operation) => ({ operation })), ...derived]);
}

/** A name stands in an object once; which overload is meant when it is called depends on the type that the address ends with. */
function oncePerName(offered: readonly Offer[]): readonly Offer[] {
  return [
    ...new Map(offered.toReversed().map((offer) => [offer.operation.name, offer])).values(),
  ].toReversed();
}

function fits(model: Model, type: EntityType, operation: Operation): boolean {
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
  { parts }: Self,
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
    ...onlyOn(onType === undefined ? undefined : { onType }),
    ...(when === undefined ? {} : { when }),
  };
}

/** The values of a function's parameters are put in by whoever calls it. */
function parameterList({ kind, parameters }: Operation): string {
  if (kind === 'action') return '';
  const pairs = parameters.slice(1).map(({ name }) => `${name}=@${name}`);
  return `(${pairs.join(',')})`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}
