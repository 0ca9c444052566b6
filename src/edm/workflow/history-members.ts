// This file looks up the members of history lines by what they hold (`Docket.ChangePart`, `Docket.ChangeCode`), and the names under which
// history shows entities.
import {
  type EntityType,
  lineage,
  type Model,
  memberAt,
  type Navigation,
  type Property,
} from '../model.ts';

export interface HistoryMembers {
  /** The collection of the lines: `HistoryLines`. */
  readonly lines: Navigation;
  readonly parts: Readonly<Partial<Record<NonNullable<Property['changePart']>, Property>>>;
  /** Refers to the account that made the change. */
  readonly account: Navigation | undefined;
  /** Coded members that mark a line as a change. */
  readonly codes: readonly Property[];
}

/** The history of the entities of a type; undefined if they have none. */
export function historyMembers(model: Model, type: EntityType): HistoryMembers | undefined {
  const lines = memberAt(model, type, model.definition.history ?? '');
  const target = lines?.kind === 'navigation' ? model.types.get(lines.target) : undefined;
  if (lines?.kind !== 'navigation' || !lines.contained || target?.kind !== 'entity')
    return undefined;
  const members = [...model.members(target).values()];
  const properties = members.filter((member) => member.kind === 'property');
  const parts = properties.flatMap((one) =>
    one.changePart === undefined ? [] : [[one.changePart, one] as const],
  );
  return {
    lines,
    parts: Object.fromEntries(parts),
    account: members.find(
      (member): member is Navigation =>
        member.kind === 'navigation' && member.changePart === 'account',
    ),
    codes: properties.filter(({ changeCode }) => changeCode !== undefined),
  };
}

/**
 * The code that a member has in lines about a property: that of the property (`Docket.ChangeCode`) if it is in the list of the member.
 * Undefined for members without a code.
 */
export function changeCodeOf(
  model: Model,
  { changeCode, codeList = '' }: Property,
  changed: Property | undefined,
): number | undefined {
  const own = changed?.changeCode;
  if (changeCode === undefined || own === undefined) return changeCode;
  const codes = model.codeLists.get(codeList)?.codes ?? [];
  return codes.some(({ value }) => value === BigInt(own)) ? own : changeCode;
}

/** The property with the name under which history shows entities of the type. */
export function displayNameOf(model: Model, type: EntityType): string | undefined {
  return lineage(type, model.types)
    .map((one) => (one.kind === 'entity' ? one.displayName : undefined))
    .find((name) => name !== undefined);
}
