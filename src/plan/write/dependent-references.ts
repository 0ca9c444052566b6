// Adds the references that dependent properties determine, since writing a dependent property sets the relation, too. The other direction
// is in sql/write/dependents.ts, because every change of a reference needs it. OData CSDL 4.01, "Referential Constraint".
import { memberPath } from '../../bind/body/body-errors.ts';
import type { Expression, Rows } from '../../bind/bound.ts';
import { comparison, propertyOf, variable } from '../../bind/expression/constructors.ts';
import { constant } from '../../bind/expression/literal.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import type { EntityInput } from '../../bind/write/bound-write.ts';
import {
  type DeterminedNavigation,
  dependentPairs,
  determinedNavigations,
} from '../../edm/dependents.ts';
import { type EntityType, entityType, type Property, pathName } from '../../edm/model.ts';
import { type Source, targetSource } from '../../edm/source.ts';
import { secureRows } from '../rights/read-rights.ts';
import type { PlannedFault, Register, Steps, StoredReference, StoredValue } from '../write-plan.ts';
import { bindModelExpression } from './model-expression.ts';
import { plannedFault, type Writer } from './write-scope.ts';

/** What is written: an entity with its relations, or a value of an entity. */
type Written = Pick<EntityInput, 'type'> & Partial<Pick<EntityInput, 'links' | 'children'>>;

/** The values with the references that they determine. A relation in the same body wins, and must agree (requireConstraints). */
export function withReferences(
  writer: Writer,
  source: Source,
  input: Written,
  values: readonly StoredValue[],
): readonly StoredValue[] {
  const found = changedNavigations(writer, input, values);
  if (found.length === 0) return values;
  return [...values, ...found.map((one) => referenceFor(writer, source, input.type, one, values))];
}

/** Requires that dependent properties with values refer to an entity. */
export function requirePrincipals(
  writer: Writer,
  row: Register,
  input: Written & Pick<EntityInput, 'target'>,
  values: readonly StoredValue[],
): Steps {
  return changedNavigations(writer, input, values).map((found) => {
    const { navigation, pairs } = found;
    const absent = pairs.map(({ property }) => `${property.name} eq null or `).join('');
    const condition = `${absent}${navigation.name} ne null`;
    const expression = bindModelExpression(writer.model, condition, row.source, input.type);
    return { kind: 'require', row, expression, fault: principalFault(input, found) } as const;
  });
}

/**
 * In a load, looks for the entities that dependent properties refer to before anything is stored, so that the record can wait for them. Those
 * of nested entities may be in the same record.
 */
export function findPrincipals(
  writer: Writer,
  input: Written & Pick<EntityInput, 'target'>,
  values: readonly StoredValue[],
): void {
  if (!writer.isLoad || input.target !== '') return;
  for (const found of changedNavigations(writer, input, values)) {
    const reference = values.find(
      (item) => item.kind === 'reference' && item.navigation === found.navigation,
    );
    if (reference?.kind !== 'reference' || reference.to?.where.every(isGiven) !== true) continue;
    writer.find(reference.to, principalFault(input, found));
  }
}

/** Whether the condition compares with a value of the body. */
function isGiven(condition: Expression): boolean {
  return condition.kind === 'compare' && condition.right.kind === 'literal';
}

function principalFault(
  { target }: Pick<EntityInput, 'target'>,
  { navigation, pairs }: DeterminedNavigation,
): PlannedFault {
  const names = pairs.map(({ property }) => property.name);
  const name = memberPath(target, names.join(', '));
  return plannedFault(
    'write.no-principal',
    { name, type: navigation.target, navigation: navigation.name },
    memberPath(target, names[0] ?? ''),
  );
}

/** Requires that the dependent properties in a body agree with the relations in it, which set them. */
export function requireAgreement(writer: Writer, row: Register, input: EntityInput): Steps {
  const { type, values, links, children, target } = input;
  return [...links, ...children].flatMap(({ path, navigation }) => {
    const pairs = path.length === 0 ? dependentPairs(writer.model, type, navigation) : [];
    return pairs.flatMap(({ property }): Steps => {
      const written = writtenValue(property, values);
      if (written === undefined) return [];
      const valueType = typeOfReference(writer.model, property);
      const own = propertyOf(writer.variable(row.source, type), [property], valueType);
      const content =
        written === null ? constant(valueType, null) : { ...written, type: valueType };
      const place = memberPath(target, property.name);
      const parameters = { name: place, navigation: navigation.name };
      const fault = plannedFault('write.constraint', parameters, place);
      return [{ kind: 'require', row, expression: comparison('eq', own, content), fault }];
    });
  });
}

/** The navigations that the body leaves to their dependent properties, of which it contains some. */
function changedNavigations(
  { model }: Writer,
  { type, links = [], children = [] }: Written,
  values: readonly StoredValue[],
): readonly DeterminedNavigation[] {
  const determined = determinedNavigations(model, type);
  if (determined.length === 0) return determined;
  const written = new Set(values.map(({ path }) => pathName(path)));
  return determined.filter(
    ({ navigation, pairs }) =>
      pairs.some(({ property }) => written.has(property.name)) &&
      ![...links, ...children].some((other) => other.navigation === navigation),
  );
}

function referenceFor(
  writer: Writer,
  source: Source,
  type: EntityType,
  { navigation, pairs }: DeterminedNavigation,
  values: readonly StoredValue[],
): StoredReference {
  const { model } = writer;
  const start = { kind: 'reference', path: [], navigation } as const;
  const target = targetSource(model, source, type, navigation, navigation.name);
  const row = writer.variable(target, entityType(model, navigation.target));
  const own = writer.variable(source, type);
  const where = pairs.map(({ property, referenced }): Expression | undefined => {
    const valueType = typeOfReference(model, property);
    const content = writtenValue(property, values);
    if (content === null) return undefined;
    const value = content ?? {
      kind: 'property',
      row: variable(own),
      path: [property],
      type: valueType,
    };
    const other = propertyOf(row, [referenced], typeOfReference(model, referenced));
    return comparison('eq', other, { ...value, type: valueType });
  });
  if (where.some((condition) => condition === undefined)) return start;
  const rows: Rows = { row, origin: { kind: 'source' }, where: where.filter((one) => !!one) };
  return { ...start, to: secureRows(writer.guard, rows) };
}

/** The value that the body gives the property; undefined if it keeps its value, null if it becomes null. */
function writtenValue(
  property: Property,
  values: readonly StoredValue[],
):
  | ({ readonly kind: 'literal' } & Pick<Expression & { kind: 'literal' }, 'value' | 'parameter'>)
  | null
  | undefined {
  const found = values.find(({ path }) => path.length === 1 && path[0] === property);
  if (found?.kind !== 'value') return undefined;
  const { value, parameter } = found;
  if (parameter === undefined && value === null) return null;
  return { kind: 'literal', value, parameter };
}
