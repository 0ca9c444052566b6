// Prevents clients from writing rows that the service has recorded. Every write to a row is a step of the plan, so guards are
// added per step, regardless of the kind of request. They apply to administrators too. The deletion of a record still cascades to
// the entities that it contains, for which there is no step.

import { Fault } from '../../base/fault.ts';
import type { Rows } from '../../bind/bound.ts';
import { variable } from '../../bind/expression/constructors.ts';
import {
  type EntityType,
  entityType,
  type Model,
  type Navigation,
  simpleName,
} from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import {
  both,
  type Condition,
  conditionsOf,
  editingConditions,
  isOwnerUnrecorded,
  isOwnUnrecorded,
} from '../rights/row-conditions.ts';
import { stepsFor } from '../rights/write-rights.ts';
import type { Register, Steps, WriteStep } from '../write-plan.ts';
import type { Writer } from './write-scope.ts';

type LinkStep = WriteStep & { readonly kind: 'link' };

/** Adds guards where a written row is or may become recorded, or belongs to somebody else. Throws: write.recorded. */
export function withRecordedRules(writer: Writer, steps: Steps): Steps {
  const { types } = writer.model;
  const hasRules = [...types.values()].some(
    (type) =>
      type.kind === 'entity' && (type.recorded !== undefined || type.editable !== undefined),
  );
  return hasRules ? new RecordedRowGuards(writer).addGuards(steps) : steps;
}

/** Tracks what is known of the row in each register, step by step. */
class RecordedRowGuards {
  readonly #writer: Writer;
  readonly #rows: Map<string, Rows>;
  /** Registers of rows that the write creates. */
  readonly #inserted: Set<string>;

  constructor(
    writer: Writer,
    rows: ReadonlyMap<string, Rows> = new Map(),
    inserted: Iterable<string> = [],
  ) {
    this.#writer = writer;
    this.#rows = new Map(rows);
    this.#inserted = new Set(inserted);
  }

  addGuards(steps: Steps): Steps {
    return steps.flatMap((step) => this.#guard(step));
  }

  /** A branch inherits what is known, without affecting the other branch. */
  #branch(): RecordedRowGuards {
    return new RecordedRowGuards(this.#writer, this.#rows, this.#inserted);
  }

  #guard(step: WriteStep): Steps {
    switch (step.kind) {
      case 'find':
        this.#rows.set(step.into.name, step.rows);
        return [step];
      case 'insert': {
        const { into, parent, target } = step;
        this.#inserted.add(into.name);
        const before = parent === undefined ? [] : this.#checkBefore(parent);
        return [...before, step, ...this.#checkAfter(into, step.type, target)];
      }
      case 'update':
        return [
          ...this.#checkBefore(step.row),
          ...this.#checkAuthor(step.row),
          step,
          ...this.#checkAfter(step.row, step.row.source.type, step.target),
        ];
      case 'append':
      case 'bytes':
      case 'delete':
        return [...this.#checkBefore(step.row), step];
      case 'link':
        return this.#guardLink(step);
      case 'branch': {
        const [there, absent] = [this.#branch(), this.#branch()];
        return [
          { ...step, there: there.addGuards(step.there), absent: absent.addGuards(step.absent) },
        ];
      }
      case 'each': {
        this.#rows.set(step.into.name, step.rows);
        return [{ ...step, steps: this.#branch().addGuards(step.steps) }];
      }
      default:
        return [step];
    }
  }

  /** Changing a relation changes the row on each side that has a navigation property for it. */
  #guardLink(step: LinkStep): Steps {
    const { row, navigation, to } = step;
    const { model } = this.#writer.guard;
    const before = this.#checkBefore(row);
    const after = this.#checkAfter(row, row.source.type);
    const isBoth = navigation.contained || partnersOf(model, navigation).length > 0;
    if (!isBoth) return [...before, step, ...after];
    if (to !== undefined) {
      return [
        ...before,
        ...this.#checkBefore(to),
        step,
        ...after,
        ...this.#checkAfter(to, to.source.type),
      ];
    }
    if (!this.#inserted.has(row.name)) rejectUnknownRows(model, navigation);
    return [...before, step, ...after];
  }

  /** The row must not be recorded. */
  #checkBefore(row: Register): Steps {
    if (this.#inserted.has(row.name)) return [];
    const { guard } = this.#writer;
    const { source } = row;
    const rows = this.#rows.get(row.name);
    const own = this.#isUnrecorded(row, source.type);
    const condition = rows === undefined ? own : both(own, isOwnerUnrecorded(guard, rows));
    return stepsFor(row, condition, {
      code: 'write.recorded',
      parameters: { type: simpleName(source.type.name) },
    });
  }

  /** The account must have made the row, and not too long ago (`Docket.Editable`). */
  #checkAuthor(row: Register): Steps {
    const { guard, isLoad } = this.#writer;
    if (isLoad || guard.rights.records === true || this.#inserted.has(row.name)) return [];
    const { type } = row.source;
    const on = variable(this.#writer.variable(row.source, type));
    const { author, time } = editingConditions(guard, on, type);
    const name = simpleName(type.name);
    const { noteMinutes: minutes = 0 } = guard;
    return [
      ...stepsFor(row, author, { code: 'write.author', parameters: { type: name } }),
      ...stepsFor(row, time, { code: 'write.edit-time', parameters: { type: name, minutes } }),
    ];
  }

  /** The row must not have become one that only the service writes. */
  #checkAfter(row: Register, type: EntityType, target?: string): Steps {
    const isOwn = this.#writer.guard.rights.records === true && this.#inserted.has(row.name);
    if (isOwn) return [];
    const texts = conditionsOf(this.#writer.model, type).map(({ text }) => text);
    return stepsFor(row, this.#isUnrecorded(row, type), {
      code: 'write.reserved',
      parameters: { type: simpleName(type.name), condition: texts.join(' or ') },
      ...(target === undefined ? {} : { place: { target } }),
    });
  }

  /** The condition that the row itself is not recorded. */
  #isUnrecorded({ source }: Register, type: EntityType): Condition {
    const row = variable(this.#writer.variable(source, type));
    return isOwnUnrecorded(this.#writer.guard, row, type);
  }
}

/** Rejects clearing all relations of a row: only the database knows the rows on the other side. */
function rejectUnknownRows(model: Model, { name, target }: Navigation): void {
  const type = entityType(model, target);
  if (conditionsOf(model, type).length === 0) return;
  throw new Fault('write.recorded', { type: simpleName(type.name) }, { target: name });
}
