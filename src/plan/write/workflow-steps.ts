// This file adds the steps of workflows to a write: the state is remembered before it changes, and the change is checked after all other
// steps, because only the final state of the entities counts. The effects of states follow.
import { memoized, perPair } from '../../base/memo.ts';
import { isVisibleText } from '../../base/visible-text.ts';
import type { Expression } from '../../bind/bound.ts';
import type { Question } from '../../bind/parameter.ts';
import { type EntityType, type Model, memberAt, type Property, pathName } from '../../edm/model.ts';
import type { WorkflowMode, WorkflowState } from '../../edm/workflow/declaration.ts';
import type { TypeWorkflow } from '../../edm/workflow/workflow.ts';
import { type CheckScope, makeCheck } from '../workflow/transition-check.ts';
import {
  mapSteps,
  type Register,
  type StateSteps,
  type Steps,
  type StoredValue,
  type WriteStep,
} from '../write-plan.ts';
import { wholesOf } from './automatic-transitions.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { bindModelCondition, bindModelExpression } from './model-expression.ts';
import type { Writer } from './write-scope.ts';

/** Returns the steps with those of workflows. @param language the language of error messages */
export function withWorkflows(writer: Writer, steps: Steps, language: string): Steps {
  const { workflows, isLoad } = writer;
  if (isLoad || workflows.size === 0) return steps;
  const added = new WorkflowSteps(writer, language, insertsIn(steps));
  return withFinalGuards(added.remember(steps), (step) => added.checksOf(step));
}

function insertsIn(steps: Steps): readonly InsertStep[] {
  return steps.flatMap((step): readonly InsertStep[] => {
    if (step.kind === 'insert') return [step];
    if (step.kind === 'each') return insertsIn(step.steps);
    if (step.kind === 'branch') return insertsIn([...step.there, ...step.absent]);
    return [];
  });
}

class WorkflowSteps {
  readonly #writer: Writer;
  readonly #language: string;
  readonly #inserts: readonly InsertStep[];

  constructor(writer: Writer, language: string, inserts: readonly InsertStep[]) {
    this.#writer = writer;
    this.#language = language;
    this.#inserts = inserts;
  }

  /** Remembers the states before the steps that change them, and adds what the states of new rows set. */
  remember(steps: Steps): Steps {
    return mapSteps(steps, (step): Steps => {
      if (step.kind === 'insert') return [this.#withKeptValues(step)];
      if (step.kind !== 'update') return [step];
      const { row } = step;
      const workflow = this.#workflowChangedBy(row, step.values);
      if (workflow === undefined) return [step];
      const value = this.#stateOf(row, workflow);
      return [{ kind: 'remember', row, as: 'state', value }, step];
    });
  }

  /** A new row is inserted with what its state sets. The plan is then for requests with the same state. */
  #withKeptValues(step: InsertStep): InsertStep {
    const workflow = this.#active(step.type);
    const state = workflow === undefined ? undefined : stateIn(workflow, step.values);
    if (workflow === undefined || state === undefined) return step;
    const kept = this.#valuesOf(step.into, workflow, state.onEnter, step).flatMap(insertedValue);
    return kept.length === 0 ? step : { ...step, values: [...step.values, ...kept] };
  }

