// This file keeps the workflows of this process: what the model declares, in the modes of the settings, with the transitions that
// administrators have written. Transitions are checked in the unit of work that writes them; other processes load them after each change.
import { rejectMistakes } from '../../auth/policy-reader.ts';
import type { Fault } from '../../base/fault.ts';
import type { Observe } from '../../base/observation.ts';
import type { ExpressionCheck } from '../../bind/model/expression-check.ts';
import { type TransitionRow, transitionStorage } from '../../edm/workflow/transition-rows.ts';
import {
  installedWorkflows,
  type WorkflowEdits,
  type Workflows,
} from '../../edm/workflow/workflow.ts';
import { sql, tableName, value } from '../../sql/fragment.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Cell, Database, Work } from '../../store/database.ts';
import { query, runQueries } from '../../store/work.ts';
import { checkTransition, repeatedFault } from './check-transition.ts';
import { readTransitions } from './stored-transitions.ts';

export interface WorkflowParts {
  readonly database: Pick<Database, 'read'>;
  readonly layout: Layout;
  /** The modes of the settings: another object after each change. */
  readonly modes: () => WorkflowEdits['modes'];
  readonly compile: ExpressionCheck['compile'];
  readonly observe: Observe;
}

/** The workflows of this process. */
export class InstalledWorkflows {
  readonly #parts: WorkflowParts;
  readonly #storage: ReturnType<typeof transitionStorage>;
  #transitions: readonly TransitionRow[] = [];
  #current: (WorkflowEdits & { readonly workflows: Workflows }) | undefined;

  constructor(parts: WorkflowParts) {
    this.#parts = parts;
    this.#storage = transitionStorage(parts.layout.model);
  }

  /** The same object until a transition or a mode changes. */
  get current(): Workflows {
    const modes = this.#parts.modes();
    const transitions = this.#transitions;
    const known = this.#current;
    if (known?.modes === modes && known.transitions === transitions) return known.workflows;
    const workflows = installedWorkflows(this.#parts.layout.model, { modes, transitions });
    this.#current = { modes, transitions, workflows };
    return workflows;
  }

  /** Loads the transitions. Those that have become invalid are ignored and reported. Throws errors of the database. */
  async load(): Promise<void> {
    const read = await runQueries(this.#read(), this.#parts.database);
    for (const { faults } of read)
      for (const error of faults)
        this.#parts.observe({ kind: 'failure', id: 'transitions', error });
    const rows = read.flatMap(({ row }) => row ?? []);
    if (JSON.stringify(rows) !== JSON.stringify(this.#transitions)) this.#transitions = rows;
  }

  /** Whether a write to these sources can change transitions. */
  concerns(sources: readonly string[]): boolean {
    return this.#storage !== undefined && sources.includes(this.#storage.source.id);
  }

  /** Rejects invalid transitions that were written after the number `since` of the change log. Throws: workflow.row, write.body. */
  *check(since: bigint): Work<void> {
    const changed = yield* this.#changedSince(since);
    if (changed.size === 0) return;
    const read = yield* this.#read();
    rejectMistakes(read.flatMap(({ identity, faults }) => (changed.has(identity) ? faults : [])));
  }

  *#changedSince(since: bigint): Work<ReadonlySet<Cell>> {
    if (this.#storage === undefined) return new Set();
    const { rows } = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" = ${value(this.#storage.source.id)}`,
    );
    return new Set(rows.map(([identity]) => identity ?? null));
  }

  /** All transitions with their faults. Of two for the same symbol and state, both have one. */
  *#read(): Work<readonly ReadTransition[]> {
    const { layout, compile } = this.#parts;
    if (this.#storage === undefined) return [];
    const stored = yield* readTransitions(layout, this.#storage);
    const check = { model: layout.model, compile };
    const read = stored.map((one) => ({
      identity: one.identity,
      ...checkTransition(check, one),
    }));
    const keys = read.map(({ row }) => row && `${row.entity} ${row.symbol} ${row.from}`);
    return read.map(({ identity, row, faults }, index) => {
      if (row === undefined) return { identity, row, faults };
      const isRepeated = keys.some((key, other) => other !== index && key === keys[index]);
      return isRepeated
        ? { identity, row: undefined, faults: [repeatedFault(row)] }
        : { identity, row, faults: [] };
    });
  }
}

interface ReadTransition {
  readonly identity: Cell;
  readonly row: TransitionRow | undefined;
  readonly faults: readonly Fault[];
}
