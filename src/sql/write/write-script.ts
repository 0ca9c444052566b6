// Compiled write plans: steps that store/run-write-script.ts runs in order in one transaction. Registers hold the rows that steps find
// or insert; later statements refer to them by parameters.
import type { TransitionRules } from '../../plan/workflow/transition-check.ts';
import type { PlannedFault, WriteStep } from '../../plan/write-plan.ts';
import type { Parameter, ReadScript, Statement } from '../script.ts';

export interface WriteScript {
  readonly kind: 'write';
  readonly steps: readonly ScriptStep[];
  /** Register of the row that the response represents. */
  readonly subject?: string | undefined;
  readonly result?: ReadScript | undefined;
  /** created: read the result only if this script inserted the subject. */
  readonly resultFor?: 'created' | undefined;
  /** Whether a step returns the rows of the result, so that its statement need not run. */
  readonly returnsResult: boolean;
  readonly dryRun: boolean;
  /** Deletion rules by table; deletions cascade from one to another. */
  readonly deletions: ReadonlyMap<string, Deletion>;
  /** Sets whose records an error may count; all sets if undefined. */
  readonly counted?: readonly string[] | undefined;
}

export type ScriptStep =
  /** Finds a row. Columns: identity, version. */
  | {
      readonly kind: 'find';
      readonly statement: Statement;
      readonly into: string;
      readonly missing: PlannedFault;
      readonly optional: boolean;
    }
  | {
      readonly kind: 'match';
      readonly row: string;
      readonly versions: readonly bigint[] | 'any';
      /** The slot of another accepted version, which each request supplies. */
      readonly input?: number | undefined;
      readonly negated: boolean;
      readonly fault: PlannedFault;
    }
  /** Fails unless the statement returns a row, or reports the fault as advice about the workflow of the type. */
  | {
      readonly kind: 'require';
      readonly statement: Statement;
      readonly fault: PlannedFault;
      readonly advises?: string | undefined;
    }
  /** Fails if the statement returns a row, whose first column is the parameter `found` of the error. */
  | { readonly kind: 'reject'; readonly statement: Statement; readonly fault: PlannedFault }
  /** Stores a value of a row in the local, such as its state. */
  | { readonly kind: 'remember'; readonly statement: Statement; readonly local: string }
  /**
   * Checks the state of the row, if the script has created it (`isNew`) or has not. Columns: the state, then 1 for each condition that
   * is true, in order. `before`: the local with the state before.
   */
  | {
      readonly kind: 'transition';
      readonly row: string;
      readonly isNew: boolean;
      readonly statement: Statement;
      readonly before: string;
      readonly rules?: TransitionRules | undefined;
      readonly isAdvice: boolean;
      readonly target: string;
      /** Run after the check, if the state has changed. */
      readonly leaving: ReadonlyMap<bigint, readonly ScriptStep[]>;
      readonly entering: ReadonlyMap<bigint, readonly ScriptStep[]>;
    }
  /** Stores an identity in a register, with version 1: the one `given`, or an allocated one. */
  | { readonly kind: 'allocate'; readonly into: string; readonly given?: Parameter | undefined }
  /**
   * Chooses a file name and stores it in the local: `wanted` (a text), or with `rename` the first unused name with a number appended.
   * `taken` returns a row if the name in the local `candidate` is in use. Throws: file.exists.
   */
  | {
      readonly kind: 'name';
      readonly local: string;
      readonly taken: Statement;
      readonly wanted: Parameter;
      readonly rename: boolean;
      /** Whether the request sends the file alone, so that Prefer: conflict-resolution applies. */
      readonly isUpload: boolean;
      readonly maxLength?: number | undefined;
      readonly target: string;
    }
  /** Allocates the next number of the sequence `name` into the local. Throws: write.numbers-used-up after `greatest`. */
  | {
      readonly kind: 'sequence';
      readonly name: string;
      readonly local: string;
      readonly greatest?: bigint | undefined;
    }
  /** Lets the sequence continue after a number. */
  | { readonly kind: 'continue'; readonly name: string; readonly given: Parameter }
  /** Generates a GUID into the local. */
  | { readonly kind: 'guid'; readonly local: string }
  /**
   * `none`: the error if no row was changed. `place`: position in the request body, for errors of the database.
   */
  | {
      readonly kind: 'run';
      readonly statement: Statement;
      readonly none?: PlannedFault;
      readonly place?: string | undefined;
      /** The register of the row that the statement inserts. */
      readonly inserts?: string;
      /** Whether the statement returns the result of the script. */
      readonly returns?: boolean;
    }
  /** Raises the version of the row and stamps time and author, unless the script has done so before. */
  | { readonly kind: 'raise'; readonly row: string; readonly statement: Statement }
  | UpdateStep
  | FollowStep
  | ClocksStep
  | { readonly kind: 'delete'; readonly row: string; readonly table: string }
  /** Runs `there` if the register holds a row, else `absent`. */
  | {
      readonly kind: 'branch';
      readonly on: string;
      readonly there: readonly ScriptStep[];
      readonly absent: readonly ScriptStep[];
    }
  /** Runs the steps for each row. Columns as for `find`. More rows than `limit` are an error. */
  | {
      readonly kind: 'each';
      readonly statement: Statement;
      readonly into: string;
      readonly steps: readonly ScriptStep[];
      readonly limit: number;
    };

