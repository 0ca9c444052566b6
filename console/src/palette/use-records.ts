// This file finds records for the palette: one batch of searches over a few sets, once typing rests.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { readTogether } from '../api/batch.ts';
import { useRecordPage } from '../app/portal-set.ts';
import { type Entity, keyOf, titleOf, valueAt } from '../model/entity.ts';
import { subtitlePath } from '../model/layout.ts';
import { type EntitySet, type Model, typeOfSet } from '../model/model.ts';
import { searchText } from '../model/search-text.ts';
import { useModel } from '../model/use-model.tsx';
import { type Entry, numberProperty, recordsPath, searches } from './palette-entries.ts';

/** Milliseconds. */
const REST = 150;

export interface Found {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
}

/** The records for a text. The previous request is aborted when the text changes. */
export function useRecords(sets: readonly EntitySet[], text: string, done: () => void): Found {
  const model = useModel();
  const navigate = useNavigate();
  const pageOf = useRecordPage();
  const [found, setFound] = useState<Found>({ entries: [], isSearching: false });
  const names = sets.map(({ name }) => name).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the sets stand for them, which are other objects each time.
  useEffect(() => {
    const wanted = searches(text, searchText(text) ?? '');
    if (wanted.length === 0) {
      setFound({ entries: [], isSearching: false });
      return undefined;
    }
    const stop = new AbortController();
    setFound((before) => ({ ...before, isSearching: true }));
    const timer = setTimeout(() => {
      void search(model, sets, wanted, stop.signal)
        .catch(() => [])
        .then((hits) => {
          if (stop.signal.aborted) return;
          const entries = hits.map(({ set, key, ...hit }) => ({
            ...hit,
            id: `record ${set} ${key}`,
            run: () => {
              done();
              void navigate({ to: pageOf(set, key) });
            },
          }));
          setFound({ entries, isSearching: false });
        });
    }, REST);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [model, names, text]);
  return found;
}

interface Hit {
  readonly set: string;
  readonly key: string;
  readonly label: string;
  readonly detail: string;
}

async function search(
  model: Model,
  sets: readonly EntitySet[],
  wanted: ReturnType<typeof searches>,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const asked = wanted.flatMap((one) =>
    sets.flatMap((set) => {
      const path = recordsPath(model, set, typeOfSet(model, set), one);
      return path === undefined ? [] : [{ set, path }];
    }),
  );
  if (asked.length === 0) return [];
  const results = await readTogether(
    asked.map(({ path }) => path),
    signal,
  );
  // A set that cannot be searched has no hits; the others do.
  const hits = results.flatMap((result, index) => {
    const set = asked[index]?.set;
    if (result.kind === 'failed' || set === undefined) return [];
    const { value } = result.value as { readonly value: readonly Entity[] };
    return value.flatMap((row) => toHit(model, set, row));
  });
  return [...new Map(hits.map((hit) => [`${hit.set} ${hit.key}`, hit])).values()];
}

function toHit(model: Model, set: EntitySet, row: Entity): readonly Hit[] {
  const type = typeOfSet(model, set);
  const key = keyOf(type, row);
  if (key === undefined) return [];
  const number = numberProperty(type);
  const parts = [
    set.label,
    number === undefined ? undefined : valueAt(row, number),
    valueAt(row, subtitlePath(model, type) ?? ''),
  ];
  const detail = new Set(
    parts.filter((part) => part !== null && part !== undefined && part !== ''),
  );
  return [
    { set: set.name, key, label: titleOf(model, type, row), detail: [...detail].join(' · ') },
  ];
}
