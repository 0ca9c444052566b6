// This file keeps the workflows of this process: what the model declares, in the modes of the settings, with the transitions that
// administrators have written. Transitions, and the codes that are their targets, are checked in the unit of work that writes them; other
// processes load them after each change.
import { rejectMistakes } from '../../auth/policy-reader.ts';
import type { Fault } from '../../base/fault.ts';
import type { Observe } from '../../base/observation.ts';
import type { ExpressionCheck } from '../../bind/model/expression-check.ts';
import { codeSources } from '../../edm/code-sets.ts';
import type { Source } from '../../edm/source.ts';
import { type TransitionRow, transitionStorage } from '../../edm/workflow/transition-rows.ts';
import {
  installedWorkflows,
  type WorkflowEdits,
  type Workflows,
} from '../../edm/workflow/workflow.ts';
import { sql, tableName, value } from '../../sql/fragment.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { ChangeKind } from '../../sql/write/change-log.ts';
import { readStoredCodes, type StoredCodes } from '../../store/codes/stored-codes.ts';
import type { Cell, Database, Work } from '../../store/database.ts';
import { query, runQueries } from '../../store/work.ts';
import { disabledIn, requireUnreachable } from './check-codes.ts';
import { blockFaults, checkTransition, disabledFault, repeatedFault } from './check-transition.ts';
import { readTransitions } from './stored-transitions.ts';

export interface WorkflowParts {
  readonly database: Pick<Database, 'read'>;
  readonly layout: Layout;
  /** The modes of the settings: another object after each change. */
  readonly modes: () => WorkflowEdits['modes'];
  /** The code lists of the installation: another array after each change. */
  readonly codeLists: () => WorkflowEdits['codeLists'];
  readonly compile: ExpressionCheck['compile'];
  readonly observe: Observe;
}

/** The workflows of this process. */
export class InstalledWorkflows {
  readonly #parts: WorkflowParts;
  readonly #storage: ReturnType<typeof transitionStorage>;
  /** Where the codes are stored. */
  readonly #codes: Source | undefined;
  #transitions: readonly TransitionRow[] = [];
  #current: (WorkflowEdits & { readonly workflows: Workflows }) | undefined;

  constructor(parts: WorkflowParts) {
    this.#parts = parts;
    this.#storage = transitionStorage(parts.layout.model);
    this.#codes = codeSources(parts.layout.model)?.codes;
  }

  /** The same object until a transition, a mode or a code changes. */
  get current(): Workflows {
    const [modes, codeLists] = [this.#parts.modes(), this.#parts.codeLists()];
    const transitions = this.#transitions;
    const known = this.#current;
    const isSame = known?.modes === modes && known.codeLists === codeLists;
    if (isSame && known.transitions === transitions) return known.workflows;
    const edits = { modes, transitions, codeLists };
    const workflows = installedWorkflows(this.#parts.layout.model, edits);
    this.#current = { ...edits, workflows };
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

  /** Whether a write to these sources can change transitions or codes. */
  concerns(sources: readonly string[]): boolean {
    return [this.#storage?.source, this.#codes].some(
      (source) => source !== undefined && sources.includes(source.id),
    );
  }

  /**
   * Rejects invalid transitions that were written after the number `since` of the change log, and disabled targets of transitions.
   * Throws: workflow.row, workflow.code, write.body.
   */
  *check(since: bigint): Work<void> {
    const rows = yield* this.#changedSince(this.#storage?.source, since);
    const codes = yield* this.#changedSince(this.#codes, since);
    if (rows.size === 0 && codes.size === 0) return;
    const read = yield* this.#read();
    const stored = yield* readStoredCodes(this.#parts.layout);
    const changed = read.filter(({ identity }) => rows.has(identity));
    const disabled = disabledIn(stored === undefined ? [] : [stored]);
    const created = yield* this.#changedSince(this.#storage?.source, since, 'create');
    const { model } = this.#parts.layout;
    const useless = changed.flatMap(({ identity, row }) =>
      row?.isBlocked && created.has(identity) ? blockFaults(model, row) : [],
    );
    const faults = changed.flatMap((one) => [...one.faults, ...targetFaults(one, disabled)]);
    rejectMistakes([...faults, ...useless]);
    if (stored !== undefined) this.#checkCodes(read, stored, codes);
  }

  #checkCodes(
    read: readonly ReadTransition[],
    stored: StoredCodes,
    changed: ReadonlySet<Cell>,
  ): void {
    const { layout, modes, codeLists } = this.#parts;
    const transitions = read.flatMap(({ row }) => row ?? []);
    requireUnreachable(
      { model: layout.model, stored, changed, before: codeLists() },
      { modes: modes(), transitions },
    );
  }

  *#changedSince(
    source: Source | undefined,
    since: bigint,
    kind?: ChangeKind,
  ): Work<ReadonlySet<Cell>> {
    if (source === undefined) return new Set();
    const only = kind === undefined ? sql`` : sql` AND "deed" = ${value(kind)}`;
    const { rows } = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" = ${value(source.id)}${only}`,
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
      to: one.to,
      ...checkTransition(check, one),
    }));
    const keys = read.map(({ row }) => row && `${row.entity} ${row.symbol} ${row.from}`);
    return read.map(({ identity, to, row, faults }, index) => {
      if (row === undefined) return { identity, to, row, faults };
      const isRepeated = keys.some((key, other) => other !== index && key === keys[index]);
      return isRepeated
        ? { identity, to, row: undefined, faults: [repeatedFault(row)] }
        : { identity, to, row, faults: [] };
    });
  }
}

interface ReadTransition {
  readonly identity: Cell;
  /** The code of the next state. */
  readonly to: bigint | undefined;
  readonly row: TransitionRow | undefined;
  readonly faults: readonly Fault[];
}

/** The mistake of a transition that can be taken, but whose target is a disabled code. */
function targetFaults(
  { row, to }: ReadTransition,
  disabled: ReadonlySet<bigint>,
): readonly Fault[] {
  const isTaken = row?.isBlocked === false;
  return isTaken && to !== undefined && disabled.has(to) ? [disabledFault(to)] : [];
}
