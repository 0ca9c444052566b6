// This file finds, for an expansion, the options that the client wrote for it, so that the link to the rest of an expanded
// collection asks for the same: what bind/ has resolved ($levels, *) is unrolled here in the same way.
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

/** What was written for one expansion. */
export interface WrittenExpansion {
  /** As they hold for the expanded rows: a $levels greater than 1 has become one more $expand. */
  readonly options: NestedOptions;
  /** The expansion goes down several levels. */
  readonly isRecursive: boolean;
}

/** The options of the expansion among those of what is around it. */
export function writtenFor(around: NestedOptions, expansion: Expansion): WrittenExpansion {
  const names = [...expansion.path, expansion.navigation].map((step) => step.name).join('/');
  const items = around.expand ?? [];
  const found = items.find((item) => item.kind === 'path' && isFor(item, names, expansion));
  const star = items.find((item) => item.kind === 'star');
  const item = found ?? star;
  if (item === undefined || item.kind === 'value')
    return { options: NO_OPTIONS, isRecursive: false };
  const options =
    item.kind === 'star' ? { ...NO_OPTIONS, levels: item.levels } : (item.options ?? NO_OPTIONS);
  return { options: unroll(item, options), isRecursive: options.levels !== undefined };
}

/** What was written for rows that $apply has given a name; undefined where nothing was. */
export function writtenForName(around: NestedOptions, name: string): NestedOptions | undefined {
  const found = around.expand?.find((item) => {
    const [step, ...others] = item.kind === 'path' ? item.steps : [];
    return others.length === 0 && step?.kind === 'name' && step.name === name;
  });
  return found?.kind === 'path' ? (found.options ?? NO_OPTIONS) : undefined;
}

/** The steps without casts are the expansion's; a cast must be to its type, where it has one. */
function isFor(item: ExpandPath, names: string, { onType }: Expansion): boolean {
  const steps = item.steps.flatMap((step) => (step.kind === 'name' ? [step.name] : []));
  if (steps.filter((name) => !name.includes('.')).join('/') !== names) return false;
  const cast = steps.find((name) => name.includes('.'));
  return onType === undefined || cast === undefined || simpleName(cast) === simpleName(onType.name);
}

function unroll(item: ExpandPath | ExpandStar, options: NestedOptions): NestedOptions {
  const { levels } = options;
  if (levels === undefined || levels === 0 || levels === 1)
    return { ...options, levels: undefined };
  const fewer = levels === 'max' ? levels : levels - 1;
  const deeper: ExpandItem =
    item.kind === 'star'
      ? { ...item, levels: fewer }
      : { ...item, options: { ...options, levels: fewer } };
  return { ...options, levels: undefined, expand: [...(options.expand ?? []), deeper] };
}

/** The same options as those of a request for the expanded rows alone. Where the page begins is said by a token. */
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
