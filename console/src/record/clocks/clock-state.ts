// This file reads the clocks of a service level from a record: their deadlines, and what they show at a time.
import { type Entity, valueAt } from '../../model/entity.ts';
import {
  type Member,
  type Model,
  memberAt,
  type StructuredType,
  typeNamed,
} from '../../model/model.ts';

export interface Clock {
  readonly name: 'Response' | 'Resolution';
  readonly deadline: string | undefined;
  /** When the clock was met. */
  readonly done: string | undefined;
  /** The texts of the codes, in the language of the user. */
  readonly state: string | undefined;
  readonly outcome: string | undefined;
}

export type Phase =
  /** Nothing was promised. */
  | 'none'
  | 'running'
  /** Fewer than five minutes are left. */
  | 'urgent'
  | 'overdue'
  | 'done';

/** The property with the clocks: annotated with `Docket.Console.V1.Clock`, or a complex value with both deadlines. */
export function clockMember(model: Model, type: StructuredType): Member | undefined {
  const members = [...type.members.values()].filter(({ kind }) => kind === 'complex');
  const annotated = members.find(
    ({ annotations }) => annotations['Docket.Console.V1.Clock'] === true,
  );
  const hasDeadlines = ({ type: name }: Member) =>
    ['ResponseDeadline', 'ResolveDeadline'].every((part) =>
      model.types.get(name)?.members.has(part),
    );
  return annotated ?? members.find(hasDeadlines);
}

/** The clocks of a record. */
export function clocksOf(model: Model, member: Member, entity: Entity): readonly Clock[] {
  const value = entity[member.name];
  const read = (path: string): string | undefined => {
    const found = valueAt(value, path);
    return found === null || found === undefined || found === '' ? undefined : String(found);
  };
  const textOf = (path: string): string | undefined => {
    const code = valueAt(value, path) as Entity | null | undefined;
    const type = memberAt(model, typeNamed(model, member.type), path)?.type ?? '';
    const coded = model.types.get(type)?.coded;
    const text = coded === undefined ? undefined : code?.[coded.text];
    return text === undefined || text === null ? undefined : String(text);
  };
  return [
    {
      name: 'Response',
      deadline: read('ResponseDeadline'),
      done: read('RespondedAt'),
      state: textOf('Response/State'),
      outcome: textOf('Response/Outcome'),
    },
    {
      name: 'Resolution',
      deadline: read('ResolveDeadline'),
      done: read('ResolvedAt'),
      state: textOf('Resolution/State'),
      outcome: textOf('Resolution/Outcome'),
    },
  ];
}

const MINUTE = 60_000;

/** What a clock shows at a time of the service. */
export function phaseOf({ deadline, done }: Clock, now: number): Phase {
  if (done !== undefined) return 'done';
  if (deadline === undefined) return 'none';
  const left = Date.parse(deadline) - now;
  if (left < 0) return 'overdue';
  return left < 5 * MINUTE ? 'urgent' : 'running';
}

/** Milliseconds until a display of clocks changes: at the next second while one is urgent, else at the next minute; undefined if nothing runs. */
export function nextTick(clocks: readonly Clock[], now: number): number | undefined {
  const phases = clocks.map((clock) => phaseOf(clock, now));
  if (phases.includes('urgent')) return 1000 - (now % 1000);
  return phases.includes('running') || phases.includes('overdue')
    ? MINUTE - (now % MINUTE)
    : undefined;
}
