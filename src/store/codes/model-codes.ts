// This file applies the codes of the model to the installation: the codes of a new installation, and the differences between two
// versions of its model. Each change of the model applies only to what administrators have not edited, so that their edits survive:
//     model: Phone -> Telephone    installation: Phone -> Telephone, Call -> Call
import { Fault } from '../../base/fault.ts';
import { definedMembers } from '../../edm/defined-members.ts';
import type { CodeList } from '../../edm/model.ts';
import type { Criticality } from '../../edm/value/criticality.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Work } from '../database.ts';
import { settingOf, storeSetting } from '../installation-settings.ts';
import { storeCodeTexts } from './code-texts.ts';
import {
  type CodeContent,
  completeValues,
  insertCode,
  insertList,
  readStoredCodes,
  type StoredCode,
  type StoredCodes,
  storeReference,
  toCodeLists,
  updateCode,
} from './stored-codes.ts';

/** The setting with the codes of the model that has been applied last. */
const CODES_SETTING = 'codes';

/** A code as the model declares it, in a form that compares by its JSON text. Integers are text. */
interface ModelCode {
  readonly list: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly ordering: string;
  readonly disabled: boolean;
  readonly meaning: string | null;
  readonly parent: string | null;
  readonly criticality?: Criticality;
  readonly icon?: string;
}

/** By value. */
type ModelCodes = Readonly<Record<string, ModelCode>>;

function codesOf(lists: readonly CodeList[]): ModelCodes {
  return Object.fromEntries(
    lists.flatMap((list) =>
      list.codes.map((code, index): [string, ModelCode] => [
        code.value.toString(),
        {
          list: list.name,
          texts: code.texts,
          ordering: String(index + 1),
          disabled: code.disabled ?? false,
          meaning: code.meaning ?? null,
          parent: code.parent?.toString() ?? null,
          ...definedMembers({ criticality: code.criticality, icon: code.icon }),
        },
      ]),
    ),
  );
}

function* appliedCodes(): Work<ModelCodes> {
  return JSON.parse((yield* settingOf(CODES_SETTING)) ?? '{}') as ModelCodes;
}

/** How many codes differ between the model and the one that was applied last. */
export function* countChangedCodes({ model }: Layout): Work<number> {
  const applied = yield* appliedCodes();
  const wanted = codesOf(model.definition.codeLists);
  const values = new Set([...Object.keys(applied), ...Object.keys(wanted)]);
  return [...values].filter(
    (value) => !isSame(wanted[value] ?? retired(applied[value]), applied[value]),
  ).length;
}

/** A code that the model no longer has: it can no longer be chosen. */
function retired(code: ModelCode | undefined): ModelCode | undefined {
  return code && { ...code, disabled: true };
}

/** Applies the codes of the model, and stores the texts of all codes. Throws: codes.value. */
export function* applyModelCodes(layout: Layout): Work<void> {
  const { model } = layout;
  const { codeLists } = model.definition;
  const applied = yield* appliedCodes();
  yield* completeValues(layout);
  const before = yield* readStoredCodes(layout);
  const wanted = codesOf(codeLists);
  const removed = Object.keys(applied).filter((value) => wanted[value] === undefined);
  const next = { ...wanted };
  for (const value of removed) Object.assign(next, { [value]: retired(applied[value]) });
  if (before !== undefined) {
    for (const list of codeLists) if (!before.lists.has(list.name)) yield* insertList(layout, list);
    yield* applyCodes(layout, applied, next);
  }
  yield* storeSetting(CODES_SETTING, JSON.stringify(next));
  yield* storeCodeTexts(model, toCodeLists(model, yield* readStoredCodes(layout)));
}

function* applyCodes(layout: Layout, applied: ModelCodes, wanted: ModelCodes): Work<void> {
  const stored = yield* readStoredCodes(layout);
  if (stored === undefined) return;
  const byValue = new Map(stored.codes.map((code) => [code.value.toString(), code]));
  const isNew = (value: string) => applied[value] === undefined;
  for (const [value, code] of Object.entries(wanted)) {
    const known = byValue.get(value);
    if (known !== undefined && known.list !== code.list)
      yield* moveCode(layout, stored, known, { applied: applied[value], wanted: code });
    if (known !== undefined) yield* mergeCode(layout, known, applied[value], code);
    else if (isNew(value)) yield* addCode(layout, stored, value, code);
  }
  yield* applyParents(layout, applied, wanted);
}

