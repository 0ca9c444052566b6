// Finds the options that the client wrote for an expansion, so that the next link of an expanded collection repeats them. It
// unrolls $levels and `*` in the same way as bind/.
import type { Expansion } from '../../bind/bound.ts';
import { simpleName } from '../../edm/model.ts';
import { NO_OPTIONS } from '../../request/options/no-options.ts';
import type {
  ExpandItem,
  ExpandPath,
  ExpandStar,
  Expression,
  NestedOptions,
  Options,
} from '../../request/tree.ts';

export interface WrittenExpansion {
  /** The options for the expanded rows; a $levels greater than 1 becomes a nested $expand. */
  readonly options: NestedOptions;
  /** The expansion has $levels. */
  readonly isRecursive: boolean;
}

/** Finds the options of an expansion among those of the surrounding level. */
export function writtenFor(outer: NestedOptions, expansion: Expansion): WrittenExpansion {
  const names = [...expansion.path, expansion.navigation].map((step) => step.name).join('/');
  const items = outer.expand ?? [];
  const named = items.find((item) => item.kind === 'path' && matches(item, names, expansion));
  const star = items.find((item) => item.kind === 'star');
  const item = named ?? star;
  if (item === undefined || item.kind === 'value')
    return { options: NO_OPTIONS, isRecursive: false };
  const options =
    item.kind === 'star' ? { ...NO_OPTIONS, levels: item.levels } : (item.options ?? NO_OPTIONS);
  return { options: unroll(item, options), isRecursive: options.levels !== undefined };
}

/** The options written for rows that $apply has named; undefined if there are none. */
export function writtenForName(outer: NestedOptions, name: string): NestedOptions | undefined {
  const named = outer.expand?.find((item) => {
    const [step, ...others] = item.kind === 'path' ? item.steps : [];
    return others.length === 0 && step?.kind === 'name' && step.name === name;
  });
  return named?.kind === 'path' ? (named.options ?? NO_OPTIONS) : undefined;
}

/** Matches the names without type casts; a cast must match the type of the expansion, if it has one. */
function matches(item: ExpandPath, names: string, { onType }: Expansion): boolean {
  const steps = item.steps.flatMap((step) => (step.kind === 'name' ? [step.name] : []));
  if (steps.filter((name) => !name.includes('.')).join('/') !== names) return false;
  const casts = steps.filter((name) => name.includes('.'));
  const isCast = (name: string) => onType && simpleName(name) === simpleName(onType.name);
  return onType === undefined || casts.length === 0 || casts.some(isCast);
}

function unroll(item: ExpandPath | ExpandStar, options: NestedOptions): NestedOptions {
  const { levels } = options;
  if (levels === undefined || levels === 0 || levels === 1)
    return { ...options, levels: undefined };
  const fewerLevels = levels === 'max' ? levels : levels - 1;
  const deeper: ExpandItem =
    item.kind === 'star'
      ? { ...item, levels: fewerLevels }
      : { ...item, options: { ...options, levels: fewerLevels } };
  return { ...options, levels: undefined, expand: [...(options.expand ?? []), deeper] };
}

/** Whether `$it` is in the options, or in an alias that they use. It is the row of the outermost level, also in nested options. */
export function refersToIt(options: NestedOptions, aliases: Options['aliases']): boolean {
  const visited = new Set<string>();
  const isIn = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false;
    const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
    if (kind === 'it') return true;
    if (kind !== 'alias' || typeof name !== 'string') return Object.values(node).some(isIn);
    if (visited.has(name)) return false;
    visited.add(name);
    return isIn(aliases.get(name));
  };
  return isIn(options);
}

/** The options for a request that reads the expanded rows alone. A skip token replaces $skip and $top. */
export function asRequestOptions(
  nested: NestedOptions,
  request: Pick<Options, 'format' | 'schemaversion' | 'aliases'>,
): Options {
  const aliases = new Map<string, Expression>([...request.aliases, ...nested.aliases]);
  return {
    ...nested,
    skip: undefined,
    top: undefined,
    levels: undefined,
    aliases,
    format: request.format,
    schemaversion: request.schemaversion,
    skiptoken: undefined,
    deltatoken: undefined,
    id: undefined,
    index: undefined,
    custom: new Map(),
  };
}
