// This file finds schedules in a model, by their members: a contained collection with two times of day and a number.
import { type Entity, keyOf } from '../model/entity.ts';
import { type EntitySet, type Member, type Model, typeNamed, typeOfSet } from '../model/model.ts';
import type { Window } from './week.ts';

/** Where the windows of a schedule are, and how their members are called. */
export interface Shape {
  readonly set: EntitySet;
  readonly windows: Member;
  readonly weekday: string;
  readonly from: string;
  readonly to: string;
}

export function shapesOf(model: Model): readonly Shape[] {
  return [...model.sets.values()].flatMap((set) => {
    const members = [...typeOfSet(model, set).members.values()];
    return members.flatMap((windows) => {
      if (!windows.contained || !windows.collection) return [];
      const parts = [...typeNamed(model, windows.type).members.values()];
      const times = parts.filter(({ type }) => type === 'Edm.TimeOfDay').map(({ name }) => name);
      const day = parts.find(
        ({ type, computed }) => /^Edm\.(?:Int32|Int16|Byte)$/.test(type) && !computed,
      );
      const [from, to] = times;
      if (day === undefined || from === undefined || to === undefined) return [];
      return [{ set, windows, weekday: day.name, from, to }];
    });
  });
}

export function windowsOf(
  { windows, weekday, from, to }: Shape,
  model: Model,
  entity: Entity,
): readonly Window[] {
  const type = typeNamed(model, windows.type);
  const rows = (entity[windows.name] ?? []) as readonly Entity[];
  return rows.map((row) => ({
    uid: keyOf(type, row) ?? '',
    weekday: row[weekday] === null ? null : Number(row[weekday]),
    from: (row[from] ?? null) as string | null,
    to: (row[to] ?? null) as string | null,
  }));
}
