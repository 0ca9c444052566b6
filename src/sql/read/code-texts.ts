// The precomputed JSON in docket_code_text: the members of a coded value for every code and language, without the braces.
import type { ComplexType, Model } from '../../edm/model.ts';

/**
 * The member names of the precomputed JSON, in the order in which the model's first suitable coded type declares them. Undefined if no
 * coded type consists of just a value and a text.
 */
export function precomputedMembers(model: Model): readonly string[] | undefined {
  if (!cache.has(model)) {
    const type = precomputedType(model);
    cache.set(model, type === undefined ? undefined : [...model.members(type).keys()]);
  }
  return cache.get(model);
}

/** Cached because every coded value of a statement needs it. */
const cache = new WeakMap<Model, readonly string[] | undefined>();

/** `"Text":"New","Value":7`, with the member names of the model. */
export function precomputedJson(model: Model, text: string, value: bigint): string {
  const type = precomputedType(model);
  const members = type === undefined ? [] : [...model.members(type).keys()];
  return members
    .map((name) => {
      const json = name === type?.coded?.value ? value.toString() : JSON.stringify(text);
      return `${JSON.stringify(name)}:${json}`;
    })
    .join(',');
}

function precomputedType(model: Model): ComplexType | undefined {
  for (const type of model.types.values()) {
    const isCoded = type.kind === 'complex' && type.coded !== undefined;
    if (isCoded && model.members(type).size === 2) return type;
  }
  return undefined;
}
