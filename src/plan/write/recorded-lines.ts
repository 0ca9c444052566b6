// Prevents clients from writing rows that the service has recorded. Every write to a row is a step of the plan, so guards are
// added per step, regardless of the kind of request. They apply to administrators too. The deletion of a record still cascades to
// the entities that it contains, for which there is no step.
import { Fault } from '../../base/fault.ts';
import type { Rows } from '../../bind/bound.ts';
import {
  type EntityType,
  entityType,
  type Model,
  type Navigation,
  simpleName,
} from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import { conditionsOf, isOwnerUnrecorded, isOwnUnrecorded } from '../rights/recorded-lines.ts';
import { both, type Condition, variable } from '../rights/row-conditions.ts';
import type { Refusal, Register, WriteStep } from '../write-plan.ts';
import type { Writer } from './write-scope.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };

/** Adds guards where a written row is or may become recorded. Throws: write.recorded. */
export function withRecordedRules(
  writer: Writer,
  steps: readonly WriteStep[],
): readonly WriteStep[] {
  const { types } = writer.guard.model;
  const isUsed = [...types.values()].some(
    (one) => one.kind === 'entity' && one.recorded !== undefined,
  );
  return isUsed ? new Keeping(writer).guarded(steps) : steps;
}

/** Tracks what is known of the row in each register, step by step. */
class Keeping {
  readonly #writer: Writer;
  readonly #found: Map<string, Rows>;
  /** Registers of rows that the write creates. */
  readonly #made: Set<string>;

  constructor(
    writer: Writer,
    found: ReadonlyMap<string, Rows> = new Map(),
    made: Iterable<string> = [],
  ) {
    this.#writer = writer;
    this.#found = new Map(found);
    this.#made = new Set(made);
  }

  guarded(steps: readonly WriteStep[]): readonly WriteStep[] {
    return steps.flatMap((step) => this.#guard(step));
  }

  /** A branch inherits what is known, without affecting the other branch. */
  #apart(): Keeping {
    return new Keeping(this.#writer, this.#found, this.#made);
  }

  #guard(step: WriteStep): readonly WriteStep[] {
    switch (step.kind) {
      case 'find':
        this.#found.set(step.into.name, step.rows);
        return [step];
      case 'insert': {
        const { into, parent, target } = step;
        this.#made.add(into.name);
        const around = parent === undefined ? [] : this.#before(parent);
        return [...around, step, ...this.#after(into, step.type, target)];
      }
      case 'update':
        return [
          ...this.#before(step.row),
          step,
          ...this.#after(step.row, step.row.source.type, step.target),
        ];
      case 'append':
      case 'bytes':
        return [...this.#before(step.row), step];
      case 'delete':
        return [...this.#before(step.row), step];
      case 'link':
        return this.#link(step);
      case 'branch': {
        const [there, absent] = [this.#apart(), this.#apart()];
        return [{ ...step, there: there.guarded(step.there), absent: absent.guarded(step.absent) }];
      }
      case 'each': {
        this.#found.set(step.into.name, step.rows);
        return [{ ...step, steps: this.#apart().guarded(step.steps) }];
      }
      default:
        return [step];
    }
  }

  /** Changing a relation changes the row on each side that has a navigation property for it. */
  #link(step: LinkStep): readonly WriteStep[] {
    const { row, navigation, to } = step;
    const { model } = this.#writer.guard;
    const own = this.#before(row);
    const after = this.#after(row, row.source.type);
    const isBoth = navigation.contained || partnersOf(model, navigation).length > 0;
    if (!isBoth) return [...own, step, ...after];
    if (to !== undefined) {
      return [...own, ...this.#before(to), step, ...after, ...this.#after(to, to.source.type)];
    }
    if (!this.#made.has(row.name)) refuseUnknown(model, navigation);
    return [...own, step, ...after];
  }

  /** The row must not be recorded. */
  #before(row: Register): readonly WriteStep[] {
    if (this.#made.has(row.name)) return [];
    const { guard } = this.#writer;
    const { source } = row;
    const rows = this.#found.get(row.name);
    const held = variable(this.#writer.variable(source, source.type));
    const condition =
      rows === undefined
        ? isOwnUnrecorded(guard, held, source.type)
        : both(isOwnUnrecorded(guard, held, source.type), isOwnerUnrecorded(guard, rows));
    return stepsFor(row, condition, {
      code: 'write.recorded',
      parameters: { type: simpleName(source.type.name) },
    });
  }

  /** The row must not have become one that only the service writes. */
  #after(row: Register, type: EntityType, target?: string): readonly WriteStep[] {
    const { guard } = this.#writer;
    const condition = isOwnUnrecorded(
      guard,
      variable(this.#writer.variable(row.source, type)),
      type,
    );
    const texts = conditionsOf(guard.model, type).map(({ text }) => text);
    return stepsFor(row, condition, {
      code: 'write.reserved',
      parameters: { type: simpleName(type.name), condition: texts.join(' or ') },
      ...(target === undefined ? {} : { place: { target } }),
    });
  }
}

/** Rejects clearing all relations of a row: only the database knows the rows on the other side. */
function refuseUnknown(model: Model, { name, target }: Navigation): void {
  const type = entityType(model, target);
  if (conditionsOf(model, type).length === 0) return;
  throw new Fault('write.recorded', { type: simpleName(type.name) }, { target: name });
}

function stepsFor(row: Register, condition: Condition, refusal: Refusal): readonly WriteStep[] {
  return typeof condition === 'boolean'
    ? []
    : [{ kind: 'require', row, expression: condition, refusal }];
}