  /** The checks and effects of a step that may change a state. */
  checksOf(step: WriteStep): readonly FinalGuard[] {
    if (step.kind === 'update') {
      const workflow = this.#workflowChangedBy(step.row, step.values);
      return workflow === undefined ? [] : [this.#transition(step.row, workflow, step)];
    }
    if (step.kind !== 'insert') return [];
    const workflow = this.#active(step.type);
    if (workflow === undefined || this.#needsNothing(workflow, step.values)) return [];
    return [this.#transition(step.into, workflow, step)];
  }

  /** The workflow whose state the values change. */
  #workflowChangedBy(
    { source }: Register,
    values: readonly StoredValue[],
  ): TypeWorkflow | undefined {
    const changed = values.flatMap(({ path }) => path.slice(0, 1));
    const types = [source.type, ...this.#writer.model.derived(source.type)];
    return types
      .map((type) => this.#active(type))
      .find((workflow) => workflow !== undefined && isAmong(changed, workflow.property));
  }

  /** The workflow of the type, if its changes are checked, it has effects, or the service follows its states. */
  #active(type: EntityType): TypeWorkflow | undefined {
    const workflow = this.#writer.workflows.get(type.name);
    if (workflow === undefined) return undefined;
    const hasEffects = [...workflow.states.values()].some(({ onEnter, onExit }) =>
      [onEnter, onExit].some((effects) => Object.keys(effects).length > 0),
    );
    const isFollowed =
      workflow.type.approval?.waiting !== undefined ||
      wholesOf(this.#writer, type, 'part').length > 0;
    const isKept = hasEffects || isFollowed;
    return isKept || this.#mode(workflow) !== 'off' ? workflow : undefined;
  }

  /** A transition that is granted instead of the right to change the entity is checked in every mode. */
  #mode(workflow: TypeWorkflow): WorkflowMode {
    const { transition } = this.#writer;
    return transition?.isGranted === true ? 'enforce' : workflow.mode;
  }

  /** Whether the call of Transition has a comment, or the request itself creates a note with a text. */
  #isCommented({ type, declared }: TypeWorkflow): boolean {
    const { model, transition } = this.#writer;
    const [name = '', text = ''] = declared.comments?.split('/') ?? [];
    const notes = memberAt(model, type, name);
    if (notes?.kind !== 'navigation') return false;
    const isNote = (one: InsertStep) => one.type.name === notes.target && hasText(one, text);
    return transition?.isCommented === true || this.#inserts.some(isNote);
  }

  /** Whether the state of a new entity needs no check: the workflow is off, or the state is an initial one that requires nothing. */
  #needsNothing(workflow: TypeWorkflow, values: readonly StoredValue[]): boolean {
    if (this.#mode(workflow) === 'off') return true;
    const state = stateIn(workflow, values);
    if (state === undefined || !workflow.declared.initial.includes(state.symbol)) return false;
    return state.members.every(({ flag }) => flag !== 'required');
  }

  #transition(row: Register, workflow: TypeWorkflow, step: StateWrite): FinalGuard {
    const { guard, model, isDryRun } = this.#writer;
    const { member } = workflow.declared;
    const { target: place } = step;
    const isNew = step.kind === 'insert';
    const mode = this.#mode(workflow);
    const scope: CheckScope = {
      model,
      guard,
      language: this.#language,
      bind: (text) => bindModelCondition(model, text, row.source, workflow.type),
      isTraceless: isDryRun,
      isCommented: this.#isCommented(workflow),
      isGranted: this.#writer.transition?.isGranted === true,
    };
    const transition = {
      kind: 'transition',
      row,
      state: this.#stateOf(row, workflow),
      isNew,
      check: mode === 'off' ? undefined : makeCheck(workflow, scope),
      isAdvice: mode === 'advise',
      target: place === undefined || place === '' ? member : `${place}/${member}`,
      ...this.#effectsOf(row, workflow, step),
    } as const;
    return { step: transition, rows: [row], key: `${row.name} ${workflow.type.name} ${isNew}` };
  }

  #effectsOf(
    row: Register,
    workflow: TypeWorkflow,
    write: StateWrite,
  ): Record<'leaving' | 'entering', StateSteps> {
    const stepsOf = (name: 'onEnter' | 'onExit'): StateSteps => {
      if (write.kind === 'insert') return new Map();
      return new Map(
        [...workflow.states].flatMap(([value, { [name]: effects }]) => {
          const steps = this.#changes(row, workflow, effects, write);
          return steps.length === 0 ? [] : [[value, steps] as const];
        }),
      );
    };
    return { leaving: stepsOf('onExit'), entering: stepsOf('onEnter') };
  }

  #changes(row: Register, workflow: TypeWorkflow, effects: Effects, write: StateWrite): Steps {
    const values = this.#valuesOf(row, workflow, effects, write);
    if (values.length === 0) return NOTHING;
    const paths = values.map(({ path }) => pathName(path));
    const key = [row.source.id, row.name, ...paths].join(' ');
    return memoized(
      updatesBy(workflow, effects),
      key,
      () => [{ kind: 'update', row, values, dynamic: new Map(), replaceDynamic: false }],
      MOST_UPDATES,
    );
  }

  /** The values that a state sets, without those that the request sends. */
  #valuesOf(
    row: Register,
    workflow: TypeWorkflow,
    effects: Effects,
    write: StateWrite,
  ): readonly EvaluatedValue[] {
    const { model } = this.#writer;
    return Object.entries(effects).flatMap(([member, text]) => {
      const path = storedPath(model, workflow.type, member);
      if (isGiven(write, path)) return [];
      const expression = bindModelExpression(model, text, row.source, workflow.type);
      return [{ kind: 'evaluated', path, expression }];
    });
  }

  #stateOf({ source }: Register, { type, path }: TypeWorkflow): Expression {
    return bindModelExpression(this.#writer.model, path, source, type);
  }
}

