// This file compares paths of members with those that the account cannot read.

/** Whether a path is, or is inside of, what the account cannot read. */
export const isUnreadable = (path: string, unreadable: readonly string[]): boolean =>
  unreadable.some((one) => path === one || path.startsWith(`${one}/`));

/** The paths inside of a member, from the member on. */
export const unreadableInside = (
  member: string,
  unreadable: readonly string[],
): readonly string[] =>
  unreadable
    .filter((path) => path.startsWith(`${member}/`))
    .map((path) => path.slice(member.length + 1));
