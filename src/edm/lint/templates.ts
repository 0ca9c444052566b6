// This file checks what a model says of its templates: that there are such navigations, collections and properties.

import type { EntityType, Member, Model, Navigation, StructuredType, Templates } from '../model.ts';
import { elementPath, type Mistake, missing } from '../model-error.ts';

/** One mistake for each name or path that leads nowhere. */
export function lintTemplates(model: Model, templates: Templates): readonly Mistake[] {
  const navigations = model.definition.types.flatMap((type) =>
    isStructured(type) ? [...model.members(type).values()].filter(isReference) : [],
  );
  const found = navigations.find(({ name }) => name === templates.navigation);
  const template = found === undefined ? undefined : entityBehind(model, found);
  if (template === undefined) {
    const names = navigations.map(({ name }) => name);
    return [nothing(model, 'the single navigation', templates.navigation, names)];
  }
  return [
    ...lintValues(model, templates, template),
    ...lintPath(model, template, templates.type, 'Edm.String'),
    ...lintPath(model, template, templates.blocked, 'Edm.Boolean'),
  ];
}

function lintValues(model: Model, templates: Templates, template: EntityType): readonly Mistake[] {
  const collections = [...model.members(template).values()].filter(
    (member) => member.kind === 'navigation' && member.contained && member.collection,
  );
  const found = collections.find(({ name }) => name === templates.values);
  const entity = found?.kind === 'navigation' ? entityBehind(model, found) : undefined;
  if (entity === undefined) {
    const names = collections.map(({ name }) => name);
    return [nothing(model, 'the contained collection', templates.values, names)];
  }
  return [templates.property, templates.value].flatMap((name) =>
    lintPath(model, entity, name, 'Edm.String'),
  );
}

/** `Entity/Name`: single navigations or complex values, and a property of the type at the end. */
function lintPath(
  model: Model,
  start: StructuredType,
  path: string | undefined,
  type: 'Edm.String' | 'Edm.Boolean',
): readonly Mistake[] {
  if (path === undefined) return [];
  const steps = path.split('/');
  let owner: StructuredType | undefined = start;
  for (const step of steps.slice(0, -1)) owner = behind(model, owner, step);
  const members = owner === undefined ? [] : [...model.members(owner).values()];
  const fitting = members.filter(
    (member) => member.kind === 'property' && member.type === type && !member.collection,
  );
  const names = fitting.map(({ name }) => name);
  const last = steps.at(-1) ?? '';
  if (names.includes(last)) return [];
  return [
    nothing(model, `the ${type} property`, path, [...names.map((name) => joined(steps, name))]),
  ];
}

function joined(steps: readonly string[], name: string): string {
  return [...steps.slice(0, -1), name].join('/');
}

function behind(
  model: Model,
  owner: StructuredType | undefined,
  step: string,
): StructuredType | undefined {
  const member = owner === undefined ? undefined : model.members(owner).get(step);
  if (member === undefined || member.collection) return undefined;
  const type = model.types.get(member.kind === 'navigation' ? member.target : member.type);
  return type !== undefined && isStructured(type) ? type : undefined;
}

function entityBehind(model: Model, { target }: Navigation): EntityType | undefined {
  const type = model.types.get(target);
  return type?.kind === 'entity' ? type : undefined;
}

function isReference(member: Member): member is Navigation {
  return member.kind === 'navigation' && !member.collection && !member.contained;
}

function isStructured(type: { readonly kind: string }): type is StructuredType {
  return type.kind === 'entity' || type.kind === 'complex';
}

function nothing(
  { definition }: Model,
  what: string,
  name: string,
  candidates: readonly string[],
): Mistake {
  const path = elementPath(definition.container, '@Docket.Templates');
  return missing(path, `${what} ${name}`, name, candidates);
}
