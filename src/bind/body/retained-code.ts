// This file reads disabled codes in changes of entities: a code that can no longer be chosen may be sent, if the entity has it already.
import type { FaultDetail } from '../../base/fault.ts';
import { perObject, perPair } from '../../base/memo.ts';
import type { ComplexType, Model, Property } from '../../edm/model.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import { type CodeListing, codeListing, permittedCodes } from '../codes.ts';
import type { RetainedCode } from '../write/bound-write.ts';
import type { Structure } from './body-context.ts';
import { Mistakes, type ValueScope, type Written } from './body-errors.ts';
import { documentText, isScalar, readScalar, scalarText } from './property-value.ts';

/**
 * Adds a value with disabled codes on the condition that the entity has them in the same property. Returns false if there are none, so
 * that the value is read as any other.
 */
export function putRetainedCodes(
  { body, place, path, draft, document }: Structure,
  property: Property,
  { input, target }: Written,
): boolean {
  if (place.mode === 'create') return false;
  const { model, codes, language } = body;
  const listings = listsInside(model, property).flatMap((name) => codes.get(name) ?? []);
  if (!listings.some(hasDisabled)) return false;
  const strict = { model, codes, language, mistakes: new Mistakes() };
  if (textOf(strict, property, input, target) !== undefined) return false;
  const all = new Map(listings.map((listing) => [listing.name, withAllEnabled(listing)]));
  const lenient = { ...strict, codes: all, mistakes: new Mistakes() };
  const text = textOf(lenient, property, input, target);
  const disabled = listings.flatMap((listing) => disabledIn(listing, text ?? ''));
  const [first] = disabled;
  if (text === undefined || first === undefined) return false;
  body.parameters?.reject();
  const whole = [...path, property];
  const conditions = disabled.map((code) => `(${storedCondition(model, whole, code)})`);
  const permitted = permittedCodes(first.listing, language);
  const parameters = { shown: first.value.toString(), list: first.listing.name, permitted };
  const condition = conditions.join(' and ');
  const exact = strict.mistakes.details.find(isDisabled)?.target ?? target;
  const retained: RetainedCode = { condition, parameters, target: exact };
  const isColumn = isScalar(model, property) && !document;
  draft.values.push(
    isColumn
      ? { kind: 'value', path: whole, value: first.value, retained }
      : { kind: 'json', path: whole, text, retained },
  );
  return true;
}

function isDisabled({ code }: FaultDetail): boolean {
  return code === 'write.code-disabled';
}

/** The value as it is stored in JSON documents; undefined after a mistake, or if there is none. */
function textOf(
  scope: ValueScope,
  property: Property,
  input: JsonInput,
  target: string,
): string | undefined {
  if (!isScalar(scope.model, property)) {
    const text = documentText(scope, property, input, target);
    return scope.mistakes.count > 0 ? undefined : text;
  }
  const value = readScalar(scope, property, input, target);
  return value === undefined ? undefined : scalarText(scope, property, value);
}

interface DisabledCode {
  readonly listing: CodeListing;
  readonly value: bigint;
}

/** The disabled codes in the text, in which every code is an object that ends with its value. */
function disabledIn(listing: CodeListing, text: string): readonly DisabledCode[] {
  return listing.entries
    .filter(({ value, disabled }) => disabled && text.includes(`:${value}}`))
    .map(({ value }) => ({ listing, value }));
}

function hasDisabled({ entries }: CodeListing): boolean {
  return entries.some(({ disabled }) => disabled);
}

const withAllEnabled = perObject(({ name, entries }: CodeListing) =>
  codeListing(
    name,
    entries.map((entry) => ({ ...entry, disabled: false })),
  ),
);

/** The code lists of the property and of the properties inside it. */
const listsInside = perPair((model: Model, property: Property): readonly string[] => [
  ...new Set(listsOf(model, property, [])),
]);

function listsOf(
  model: Model,
  { type: name, codeList }: Property,
  above: readonly ComplexType[],
): readonly string[] {
  const type = model.types.get(name);
  if (type?.kind !== 'complex' || above.includes(type)) return [];
  if (type.coded !== undefined) return codeList === undefined ? [] : [codeList];
  return partsOf(model, type).flatMap(({ member }) => listsOf(model, member, [...above, type]));
}

/** The properties of values of the type, and the casts to the derived types that declare them. */
function partsOf(
  model: Model,
  type: ComplexType,
): readonly { readonly cast: string; readonly member: Property }[] {
  return [type, ...model.derived(type)].flatMap((one) =>
    (one === type ? [...model.members(type).values()] : one.members).flatMap((member) =>
      member.kind === 'property' ? [{ cast: one === type ? '' : `/${one.name}`, member }] : [],
    ),
  );
}

/** `Parts/any(item1:item1/Colour/Value eq 7)`: whether the stored value of the property has the code. */
function storedCondition(model: Model, path: readonly Property[], code: DisabledCode): string {
  const [last, ...parents] = path.toReversed();
  if (last === undefined) return 'false';
  const steps = parents.toReversed().map(({ name, type }, index) => {
    const next = path[index + 1];
    const owner = model.types.get(type);
    if (next === undefined || owner?.kind !== 'complex') return name;
    const part = partsOf(model, owner).find(({ member }) => member === next);
    return `${name}${part?.cast ?? ''}`;
  });
  return having(model, steps.map((step) => `${step}/`).join(''), last, code, []).join(' or ');
}

/** The conditions on a property after the prefix, of which one is true if it has the code. */
function having(
  model: Model,
  prefix: string,
  { name, type: typeName, codeList, collection }: Property,
  code: DisabledCode,
  above: readonly ComplexType[],
): readonly string[] {
  const type = model.types.get(typeName);
  if (type?.kind !== 'complex' || above.includes(type)) return [];
  const item = `item${above.length}`;
  const value = collection ? item : `${prefix}${name}`;
  const isCode = type.coded !== undefined;
  const own =
    codeList === code.listing.name ? [`${value}/${type.coded?.value} eq ${code.value}`] : [];
  const conditions = isCode
    ? own
    : partsOf(model, type).flatMap(({ cast, member }) =>
        having(model, `${value}${cast}/`, member, code, [...above, type]),
      );
  if (!collection || conditions.length === 0) return conditions;
  return [`${prefix}${name}/any(${item}:${conditions.join(' or ')})`];
}
