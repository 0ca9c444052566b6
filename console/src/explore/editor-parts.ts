// This file gives the text of a request completion, colours, and marks of errors.
import type {
  CompletionContext,
  CompletionResult,
  Completion as EditorCompletion,
} from '@codemirror/autocomplete';
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { Code } from '../model/codes.ts';
import { literal } from '../model/entity.ts';
import type { Model } from '../model/model.ts';
import { completionAt, type Suggestion } from '../query/completion.ts';
import type { TextRange } from '../query/locate-error.ts';

/** Icons of CodeMirror for what is suggested. */
const ICONS: Readonly<Record<Suggestion['kind'], string>> = {
  set: 'class',
  property: 'property',
  navigation: 'interface',
  function: 'function',
  option: 'keyword',
  operator: 'keyword',
  value: 'constant',
};

/** Completes from the model; the codes of a list are read when they are needed. */
export function completions(model: Model, readCodes: (list: string) => Promise<readonly Code[]>) {
  return async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const text = state.sliceDoc(0, pos);
    const completion = completionAt(model, text);
    if (completion === undefined) return null;
    if (!explicit && !/[\w$/(,?&=. ]$/.test(text)) return null;
    const { codes } = completion;
    const options = completion.suggestions.map(toOption);
    const values = codes === undefined ? [] : await readCodes(codes.list);
    return {
      from: completion.from,
      options: [...options, ...values.map((code) => codeOption(code, codes?.as ?? 'value'))],
      validFor: codes === undefined ? /^[\w$@]*$/ : undefined,
      filter: codes === undefined,
    } as CompletionResult;
  };
}

function toOption({ label, detail, kind }: Suggestion): EditorCompletion {
  return { label, detail, type: ICONS[kind] };
}

/** Codes are found by their texts, and inserted as literals. */
function codeOption({ value, text }: Code, as: 'value' | 'text'): EditorCompletion {
  const apply = as === 'text' ? literal(text, 'Edm.String') : value;
  return { label: apply, displayLabel: text, detail: value, apply, type: ICONS.value };
}

const WORDS = new MatchDecorator({
  regexp:
    /(?<string>'(?:[^']|'')*'?)|(?<option>[?&;(]\$\w+(?==))|(?<number>(?<![\w.])\d[\w.:+-]*)|(?<operator>\b(?:and|or|not|eq|ne|gt|ge|lt|le|in|has|asc|desc|with|as|null|true|false)\b)|(?<method>^(?:GET|POST|PATCH|PUT|DELETE)\b)/g,
  decoration: (match) => {
    const [kind] =
      Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    return Decoration.mark({ class: `request-${kind ?? 'text'}` });
  },
});

/** Colours of words. */
export const colours: Extension = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = WORDS.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = WORDS.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Marks a range as wrong, or removes the mark. It also goes when the text changes. */
export const markError = StateEffect.define<TextRange | undefined>();

const WRONG = Decoration.mark({ class: 'request-error' });

export const errorMark: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const effect = transaction.effects.find((one) => one.is(markError));
    if (effect !== undefined) return marksFor(effect.value, transaction.newDoc.length);
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksFor(range: TextRange | undefined, length: number): DecorationSet {
  if (range === undefined || range.to > length || range.from >= range.to) return Decoration.none;
  return Decoration.set(WRONG.range(range.from, range.to));
}

export const look: Extension = EditorView.theme({
  '&': {
    fontSize: '13px',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: '4px',
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
  },
  '&.cm-focused': { outline: '2px solid var(--docket-focus)', outlineOffset: '1px' },
  '.cm-content': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    caretColor: 'var(--mantine-color-text)',
    minHeight: '96px',
  },
  '.cm-tooltip': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--mantine-color-white)',
    backgroundColor: 'var(--mantine-color-blue-8)',
  },
  '.cm-completionDetail': { opacity: 0.9, fontStyle: 'normal' },
  '.request-string': { color: 'light-dark(#a61e4d, #faa2c1)' },
  '.request-option': { color: 'light-dark(#1864ab, #74c0fc)', fontWeight: '600' },
  '.request-operator, .request-method': { color: 'light-dark(#862e9c, #e599f7)' },
  '.request-number': { color: 'light-dark(#0b7285, #66d9e8)' },
  '.request-error': {
    textDecoration: 'underline wavy var(--mantine-color-red-7)',
    backgroundColor: 'light-dark(#ffe3e3, #5c1a1a)',
  },
});
