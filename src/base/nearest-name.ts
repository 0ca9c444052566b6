// This file finds the name that a misspelt one was probably meant to be, so that a refusal can tell what to write instead.

/** The candidate nearest to the name by edit distance (case is free), or undefined when none is near enough. */
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

/** A sentence for the end of a message: ` Did you mean "Status"?`, or nothing. What was written is never what was meant instead. */
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
