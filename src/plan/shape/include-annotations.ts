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
  const found = patterns.flatMap((pattern) => matchOf(pattern, term));
  const most = Math.max(...found.map(({ weight }) => weight), -1);
  const decisive = found.filter(({ weight }) => weight === most);
  return decisive.length > 0 && decisive.every(({ isExcluded }) => !isExcluded);
}

function matchOf(pattern: string, term: string): readonly Match[] {
  const isExcluded = pattern.startsWith('-');
  const wanted = (isExcluded ? pattern.slice(1) : pattern).replace(
    /^Org\.OData\.(\w+)\.V1\./,
    '$1.',
  );
  const start = wanted.endsWith('*') ? wanted.slice(0, -1) : undefined;
  const fits = start === undefined ? wanted === term : term.startsWith(start);
  return fits ? [{ weight: wanted.length, isExcluded }] : [];
}
