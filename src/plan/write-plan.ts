// Write plans: guards that must hold, ordered steps, and the read that produces the response. Everything runs in one transaction.
// Guards let a pure plan depend on stored state: a guard names a condition and the fault to raise if it fails.

import type { FaultCode, FaultPlace } from '../base/fault.ts';
import type { Expression, NavigationPath, Rows } from '../bind/bound.ts';
import type { Parameter } from '../bind/parameter.ts';
import type { FileInput, InputValue } from '../bind/write/bound-write.ts';
import type { ClockRules } from '../edm/clocks/clock-rules.ts';
import type {
  ComplexType,
  EntityType,
  Navigation,
  Operation,
  Property,
  QualifiedName,
} from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import type { Value } from '../edm/value/read-result.ts';
import type { ReadPlan } from './read-plan.ts';
import type { TransitionCheck } from './workflow/transition-check.ts';

/** A row that later steps refer to: a register of the script holds its identity. */
export interface Register {
  readonly name: string;
  readonly source: Source;
}

export interface PlannedFault {
  readonly code: FaultCode;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly place?: FaultPlace | undefined;
}

/** A stored value: known from the body, or computed when the step runs. */
export type StoredValue =
  | InputValue
  | (ComputedValue & { readonly path: readonly Property[] })
  | StoredReference;

/** A reference to the row that dependent properties determine; null without `to`. */
export interface StoredReference {
  readonly kind: 'reference';
  /** Empty: the entity itself has the navigation. */
  readonly path: readonly [];
  readonly navigation: Navigation;
  readonly to?: Rows | undefined;
}

type ComputedValue =
  /**
   * Evaluated by the database: defaults and computed values. Row variables refer to the row being written. `of`: the derived type of the
   * rows that have the property, if the write does not name it.
   */
  | { readonly kind: 'expression'; readonly expression: Expression; readonly of?: EntityType }
  /** Evaluated by the database before the update, over the row as it is then. */
  | { readonly kind: 'evaluated'; readonly expression: Expression }
  /** Some members of a value stored as JSON; the others keep their values. `base` is used if there is no value yet. */
  | {
      readonly kind: 'members';
      readonly base: string;
      readonly members: readonly DocumentMember[];
      /** The type that the value gets, if the body names it. */
      readonly as?: DocumentType | undefined;
    }
  /** Allocated by the service: key, sequence value of the set, current time, account name. */
  | { readonly kind: 'generated'; readonly by: 'key' | 'sequence' | 'now' | 'account' };

/** A type for a stored complex value: members that it has keep their values, others are removed or get their defaults. */
export interface DocumentType {
  readonly type: ComplexType;
  /** The text of `@odata.type`; undefined for the declared type. */
  readonly name: string | undefined;
  /** The JSON texts of its members, if they are absent. */
  readonly defaults: ReadonlyMap<string, string>;
  readonly isOpen: boolean;
  /** Members of other types that the property can have. */
  readonly foreign: readonly string[];
}

/** `steps` is the path from the value to the member. */
export type DocumentMember =
  | { readonly kind: 'set'; readonly steps: readonly string[]; readonly text: string }
  | { readonly kind: 'remove'; readonly steps: readonly string[] }
  /** Creates an empty object if there is none. */
  | { readonly kind: 'ensure'; readonly steps: readonly string[] };

/** Steps by the values of states. */
export type StateSteps = ReadonlyMap<bigint, Steps>;

/** The steps of a write, in order. */
export type Steps = readonly WriteStep[];

export type WriteStep = (RowStep & { readonly row: Register }) | OtherStep;

