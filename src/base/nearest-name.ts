// This file suggests corrections for misspelt names.

/** Returns the candidate with the smallest case-insensitive edit distance to the name, or undefined if none is close enough. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.floor(name.length * 0.4) + 1;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns the candidate that differs from the name by one or two letters; names that differ only in numbers are deliberate. */
export function misspeltName(name: string, candidates: Iterable<string>): string | undefined {
  const words = (text: string) => text.toLowerCase().replaceAll(/\d+/g, '');
  const others = [...candidates].filter((one) => words(one) !== words(name));
  const nearest = nearestName(name, others);
  const distance = editDistance(name.toLowerCase(), nearest?.toLowerCase() ?? '');
  return distance <= (name.length < 5 ? 1 : 2) ? nearest : undefined;
}

/** Returns a sentence to append to a message, such as ` Did you mean "Status"?`, or ''. Never suggests the name itself. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const others = [...candidates].filter((candidate) => candidate !== name);
  const nearest = nearestName(name.slice(0, 100), others);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution =
        (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(
        Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    previous = current;
  }
  return previous[right.length] ?? left.length;
}
