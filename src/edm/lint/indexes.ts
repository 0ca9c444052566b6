// This file checks the indexes of an entity type, those that the model declares and those that an installation adds: each path must be
// stored as one column in the row of the entity.
import { isVolatile } from '../clocks/clock-members.ts';
import {
  type EntityType,
  isStructured,
  type Member,
  type Model,
  memberAt,
  simpleName,
} from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';
import { isDocument, isReference } from '../property-storage.ts';

export function lintIndexes(model: Model, type: EntityType): readonly Mistake[] {
  const place = elementPath(type.name, '@Docket.Indexes');
  const indexes = type.indexes ?? [];
  return indexes.flatMap((paths, at) => [
    ...lintIndex(model, type, paths, place),
    ...mistakeIf(indexes.findIndex((other) => other.join() === paths.join()) < at, () =>
      mistake(
        place,
        `${simpleName(type.name)} has the index ${paths.join(', ')} twice.`,
        'Remove one of them.',
      ),
    ),
  ]);
}

/** The mistakes in one index on the paths. */
export function lintIndex(
  model: Model,
  type: EntityType,
  paths: readonly string[],
  place: string,
): readonly Mistake[] {
  return [
    ...paths.flatMap((path) => lintPath(model, type, path, place)),
    ...mistakeIf(new Set(paths).size < paths.length, () =>
      mistake(
        place,
        `The index ${paths.join(', ')} contains a property twice.`,
        'Remove one of them.',
      ),
    ),
  ];
}

function lintPath(model: Model, type: EntityType, path: string, place: string): readonly Mistake[] {
  const steps = path.split('/');
  const ends = steps.map((_, index) => memberAt(model, type, steps.slice(0, index + 1).join('/')));
  const unknown = ends.indexOf(undefined);
  if (unknown >= 0) return [missingStep(model, type, steps.slice(0, unknown + 1), place)];
  const isOwn = ends.slice(0, -1).every((step) => isEmbedded(model, step));
  if (!isOwn || !isColumn(model, ends.at(-1)))
    return [mistake(place, ...unsuitable(model, path, ends))];
  if (isVolatile(model, type, path)) {
    const message = `${path} changes without a write, so that an index cannot contain it.`;
    return [mistake(place, message, 'Remove it. Remaining time has an index of its own.')];
  }
  return [];
}

function missingStep(
  model: Model,
  type: EntityType,
  steps: readonly string[],
  place: string,
): Mistake {
  const [last = '', ...before] = steps.toReversed();
  const owner =
    before.length === 0
      ? type
      : typeOf(model, memberAt(model, type, before.toReversed().join('/')));
  const names = owner !== undefined && isStructured(owner) ? model.members(owner).keys() : [];
  return missing(place, `the property ${simpleName(type.name)}/${steps.join('/')}`, last, names);
}

/** What is wrong with the path, and what to write. */
function unsuitable(
  model: Model,
  path: string,
  ends: readonly (Member | undefined)[],
): readonly [string, string] {
  const coded = ends.findIndex((end) => isCoded(model, end));
  if (coded >= 0 && coded < ends.length - 1) {
    const whole = path
      .split('/')
      .slice(0, coded + 1)
      .join('/');
    return [`${path} is a part of a coded value.`, `Write ${whole}, which stores the value.`];
  }
  const isRelated = ends.slice(0, -1).some((end) => end?.kind === 'navigation');
  if (isRelated) {
    return [`${path} belongs to a related entity.`, 'Add the index to the type of that entity.'];
  }
  const remedy =
    'Use single primitive or coded properties, or single navigations stored with the entity.';
  return [`${path} cannot be indexed.`, remedy];
}

function typeOf(model: Model, member: Member | undefined) {
  if (member === undefined) return undefined;
  return model.types.get(member.kind === 'navigation' ? member.target : member.type);
}

function isCoded(model: Model, member: Member | undefined): boolean {
  const type = typeOf(model, member);
  return type?.kind === 'complex' && type.coded !== undefined;
}

/** Whether the member is a complex value whose members are columns. */
function isEmbedded(model: Model, member: Member | undefined): boolean {
  if (member?.kind !== 'property' || isCoded(model, member)) return false;
  return typeOf(model, member)?.kind === 'complex' && !isDocument(model, member);
}

function isColumn(model: Model, member: Member | undefined): boolean {
  if (member === undefined) return false;
  if (member.kind === 'navigation') return isReference(model, member);
  const isSimple = typeOf(model, member)?.kind !== 'complex' || isCoded(model, member);
  return !member.collection && isSimple && !/^Edm\.(Stream|Untyped|Geo)/.test(member.type);
}
