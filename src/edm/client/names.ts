// Chooses the names of a generated TypeScript module: those of the model where they are free, otherwise followed by an underscore.

/** Words that cannot name a type or a constant in TypeScript, and the global types that the generated declarations use. */
const RESERVED = [
  ...['any', 'bigint', 'boolean', 'never', 'null', 'number', 'object', 'string', 'symbol'],
  ...['undefined', 'unknown', 'void', 'break', 'case', 'catch', 'class', 'const', 'continue'],
  ...['debugger', 'default', 'delete', 'do', 'else', 'enum', 'export', 'extends', 'false'],
  ...['finally', 'for', 'function', 'if', 'import', 'in', 'instanceof', 'new', 'return'],
  ...['super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'while', 'with'],
  ...['let', 'static', 'implements', 'interface', 'package', 'private', 'protected', 'public'],
  ...['yield', 'await', 'async', 'arguments', 'eval', 'type', 'connect', 'Date', 'NonNullable'],
];

/** Returns a free name for an element. All given suffixes are reserved with it. */
export type ChooseName = (wanted: string, suffixes?: readonly string[]) => string;

/** @param runtime the source text that the names share a module with */
export function nameChooser(runtime: string): ChooseName {
  const code = runtime.replaceAll(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');
  const used = new Set([...RESERVED, ...(code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])]);
  return (wanted, suffixes = ['']) => {
    let name = wanted;
    while (suffixes.some((suffix) => used.has(name + suffix))) name += '_';
    for (const suffix of suffixes) used.add(name + suffix);
    return name;
  };
}

/** The name of a member of an object literal or interface. */
export function memberName(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : textLiteral(name);
}

/** A string as a literal of TypeScript. */
export function textLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `{ a: x; b: y }` on lines of their own. */
export function block(lines: readonly string[], indent = '  '): string {
  return lines.length === 0 ? '{}' : `{\n${lines.map((line) => indent + line).join('\n')}\n}`;
}

/** A description as a comment on the line before an element. */
export function commented(line: string, description: string | undefined): readonly string[] {
  if (description === undefined) return [line];
  return [`/** ${description.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */`, line];
}