/** The steps that concern one row. */
type RowStep =
  /** The row's ETag must be one of these (weak comparison of versions); `any` = the row must exist. */
  | {
      readonly kind: 'match';
      readonly versions: readonly bigint[] | 'any';
      /** Another accepted version, which each request supplies. */
      readonly version?: Parameter | undefined;
      readonly negated: boolean;
      readonly fault: PlannedFault;
    }
  /** An expression over the row must be true, such as a row-level write right. */
  | {
      readonly kind: 'require';
      readonly expression: Expression;
      readonly fault: PlannedFault;
      /** The simple name of the type with the workflow that reports the fault instead of rejecting the write. */
      readonly advises?: string | undefined;
    }
  /** Remembers a value of the row before it changes: `state` for the step `transition`, and others for steps that compare them. */
  | { readonly kind: 'remember'; readonly as: string; readonly value: Expression }
  /** The change of the state must be one that the workflow permits, if there is a check. Then the effects of both states follow. */
  | {
      readonly kind: 'transition';
      readonly state: Expression;
      /** For a row that the write creates, or for one that exists; an upsert has both steps. */
      readonly isNew: boolean;
      readonly check?: TransitionCheck | undefined;
      /** Whether a change that the check does not permit is reported, and not rejected. */
      readonly isAdvice: boolean;
      /** The path of the property in the body. */
      readonly target: string;
      /** What leaving and entering states does, by their values. */
      readonly leaving: StateSteps;
      readonly entering: StateSteps;
    }
  /**
   * Replaces the content of the row's stream (empty path) or of a stream property; removes it without `file`. The previous
   * content is released.
   */
  | {
      readonly kind: 'bytes';
      readonly type: EntityType;
      readonly path: readonly Property[];
      readonly file?: string | undefined;
      readonly values: readonly InputValue[];
    }
  /** The ETag of the content must be one of these, or with `negated` none of them; `any` = there is content. */
  | {
      readonly kind: 'match-file';
      readonly path: readonly Property[];
      readonly digests: readonly string[] | 'any';
      readonly negated: boolean;
      readonly fault: PlannedFault;
    }
  /** Updates the row if a value differs, increments its version once, and logs the change. */
  | {
      readonly kind: 'update';
      /** Position of the entity in the body, as for an insert. */
      readonly target?: string | undefined;
      readonly values: readonly StoredValue[];
      readonly dynamic: ReadonlyMap<string, string | null>;
      readonly replaceDynamic: boolean;
    }
  /** Increments the row's version, once in the request, and logs a change, whether or not a value differs. */
  | { readonly kind: 'touch' }
  /**
   * Lets the service do what follows from a change of the state, of the outcome of an approval, of the number that it requires, of its deadline, of
   * a vote, of the group that does the work, of the state of an entity in `collection`, or of its addition. `type` declares the approval or has the collection, or is the type of the row with the group; `key` is that of the row.
   */
  | {
      readonly kind: 'follow';
      readonly type: QualifiedName;
      readonly event:
        | 'state'
        | 'outcome'
        | 'required'
        | 'deadline'
        | 'vote'
        | 'group'
        | 'part'
        | 'added';
      readonly collection?: string;
      readonly key: Expression;
      /** The value whose change is followed. It is remembered as `group`, `required`, `vote` or, by default, `state`. */
      readonly state?: Expression;
      /** The state in which votes are given. */
      readonly waiting?: bigint | undefined;
    }
  /**
   * Calculates the clocks of the row. `chooses`: also the agreement and the priority. `set`: paths that the request has written; those of
   * deadlines are remembered.
   */
  | {
      readonly kind: 'clocks';
      readonly type: EntityType;
      readonly rules: ClockRules;
      readonly chooses: boolean;
      readonly set: readonly string[];
      /** Position of the entity in the body, as for an insert. */
      readonly target?: string | undefined;
      /** The records of agreements, levels and schedules. */
      readonly ruleSources: readonly Source[];
    }
  /** Deletes the row and everything it contains. Fails if a navigation property with `restrict` still points to it. */
  | { readonly kind: 'delete' }
  /** Changes a relation on both sides. Without `to`, the relation is cleared. */
  | (NavigationPath & {
      readonly kind: 'link';
      readonly action: 'set' | 'add' | 'remove' | 'clear';
      readonly to?: Register | undefined;
      readonly missing?: PlannedFault | undefined;
    })
  /** The relation between the two rows must not create a cycle. */
  | {
      readonly kind: 'acyclic';
      readonly navigation: Navigation;
      readonly to: Register;
      readonly fault: PlannedFault;
    }
  /** The row relates two entities, which must differ. */
  | {
      readonly kind: 'apart';
      /** Navigation to the first entity; defaults to the entity that contains the row. */
      readonly source?: Navigation | undefined;
      readonly target: Navigation;
      readonly fault: PlannedFault;
    }
  /** No other row may relate the same two entities in the same way. */
  | {
      readonly kind: 'once';
      readonly source?: Navigation | undefined;
      readonly target: Navigation;
      readonly by?: Property | undefined;
      readonly fault: PlannedFault;
    }
  /** Adds, replaces or removes an item of a collection value. */
  | {
      readonly kind: 'append';
      readonly path: readonly Property[];
      readonly json: string;
      /** Position of the item, counted from the end if negative; defaults to after the last. */
      readonly index?: number | undefined;
      /**
       * What to do at the position; the default inserts and shifts later items. Fails with `missing` if there is no such
       * position.
       */
      readonly action?: 'insert' | 'replace' | 'remove' | undefined;
      readonly missing?: PlannedFault | undefined;
    };

