// This file writes paths with query options.

/** A path with those options that have a value. */
export function pathWith(
  path: string,
  options: readonly (readonly [string, string | undefined])[],
): string {
  const query = options
    .flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
    )
    .join('&');
  return query === '' ? path : `${path}?${query}`;
}
