// This file defines what compiling makes of a write plan: steps with finished statements, run in order inside one transaction by
// store/run-write-script.ts. Rows that are found or made are held in registers, which later statements name as parameters.
import type { Refusal } from '../../plan/write-plan.ts';
import type { Parameter, ReadScript, Statement } from '../script.ts';

export interface WriteScript {
  readonly kind: 'write';
  readonly steps: readonly ScriptStep[];
  /** Register of the row the answer speaks of. */
  readonly subject?: string;
  readonly result?: ReadScript;
  /** created = the result is only read where the subject was made by this script. */
  readonly resultFor?: 'created';
  readonly dryRun: boolean;
  /** How rows are deleted, by table: used by steps and by one another. */
  readonly deletions: ReadonlyMap<string, Deletion>;
  /** Sets whose records may be counted in a refusal; all of them where it is left out. */
  readonly counted?: readonly string[];
}

export type ScriptStep =
  /** Columns: identity, version. */
  | {
      readonly kind: 'find';
      readonly statement: Statement;
      readonly into: string;
      readonly missing: Refusal;
      readonly optional: boolean;
    }
  | {
      readonly kind: 'match';
      readonly row: string;
      readonly versions: readonly bigint[] | 'any';
      /** Number of the input that is asked for besides, in a lifted script. */
      readonly input?: number;
      readonly negated: boolean;
      readonly refusal: Refusal;
    }
  /** Gives a row when the condition holds. */
  | { readonly kind: 'require'; readonly statement: Statement; readonly refusal: Refusal }
  /** A new identity into a register, with version 1. */
  | { readonly kind: 'allocate'; readonly into: string }
  /**
   * The name of a file, into the local: the wanted one (a text), or with `rename` the first that is free with a number behind it. `taken`
   * gives a row where the local `candidate` is a name already. Fault file.exists.
   */
  | {
      readonly kind: 'name';
      readonly local: string;
      readonly taken: Statement;
      readonly wanted: Parameter;
      readonly rename: boolean;
      /** Whether it is the name of a new file, rather than of one that is there. */
      readonly isNew: boolean;
      readonly maxLength?: number;
      readonly target: string;
    }
  /** The next number of a sequence, as the local `name`. */
  | { readonly kind: 'sequence'; readonly name: string; readonly local: string }
  /**
   * `none`: raised when no row was changed. `raises`: register of the row whose version the statement raises. `place`: where the body
   * says what is written, for faults of the database.
   */
  | {
      readonly kind: 'run';
      readonly statement: Statement;
      readonly none?: Refusal;
      readonly raises?: string;
      readonly place?: string;
    }
  | UpdateStep
  | { readonly kind: 'delete'; readonly row: string; readonly table: string }
  /** The one or the other, by whether the register holds a row. */
  | {
      readonly kind: 'branch';
      readonly on: string;
      readonly there: readonly ScriptStep[];
      readonly absent: readonly ScriptStep[];
    }
  /** Columns as for find; the steps run once for each row. More rows than `limit` are refused. */
  | {
      readonly kind: 'each';
      readonly statement: Statement;
      readonly into: string;
      readonly steps: readonly ScriptStep[];
      readonly limit: number;
    };

/** Changes a row where its values differ: nothing is written, and no version raised, where they do not. */
export interface UpdateStep {
  readonly kind: 'update';
  readonly row: string;
  /** Where the body says what is written, for faults of the database. */
  readonly place?: string;
  /** Columns: what `tracked` was, in order, and then what the database itself makes of some of it. */
  readonly before: Statement;
  readonly tracked: readonly TrackedColumn[];
  /** Sets all columns, raises the version, stamps who and when. */
  readonly statement: Statement;
  /** Computed values, the note in the change log: run after a change. */
  readonly afterwards: readonly Statement[];
}

export interface TrackedColumn {
  /** The property's path: `Status`, `Assignment/AssigneePerson`. */
  readonly property: string;
  /** Where the new value is: a parameter of `statement`, or a column of `before`. */
  readonly after: { readonly kind: 'parameter' | 'column'; readonly index: number };
  /** Write a history line: locals `line` (identity), `owner`, `property`, `before`, `after`. Absent where none is written. */
  readonly history?: readonly Statement[];
}

/** How a row of one table goes: what stands against it, what goes with it, what it leaves behind. The row's identity is the local `gone`. */
export interface Deletion {
  readonly table: string;
  /** The property that takes a record out of use without deleting it, where the type has one. */
  readonly blockedBy?: string;
  /** Each gives the number of rows that point to it. */
  readonly restricted: readonly {
    readonly set: string;
    readonly navigation: string;
    readonly count: Statement;
  }[];
  readonly detach: readonly Detachment[];
  /** Rows that go with it: identities, and the table they are of. */
  readonly also: readonly { readonly rows: Statement; readonly table: string }[];
  /** Links, files, the note in the change log, the row itself. */
  readonly finally: readonly Statement[];
}

/** How the rows that refer to one that goes let it go. */
export interface Detachment {
  /** Gives the number of these rows. */
  readonly count: Statement;
  /** Their notes, their history entries and their change; the local `lines` is the number below that of the first entry. */
  readonly statements: readonly Statement[];
}