function* addCode(
  layout: Layout,
  { lists }: StoredCodes,
  value: string,
  code: ModelCode,
): Work<void> {
  const list = lists.get(code.list);
  if (list !== undefined) yield* insertCode(layout, list.identity, BigInt(value), contentOf(code));
}

/** Takes over what the model has changed and the installation has not. */
function* mergeCode(
  layout: Layout,
  stored: StoredCode,
  applied: ModelCode | undefined,
  wanted: ModelCode,
): Work<void> {
  if (applied === undefined || isSame(applied, wanted)) return;
  const current = modelCodeOf(stored);
  const take = <Key extends 'ordering' | 'disabled' | 'meaning' | 'criticality' | 'icon'>(
    key: Key,
  ) => (current[key] === applied[key] ? wanted[key] : current[key]);
  const { criticality: _, icon: __, ...rest } = current;
  const merged: ModelCode = {
    ...rest,
    texts: mergeTexts(current.texts, applied.texts, wanted.texts),
    ordering: take('ordering'),
    disabled: take('disabled'),
    meaning: take('meaning'),
    ...definedMembers({ criticality: take('criticality'), icon: take('icon') }),
  };
  if (!isSame(merged, current)) yield* updateCode(layout, stored.identity, contentOf(merged));
}

/** Moves a code to another list, as when the model renames a list. Throws: codes.value if the code is not that of the model. */
function* moveCode(
  layout: Layout,
  { lists }: StoredCodes,
  { identity, value, list: other }: StoredCode,
  { applied, wanted }: { readonly applied: ModelCode | undefined; readonly wanted: ModelCode },
): Work<void> {
  const { list } = wanted;
  const target = lists.get(list);
  if (applied?.list !== other || target === undefined)
    throw new Fault('codes.value', { code: value.toString(), list, other });
  yield* storeReference(layout, identity, 'List', target.identity);
}

type Translations = ModelCode['texts'];

function mergeTexts(
  current: Translations,
  applied: Translations,
  wanted: Translations,
): Translations {
  const languages = new Set([...Object.keys(current), ...Object.keys(wanted)]);
  return Object.fromEntries(
    [...languages].flatMap((language) => {
      const isEdited = current[language] !== applied[language];
      const text = isEdited ? current[language] : wanted[language];
      return text === undefined ? [] : [[language, text]];
    }),
  );
}

/** Sets parents after all codes exist. */
function* applyParents(layout: Layout, applied: ModelCodes, wanted: ModelCodes): Work<void> {
  const stored = yield* readStoredCodes(layout);
  const byValue = new Map(stored?.codes.map((code) => [code.value.toString(), code]));
  for (const [value, { parent }] of Object.entries(wanted)) {
    const known = byValue.get(value);
    if (known === undefined) continue;
    const current = known.parent?.toString() ?? null;
    const isEdited = current !== (applied[value]?.parent ?? null);
    if (isEdited || current === parent) continue;
    const target = byValue.get(parent ?? '')?.identity;
    yield* storeReference(layout, known.identity, 'Parent', target);
  }
}

function modelCodeOf(code: StoredCode): ModelCode {
  const { list, texts, disabled } = code;
  return {
    list,
    texts,
    ordering: code.ordering?.toString() ?? '',
    disabled,
    meaning: code.meaning ?? null,
    parent: code.parent?.toString() ?? null,
    ...definedMembers({ criticality: code.criticality, icon: code.icon }),
  };
}

function contentOf({ texts, ordering, disabled, meaning, ...look }: ModelCode): CodeContent {
  return {
    texts,
    disabled,
    ordering: ordering === '' ? null : BigInt(ordering),
    ...(meaning === null ? {} : { meaning }),
    ...definedMembers({ criticality: look.criticality, icon: look.icon }),
  };
}

function isSame(one: ModelCode | undefined, other: ModelCode | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
