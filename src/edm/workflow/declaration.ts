// This file defines the workflow that a model declares for an entity type (`Docket.Workflow`): its states and the transitions between
// them. A state is a code of the member's list, identified by its symbol.
import type { JsonObject } from '../value/lossless-json.ts';

/** off: nothing is evaluated; advise: reported, never rejected; enforce: what the workflow does not allow is rejected. */
export const WORKFLOW_MODES = ['off', 'advise', 'enforce'] as const;
export type WorkflowMode = (typeof WORKFLOW_MODES)[number];

/** open: work goes on; done: the work is finished and can be reopened; final: nothing follows. */
export const STATE_CATEGORIES = ['open', 'done', 'final'] as const;

/**
 * required: must have a value when the state is entered; prompt: forms offer the member; hidden: forms leave it out, which is no
 * access right.
 */
export const MEMBER_FLAGS = ['required', 'prompt', 'hidden'] as const;

interface StateMember {
  /** The path of a property or single navigation: `Assignment/AssigneePerson`. */
  readonly member: string;
  readonly flag: (typeof MEMBER_FLAGS)[number];
}

/** Expressions over the entity by the paths of the members that get their values. */
type StateEffects = Readonly<Record<string, string>>;

export interface WorkflowState {
  readonly symbol: string;
  readonly category: (typeof STATE_CATEGORIES)[number];
  readonly members: readonly StateMember[];
  /** What the service writes when the entity enters or leaves the state. */
  readonly onEnter: StateEffects;
  readonly onExit: StateEffects;
}

export interface WorkflowTransition {
  readonly symbol: string;
  /** Symbols of states; empty: from any state. */
  readonly from: readonly string[];
  readonly to: string;
  /** Paths of members that must have a value, besides those of the state. */
  readonly require: readonly string[];
  /** An OData common expression over the entity after the write, which must be true. */
  readonly guard?: string;
  /** Names of the roles that may take it; empty: everybody. */
  readonly roles: readonly string[];
  /**
   * Names of roles that may take it by the action Transition on every entity that they can read, without the right to change it. They
   * may set what the transition requires and what forms of the next state offer.
   */
  readonly grants: readonly string[];
  /** Whether it needs a comment. */
  readonly comment?: 'required';
  /** service: the service takes it itself, and administrators may. */
  readonly by?: 'service';
  /**
   * The name of a collection: the service takes the transition when the state of an entity in it is no longer open, if everything else
   * permits it.
   */
  readonly on?: string;
  /**
   * The body of a lambda expression over the collection: the service takes the transition when an entity is added for which it is true,
   * and not when the state of one changes.
   */
  readonly added?: string;
}

/** What must be true when an entity is related to another one, by a request for either of them. */
export interface RelationRule {
  /** A single navigation of the entity: `Order`. */
  readonly member: string;
  /** A condition on the entity after the write. */
  readonly guard: string;
  /** What the guard requires, in sentences for the error; the error names the guard without it. */
  readonly message?: string;
}

export interface Workflow {
  /** The coded property that holds the state: `Status`. */
  readonly member: string;
  /** The path of a text in a contained collection, which receives comments: `HistoryLines/Information`. */
  readonly comments?: string;
  /** Members of comments that come with a granted transition, so that those who wrote them can read them: `{"IsPublic":true}`. */
  readonly grantedComments?: JsonObject;
  /** The mode of installations that do not set another one. */
  readonly mode: WorkflowMode;
  /** Symbols of the states that new entities may have. */
  readonly initial: readonly string[];
  readonly states: readonly WorkflowState[];
  readonly transitions: readonly WorkflowTransition[];
  readonly relations: readonly RelationRule[];
}
