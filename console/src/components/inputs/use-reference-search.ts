// This file searches the entities of a set by what people type: by `$search`, which finds words in all texts, and by a part of the title,
// or by the key, where that finds nothing.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { requestJson } from '../../api/client.ts';
import { RequestFailed } from '../../api/request-failed.ts';
import { type Entity, referenceSelect } from '../../model/entity.ts';
import { subtitlePath, titlePath } from '../../model/layout.ts';
import { type Model, memberAt, type StructuredType } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';

const HITS = 20;
/** Milliseconds after the last key. */
const PAUSE = 150;

/** `$select` of key, title and the second line. */
function selectOf(model: Model, type: StructuredType): string {
  const second = subtitlePath(model, type)?.split('/')[0];
  const names = referenceSelect(model, type).split(',');
  return [...new Set([...names, ...(second === undefined ? [] : [second])])].join(',');
}

/** A phrase of `$search`: quotes and backslashes inside are escaped. */
function searchPhrase(typed: string): string {
  return `"${typed.replace(/[\\"]/g, (sign) => `\\${sign}`)}"`;
}

/** By the title, or by the parts of the key where there is none. */
function titleFilter(model: Model, type: StructuredType, typed: string): string | undefined {
  const title = titlePath(model, type);
  const paths = title === undefined ? type.key.map(({ path }) => path) : [title];
  const conditions = paths.flatMap((path) => {
    const { type: name = '' } = memberAt(model, type, path) ?? {};
    if (name === 'Edm.String')
      return [`contains(tolower(${path}),'${typed.toLowerCase().replaceAll("'", "''")}')`];
    const isNumber = /^Edm\.(?:S?Byte|Int|Decimal)/.test(name) && /^-?\d{1,18}$/.test(typed);
    return isNumber ? [`${path} eq ${typed}`] : [];
  });
  return conditions.length === 0 ? undefined : conditions.join(' or ');
}

async function read(path: string, signal: AbortSignal): Promise<readonly Entity[]> {
  const { value } = await requestJson<{ readonly value: readonly Entity[] }>(path, { signal });
  return value;
}

/** Reads the entities that a text finds; all, in the order of their titles, for an empty one. */
async function searchEntities(
  model: Model,
  type: StructuredType,
  set: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Entity[]> {
  const title = titlePath(model, type);
  const order = title === undefined ? '' : `&$orderby=${encodeURIComponent(title)}`;
  const base = `${set}?$select=${encodeURIComponent(selectOf(model, type))}&$top=${HITS}`;
  if (typed === '') return await read(`${base}${order}`, signal);
  const filter = titleFilter(model, type, typed);
  const bySearch = await read(
    `${base}&$search=${encodeURIComponent(searchPhrase(typed))}`,
    signal,
  ).catch((error: unknown) => {
    // Sets without full-text search answer 400 or 501.
    if (filter !== undefined && error instanceof RequestFailed && [400, 501].includes(error.status))
      return [];
    throw error;
  });
  if (bySearch.length > 0 || filter === undefined) return bySearch;
  return await read(`${base}&$filter=${encodeURIComponent(filter)}${order}`, signal);
}

export interface ReferenceHits {
  /** Undefined while searching. */
  readonly hits: readonly Entity[] | undefined;
  readonly error: unknown;
}

/** Searches while something is typed; not at all for undefined. */
export function useReferenceSearch(
  type: StructuredType,
  set: string | undefined,
  typed: string | undefined,
): ReferenceHits {
  const model = useModel();
  const wanted = usePaused(typed?.trim());
  const { data, error } = useQuery({
    queryKey: ['references', set, wanted],
    queryFn: async ({ signal }) =>
      await searchEntities(model, type, set ?? '', wanted ?? '', signal),
    enabled: set !== undefined && wanted !== undefined,
  });
  const isCurrent = wanted === typed?.trim();
  return { hits: isCurrent ? data : undefined, error: error ?? undefined };
}

/** A text once it has stayed for a while; the first one, and none, at once. */
function usePaused(typed: string | undefined): string | undefined {
  const [paused, setPaused] = useState(typed);
  const isAtOnce = typed === undefined || paused === undefined;
  useEffect(() => {
    if (isAtOnce) {
      setPaused(typed);
      return undefined;
    }
    const timer = setTimeout(() => setPaused(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, isAtOnce]);
  return isAtOnce ? typed : paused;
}