/** Updates a row if any value differs; otherwise nothing is written and the version stays. */
export interface UpdateStep {
  readonly kind: 'update';
  readonly row: string;
  /** Position in the request body, for errors of the database. */
  readonly place?: string | undefined;
  /** Columns: the old values of `tracked`, in order, then the new values that the database computes. */
  readonly before: Statement;
  readonly tracked: readonly TrackedColumn[];
  /** Sets all columns, raises the version, and stamps time and author. */
  readonly statement: Statement;
  /** The same without version and stamps, for a row that the script has updated before: nobody sees the version in between. */
  readonly again: Statement;
  /** Run after a change: computed values and the change log entry. */
  readonly afterwards: readonly Statement[];
}

/** Lets the service do what follows from a change. Columns: the version, the key and the followed value of the row. */
export interface FollowStep {
  readonly kind: 'follow';
  readonly row: string;
  readonly type: string;
  readonly event: (WriteStep & { readonly kind: 'follow' })['event'];
  /** For a part, which has another state or was added: the collection of the type that it is in. */
  readonly collection?: string | undefined;
  readonly statement: Statement;
  /** The local with the value before. */
  readonly before: string;
  /** The state in which votes are given; nothing follows from a change between others. */
  readonly waiting?: bigint | undefined;
}

/** Calculates the clocks of a row. The service does so from the result of `inputs`, and the locals of the updates get the results. */
export interface ClocksStep {
  readonly kind: 'clocks';
  readonly row: string;
  /** Qualified name of its type. */
  readonly type: string;
  /** Whether the agreement and the priority are chosen. */
  readonly chooses: boolean;
  /** The paths that the request has written. */
  readonly set: readonly string[];
  /** Position in the request body. */
  readonly place?: string | undefined;
  /** The paths that are calculated. */
  readonly calculated: readonly string[];
  /** The one of them that states since when the row is outdated. */
  readonly outdatedSince: string;
  /** What has outdated it. Columns: what was changed, and the account. */
  readonly causes: Statement;
  /** Columns: the revision of the rules, the calculated members, and what else the calculation reads. */
  readonly inputs: Statement;
  /**
   * How the results are stored; undefined if an insert contains them. `fill` is for a row that the script has created, which has neither
   * history nor another version yet.
   */
  readonly stored?: { readonly fill: Statement; readonly change: UpdateStep };
}

export interface TrackedColumn {
  /** The property path: `Status`, `Assignment/AssigneePerson`. */
  readonly property: string;
  /** The location of the new value: a parameter of `statement`, or a column of `before`. */
  readonly after: { readonly kind: 'parameter' | 'column'; readonly index: number };
  /** Write a history entry, with the locals `line` (identity), `owner`, `property`, `before` and `after`; undefined if there is none. */
  readonly history?: readonly Statement[] | undefined;
  /** Whether the entry is omitted for a first value, since the service keeps the value. */
  readonly isKept?: boolean | undefined;
}

/** The deletion of a row of one table: restrictions, cascades and cleanup. The local `gone` holds the row's identity. */
export interface Deletion {
  readonly table: string;
  /** The property that deactivates a record instead of deleting it, if the type has one. */
  readonly blockedBy?: string | undefined;
  /** References that prevent the deletion, with statements that count the referring rows. */
  readonly restricted: readonly {
    readonly set: string;
    readonly navigation: string;
    readonly count: Statement;
  }[];
  readonly detach: readonly Detachment[];
  /** Rows that are deleted, too: a statement that returns their identities, and their table. */
  readonly cascade: readonly { readonly rows: Statement; readonly table: string }[];
  /** Deletes the links, releases the files, writes the change log entry and deletes the row itself. */
  readonly finally: readonly Statement[];
}

/** Clears the references to a deleted row. */
export interface Detachment {
  /** Counts the referring rows. */
  readonly count: Statement;
  /** Write their change log and history entries and update them; the local `lines` is the last identity before the first entry. */
  readonly statements: readonly Statement[];
}
