// This file deletes rows in write scripts, with their dependents, and clears references to them.
import { Fault, type FaultDetail, invariant } from '../base/fault.ts';
import type { Statement } from '../sql/script.ts';
import type { Deletion, Detachment } from '../sql/write/write-script.ts';
import type { SingleOperation, Work } from './database.ts';
import { allocateLines, changeOf, queryOf, type Run } from './script-state.ts';
import { pipeline } from './work.ts';

/** Deletes a row with its dependents. `ancestors` are the rows already being deleted, since cascades may be cyclic. */
export function* remove(
  run: Run,
  identity: bigint,
  table: string,
  ancestors: readonly bigint[],
): Work<void> {
  if (ancestors.includes(identity)) return;
  const deletion = run.script.deletions.get(table);
  invariant(deletion !== undefined, `no deletion for ${table}`);
  const path = [...ancestors, identity];
  for (const cascade of deletion.cascade) {
    const { rows } = yield queryOfDeleted(run, identity, cascade.rows);
    for (const [child] of rows) {
      if (typeof child === 'bigint') yield* remove(run, child, cascade.table, path);
    }
  }
  yield* requireUnreferenced(run, identity, deletion);
  for (const detachment of deletion.detach) yield* detach(run, identity, detachment);
  run.locals.set('gone', identity);
  yield pipeline(deletion.finally.map((statement) => changeOf(run, statement)));
}

/** Clears the references to a deleted row. Each referring row gets its own history entry. */
function* detach(run: Run, identity: bigint, { count, statements }: Detachment): Work<void> {
  const { rows } = yield queryOfDeleted(run, identity, count);
  const number = rows[0]?.[0];
  if (typeof number !== 'bigint' || number === 0n) return;
  run.locals.set('lines', (yield* allocateLines(number)) - 1n);
  yield pipeline(statements.map((statement) => changeOf(run, statement)));
}

/** Throws: write.referenced with one detail for each navigation property that still refers to the row. */
function* requireUnreferenced(run: Run, identity: bigint, deletion: Deletion): Work<void> {
  if (deletion.restricted.length === 0) return;
  const details: (FaultDetail & { readonly target: string })[] = [];
  const counts = deletion.restricted.map(({ count }) => queryOfDeleted(run, identity, count));
  const { replies } = yield pipeline(counts);
  for (const [index, { set, navigation }] of deletion.restricted.entries()) {
    const number = Number(replies[index]?.rows[0]?.[0] ?? 0);
    if (number === 0) continue;
    details.push({
      code: 'write.referenced',
      target: `${set}/${navigation}`,
      message: `${number} ${set} refer to it through ${navigation}.`,
    });
  }
  if (details.length === 0) return;
  const { counted } = run.script;
  const listed = details.filter(
    ({ target }) => counted === undefined || counted.includes(target.slice(0, target.indexOf('/'))),
  );
  const { blockedBy } = deletion;
  const remedy =
    blockedBy === undefined
      ? 'Remove the references first.'
      : `Set ${blockedBy} to true instead, or remove the references first.`;
  throw new Fault('write.referenced', { remedy }, { details: listed });
}

function queryOfDeleted(run: Run, identity: bigint, statement: Statement): SingleOperation {
  run.locals.set('gone', identity);
  return queryOf(run, statement);
}
