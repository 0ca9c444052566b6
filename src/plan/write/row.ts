// Plans steps for a single row: type checks, keys from the URL, relations that end with a value, and deletion. entity.ts plans
// the rest of a body.

import { perPair } from '../../base/memo.ts';
import { memberPath } from '../../bind/body/body-errors.ts';
import type { Rows } from '../../bind/bound.ts';
import {
  entityValue,
  instanceOf,
  joinConditions,
  not,
  variable,
} from '../../bind/expression/constructors.ts';
import type { EntityInput, InputValue } from '../../bind/write/bound-write.ts';
import {
  type EntityType,
  type Model,
  type Navigation,
  type Property,
  pathName,
} from '../../edm/model.ts';
import { brokenCount, itemCounts, valueRules } from '../../edm/validation/value-rules.ts';
import { requireAction } from '../rights/write-rights.ts';
import type { Register, Steps, StoredValue } from '../write-plan.ts';
import type { FillScope } from './fill-values.ts';
import { bindModelExpression } from './model-expression.ts';
import { missingReference, plannedFault, type Writer } from './write-scope.ts';

export function fillScope(writer: Writer): FillScope {
  return { model: writer.model };
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

/** A replacement requires a row of exactly this type, since it sets the properties of this type only. */
export function requireExactType(
  writer: Writer,
  { row, rows }: { readonly row: Register; readonly rows: Rows },
  type: EntityType,
): Steps {
  const derived = writer.model.derived(type);
  const tested = variable(writer.variable(row.source, rows.row.type));
  const isDerived = joinConditions(
    'or',
    derived
      .filter(({ base }) => base === type.name)
      .map((one) => instanceOf(entityValue(tested, rows.row.type), one)),
  );
  if (isDerived === undefined) return [];
  const types = derived.flatMap(({ abstract, name }) => (abstract === true ? [] : [name]));
  const parameters = { type: type.name, types: types.join(', ') };
  const fault = plannedFault('write.derived-type', parameters, '@odata.type');
  return [{ kind: 'require', row, expression: not(isDerived), fault }];
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
    if (value.kind === 'members') return requireDocument(writer, row, { type, target }, value);
    if (value.kind !== 'expression' || property === undefined || property.nullable) return [];
    const path = pathName(value.path);
    const name = memberPath(target, path);
    const { model } = writer;
    const { of } = value;
    const text =
      of === undefined ? `${path} ne null` : `not isof(${of.name}) or ${of.name}/${path} ne null`;
    return [
      {
        kind: 'require',
        row,
        expression: bindModelExpression(model, text, row.source, type),
        fault: plannedFault('write.required', { name, type: property.type, hint: '' }, name),
      },
    ];
  });
}

/** Requires the non-nullable members of the type that a stored complex value gets. */
function requireDocument(
  { model }: Writer,
  row: Register,
  { type, target }: Pick<EntityInput, 'type' | 'target'>,
  { path, as }: StoredValue & { readonly kind: 'members' },
): Steps {
  if (as === undefined) return [];
  const cast = as.name === undefined ? '' : `/${as.type.name}`;
  return [...model.members(as.type).values()].flatMap((member): Steps => {
    if (member.kind !== 'property' || member.nullable || member.collection) return [];
    const name = memberPath(target, `${pathName(path)}/${member.name}`);
    const text = `${pathName(path)}${cast}/${member.name} ne null`;
    const fault = plannedFault('write.required', { name, type: member.type, hint: '' }, name);
    const expression = bindModelExpression(model, text, row.source, type);
    return [{ kind: 'require', row, expression, fault }];
  });
}

/** Requires values that the body does not contain to follow their rules: computed ones, keys of the URL, and implied ones. */
export function requireRules(
  writer: Writer,
  row: Register,
  { type, target }: Pick<EntityInput, 'type' | 'target'>,
  values: readonly StoredValue[],
): Steps {
  const { model } = writer;
  const supplied = suppliedProperties(model, type);
  return values.flatMap((value): Steps => {
    const { kind, path } = value;
    const property = path.at(-1);
    if (property === undefined || property.collection) return [];
    if (kind !== 'expression' && !supplied.has(pathName(path))) return [];
    const cast = kind === 'expression' && value.of !== undefined ? `${value.of.name}/` : '';
    const own = cast + pathName(path);
    return valueRules(model, property).flatMap(({ term: rule, permitted, condition }): Steps => {
      if (condition === undefined) return [];
      const name = memberPath(target, pathName(path));
      const text = `${own} eq null or ${condition(own)}`;
      const expression = bindModelExpression(model, text, row.source, type);
      const fault = plannedFault('write.rule', { name, permitted, rule }, name);
      return [{ kind: 'require', row, expression, fault }];
    });
  });
}

/** Properties whose values may come from the URL or from a relation: keys and dependent properties. */
const suppliedProperties = perPair((model: Model, type: EntityType): ReadonlySet<string> => {
  const members = [...model.members(type).values()];
  const dependent = members.flatMap((member) =>
    member.kind === 'navigation' ? (member.constraints ?? []) : [],
  );
  const keys = model.key(type).map(({ path }) => path);
  return new Set([...keys, ...dependent.map(({ property }) => property)]);
});

/**
 * Requires collections to have a permitted number of items after a change of single items, or of those of a template and a body
 * together, whose sum only the database knows.
 */
export function requireItemCounts(
  writer: Writer,
  row: Register,
  { type, target }: Pick<EntityInput, 'type' | 'target'>,
  values: readonly { readonly path: readonly Property[] }[],
): Steps {
  return values.flatMap(({ path }): Steps => {
    const counts = path.at(-1)?.collection === true ? itemCounts(path.at(-1) ?? {}) : undefined;
    if (counts === undefined) return [];
    const bounds = [
      ['ge', counts.least, brokenCount(counts, counts.least - 1)],
      ['le', counts.most, brokenCount(counts, counts.most + 1)],
    ] as const;
    return bounds.flatMap(([operator, bound, broken]): Steps => {
      if (broken === undefined || bound === 0) return [];
      const { model } = writer;
      const { term: rule, permitted } = broken;
      const name = memberPath(target, pathName(path));
      const text = `${pathName(path)}/$count ${operator} ${bound}`;
      const expression = bindModelExpression(model, text, row.source, type);
      const fault = plannedFault('write.items', { name, permitted, rule }, name);
      return [{ kind: 'require', row, expression, fault }];
    });
  });
}

/** Requires the row to have the disabled codes that a change sends: they cannot be chosen, but a record keeps what it has. */
export function requireRetained(
  writer: Writer,
  row: Register,
  type: EntityType,
  values: readonly InputValue[],
): Steps {
  const { model } = writer;
  return values.flatMap((value): Steps => {
    const retained = value.kind === 'presence' ? undefined : value.retained;
    if (retained === undefined) return [];
    const { condition, parameters, target } = retained;
    return [
      {
        kind: 'require',
        row,
        expression: bindModelExpression(model, condition, row.source, type),
        fault: plannedFault('write.code-disabled', parameters, target),
      },
    ];
  });
}

/** Requires dependent properties to equal those of the related entity. OData CSDL 4.01, "Referential Constraint". */
export function requireConstraints(writer: Writer, row: Register, type: EntityType): Steps {
  const { model } = writer;
  return [...model.stored(type).values()].flatMap((member): Steps => {
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

/** The navigation of a new entity that creating it through this one sets. */
export function suppliedBy(navigation: Navigation | undefined): ReadonlySet<string> {
  return new Set(navigation?.partner === undefined ? [] : [navigation.partner]);
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
