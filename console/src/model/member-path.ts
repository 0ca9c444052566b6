// This file compares paths of members with those that the account cannot read or change.

/** Whether a path is, or is inside of, one of these. */
export const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((one) => path === one || path.startsWith(`${one}/`));

/** The paths inside of a member, from the member on. */
export const pathsInside = (member: string, paths: readonly string[]): readonly string[] =>
  paths
    .filter((path) => path.startsWith(`${member}/`))
    .map((path) => path.slice(member.length + 1));
