// Context for planning one write: the settings of the installation, and the Writer, which allocates registers and collects the
// lookups and guards that run before any change.

import type { FaultCode } from '../../base/fault.ts';
import type { Rows } from '../../bind/bound.ts';
import type { Parameters } from '../../bind/parameter.ts';
import type { EntityRow } from '../../bind/scope.ts';
import type { FileInput, Reference } from '../../bind/write/bound-write.ts';
import type { EntityType, Model } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import { type Workflows, workflowsOf } from '../../edm/workflow/workflow.ts';
import type { Setting } from '../decide-read.ts';
import { secureRows } from '../rights/read-rights.ts';
import type { Guard } from '../rights/row-conditions.ts';
import type { PlannedFault, Register, Steps, WriteStep } from '../write-plan.ts';

export interface WriteLimits {
  /** Maximum number of rows that one request may change by `$each` or remove by a full list. */
  readonly rows: number;
}

export const DEFAULT_WRITE_LIMITS: WriteLimits = { rows: 1000 };

/** What planning a write needs besides what reads need. */
export interface WriteSetting extends Setting {
  readonly writing: WriteLimits;
  /** Whether entities may be changed without an ETag where the model requires one: in effects of actions, and in imports. */
  readonly waivesTags?: boolean;
  /** Whether the write is a record of a load, which can be stored after others. */
  readonly isLoad?: boolean | undefined;
  /** Whether the clocks of the changed entity are calculated, whatever the request changes. */
  readonly recalculates?: boolean | undefined;
  /** Whether nothing of the write is stored, although its own request does not say so: in effects and groups of a dry run. */
  readonly isDryRun?: boolean | undefined;
  /** Set for the change that the action Transition makes. */
  readonly transition?: TakenTransition | undefined;
}

/** How the action Transition changes a state. */
export interface TakenTransition {
  /** Whether the call has a comment. */
  readonly isCommented: boolean;
  /** Whether the workflow grants it to a role of the account, which then needs no right to change the entity. */
  readonly isGranted: boolean;
}

/** First variable id of the plan's own conditions, apart from those of requests, rules and the model. */
const FIRST_ROW = 4_000_000;

export class Writer {
  readonly guard: Guard;
  readonly limits: WriteLimits;
  readonly parameters: Parameters | undefined;
  /** Whether entities may be changed without an ETag where the model requires one. */
  readonly waivesTags: boolean;
  readonly isLoad: boolean;
  readonly workflows: Workflows;
  readonly recalculates: boolean;
  readonly isDryRun: boolean;
  readonly transition: TakenTransition | undefined;
  readonly #finds: WriteStep[] = [];
  readonly #sources = new Set<string>();
  readonly #files = new Map<string, FileInput>();
  #registers = 0;
  #variables = FIRST_ROW;

  constructor(setting: WriteSetting) {
    const { model, rights, bindRule, writing, parameters, waivesTags, isLoad } = setting;
    this.recalculates = setting.recalculates ?? false;
    this.isDryRun = setting.isDryRun ?? false;
    this.transition = setting.transition;
    this.guard = { model, rights, bindRule, noteMinutes: setting.noteMinutes };
    this.limits = writing;
    this.parameters = parameters;
    this.waivesTags = waivesTags ?? false;
    this.isLoad = isLoad ?? false;
    this.workflows = setting.workflows ?? workflowsOf(model);
  }

  get model(): Model {
    return this.guard.model;
  }

  /** The lookups and guards so far, in order. */
  get finds(): Steps {
    return this.#finds;
  }

  get sources(): readonly string[] {
    return [...this.#sources];
  }

  get files(): ReadonlyMap<string, FileInput> {
    return this.#files;
  }

  /** Registers a file and returns its name in the steps. */
  file(input: FileInput): string {
    const name = input.kind === 'sent' ? 'sent' : `f${this.#files.size + 1}`;
    this.#files.set(name, input);
    return name;
  }

  register(source: Source): Register {
    this.#registers += 1;
    this.#sources.add(source.id);
    for (const member of source.members ?? []) this.#sources.add(member.id);
    return { name: `r${this.#registers}`, source };
  }

  /** Allocates a row variable for conditions of the plan. */
  variable(source: Source, type: EntityType): EntityRow {
    return { kind: 'entity', id: this.rowId(), source, type };
  }

  /** Allocates the id of a row variable. */
  rowId(): number {
    this.#variables += 1;
    return this.#variables;
  }

  before(...steps: Steps): void {
    this.#finds.push(...steps);
  }

  /** Finds a visible row before any change. Throws: access.read. */
  find(rows: Rows, missing: PlannedFault, optional = false): Register {
    const into = this.register(rows.row.source);
    const visible = secureRows(this.guard, rows);
    const step = { kind: 'find', rows: visible, into, missing } as const;
    this.#finds.push(optional ? { ...step, optional: true } : step);
    return into;
  }

  /** Finds the row that a body refers to; write.missing-reference if there is none. */
  refer({ rows, text, target }: Reference): Register {
    return this.find(rows, missingReference(rows, text, target));
  }
}

/** A fault that the database raises if a guard fails. */
export function plannedFault(
  code: FaultCode,
  parameters: PlannedFault['parameters'],
  target?: string,
): PlannedFault {
  return { code, parameters, place: target === undefined ? undefined : { target } };
}

export function missingReference(rows: Rows, text: string, target: string): PlannedFault {
  const parameters = { text: text.slice(0, 200), type: rows.row.type.name };
  return plannedFault('write.missing-reference', parameters, target);
}