const NOTHING: Steps = [];

/** The steps of effects by row and values. As the same objects they are compiled once. */
const updatesBy = perPair((_workflow: TypeWorkflow, _: Effects) => new Map<string, Steps>());

/** Requests with many entities have many rows. */
const MOST_UPDATES = 500;

function isAmong(members: readonly unknown[], property: Property): boolean {
  return members.includes(property);
}

type InsertStep = WriteStep & { readonly kind: 'insert' };

/** The first branch of `case(Begun eq null:@now,true:Begun)`, since the member of a new row is null where the request sends no value. */
function valueWhereNull(expression: Expression, path: readonly Property[]): Expression {
  const [first] = expression.kind === 'case' ? expression.branches : [];
  if (first?.when.kind !== 'compare' || first.when.operator !== 'eq') return expression;
  const { left, right } = first.when;
  const isOwn = left.kind === 'property' && pathName(left.path) === pathName(path);
  const isNull = right.kind === 'literal' && right.value === null;
  return isOwn && isNull ? first.then : expression;
}

/** A step that may change the state of a row. */
type StateWrite = InsertStep | (WriteStep & { readonly kind: 'update' });

/** Expressions by the paths of members. */
type Effects = Readonly<Record<string, string>>;

type EvaluatedValue = StoredValue & { readonly kind: 'evaluated' };

/** The state of a new row; undefined if its values contain none. */
export function stateIn(
  { property, states }: TypeWorkflow,
  values: readonly StoredValue[],
): WorkflowState | undefined {
  const given = values.find(({ path }) => path[0]?.name === property.name);
  if (given?.kind !== 'value') return undefined;
  const value = given.parameter === undefined ? given.value : given.parameter.value;
  return typeof value === 'bigint' ? states.get(value) : undefined;
}

/** Whether the new row has a text in the member that people can see. */
function hasText({ values }: InsertStep, member: string): boolean {
  const given = values.find(({ path }) => pathName(path) === member);
  if (given?.kind !== 'value') return false;
  return given.parameter === undefined
    ? HAS_VISIBLE_TEXT.of(given.value)
    : given.parameter.ask(HAS_VISIBLE_TEXT);
}

const HAS_VISIBLE_TEXT: Question<boolean> = {
  name: 'visible text',
  of: (value) => typeof value === 'string' && isVisibleText(value),
};

/** The value as part of an insert: the time of the request if possible, since an expression needs an update. A new row has nulls already. */
function insertedValue({ path, expression: whole }: EvaluatedValue): readonly StoredValue[] {
  const expression = valueWhereNull(whole, path);
  if (expression.kind === 'literal' && expression.value === null) return [];
  if (expression.kind === 'context' && expression.name === 'now')
    return [{ kind: 'generated', by: 'now', path }];
  return [{ kind: 'expression', path, expression }];
}

/** Whether the request sends the value. One that replaces the entity sends null for what it leaves out. */
function isGiven(write: StateWrite, path: readonly Property[]): boolean {
  const given = write.values.find((one) => pathName(one.path) === pathName(path));
  if (given === undefined || given.kind === 'expression' || given.kind === 'generated')
    return false;
  const isReplaced = write.kind === 'insert' || write.replaceDynamic;
  const isNull = given.kind === 'value' && given.parameter === undefined && given.value === null;
  return !(isReplaced && isNull);
}

/** The properties on the path, without that of a code's value, which is stored with the coded property. */
function storedPath(model: Model, type: EntityType, path: string): readonly Property[] {
  const steps = path.split('/');
  const members = steps.map((_, index) =>
    memberAt(model, type, steps.slice(0, index + 1).join('/')),
  );
  const properties = members.filter((member) => member?.kind === 'property');
  const coded = properties.findIndex(({ type: name }) => {
    const structure = model.types.get(name);
    return structure?.kind === 'complex' && structure.coded !== undefined;
  });
  return coded < 0 ? properties : properties.slice(0, coded + 1);
}
