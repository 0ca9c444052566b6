// Plans steps for a single row: type checks, keys from the URL, relations that end with a value, and deletion. entity.ts plans
// the rest of a body.

import { memberPath } from '../../bind/body/body-errors.ts';
import type { Rows } from '../../bind/bound.ts';
import { entityValue, instanceOf, variable } from '../../bind/expression/constructors.ts';
import type { EntityInput } from '../../bind/write/bound-write.ts';
import { type EntityType, type Property, pathName, type StructuredType } from '../../edm/model.ts';
import { isDocument } from '../../edm/property-storage.ts';
import { requireAction } from '../rights/write-rights.ts';
import type { Register, Steps, StoredValue } from '../write-plan.ts';
import type { FillScope } from './fill-values.ts';
import { bindModelExpression } from './model-expression.ts';
import { missingReference, plannedFault, type Writer } from './write-scope.ts';

export function fillScope(writer: Writer): FillScope {
  return { model: writer.model, codes: writer.codes };
}

/** A body that names a derived type requires a row of that type. */
export function requireType(
  writer: Writer,
  { row, rows }: { readonly row: Register; readonly rows: Rows },
  type: EntityType,
): Steps {
  const { model } = writer;
  if (type === rows.row.type || !model.derived(rows.row.type).includes(type)) return [];
  const tested = variable(writer.variable(row.source, rows.row.type));
  return [
    {
      kind: 'require',
      row,
      expression: instanceOf(entityValue(tested, rows.row.type), type),
      fault: plannedFault('write.not-of-type', { type: type.name }, '@odata.type'),
    },
  ];
}

/** Requires computed values of non-nullable properties, whose expressions can be null for incomplete bodies. */
export function requireComputed(
  writer: Writer,
  row: Register,
  { type, target }: Pick<EntityInput, 'type' | 'target'>,
  values: readonly StoredValue[],
): Steps {
  return values.flatMap((value): Steps => {
    const property = value.path.at(-1);
    if (value.kind !== 'expression' || property === undefined || property.nullable) return [];
    const path = pathName(value.path);
    const name = memberPath(target, path);
    const { model } = writer;
    return [
      {
        kind: 'require',
        row,
        expression: bindModelExpression(model, `${path} ne null`, row.source, type),
        fault: plannedFault('write.required', { name, type: property.type, hint: '' }, name),
      },
    ];
  });
}

/** Requires dependent properties to equal those of the related entity. OData CSDL 4.01, "Referential Constraint". */
export function requireConstraints(writer: Writer, row: Register, type: EntityType): Steps {
  const { model } = writer;
  return [...model.members(type).values()].flatMap((member): Steps => {
    if (member.kind !== 'navigation' || member.collection) return [];
    return (member.constraints ?? []).map(({ property, referenced }) => {
      const text = `${member.name} eq null or ${member.name}/${referenced} eq ${property}`;
      return {
        kind: 'require',
        row,
        expression: bindModelExpression(model, text, row.source, type),
        fault: plannedFault(
          'write.constraint',
          { name: property, navigation: member.name },
          property,
        ),
      } as const;
    });
  });
}

/** Clears relations that start in a complex value which becomes null. */
export function clearInside(
  writer: Writer,
  row: Register,
  value: { readonly kind: string; readonly path: readonly Property[] },
): Steps {
  if (value.kind !== 'presence' || !('present' in value) || value.present === true) return [];
  const { model } = writer;
  const type = model.types.get(value.path.at(-1)?.type ?? '');
  return type?.kind === 'complex' ? clearNavigations(writer, row, type, value.path) : [];
}

function clearNavigations(
  writer: Writer,
  row: Register,
  type: StructuredType,
  path: readonly Property[],
): Steps {
  const { model } = writer;
  return [...model.members(type).values()].flatMap((member): Steps => {
    if (member.kind === 'navigation') {
      return member.contained
        ? []
        : [{ kind: 'link', row, path, navigation: member, action: 'clear' }];
    }
    const inner = model.types.get(member.type);
    const isInside = inner?.kind === 'complex' && !isDocument(model, member);
    return isInside ? clearNavigations(writer, row, inner, [...path, member]) : [];
  });
}

/** Deletes a row. Deleting a file of an entity requires the right to attach files. Throws: access.write. */
export function deleteSteps(writer: Writer, row: Register, rows: Rows): Steps {
  const right = isAttached(rows)
    ? requireAttach(writer, rows, row)
    : requireAction(writer, row, rows.row.type, 'delete');
  return [...right, { kind: 'delete', row }];
}

/** Requires the right to upload and remove content; for a contained file, on the entity around it. Throws: access.write. */
export function requireAttach(writer: Writer, rows: Rows, row: Register): Steps {
  if (!isAttached(rows) || rows.origin.kind !== 'related') {
    return requireAction(writer, row, rows.row.type, 'attach');
  }
  const { from } = rows.origin;
  const owner = writer.find(from, missingReference(from, rows.row.type.name, ''));
  return requireAction(writer, owner, from.row.type, 'attach');
}

function isAttached({ row, origin }: Rows): boolean {
  return row.type.hasStream === true && origin.kind === 'related' && origin.navigation.contained;
}
