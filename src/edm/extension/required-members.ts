// This file finds the members that an extension makes required although existing entities may have no value.
import { isStructured, type Member, type ModelDefinition } from '../model.ts';
import { elementPath, type Mistake, warning } from '../model-error.ts';

/** A warning for each member of a type of the model that is required in the extended model only, and has no default. */
export function lintRequired(base: ModelDefinition, extended: ModelDefinition): readonly Mistake[] {
  const types = new Map(base.types.filter(isStructured).map((type) => [type.name, type]));
  return extended.types.filter(isStructured).flatMap((type) => {
    const known = types.get(type.name);
    if (known === undefined) return [];
    return type.members
      .filter((member) => {
        const before = known.members.find(({ name }) => name === member.name);
        return isRequired(member) && (before === undefined || !isRequired(before));
      })
      .map((member) => requiredMistake(type.name, member));
  });
}

function isRequired(member: Member): boolean {
  if (member.collection || member.nullable) return false;
  if (member.kind === 'navigation') return !member.contained && member.inverse !== true;
  return member.defaultValue === undefined && member.generated === undefined;
}

function requiredMistake(type: string, { kind, name }: Member): Mistake {
  const path = elementPath(type, name);
  return kind === 'property'
    ? warning(
        path,
        'The property is required. Existing entities get an empty value, and clients that do not know it cannot create entities.',
        'Add $DefaultValue, or allow null by $Nullable.',
      )
    : warning(
        path,
        'The navigation property is required, but existing entities have no related entity.',
        'Allow null by $Nullable, or relate all existing entities after applying the extension.',
      );
}
