// This file checks a whole model, at startup and for `docket model check`: names must be well-formed, unique and resolvable, and the
// parts consistent. It reports all mistakes together. A model without mistakes can be served; warnings do not prevent that.
import { perObject } from '../../base/memo.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { DOCKET_VOCABULARY } from '../csdl/vocabularies.ts';
import { type Model, type ModelDefinition, makeModel, simpleName } from '../model.ts';
import {
  clashes,
  elementPath,
  type Mistake,
  memberPath,
  mistake,
  mistakeIf,
  requireKnown,
} from '../model-error.ts';
import { lintCapabilities } from './capabilities.ts';
import { lintContainer } from './container.ts';
import { lintHidden } from './hidden.ts';
import { lintRenames } from './renames.ts';
import { lintTemplates } from './templates.ts';
import { lintTerms } from './terms.ts';
import { lintTypes } from './types.ts';

/** Returns all mistakes and warnings, in the order of the parts of the model. */
export const lintModel = perObject((definition: ModelDefinition): readonly Mistake[] => {
  const model = makeModel(definition);
  return [
    ...lintNamespaces(definition),
    ...lintNames(definition),
    ...lintTypes(model),
    ...lintContainer(model),
    ...lintReferences(model),
    ...lintRenames(model),
    ...lintCapabilities(model),
    ...lintTerms(model),
    ...lintHidden(model),
  ];
});

/** Whether any of them is a mistake rather than a warning, so that the model cannot be served. */
export function hasMistakes(mistakes: readonly Mistake[]): boolean {
  return mistakes.some(({ warning }) => warning !== true);
}

const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

/** OData CSDL JSON 4.01, "Schema", and the alias of the engine's vocabulary. */
const RESERVED = ['Edm', 'odata', 'System', 'Transient', DOCKET_VOCABULARY.alias];

function lintNamespaces(definition: ModelDefinition): readonly Mistake[] {
  const { namespaces, container } = definition;
  const names = namespaces.map(({ name }) => name);
  if (names.length === 0) return [mistake('$', 'The model has no namespace.', 'Add a schema.')];
  const containerMistakes =
    container === ''
      ? [
          mistake(
            '$',
            'The model has no entity container.',
            'Add one and name it in $EntityContainer.',
          ),
        ]
      : unknownNamespace(container, names, '$.$EntityContainer');
  const all = [
    ...definition.types.map((type) => type.name),
    ...definition.operations.map((operation) => operation.name),
  ];
  return [
    ...names
      .filter((name) => !name.split('.').every((part) => IDENTIFIER.test(part)))
      .map((name) => badName(memberPath('$', name), name)),
    ...names
      .filter((name) => RESERVED.includes(name))
      .map((name) =>
        mistake(memberPath('$', name), `The namespace ${name} is reserved.`, 'Use another name.'),
      ),
    ...containerMistakes,
    ...all.flatMap((name) => unknownNamespace(name, names, elementPath(name))),
  ];
}

function unknownNamespace(
  name: string,
  namespaces: readonly string[],
  path: string,
): readonly Mistake[] {
  const namespace = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
  if (namespaces.includes(namespace)) return [];
  const remedy = `Use one of ${namespaces.join(', ')}.${didYouMean(namespace, namespaces)}`;
  return [mistake(path, `The model does not have the namespace of ${name}.`, remedy)];
}

/** Names must be unique in their scope and should differ in more than case. */
function lintNames(definition: ModelDefinition): readonly Mistake[] {
  const { container, types, sets, imports } = definition;
  const operations = [...new Set(definition.operations.map(({ name }) => name))];
  const elements = [...types.map(({ name }) => name), ...operations, container];
  const singulars = sets.flatMap(({ singular }) => (singular === undefined ? [] : [singular]));
  const containerNames = [
    ...sets.map(({ name }) => name),
    ...singulars,
    ...imports.map(({ name }) => name),
  ];
  const inContainer = (name: string) => elementPath(container, name);
  return [
    ...[...elements.map(simpleName), ...containerNames]
      .filter((name) => !IDENTIFIER.test(name))
      .map((name) => badName('$', name)),
    ...clashes(elements, elementPath, 'element of the schema'),
    ...clashes(containerNames, inContainer, 'set, singular name or import'),
    ...types.flatMap((type) =>
      type.kind === 'definition'
        ? []
        : clashes(
            type.members.map(({ name }) => name),
            (name) => elementPath(type.name, name),
            `member of ${type.name}`,
          ),
    ),
    ...types.flatMap((type) =>
      type.kind === 'definition'
        ? []
        : type.members
            .filter(({ name }) => !IDENTIFIER.test(name))
            .map(({ name }) => badName(elementPath(type.name, name), name)),
    ),
  ];
}

function lintReferences(model: Model): readonly Mistake[] {
  const { people, templates, container } = model.definition;
  return [
    ...requireKnown(
      elementPath(container, '@Docket.People'),
      'the set',
      people,
      model.storedSets.keys(),
    ),
    ...lintHistory(model.definition),
    ...(templates === undefined ? [] : lintTemplates(model, templates)),
    ...lintLanguages(model.definition),
  ];
}

function lintHistory({ types, history, container }: ModelDefinition): readonly Mistake[] {
  const containments = types.flatMap((type) =>
    type.kind === 'entity' || type.kind === 'complex'
      ? type.members.filter((member) => member.kind === 'navigation' && member.contained)
      : [],
  );
  const names = containments.map(({ name }) => name);
  const path = elementPath(container, '@Docket.History');
  return requireKnown(path, 'the contained collection', history, names);
}

function lintLanguages({ languages, container }: ModelDefinition): readonly Mistake[] {
  const path = elementPath(container, '@Docket.Languages');
  const badLanguages = languages.filter(
    (language) => !/^[A-Za-z]{2,8}(-[A-Za-z\d]{1,8})*$/.test(language),
  );
  return [
    ...mistakeIf(languages.length === 0, () =>
      mistake(path, 'The model has no languages.', 'Add at least one.'),
    ),
    ...badLanguages.map((language) =>
      mistake(path, `${language} is not a language tag.`, 'Use a tag such as en or de-AT.'),
    ),
  ];
}

function badName(path: string, name: string): Mistake {
  const remedy =
    'Start with a letter or underscore and use at most 128 letters, digits and underscores.';
  return mistake(path, `"${name}" is not a valid name.`, remedy);
}
