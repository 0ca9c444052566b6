// The names of configuration keys as environment variables and flags.

/** `DOCKET_MAXIMUM_USERS` for `maximumUsers`, `DOCKET_LIMITS_URL_BYTES` for `limits.urlBytes`. */
export function variableName(path: readonly string[]): string {
  return `DOCKET_${path.map((key) => key.replace(/([A-Z])/g, '_$1').toUpperCase()).join('_')}`;
}

/** `--log-level` for `logLevel`. */
export function flagName(path: readonly string[]): string {
  return `--${path.map((key) => key.replace(/([A-Z])/g, '-$1').toLowerCase()).join('-')}`;
}

/** The path of the value that contains a part, up to the first array index. */
export function keysOf(path: readonly PropertyKey[]): readonly string[] {
  const index = path.findIndex((key) => typeof key === 'number');
  return path.slice(0, index < 0 ? undefined : index).map(String);
}
