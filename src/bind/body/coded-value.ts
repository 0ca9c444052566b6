// Reads coded values: the body has Value, Text in any installed language, or both, which must match.
// Only the value is stored, because texts come from the code list in the language of the reader.
import { didYouMean } from '../../base/nearest-name.ts';
import type { ComplexType, Property } from '../../edm/model.ts';
import { isJsonObject, type JsonInput, showInput } from '../../edm/value/lossless-json.ts';
import { parseJson, resolvePrimitive, writeJson } from '../../edm/value/primitives.ts';
import {
  type CodeEntry,
  type CodeListing,
  codesByText,
  hasText,
  permittedCodes,
  showCode,
  textOf,
  textsInUse,
} from '../codes.ts';
import { fullName } from '../names.ts';
import {
  memberPath,
  noteInvalidValue,
  type Slot,
  type ValueScope,
  type Written,
} from './body-errors.ts';
import { annotatedType, noteType, sortMembers } from './control-information.ts';

/** Context while a coded value is read. */
interface Reading {
  readonly scope: ValueScope;
  readonly slot: Slot;
  readonly names: { readonly value: string; readonly text: string };
  /** Undefined if the property has no code list. */
  readonly listing: CodeListing | undefined;
  readonly target: string;
}

/** The code in an object; null if Value and Text are null; undefined if both are missing, or after a mistake. */
export function readCode(
  scope: ValueScope,
  slot: Slot,
  type: ComplexType,
  { input, target }: Written,
): bigint | null | undefined {
  const names = type.coded ?? { value: 'Value', text: 'Text' };
  const listing = slot.codeList === undefined ? undefined : scope.codes.get(slot.codeList);
  const reading: Reading = { scope, slot, names, listing, target };
  if (!isJsonObject(input)) {
    return noteInvalidValue(
      scope,
      slot,
      { input, target },
      `an object such as ${exampleCode(reading)}`,
    );
  }
  const sorted = sortMembers(input);
  const before = scope.mistakes.count;
  checkType(reading, type, sorted.controls.get('type'));
  for (const [name, value] of sorted.members) {
    if (name !== names.value && name !== names.text) rejectMember(reading, type, name, value);
  }
  if (!sorted.members.has(names.value) && !sorted.members.has(names.text)) return undefined;
  const value = readValue(reading, type, sorted.members.get(names.value) ?? null);
  const text = sorted.members.get(names.text) ?? null;
  const entries = readText(reading, text);
  if (scope.mistakes.count > before || value === undefined || entries === undefined)
    return undefined;
  return requireMatch(reading, { value, text }, entries);
}

/** The JSON of a code with its text in the default language, as stored in JSON documents. */
export function writeCode(scope: ValueScope, slot: Slot, type: ComplexType, value: bigint): string {
  const names = type.coded ?? { value: 'Value', text: 'Text' };
  const listing = slot.codeList === undefined ? undefined : scope.codes.get(slot.codeList);
  const entry = listing?.byValue.get(value);
  const [language = 'en'] = scope.model.definition.languages;
  const text = entry === undefined ? 'null' : JSON.stringify(textOf(entry, language));
  return `{${JSON.stringify(names.text)}:${text},${JSON.stringify(names.value)}:${writeJson('Edm.Int64', value)}}`;
}

function checkType(
  { scope, target }: Reading,
  type: ComplexType,
  annotated: JsonInput | undefined,
): void {
  if (annotated === undefined || annotated === null) return;
  const written = typeof annotated === 'string' ? annotatedType(annotated).name : '';
  if (fullName(scope.model, written) === type.name && written.includes('.')) return;
  const example = `#${type.name}`;
  const expected = `use ${example} or omit it`;
  noteType(scope.mistakes, annotated, { expected, example }, `${target}/@odata.type`);
}

function rejectMember(
  { scope, names, target }: Reading,
  type: ComplexType,
  name: string,
  input: JsonInput,
): void {
  if (input === null && scope.model.members(type).has(name)) return;
  const hint = didYouMean(name, [names.value, names.text]);
  scope.mistakes.add(
    'write.unknown-property',
    { type: type.name, name: name.slice(0, 100), hint },
    memberPath(target, name),
  );
}

