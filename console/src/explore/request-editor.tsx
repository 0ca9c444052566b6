// This file is the text of a request with completion, a chunk of its own with CodeMirror.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../app/place.ts';
import { useText } from '../i18n/text.tsx';
import { useReadCodes } from '../model/codes.ts';
import { useModel } from '../model/use-model.tsx';
import type { TextRange } from '../query/locate-error.ts';
import { colours, completions, errorMark, look, markError } from './editor-parts.ts';

interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  /** The place of the error of the last response. */
  readonly error: TextRange | undefined;
}

export function RequestEditor(props: EditorProps) {
  const { value, error } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useEditor(parent, props);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value, view]);
  useEffect(() => {
    view.current?.dispatch({ effects: markError.of(error) });
  }, [error, view]);
  return <div ref={parent} />;
}

/** Creates the editor once; what it calls is always of the latest rendering. */
function useEditor(parent: React.RefObject<HTMLDivElement | null>, props: EditorProps) {
  const text = useText();
  const model = useModel();
  const readCodes = useReadCodes();
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<EditorView>(undefined);
  const label = text('explore.request');
  useEffect(() => {
    const editor = new EditorView({
      ...(parent.current === null ? {} : { parent: parent.current }),
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          keymap.of([{ key: 'Mod-Enter', run: () => runNow(latest.current) }]),
          autocompletion({ override: [completions(model, readCodes)] }),
          keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          history(),
          colours,
          errorMark,
          look,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [parent, label, model, readCodes]);
  return view;
}

function runNow({ onRun }: EditorProps): boolean {
  onRun();
  return true;
}
