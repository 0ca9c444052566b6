// Reads, merges and writes nested configuration values by path.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) return node[Number(key)];
    return isRecord(node) ? node[String(key)] : undefined;
  }, values);
}

export function mergeValues(
  base: Record<string, unknown>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const previous = merged[key];
    merged[key] = isRecord(previous) && isRecord(value) ? mergeValues(previous, value) : value;
  }
  return merged;
}

export function setValueAt(
  values: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    values[key] = value;
    return;
  }
  const inner = values[key];
  const record = isRecord(inner) ? { ...inner } : {};
  setValueAt(record, rest, value);
  values[key] = record;
}
