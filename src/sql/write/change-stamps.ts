// The columns that every change stamps with its time and author.
import type { Member, Model } from '../../edm/model.ts';
import type { TableUse } from '../schema/layout.ts';

export interface Stamp {
  readonly column: string;
  readonly by: 'modified' | 'modifier';
}

/** The stamped columns of a table, including those in complex values. */
export function stampsOf(model: Model, use: TableUse): readonly Stamp[] {
  return [...model.members(use.source.type).values()].flatMap((member) =>
    stampsIn(model, use, member, ''),
  );
}

function stampsIn(model: Model, use: TableUse, member: Member, prefix: string): readonly Stamp[] {
  if (member.kind === 'navigation' || member.collection) return [];
  const column = `${prefix}${member.name}`;
  const by = member.generated?.by;
  if (by === 'modified' || by === 'modifier')
    return use.columns.has(column) ? [{ column, by }] : [];
  const complex = use.columns.has(column) ? undefined : model.types.get(member.type);
  if (complex?.kind !== 'complex') return [];
  return [...model.members(complex).values()].flatMap((inner) =>
    stampsIn(model, use, inner, `${column}/`),
  );
}