/** The entry for Value; null if there is no Value. Without a code list, any value is valid. */
function readValue(
  reading: Reading,
  type: ComplexType,
  input: JsonInput,
): CodeEntry | null | undefined {
  if (input === null) return null;
  const { scope, slot, names, listing } = reading;
  const place = memberPath(reading.target, names.value);
  const member = scope.model.members(type).get(names.value) as Property;
  const primitive = resolvePrimitive(scope.model, member);
  const result = primitive && parseJson(primitive.type, primitive.facets, input);
  if (result?.kind !== 'value' || typeof result.value !== 'bigint') {
    return noteInvalidValue(
      scope,
      slot,
      { input, target: place },
      result?.kind === 'mistake' ? result.expected : 'an integer',
    );
  }
  if (listing === undefined) return { value: result.value, texts: {}, disabled: false };
  const entry = listing.byValue.get(result.value);
  return checkEntry(reading, listing, entry, { input, target: place });
}

/** The entries with the Text; empty if there is no Text. */
function readText(reading: Reading, input: JsonInput): readonly CodeEntry[] | undefined {
  if (input === null) return [];
  const { scope, slot, names, listing } = reading;
  const place = memberPath(reading.target, names.text);
  if (listing === undefined) {
    return noteInvalidValue(
      scope,
      slot,
      { input, target: place },
      `${names.value} without ${names.text}, since the property has no code list`,
    );
  }
  if (typeof input !== 'string')
    return noteInvalidValue(scope, slot, { input, target: place }, 'text');
  const entries = codesByText(listing, input);
  const first = checkEntry(reading, listing, entries[0], { input, target: place });
  return first === undefined ? undefined : entries;
}

function requireMatch(
  reading: Reading,
  { value, text }: { readonly value: CodeEntry | null; readonly text: JsonInput },
  entries: readonly CodeEntry[],
): bigint | null | undefined {
  const { scope, listing, names, target } = reading;
  const [only] = entries;
  if (only === undefined || listing === undefined) return value?.value ?? null;
  if (value === null && entries.length === 1) return only.value;
  if (value !== null && hasText(value, String(text))) return value.value;
  const list = listing.name;
  const codes = entries.map((entry) => showCode(entry, scope.language)).join(', ');
  if (value === null) {
    const place = memberPath(target, names.text);
    scope.mistakes.add('write.code-ambiguous', { list, codes, value: names.value }, place);
    return undefined;
  }
  const meant = showCode(value, scope.language);
  const permitted = permittedCodes(listing, scope.language);
  scope.mistakes.add(
    'write.code-disagrees',
    { ...names, meant, codes, list, permitted },
    memberPath(target, names.value),
  );
  return undefined;
}

/** The entry; undefined after a mistake, if there is no such code or it is disabled. */
function checkEntry(
  { scope }: Reading,
  listing: CodeListing,
  entry: CodeEntry | undefined,
  { input, target }: Written,
): CodeEntry | undefined {
  if (entry?.disabled === false) return entry;
  const code = entry === undefined ? 'write.code' : 'write.code-disabled';
  const permitted = permittedCodes(listing, scope.language);
  const hint = typeof input === 'string' ? didYouMean(input, textsInUse(listing)) : '';
  const parameters = { shown: showInput(input), list: listing.name, permitted, hint };
  scope.mistakes.add(code, parameters, target);
  return undefined;
}

/** `{"Value":1001} or {"Text":"Calm"}`. */
function exampleCode({ scope, names, listing }: Reading): string {
  const entry = listing?.entries.find((one) => !one.disabled);
  const value = `{${JSON.stringify(names.value)}:${entry?.value ?? 1}}`;
  if (entry === undefined) return value;
  return `${value} or {${JSON.stringify(names.text)}:${JSON.stringify(textOf(entry, scope.language))}}`;
}
