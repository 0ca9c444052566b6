// This file collects the slow statements of a process until they are stored.
import type { Script } from '../../sql/script.ts';
import { MOST_STATEMENTS, type SlowStatement, type StatementIdentity } from './slow-statements.ts';

/** One execution of a statement. */
export interface Execution {
  readonly milliseconds: number;
  readonly rows: number;
}

export class SlowStatements {
  /** Milliseconds above which an execution is slow. */
  readonly threshold: number;
  readonly #identities = new WeakMap<Script, StatementIdentity>();
  #pending = new Map<string, SlowStatement>();

  /** @param milliseconds 0 turns the collection off */
  constructor(milliseconds: number) {
    this.threshold = milliseconds === 0 ? Number.POSITIVE_INFINITY : milliseconds;
  }

  /**
   * Notes an execution if it is slow.
   * @param identify called once for each script
   */
  note(script: Script, { milliseconds, rows }: Execution, identify: () => StatementIdentity): void {
    if (milliseconds <= this.threshold) return;
    const identity = this.#identities.get(script) ?? identify();
    this.#identities.set(script, identity);
    const known = this.#pending.get(identity.digest);
    if (known === undefined && this.#pending.size >= MOST_STATEMENTS) return;
    const microseconds = Math.round(milliseconds * 1000);
    this.#pending.set(identity.digest, {
      ...identity,
      count: (known?.count ?? 0) + 1,
      microseconds: (known?.microseconds ?? 0) + microseconds,
      longest: Math.max(known?.longest ?? 0, microseconds),
      rows: (known?.rows ?? 0) + rows,
    });
  }

  /** The statements since the last call. */
  take(): readonly SlowStatement[] {
    const taken = [...this.#pending.values()];
    if (taken.length > 0) this.#pending = new Map();
    return taken;
  }
}
