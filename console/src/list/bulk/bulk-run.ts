// This file changes or deletes many rows: chunk by chunk in one request each, and row by row where a chunk fails, to find the rows that do.

import { changeTogether } from '../../api/batch.ts';
import { request } from '../../api/client.ts';
import { readAll } from '../../api/read-all.ts';
import { RequestFailed } from '../../api/request-failed.ts';
import { type Entity, entityPath, keyOf } from '../../model/entity.ts';
import type { StructuredType } from '../../model/model.ts';
import { pathWith } from '../../model/query-path.ts';
import { chunksOf, type Failure, keysFilter } from './bulk.ts';

export interface Progress {
  readonly done: number;
  readonly failures: readonly Failure[];
}

export interface BulkChange {
  readonly set: string;
  readonly type: StructuredType;
  /** The values to change; without it, the rows are deleted. */
  readonly body?: Entity;
  /** Only try: the service validates and stores nothing. */
  readonly dryRun: boolean;
}

/** The keys of the rows that match, in the order of the key, which changes of other properties do not disturb. */
export async function keysOf(
  { set, type }: Pick<BulkChange, 'set' | 'type'>,
  options: { readonly filter: string | undefined; readonly search: string | undefined },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const key = type.key.map(({ path }) => path).join(',');
  const path = pathWith(set, [
    ['$select', key],
    ['$filter', options.filter],
    ['$search', options.search],
    ['$orderby', key],
  ]);
  const rows = await readAll(path, signal);
  return rows.flatMap((row) => keyOf(type, row) ?? []);
}

/**
 * Changes rows. Cancelling takes effect between requests: a chunk is changed as a whole or not at all, unless some of its rows fail.
 *
 * @param report is called after each request
 */
export async function changeRows(
  change: BulkChange,
  keys: readonly string[],
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  let progress: Progress = { done: 0, failures: [] };
  const advance = (done: number, failures: readonly Failure[]) => {
    progress = { done: progress.done + done, failures: [...progress.failures, ...failures] };
    report(progress);
  };
  for (const chunk of chunksOf(keys)) {
    if (signal.aborted) break;
    if (await changeChunk(change, chunk)) advance(chunk.length, []);
    else
      for (const part of chunksOf(chunk, SINGLE_CHUNK)) {
        if (signal.aborted) break;
        advance(part.length, await changeSingly(change, part));
      }
  }
  return progress;
}

/** Rows that are tried one by one in a request, after which people can cancel. */
const SINGLE_CHUNK = 50;

/** Whether all rows have been changed. If not, none has. */

async function changeChunk(change: BulkChange, keys: readonly string[]): Promise<boolean> {
  const { set, type, body, dryRun } = change;
  const filter = encodeURIComponent(keysFilter(type, keys) ?? '');
  try {
    await request(`${set}/$filter(${filter})/$each`, {
      method: body === undefined ? 'DELETE' : 'PATCH',
      body,
      headers: { Prefer: dryRun ? 'dry-run,return=minimal' : 'return=minimal' },
    });
    return true;
  } catch (error) {
    // A service that is away or busy has changed nothing, and would not change single rows either.
    if (!(error instanceof RequestFailed) || error.status === 0 || error.status >= 500) throw error;
    return false;
  }
}

async function changeSingly(
  { set, body, dryRun }: BulkChange,
  keys: readonly string[],
): Promise<readonly Failure[]> {
  const prefer = dryRun ? 'dry-run,return=minimal' : 'return=minimal';
  const results = await changeTogether(
    keys.map((key) => ({
      path: entityPath(set, key),
      ...(body === undefined ? {} : { body }),
      prefer,
    })),
  );
  return results.flatMap((result, index) =>
    result.kind === 'failed' ? [{ key: keys[index] ?? '', message: result.error.message }] : [],
  );
}
