// This file writes the JSON bodies of the requests that an action sends: members by path, entities as references.
import type { EntityType, Model, Navigation, StructuredType } from '../../edm/model.ts';
import type { EffectValue } from './evaluate-expression.ts';

/** The type of the entity, and its name if the body needs "@odata.type". */
export interface BodySubject {
  readonly type: EntityType | undefined;
  readonly name?: string | undefined;
}

/** A JSON object under construction: texts of members, and nested objects. */
interface Draft {
  readonly texts: Map<string, string>;
  readonly parts: Map<string, Draft>;
}

/** Writes the body. A single-valued relation without an entity is set to null. */
export function writeActionBody(
  model: Model,
  { type, name }: BodySubject,
  values: readonly (readonly [string, EffectValue])[],
): string {
  const draft = newDraft();
  if (name !== undefined) draft.texts.set('@odata.type', JSON.stringify(`#${name}`));
  for (const [path, value] of values) {
    const steps = path.split('/');
    const last = steps.at(-1) ?? '';
    const parent = steps.slice(0, -1).reduce(partOf, draft);
    const navigation = type === undefined ? undefined : navigationAt(model, type, steps);
    if (navigation === undefined && value.kind === 'value') parent.texts.set(last, value.json);
    else parent.texts.set(`${last}@odata.bind`, bindText(value, navigation?.collection === true));
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
  const nested = [...parts].map(([name, part]) => [name, writeDraft(part)] as const);
  const members = [...texts, ...nested].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${members.join(',')}}`;
}

/** A URL, or a list of URLs for a collection-valued relation. */
function bindText(value: EffectValue, isCollection: boolean): string {
  if (value.kind === 'value') return value.json;
  const texts = value.addresses.map((address) => JSON.stringify(address));
  return isCollection ? `[${texts.join(',')}]` : (texts[0] ?? 'null');
}

/** The navigation property at the path, in the type or in one derived from it. */
function navigationAt(
  model: Model,
  type: StructuredType,
  [step = '', ...rest]: readonly string[],
): Navigation | undefined {
  const member = [type, ...model.derived(type)]
    .map((candidate) => model.members(candidate).get(step))
    .find((candidate) => candidate !== undefined);
  if (member?.kind === 'navigation') return rest.length === 0 ? member : undefined;
  const memberType = member === undefined ? undefined : model.types.get(member.type);
  return memberType?.kind === 'complex' && rest.length > 0
    ? navigationAt(model, memberType, rest)
    : undefined;
}
