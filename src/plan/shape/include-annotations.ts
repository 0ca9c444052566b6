// Evaluates the preference include-annotations: which vocabulary annotations a response includes. It does not affect control
// information, such as ETags and links.

/** A matching pattern. A longer pattern has more weight. */
interface Match {
  readonly weight: number;
  readonly isExcluded: boolean;
}

/**
 * Whether the response includes annotations of the term; all are included without the preference. OData 4.01 Protocol,
 * "Preference include-annotations": the most specific pattern wins, and exclusion wins a tie.
 * @param patterns such as `*`, `Core.*`, `-Core.Permissions`
 */
export function includesAnnotation(patterns: readonly string[] | undefined, term: string): boolean {
  if (patterns === undefined) return true;
  const matches = patterns.flatMap((pattern) => matchOf(pattern, term));
  const maxWeight = Math.max(...matches.map(({ weight }) => weight), -1);
  const decisive = matches.filter(({ weight }) => weight === maxWeight);
  return decisive.length > 0 && decisive.every(({ isExcluded }) => !isExcluded);
}

function matchOf(pattern: string, term: string): readonly Match[] {
  const isExcluded = pattern.startsWith('-');
  const name = (isExcluded ? pattern.slice(1) : pattern).replace(/^Org\.OData\.(\w+)\.V1\./, '$1.');
  const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
  const isMatch = prefix === undefined ? name === term : term.startsWith(prefix);
  return isMatch ? [{ weight: name.length, isExcluded }] : [];
}
