// This file joins, subtracts and cuts sorted lists of ranges of milliseconds.

/** From `from` up to `to`, which is not included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The ranges in order. Those that overlap or touch become one, empty ones are left out. */
export function union(ranges: readonly Range[]): Range[] {
  const joined: { from: number; to: number }[] = [];
  const sorted = ranges.filter(isNotEmpty).sort((one, other) => one.from - other.from);
  for (const { from, to } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** What remains of ranges without others. */
export function difference(ranges: readonly Range[], others: readonly Range[]): Range[] {
  let rest = [...ranges];
  for (const { from, to } of others) {
    const before = intersection(rest, { from: Number.NEGATIVE_INFINITY, to: from });
    const after = intersection(rest, { from: to, to: Number.POSITIVE_INFINITY });
    rest = [...before, ...after];
  }
  return rest;
}

/** The parts of ranges within a limit. */
export function intersection(ranges: readonly Range[], limit: Range): Range[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, limit.from), to: Math.min(to, limit.to) }))
    .filter(isNotEmpty);
}

const isNotEmpty = ({ from, to }: Range) => from < to;
