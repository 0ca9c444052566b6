// This file defines write plans: guards that must hold, steps in order, and what is read afterwards. Everything runs in one
// transaction. Guards let a pure plan depend on stored state: the plan says what must be true and which fault to raise.

import type { FaultCode, FaultPlace } from '../base/fault.ts';
import type { Expression, LiteralPlace, Rows } from '../bind/bound.ts';
import type { FileInput, InputValue } from '../bind/write/bound-write.ts';
import type { EntityType, Navigation, Operation, Property } from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { ReadPlan } from './read-plan.ts';

/** A row that later steps speak of: its identity is held in a register of the script. */
export interface Register {
  readonly name: string;
  readonly source: Source;
}

export interface Refusal {
  readonly code: FaultCode;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly place?: FaultPlace;
}

/** A value that a step stores: known from the body, or known only when the step runs. */
export type StoredValue =
  | InputValue
  /** Evaluated by the database: defaults and computed values. `row` variables of the expression are the row being written. */
  | {
      readonly kind: 'expression';
      readonly path: readonly Property[];
      readonly expression: Expression;
    }
  /** Some members of a value that is kept as JSON; the others stay as they are. `base` is the value where there is none yet. */
  | {
      readonly kind: 'members';
      readonly path: readonly Property[];
      readonly base: string;
      readonly members: readonly DocumentMember[];
    }
  /** key, sequence (of the set), now, account name. */
  | {
      readonly kind: 'generated';
      readonly path: readonly Property[];
      readonly by: 'key' | 'sequence' | 'now' | 'account';
    };

/** `steps` lead from the value to the member. */
export type DocumentMember =
  | { readonly kind: 'set'; readonly steps: readonly string[]; readonly text: string }
  | { readonly kind: 'remove'; readonly steps: readonly string[] }
  /** Makes an empty object where there is none. */
  | { readonly kind: 'ensure'; readonly steps: readonly string[] };

