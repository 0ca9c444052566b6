// This file is a writer of SQLite for tests. It runs units of work as a driver with promises does: other code runs before and after every
// operation. It also runs each unit twice, since a driver may, and rejects units that do more than yield operations.
import type { Database, Operation, Reply, Work, WorkResult } from '../../src/store/database.ts';
import { translate } from '../../src/store/sqlite/connection.ts';
import type { Connection } from '../../src/store/sqlite/driver.ts';
import type { Writer } from '../../src/store/sqlite/writer.ts';
import type { WriteQueue } from '../../src/store/write-queue.ts';

type WriterModule = typeof import('../../src/store/sqlite/writer.ts');

/** Whether the code of a unit of work is running. */
let isInside = false;

/** Makes queues of the driver from the module of the real ones. */
export function steppingQueues({ Writer, begin }: Pick<WriterModule, 'Writer' | 'begin'>) {
  return (connection: Connection): WriteQueue => {
    const writer = new Writer(connection);
    const started = new WeakSet<object>();
    let last: Promise<unknown> = Promise.resolve();
    const attempt = async <Result>(start: () => Work<WorkResult<Result>>, mayKeep: boolean) => {
      await begin(writer, [{ since: performance.now(), reject: rethrow }]);
      try {
        const { result, keep } = await perform(writer, newWork(start, started));
        if (keep && mayKeep) writer.commit();
        return result;
      } catch (error) {
        throw translate(error);
      } finally {
        writer.rollBack();
      }
    };
    const write: Database['write'] = async (start) => {
      const done = last.then(async () => {
        await attempt(start, false).catch(rethrowMisuse);
        return await attempt(start, true);
      });
      last = done.catch(() => undefined);
      return await done;
    };
    return { write, waiting: () => 0, close: async () => void (await last) };
  };
}

/** The database with methods that throw when a unit of work calls them. */
export function guarded(database: Database): Database {
  const guard =
    <Values extends readonly unknown[], Result>(
      name: string,
      method: (...values: Values) => Result,
    ) =>
    (...values: Values): Result => {
      if (isInside) throw new Misuse(`a unit of work calls ${name} of the database`);
      return method(...values);
    };
  return {
    ...database,
    read: guard('read', database.read),
    scan: guard('scan', database.scan),
    write: guard('write', database.write) as Database['write'],
    define: guard('define', database.define),
  };
}

/** An error of a unit of work that breaks the rules of units. */
class Misuse extends Error {}

function rethrow(error: unknown): never {
  throw error;
}

/** The first of the two runs fails silently, as the second fails in the same way. */
function rethrowMisuse(error: unknown): void {
  if (error instanceof Misuse) throw error;
}

function newWork<Result>(start: () => Work<Result>, started: WeakSet<object>): Work<Result> {
  const work = inside(start);
  if (started.has(work)) throw new Misuse('a unit of work starts with a generator that has run');
  started.add(work);
  return work;
}

async function perform<Result>(writer: Writer, work: Work<Result>): Promise<Result> {
  let step = inside(() => work.next());
  while (step.done !== true) {
    const operation = step.value;
    requireOperation(operation);
    await turn();
    let reply: Reply;
    try {
      reply = writer.execute(operation);
    } catch (error) {
      step = inside(() => work.throw(error));
      continue;
    }
    await turn();
    step = inside(() => work.next(reply));
  }
  return step.value;
}

function requireOperation(operation: Operation): void {
  if (operation?.kind === 'pipeline')
    for (const each of operation.operations) requireOperation(each);
  else if (!['query', 'change', 'allocate'].includes(operation?.kind))
    throw new Misuse('a unit of work yields something that is not an operation');
}

/** Runs synchronous code of a unit of work. */
function inside<Result>(code: () => Result): Result {
  isInside = true;
  try {
    return code();
  } finally {
    isInside = false;
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
