// This file checks the template settings of a model: whether the navigations, collections and properties exist.
import {
  type EntityType,
  isStructured,
  type Member,
  type Model,
  memberType,
  type Navigation,
  type StructuredType,
  type Templates,
} from '../model.ts';
import { elementPath, type Mistake, missing } from '../model-error.ts';

/** Returns a mistake for each name or path that does not exist. */
export function lintTemplates(model: Model, templates: Templates): readonly Mistake[] {
  const navigations = model.definition.types.flatMap((type) =>
    isStructured(type) ? [...model.members(type).values()].filter(isReference) : [],
  );
  const found = navigations.find(({ name }) => name === templates.navigation);
  const template = found === undefined ? undefined : targetType(model, found);
  if (template === undefined) {
    const names = navigations.map(({ name }) => name);
    return [missingMember(model, 'the single navigation', templates.navigation, names)];
  }
  return [
    ...lintValues(model, templates, template),
    ...lintPath(model, template, templates.type, 'Edm.String'),
    ...lintPath(model, template, templates.blocked, 'Edm.Boolean'),
    ...lintRoles(model, template, templates.roles),
  ];
}

/** Checks a path such as `Roles/Name`: a collection of entities, and a property of them. */
function lintRoles(
  model: Model,
  template: EntityType,
  path: string | undefined,
): readonly Mistake[] {
  if (path === undefined) return [];
  const [collection = '', ...rest] = path.split('/');
  const member = model.members(template).get(collection);
  if (member?.kind !== 'navigation' || !member.collection)
    return [missingMember(model, 'the collection of roles', collection, [])];
  return lintPath(model, targetType(model, member) ?? template, rest.join('/'), 'Edm.String');
}

function lintValues(model: Model, templates: Templates, template: EntityType): readonly Mistake[] {
  const collections = [...model.members(template).values()].filter(
    (member) => member.kind === 'navigation' && member.contained && member.collection,
  );
  const found = collections.find(({ name }) => name === templates.values);
  const entity = found?.kind === 'navigation' ? targetType(model, found) : undefined;
  if (entity === undefined) {
    const names = collections.map(({ name }) => name);
    return [missingMember(model, 'the contained collection', templates.values, names)];
  }
  return [templates.property, templates.value].flatMap((name) =>
    lintPath(model, entity, name, 'Edm.String'),
  );
}

/** Checks a path such as `Entity/Name`: single navigations or complex values, ending in a property of the type. */
function lintPath(
  model: Model,
  start: StructuredType,
  path: string | undefined,
  type: 'Edm.String' | 'Edm.Boolean',
): readonly Mistake[] {
  if (path === undefined) return [];
  const steps = path.split('/');
  let owner: StructuredType | undefined = start;
  for (const step of steps.slice(0, -1)) owner = nextType(model, owner, step);
  const members = owner === undefined ? [] : [...model.members(owner).values()];
  const properties = members.filter(
    (member) => member.kind === 'property' && member.type === type && !member.collection,
  );
  const names = properties.map(({ name }) => name);
  const last = steps.at(-1) ?? '';
  if (names.includes(last)) return [];
  const candidates = names.map((name) => [...steps.slice(0, -1), name].join('/'));
  return [missingMember(model, `the ${type} property`, path, candidates)];
}

function nextType(
  model: Model,
  owner: StructuredType | undefined,
  step: string,
): StructuredType | undefined {
  const member = owner === undefined ? undefined : model.members(owner).get(step);
  return member?.collection === true ? undefined : memberType(model, member);
}

function targetType(model: Model, { target }: Navigation): EntityType | undefined {
  const type = model.types.get(target);
  return type?.kind === 'entity' ? type : undefined;
}

function isReference(member: Member): member is Navigation {
  return member.kind === 'navigation' && !member.collection && !member.contained;
}

function missingMember(
  { definition }: Model,
  element: string,
  name: string,
  candidates: readonly string[],
): Mistake {
  const path = elementPath(definition.container, '@Docket.Templates');
  return missing(path, `${element} ${name}`, name, candidates);
}
