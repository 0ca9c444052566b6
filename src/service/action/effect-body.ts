// This file writes the bodies of the requests that an action consists of: members by path, entities as references to them.
import type { EntityType, Model, Navigation, StructuredType } from '../../edm/model.ts';
import type { Given } from './read-effect-values.ts';

/** What the body is about: the type of the entity, and its name where the body has to tell it. */
export interface BodySubject {
  readonly type: EntityType | undefined;
  readonly name?: string;
}

/** JSON text of members inside members. */
interface Draft {
  readonly texts: Map<string, string>;
  readonly parts: Map<string, Draft>;
}

/** The body as JSON text. A single relation of which nothing is given is emptied. */
export function writeActionBody(
  model: Model,
  { type, name }: BodySubject,
  values: readonly (readonly [string, Given])[],
): string {
  const draft = newDraft();
  if (name !== undefined) draft.texts.set('@odata.type', JSON.stringify(`#${name}`));
  for (const [path, given] of values) {
    const steps = path.split('/');
    const last = steps.at(-1) ?? '';
    const place = steps.slice(0, -1).reduce(partOf, draft);
    const navigation = type === undefined ? undefined : navigationAt(model, type, steps);
    if (navigation === undefined && given.kind === 'value') place.texts.set(last, given.json);
    else place.texts.set(`${last}@odata.bind`, bindText(given, navigation?.collection === true));
  }
  return writeDraft(draft);
}

function newDraft(): Draft {
  return { texts: new Map(), parts: new Map() };
}

function partOf(draft: Draft, name: string): Draft {
  const part = draft.parts.get(name) ?? newDraft();
  draft.parts.set(name, part);
  return part;
}

function writeDraft({ texts, parts }: Draft): string {
  const inner = [...parts].map(([name, part]) => [name, writeDraft(part)] as const);
  const members = [...texts, ...inner].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${members.join(',')}}`;
}

/** One address or a list of them, as the relation takes it. */
function bindText(given: Given, isMany: boolean): string {
  if (given.kind === 'value') return given.json;
  const texts = given.addresses.map((address) => JSON.stringify(address));
  return isMany ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
}

/** The navigation that the path leads to, in the type or in one derived from it. */
function navigationAt(
  model: Model,
  type: StructuredType,
  [step = '', ...rest]: readonly string[],
): Navigation | undefined {
  const member = [type, ...model.derived(type)]
    .map((one) => model.members(one).get(step))
    .find((found) => found !== undefined);
  if (member?.kind === 'navigation') return rest.length === 0 ? member : undefined;
  const inner = member === undefined ? undefined : model.types.get(member.type);
  return inner?.kind === 'complex' && rest.length > 0
    ? navigationAt(model, inner, rest)
    : undefined;
}
