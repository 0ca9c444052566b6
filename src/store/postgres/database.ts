// This file implements the Database interface with PostgreSQL.
import { type Cell, type Database, isCompiled, type Row, type SqlText } from '../database.ts';
import { Claims } from './claims.ts';
import { type Connection, connect, type PostgresSettings, statementOf } from './connection.ts';
import { translate, translateIndexing } from './errors.ts';
import { MARK_TABLES, TABLE_NAMED } from './installation-objects.ts';
import { Pool } from './pool.ts';
import { Replicas } from './replicas.ts';
import { Session } from './session.ts';
import { TableVersions } from './version-watch.ts';
import { writerQueue } from './writer.ts';

const SERVER_VERSION = "SELECT current_setting('server_version_num')";
/** Since this version, the server explains statements without values of their parameters, which other plans contain. */
const GENERIC_PLANS = 160_000;
/** Quick reads that may be on their way on one connection. */
const DEPTH = 8;
/** Opens the database. Throws: errors of pg for wrong settings, Disconnected. */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const session = new Session(settings);
  const { lock } = await session.writer();
  const { reads, scans, replicas } = openPools(settings, session);
  const versions = new TableVersions(settings);
  const claims = new Claims(settings);
  const queue = writerQueue(session, (rows) => versions.onCommit(rows));
  const run = async (work: () => Promise<readonly Row[]>) => {
    try {
      if (!session.isOpen) await session.writer();
      return await work();
    } catch (error) {
      throw translate(error, settings);
    }
  };
  const read = (statement: SqlText, values: readonly Cell[]): Promise<readonly Row[]> =>
    run(() => reads.run(statementOf(statement), values, isCompiled(statement)));
  return {
    read,
    hasTable: async (name) => (await read(TABLE_NAMED, [name])).length > 0,
    explain: async ({ text, parameters }) => {
      const [[version] = []] = await read(SERVER_VERSION, []);
      if (Number(version) < GENERIC_PLANS) return [];
      // The protocol requires values; the plan does not depend on them.
      const values = parameters.map(() => null);
      const rows = await read(`EXPLAIN (GENERIC_PLAN) ${text}`, values);
      return rows.map(([line]) => String(line));
    },
    load: () => {
      const [reading, scanning] = [reads.load, scans.load];
      return {
        connections: reading.connections + scanning.connections,
        busyConnections: reading.busy + scanning.busy,
        waitingReads: reading.waiting,
        waitingScans: scanning.waiting,
        waitingWrites: queue.waiting(),
      };
    },
    // Each statement sees the newest snapshot at no further cost.
    pinSnapshot: () => () => undefined,
    // Responses are not cached while nothing may be read.
    tableVersionOf: (tables) => (session.isOpen ? versions.of(tables) : undefined),
    keepLayout: () => session.keepLayout(),
    scan: (sql, values) => {
      const statement = statementOf(sql);
      return run(
        async () =>
          (await replicas.scan(statement, values)) ?? (await scans.run(statement, values)),
      );
    },
    reportTo: (report) => replicas.reportTo(report),
    write: queue.write,
    // PostgreSQL compacts its indexes itself.
    compact: () => false,
    define: async (statements) => {
      try {
        await define(settings, lock, statements);
      } catch (error) {
        throw translate(error, settings);
      }
    },
    claim: async (name, onLost) => await claims.claim(name, onLost),
    close: async () => {
      await queue.close();
      await claims.close();
      await replicas.close();
      await Promise.all([reads.close(), scans.close(), versions.close(), session.close()]);
    },
  };
}

interface Pools {
  readonly reads: Pool;
  readonly scans: Pool;
  readonly replicas: Replicas;
}

/** Scans have at most half of the connections, and as many on each replica. */
function openPools(settings: PostgresSettings, session: Session): Pools {
  const open = async () => {
    await session.writer();
    return await connect(settings, settings);
  };
  const { tls, queue, readQueue = queue, poolSize, resultSize } = settings;
  const timeLimit = settings.statementSeconds * 1000;
  const forScans = Math.max(1, Math.floor(poolSize / 2));
  const forReads = Math.max(1, poolSize - forScans);
  const limits = { timeLimit, resultSize };
  const scanning = { connections: forScans, depth: 1, queue, ...limits };
  const reading = { connections: forReads, depth: DEPTH, queue: readQueue, ...limits };
  const reads = new Pool(open, reading);
  const replicas = new Replicas(settings, reads, {
    connect: (url, limits) => connect({ url, tls }, limits),
    poolOf: (openReplica) => new Pool(openReplica, scanning),
  });
  return { reads, scans: new Pool(open, scanning), replicas };
}

/** Runs DDL on a connection of its own, without a time limit. */
async function define(
  settings: PostgresSettings,
  lock: string,
  statements: readonly string[],
): Promise<void> {
  const connection = await connect(settings, { ...settings, statementSeconds: 0 });
  try {
    await connection.command(`BEGIN; SELECT pg_advisory_xact_lock(${lock})`);
    for (const statement of statements) await runDefinition(connection, statement);
    await connection.command(MARK_TABLES);
    await connection.command('COMMIT');
  } finally {
    // Rolls back what is not committed.
    await connection.close();
  }
}

async function runDefinition(connection: Connection, statement: string): Promise<void> {
  try {
    await connection.command(statement);
  } catch (error) {
    throw translateIndexing(error, statement);
  }
}