type OtherStep =
  /** Finds one row; fails with `missing` if there is none. `rows.where` includes the read rights. */
  | {
      readonly kind: 'find';
      readonly rows: Rows;
      readonly into: Register;
      readonly missing: PlannedFault;
      readonly optional?: boolean | undefined;
    }
  | {
      readonly kind: 'insert';
      readonly into: Register;
      readonly type: EntityType;
      /** Position of the entity in the body: `Workorders[2]`; omitted for the body itself. */
      readonly target?: string | undefined;
      readonly values: readonly StoredValue[];
      readonly dynamic: ReadonlyMap<string, string>;
      readonly parent?: Register | undefined;
      /** The file with the entity's content, by its name in the plan. */
      readonly file?: string | undefined;
    }
  /**
   * Decides the name of a new file, which is unique per owner. With `rename`, a number is appended if the name is taken;
   * otherwise a taken name fails with file.exists.
   */
  | {
      readonly kind: 'name';
      readonly file: string;
      readonly source: Source;
      readonly owner: Register;
      readonly property: Property;
      /** The wanted name. */
      readonly wanted: string | Parameter;
      readonly rename: boolean;
      /** Position of the file in the body, as for an insert. */
      readonly target?: string | undefined;
    }
  /** Marks the rules of clocks as changed, so that open entities are calculated again. */
  | {
      readonly kind: 'revise-clocks';
      readonly clocks: readonly { readonly source: Source; readonly rules: ClockRules }[];
    }
  /** Chooses between two lists of steps, by whether an optional find found its row. */
  | {
      readonly kind: 'branch';
      readonly on: Register;
      readonly there: Steps;
      readonly absent: Steps;
    }
  /** Runs the steps once for each row, which `into` holds in turn. */
  | {
      readonly kind: 'each';
      readonly rows: Rows;
      readonly filter?: Expression | undefined;
      readonly into: Register;
      readonly steps: Steps;
      readonly limit: number;
    };

export interface WritePlan {
  readonly kind: 'write';
  readonly steps: Steps;
  /** Ids of the sources whose rows the steps refer to, without those of cascaded deletions. */
  readonly sources: readonly string[];
  /** Sets whose records may be counted in an error message; all if omitted. */
  readonly counted?: readonly string[] | undefined;
  /** The row that Location, OData-EntityId and ETag refer to. */
  readonly subject?: Register | undefined;
  /** Read in the same transaction if the response shows it; its rows are found by the subject's identity. */
  readonly result?: ReadPlan | undefined;
  /** The result is read only if this write creates the subject: an upsert that creates responds as POST does. */
  readonly resultFor?: 'created' | undefined;
  /** upserted = created if the subject did not exist before, otherwise changed. */
  readonly answer: 'created' | 'changed' | 'deleted' | 'related' | 'upserted';
  /** Applied preferences, as listed in Preference-Applied. */
  readonly applied?: readonly string[] | undefined;
  /** The action to run after the steps, bound to the row of `subject` if there is one. */
  readonly invoke?: Invocation | undefined;
  /** Files that the steps refer to, by name. Their content is stored before the steps run. */
  readonly files?: ReadonlyMap<string, FileInput> | undefined;
  /** The write changes a stream, so the response carries the ETag of its content. */
  readonly stream?: 'kept' | 'removed' | undefined;
  /** Run completely, then roll back (Prefer: dry-run). */
  readonly dryRun: boolean;
}

export interface Invocation {
  readonly operation: Operation;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Rows that parameters refer to. */
  readonly references: ReadonlyMap<string, Register>;
}

/**
 * Maps the steps, including those in branches and loops.
 * @param map returns what replaces a step other than a branch or loop; `created` has the names of registers whose rows the steps create
 */
export function mapSteps(
  steps: Steps,
  map: (step: WriteStep, created: ReadonlySet<string>) => Steps,
  created: ReadonlySet<string> = new Set(),
): Steps {
  const inserted = steps.flatMap((step) => (step.kind === 'insert' ? step.into.name : []));
  const known = new Set([...created, ...inserted]);
  const inside = (inner: Steps) => mapSteps(inner, map, known);
  return steps.flatMap((step): Steps => {
    switch (step.kind) {
      case 'branch':
        return [{ ...step, there: inside(step.there), absent: inside(step.absent) }];
      case 'each':
        return [{ ...step, steps: inside(step.steps) }];
      default:
        return map(step, known);
    }
  });
}
