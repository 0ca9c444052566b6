// This file says what docket_code_text keeps ready for every code and language: the members of the coded value as JSON, to be put
// between braces when a record is written.
import type { ComplexType, Model } from '../../edm/model.ts';

/**
 * The names of the members that the ready JSON has, in the order in which the model's first coded type declares them; undefined
 * where no coded type consists of a value and a text alone.
 */
export function readyMembers(model: Model): readonly string[] | undefined {
  if (!known.has(model)) {
    const type = readyType(model);
    known.set(model, type === undefined ? undefined : [...model.members(type).keys()]);
  }
  return known.get(model);
}

/** Asked for with every coded value of every answer. */
const known = new WeakMap<Model, readonly string[] | undefined>();

/** `"Text":"New","Value":7`, with the names that the model gives to text and value. */
export function readyJson(model: Model, text: string, value: bigint): string {
  const type = readyType(model);
  const members = type === undefined ? [] : [...model.members(type).keys()];
  return members
    .map((name) => {
      const written = name === type?.coded?.value ? value.toString() : JSON.stringify(text);
      return `${JSON.stringify(name)}:${written}`;
    })
    .join(',');
}

function readyType(model: Model): ComplexType | undefined {
  for (const type of model.types.values()) {
    const isReady = type.kind === 'complex' && type.coded !== undefined;
    if (isReady && model.members(type).size === 2) return type;
  }
  return undefined;
}
