// This file reads the preference include-annotations: which annotations of vocabularies an answer shall hold. Control information, such as
// ETags and links, is none of its business.

/** How much of a term's name a pattern says; a pattern that says more outweighs one that says less. */
interface Match {
  readonly weight: number;
  readonly isExcluded: boolean;
}

/**
 * Whether an answer holds annotations of the term; all that there are where the client says nothing.
 * OData 4.01 Protocol, "Preference include-annotations": the most specific pattern decides, and of two alike the one that excludes.
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
