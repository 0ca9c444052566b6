// This file tries and runs the change of a selection, and says how far it is. Rows that failed, or were not tried, stay selected.
import { useRef, useState } from 'react';
import type { Entity } from '../../model/entity.ts';
import { searchText } from '../../model/search-text.ts';
import { NOTHING_SELECTED } from '../selection.ts';
import { selectionFilter } from './bulk.ts';
import type { BulkBarProps } from './bulk-bar.tsx';
import { type BulkChange, changeRows, keysOf, type Progress } from './bulk-run.ts';

export type Step =
  | { readonly kind: 'ask'; readonly error?: unknown }
  | {
      readonly kind: 'running';
      readonly dryRun: boolean;
      readonly done: number;
      readonly of: number;
      /** Cancelled: the request that runs is the last one. */
      readonly isStopping: boolean;
    }
  | { readonly kind: 'tried'; readonly keys: readonly string[]; readonly result: Progress }
  | { readonly kind: 'finished'; readonly of: number; readonly result: Progress };

/** @param body the values to change; undefined to delete */
export function useBulk(props: BulkBarProps, body: Entity | undefined) {
  const { set, type, query, selection } = props;
  const [step, setStep] = useState<Step>({ kind: 'ask' });
  const stop = useRef(new AbortController());
  const work = async (known: readonly string[] | undefined, { signal }: AbortController) => {
    const dryRun = known === undefined;
    const running = (done: number, of: number) =>
      setStep({ kind: 'running', dryRun, done, of, isStopping: signal.aborted });
    running(0, known?.length ?? 0);
    const change: BulkChange = {
      ...{ set: set.name, type, dryRun },
      ...(body === undefined ? {} : { body }),
    };
    const filter = selectionFilter(type, selection, query.filter);
    const search = selection.kind === 'all' ? searchText(query.search) : undefined;
    const keys = known ?? (await keysOf(change, { filter, search }, signal));
    const result = await changeRows(change, keys, ({ done }) => running(done, keys.length), signal);
    if (!dryRun) finish(props, keys, result);
    if (dryRun && signal.aborted) setStep({ kind: 'ask' });
    else if (dryRun) setStep({ kind: 'tried', keys, result });
    else setStep({ kind: 'finished', of: keys.length, result });
  };
  const run = async (known: readonly string[] | undefined) => {
    stop.current = new AbortController();
    try {
      await work(known, stop.current);
    } catch (error) {
      setStep(stop.current.signal.aborted ? { kind: 'ask' } : { kind: 'ask', error });
    }
  };
  const cancel = () => {
    stop.current.abort();
    setStep((before) => (before.kind === 'running' ? { ...before, isStopping: true } : before));
  };
  return { step, run, cancel, again: () => setStep({ kind: 'ask' }) };
}

/** Selects what is left, and remembers why. */
function finish(
  { select, changed, report }: BulkBarProps,
  keys: readonly string[],
  { done, failures }: Progress,
): void {
  const left = [...failures.map(({ key }) => key), ...keys.slice(done)];
  select(left.length === 0 ? NOTHING_SELECTED : { kind: 'keys', keys: new Set(left) });
  report(new Map(failures.map(({ key, message }) => [key, message])));
  changed();
}
