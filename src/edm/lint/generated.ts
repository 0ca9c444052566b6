// This file checks the values that the service computes: what generates them, and whether clients may give them instead.
import type { Model, Property, QualifiedName } from '../model.ts';
import { type Mistake, mistake, mistakeIf, warning } from '../model-error.ts';
import { flattenedType } from '../property-storage.ts';

const GENERATED_TYPES: Readonly<Record<string, readonly QualifiedName[]>> = {
  key: ['Edm.Int64', 'Edm.Int32', 'Edm.Int16', 'Edm.Byte', 'Edm.SByte', 'Edm.Guid'],
  sequence: ['Edm.Int64', 'Edm.Int32', 'Edm.Int16', 'Edm.Byte', 'Edm.SByte'],
  created: ['Edm.DateTimeOffset'],
  modified: ['Edm.DateTimeOffset'],
  creator: ['Edm.String'],
  modifier: ['Edm.String'],
};

/** Values that follow from other content are always computed, and numbers of clients would collide with those of the service. */
const ALWAYS_COMPUTED = ['modified', 'modifier', 'expression'];

/** Core.ComputedDefaultValue needs something that computes the value, and that clients may replace. */
export function lintComputedDefault(
  model: Model,
  property: Property,
  path: string,
): readonly Mistake[] {
  const { computedDefault, computed, generated, type, collection, defaultValue } = property;
  if (computedDefault !== true) return [];
  if (computed === true)
    return [
      mistake(path, 'Core.Computed does not permit values of clients.', 'Remove one of both.'),
    ];
  if (generated === undefined) {
    const isFilled = defaultValue !== undefined || collection;
    const isComplex = flattenedType(model, property) !== undefined;
    return isFilled || isComplex || property.nullable
      ? []
      : [warning(path, 'Nothing computes the value.', 'Add @Docket.Generated or $DefaultValue.')];
  }
  const isNumber = generated.by === 'key' && type !== 'Edm.Guid';
  return [
    ...mistakeIf(ALWAYS_COMPUTED.includes(generated.by), () =>
      mistake(path, `The service always sets ${generated.by}.`, 'Use @Core.Computed.'),
    ),
    ...mistakeIf(isNumber, () =>
      mistake(path, 'A generated number cannot be a key that clients choose.', 'Use Edm.Guid.'),
    ),
  ];
}

/** Whether the type of the property can hold what the service generates. */
export function lintGenerated({ generated, type }: Property, path: string): readonly Mistake[] {
  if (generated === undefined) return [];
  if ('expression' in generated) {
    return mistakeIf(generated.expression.trim() === '', () =>
      mistake(path, 'The expression is empty.', 'Write an OData expression over the entity.'),
    );
  }
  const types = GENERATED_TYPES[generated.by] ?? [];
  return mistakeIf(!types.includes(type), () =>
    mistake(path, `${type} cannot hold ${generated.by}.`, `Use ${types.join(' or ')}.`),
  );
}