export type WriteStep =
  /** Finds one row and holds it; none is the refusal. `visible` rights are in `rows.where`. */
  | {
      readonly kind: 'find';
      readonly rows: Rows;
      readonly into: Register;
      readonly missing: Refusal;
      readonly optional?: boolean;
    }
  /** The row's ETag must be one of these (weak comparison of versions); `any` = it must exist. */
  | {
      readonly kind: 'match';
      readonly row: Register;
      readonly versions: readonly bigint[] | 'any';
      readonly negated: boolean;
      readonly refusal: Refusal;
    }
  /** An expression over the row must be true: row rights on writing, transitions. */
  | {
      readonly kind: 'require';
      readonly row: Register;
      readonly expression: Expression;
      readonly refusal: Refusal;
    }
  | {
      readonly kind: 'insert';
      readonly into: Register;
      readonly type: EntityType;
      /** Where the entity stands in the body: `Workorders[2]`; left out for the body itself. */
      readonly target?: string;
      readonly values: readonly StoredValue[];
      readonly dynamic: ReadonlyMap<string, string>;
      readonly parent?: Register;
      /** The file that the entity is made of, by its name in the plan. */
      readonly file?: string;
    }
  /**
   * Settles by which name a new file is told apart from others of its owner: the wanted one, or with `rename` the first that is free
   * with a number behind it. A name that is taken is refused (file.exists).
   */
  | {
      readonly kind: 'name';
      readonly file: string;
      readonly source: Source;
      readonly owner: Register;
      readonly property: Property;
      readonly wanted: string;
      /** Where the wanted name stands in the request. */
      readonly place?: LiteralPlace;
      readonly rename: boolean;
      /** Where the file stands in the body, as of an insert. */
      readonly target?: string;
    }
  /** Other bytes for the row's stream (no path), or for a stream property; none of them without a file. Former bytes are released. */
  | {
      readonly kind: 'bytes';
      readonly row: Register;
      readonly type: EntityType;
      readonly path: readonly Property[];
      readonly file?: string;
      readonly values: readonly InputValue[];
    }
  /** The ETag of the bytes must be one of these, or with `negated` none of them; `any` = there are bytes. */
  | {
      readonly kind: 'match-file';
      readonly row: Register;
      readonly path: readonly Property[];
      readonly digests: readonly string[] | 'any';
      readonly negated: boolean;
      readonly refusal: Refusal;
    }
  /** Changes the row where a value differs, raises its version once, and notes what changed. */
  | {
      readonly kind: 'update';
      readonly row: Register;
      /** Where the entity stands in the body, as of an insert. */
      readonly target?: string;
      readonly values: readonly StoredValue[];
      readonly dynamic: ReadonlyMap<string, string | null>;
      readonly replaceDynamic: boolean;
    }
  /** Deletes the row with all that it contains; `restrict` names navigations of others that must not point to it. */
  | { readonly kind: 'delete'; readonly row: Register }
  /** Relations, both sides kept in step. `to` undefined = none. */
  | {
      readonly kind: 'link';
      readonly row: Register;
      readonly path: readonly Property[];
      readonly navigation: Navigation;
      readonly action: 'set' | 'add' | 'remove' | 'clear';
      readonly to?: Register;
      readonly missing?: Refusal;
    }
  /** The relation of the two rows, where there is one, does not lead back to where it starts. */
  | {
      readonly kind: 'acyclic';
      readonly row: Register;
      readonly navigation: Navigation;
      readonly to: Register;
      readonly refusal: Refusal;
    }
  /** The row, whose type relates two others, does not relate one to itself. */
  | {
      readonly kind: 'apart';
      readonly row: Register;
      /** To the one; where it is left out, that is the entity that contains the row. */
      readonly source?: Navigation;
      readonly target: Navigation;
      readonly refusal: Refusal;
    }
  /** No other row relates the same two in the same way. */
  | {
      readonly kind: 'once';
      readonly row: Register;
      readonly source?: Navigation;
      readonly target: Navigation;
      readonly by?: Property;
      readonly refusal: Refusal;
    }
  /** Collection values: append or replace items. */
  | {
      readonly kind: 'append';
      readonly row: Register;
      readonly path: readonly Property[];
      readonly json: string;
      /** Position of the item, from the end where negative; none = behind the last. */
      readonly index?: number;
      /** What happens at the position; default insert: the item there and those behind it move on. Nothing there is the refusal. */
      readonly action?: 'insert' | 'replace' | 'remove';
      readonly missing?: Refusal;
    }
  /** One of two ways to go on, by whether an optional find has found its row. */
  | {
      readonly kind: 'branch';
      readonly on: Register;
      readonly there: readonly WriteStep[];
      readonly absent: readonly WriteStep[];
    }
  /** The steps once for each row, held in `into` one after the other. */
  | {
      readonly kind: 'each';
      readonly rows: Rows;
      readonly filter?: Expression;
      readonly into: Register;
      readonly steps: readonly WriteStep[];
      readonly limit: number;
    };

export interface WritePlan {
  readonly kind: 'write';
  readonly steps: readonly WriteStep[];
  /** Ids of the sources whose rows the steps speak of; what goes with a deleted row is not among them. */
  readonly sources: readonly string[];
  /** Sets whose records may be counted in a refusal; all of them where it is left out. */
  readonly counted?: readonly string[];
  /** The row the answer speaks of: Location, OData-EntityId, ETag. */
  readonly subject?: Register;
  /** Read in the same transaction when the answer shows it; its rows are found by the subject's identity. */
  readonly result?: ReadPlan;
  /** Whether the result is read for a subject that this write creates only: an upsert that creates returns it as POST does. */
  readonly resultFor?: 'created';
  /** upserted = created where the subject was not there before, else changed. */
  readonly answer: 'created' | 'changed' | 'deleted' | 'related' | 'upserted';
  /** Preferences that were followed, as Preference-Applied names them. */
  readonly applied?: readonly string[];
  /** The action that is carried out once the steps have held, for the row of `subject` or for none. */
  readonly invoke?: Invocation;
  /** Files that the steps speak of, by the names that they have there. Their bytes are kept before the steps run. */
  readonly files?: ReadonlyMap<string, FileInput>;
  /** The write is about a stream: the ETag of the answer is that of its bytes. */
  readonly stream?: 'kept' | 'removed';
  /** Run to the end, then rolled back (Prefer: dry-run). */
  readonly dryRun: boolean;
}

export interface Invocation {
  readonly operation: Operation;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Rows that parameters name. */
  readonly references: ReadonlyMap<string, Register>;
}
