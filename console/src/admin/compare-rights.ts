// This file compares what two accounts may do with an entity.

export interface EffectiveRights {
  readonly Read: boolean;
  readonly Create: boolean;
  readonly Change: boolean;
  readonly Delete: boolean;
  readonly Attach: boolean;
  readonly Members: readonly {
    readonly Name: string;
    readonly Read: boolean;
    readonly Change: boolean;
  }[];
}

export const ACTIONS = ['Read', 'Create', 'Change', 'Delete', 'Attach'] as const;

type MemberAccess = 'changeable' | 'readable' | 'hidden';

export interface MemberRow {
  readonly name: string;
  /** One for each account. */
  readonly access: readonly MemberAccess[];
  readonly differs: boolean;
}

/** The rights to each member, in the order of the first account. Members that only others have follow. */
export function memberRows(accounts: readonly EffectiveRights[]): readonly MemberRow[] {
  const names = new Set(accounts.flatMap(({ Members }) => Members.map(({ Name }) => Name)));
  return [...names].map((name) => {
    const access = accounts.map(({ Members }) =>
      accessTo(Members.find(({ Name }) => Name === name)),
    );
    return { name, access, differs: new Set(access).size > 1 };
  });
}

function accessTo(member: EffectiveRights['Members'][number] | undefined): MemberAccess {
  if (member?.Change === true) return 'changeable';
  return member?.Read === true ? 'readable' : 'hidden';
}
