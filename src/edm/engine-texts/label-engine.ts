// This file gives the engine's own elements their labels and descriptions in the languages of the model, as the tables of this folder
// contain them. Elements that already have a label keep it.
import {
  type Annotations,
  type Described,
  isStructured,
  type ModelDefinition,
  type NamedType,
  type Operation,
  simpleName,
  type Texts,
} from '../model.ts';
import { DUTCH } from './dutch.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { LABELS } from './labels.ts';

type Elements = Pick<ModelDefinition, 'types' | 'sets' | 'operations' | 'imports'>;

/** Adds the texts in the languages of a model. */
export function labelEngine(
  { types, sets, operations, imports }: Elements,
  languages: readonly string[],
): Elements {
  const label: Labeller = (thing, name, owner) => labelled(thing, languages, name, owner);
  return {
    types: types.map((type) => labelType(type, label)),
    sets: sets.map((set) => label(set, set.name)),
    operations: operations.map((operation) => labelOperation(operation, label)),
    imports: imports.map((item) => label(item, item.name)),
  };
}

type Labeller = <Thing extends Described>(thing: Thing, name: string, owner?: string) => Thing;

function labelType(type: NamedType, label: Labeller): NamedType {
  const name = simpleName(type.name);
  const named = label(type, name);
  if (!isStructured(named)) return named;
  const members = named.members.map((member) => label(member, member.name, name));
  return { ...named, members } as NamedType;
}

function labelOperation(operation: Operation, label: Labeller): Operation {
  const name = simpleName(operation.name);
  const parameters = operation.parameters.map((parameter) =>
    label(parameter, parameter.name, name),
  );
  return { ...label(operation, name), parameters };
}

function labelled<Thing extends Described>(
  thing: Thing,
  languages: readonly string[],
  name: string,
  owner: string | undefined,
): Thing {
  const labels = thing.labels ?? labelsOf(name, owner, languages);
  const translations = translationsOf(thing.description, languages);
  return {
    ...thing,
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(translations).length === 0
      ? {}
      : { annotations: { ...thing.annotations, ...translations } }),
  };
}

/** A name has the same label everywhere, unless its owner has another one for it: `ClockInterval/To`. */
function labelsOf(name: string, owner: string | undefined, languages: readonly string[]): Texts {
  const label = LABELS[`${owner}/${name}`] ?? LABELS[name.replace(/^Docket/, '')];
  if (label === undefined) return {};
  const [en, nl, de, fr] = label;
  const texts = Object.entries({ en, nl, de, fr });
  return Object.fromEntries(texts.filter(([language]) => languages.includes(language)));
}

/** The description itself is in English. */
function translationsOf(
  description: string | undefined,
  languages: readonly string[],
): Annotations {
  const texts = Object.entries({ nl: DUTCH, de: GERMAN, fr: FRENCH }).flatMap(
    ([language, translations]) => {
      const text = translations[description ?? ''];
      if (text === undefined || !languages.includes(language)) return [];
      return [[`Core.LongDescription#${language}`, text] as const];
    },
  );
  return Object.fromEntries(texts);
}
