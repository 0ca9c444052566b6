// This file runs prepared statements on a client of pg. Its own queries ask the server to describe the columns in every execution, and
// build objects from the description that nobody reads: a third of the time of a lookup by key. Here a statement is described once on
// each connection. The server rejects its execution if the columns have changed since. Statements that are executed together share one
// Sync message, since the server sends its replies to the network with each of them.
import { type Client, Query } from 'pg';
import { invariant } from '../../base/fault.ts';
import type { Row } from '../database.ts';
import { sizeOf, tooLarge } from '../driver-faults.ts';
import { convertedColumns, toRow } from './cells.ts';
import type { PreparedStatement } from './statements.ts';

export interface Result {
  readonly rows: readonly Row[];
  /** Number of changed rows. */
  readonly changed: number;
  /** The command that was executed: a COMMIT of a failed transaction executes ROLLBACK. */
  readonly command: string;
}

/** The part of pg's connection that sends messages, as its queries use it. */
interface Messages {
  /** The texts of statements by name: those that are prepared, and those whose preparation has no reply yet. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly parse: (statement: { readonly name: string; readonly text: string }) => void;
  readonly bind: (values: { readonly statement: string; readonly values: Values }) => void;
  readonly describe: (portal: { readonly type: 'P' }) => void;
  readonly execute: (limits: Readonly<Record<string, never>>) => void;
  readonly sync: () => void;
}

type Values = readonly (string | Buffer | null)[];

/** The methods of pg's queries, by which its client sends them and reports what the server returns. */
interface QueryMethods {
  name: string;
  text: string;
  prepare(connection: Messages): void;
  handleRowDescription(message: {
    readonly fields: readonly { readonly dataTypeID: number }[];
  }): void;
  handleDataRow(message: { readonly fields: (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleError(error: Error, connection: Messages): void;
  handleReadyForQuery(): void;
}

const BaseQuery = Query as unknown as new (text: string) => QueryMethods;

/** One execution of a prepared statement. */
export interface Execution {
  readonly statement: PreparedStatement;
  readonly values: Values;
  /** The number of leading columns in which integers remain text. */
  readonly textColumns: number;
  /** The maximum size of all rows. Those of a larger result are read and dropped, since the server has begun to send them. */
  readonly resultSize: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** A subclass, because a client that pipelines its queries accepts no others. */
class PreparedQueries extends BaseQuery {
  readonly #executions: readonly Execution[];
  readonly #results: Result[] = [];
  #rows: Row[] = [];
  /** The size of the rows of the current statement. */
  #size = 0;
  readonly #tooLarge = new Set<Execution>();

  constructor(executions: readonly Execution[], { name, text }: PreparedStatement) {
    // pg copies a configuration property by property.
    super(text);
    this.name = name;
    this.#executions = executions;
  }

  override prepare(connection: Messages): void {
    const { parsedStatements, submittedNamedStatements } = connection;
    for (const { statement, values } of this.#executions) {
      const { name, text, columns } = statement;
      if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text });
        submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values });
      if (columns === undefined) connection.describe({ type: 'P' });
      connection.execute({});
    }
    connection.sync();
  }

  override handleRowDescription({
    fields,
  }: Parameters<QueryMethods['handleRowDescription']>[0]): void {
    const { statement } = this.#current();
    statement.columns = convertedColumns(fields.map(({ dataTypeID }) => dataTypeID));
  }

  override handleDataRow({ fields }: Parameters<QueryMethods['handleDataRow']>[0]): void {
    const execution = this.#current();
    const { statement, textColumns, resultSize } = execution;
    this.#size += sizeOf(fields);
    if (this.#size <= resultSize) {
      this.#rows.push(toRow(fields, statement.columns ?? [], textColumns));
      return;
    }
    this.#rows = [];
    this.#tooLarge.add(execution);
  }

  override handleCommandComplete({ text: tag }: { readonly text: string }): void {
    // A statement without a result has no description.
    this.#current().statement.columns ??= [];
    this.#results.push({ rows: this.#rows, ...readTag(tag) });
    this.#rows = [];
    this.#size = 0;
    const next = this.#executions[this.#results.length];
    // The client notes under this name that a statement is prepared, or that it could not be.
    if (next === undefined) return;
    this.name = next.statement.name;
    this.text = next.statement.text;
  }

  /** The server has not executed the statements after the one that failed, nor prepared them. */
  override handleError(error: Error, { submittedNamedStatements }: Messages): void {
    // An error after the last statement is one of the Sync, which commits statements that are not part of a transaction.
    if (this.#results.length === this.#executions.length) this.#results.length = 0;
    const failed = this.#results.length;
    this.#resolve();
    for (const { statement, reject } of this.#executions.slice(failed)) {
      delete submittedNamedStatements[statement.name];
      reject(error);
    }
  }

  override handleReadyForQuery(): void {
    this.#resolve();
  }

  #current(): Execution {
    const current = this.#executions[this.#results.length];
    invariant(current !== undefined, 'the server has sent more results than there are statements');
    return current;
  }

  #resolve(): void {
    for (const [index, result] of this.#results.entries()) {
      const execution = this.#executions[index];
      if (execution === undefined) continue;
      if (this.#tooLarge.has(execution)) execution.reject(tooLarge(execution.resultSize));
      else execution.resolve(result);
    }
  }
}

/** The tag of a command: `INSERT 0 1`, `SELECT 20`, `COMMIT`. Source: PostgreSQL, "Message Formats", CommandComplete. */
function readTag(tag: string): Pick<Result, 'changed' | 'command'> {
  const end = tag.indexOf(' ');
  if (end < 0) return { changed: 0, command: tag };
  return { changed: Number(tag.slice(tag.lastIndexOf(' ') + 1)), command: tag.slice(0, end) };
}

/** Executes prepared statements in order. After one that fails, none is executed: the others fail with the same error. */
export function runPrepared(client: Client, executions: readonly Execution[]): void {
  const [first] = executions;
  if (first === undefined) return;
  client.query(new PreparedQueries(executions, first.statement) as unknown as Query);
}
