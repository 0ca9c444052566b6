// This file keeps the versions of tables current in memory. A connection of its own polls them, and waits for the notifications that
// other nodes send after their commits. Notifications are sent outside of transactions, where they would serialize commits.
import type { Row } from '../database.ts';
import { type Connection, connect, type PostgresSettings } from './connection.ts';
import { KnownVersions } from './table-versions.ts';

/** Milliseconds between polls. */
const INTERVAL = 200;
/** Milliseconds without a successful poll after which the versions count as unknown. */
const TRUST = 1000;
/** Milliseconds between notifications of this node. */
const NOTIFY_INTERVAL = 25;
const CHANNEL = 'docket_changes';

export class TableVersions {
  readonly #settings: PostgresSettings;
  readonly #known = new KnownVersions();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #notifying: NodeJS.Timeout | undefined;
  #polledAt = 0;
  #isStarted = false;
  #isClosed = false;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
  }

  /** See Database.tableVersionOf. Watching starts with the first call. */
  of(reads: readonly string[]): string | undefined {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#pollNow();
    }
    if (performance.now() - this.#polledAt > TRUST) return undefined;
    return this.#known.of(reads);
  }

  /** Applies the versions of an own commit; undefined if they are not known. */
  onCommit(versions: readonly Row[] | undefined): void {
    if (!this.#isStarted) return;
    if (versions === undefined) this.#known.forget();
    if (versions === undefined || !this.#known.applyOwn(versions)) this.#pollNow();
    if (versions?.length !== 0) this.#notifySoon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#notifying);
    await this.#polling;
    await this.#connection?.close();
  }

  #pollNow(): void {
    clearTimeout(this.#timer);
    this.#polling ??= this.#poll();
  }

  async #poll(): Promise<void> {
    try {
      this.#connection ??= await this.#listen();
      const sentAt = performance.now();
      await this.#known.refresh(this.#connection);
      this.#polledAt = sentAt;
    } catch {
      // The database is away, or holds no installation yet.
      this.#known.forget();
    }
    this.#polling = undefined;
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#pollNow(), INTERVAL).unref();
  }

  async #listen(): Promise<Connection> {
    const connection = await connect(this.#settings, { statementSeconds: 1, lockSeconds: 1 });
    connection.onEnd(() => {
      this.#connection = undefined;
      this.#known.forget();
    });
    connection.onNotification(() => this.#pollNow());
    await connection.command(`LISTEN ${CHANNEL}`);
    return connection;
  }

  #notifySoon(): void {
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined;
      this.#connection?.command(`NOTIFY ${CHANNEL}`).catch(() => undefined);
    }, NOTIFY_INTERVAL).unref();
  }
}
