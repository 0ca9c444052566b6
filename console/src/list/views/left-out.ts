// This file finds the parts of a view that the service rejects now, because a property no longer exists or may not be read, so that the list
// opens without them.
import { useQuery } from '@tanstack/react-query';
import { readTogether } from '../../api/batch.ts';
import { type Model, memberAt, type StructuredType } from '../../model/model.ts';
import { pathWith } from '../../model/query-path.ts';
import { useModel } from '../../model/use-model.tsx';
import { split } from '../../query/split.ts';
import { readFilter } from '../filter/filter.ts';
import { isGroupable } from '../list-request.ts';
import { readOrder } from '../list-state.ts';
import type { ViewState } from './view.ts';

/** A view as it can be shown. */
export interface Usable {
  readonly state: ViewState;
  /** Conditions, sort criteria and paths without which the list opens. */
  readonly leftOut: readonly string[];
}

interface Part {
  readonly option: '$filter' | '$orderby';
  readonly text: string;
}

interface Place {
  readonly set: string;
  readonly type: StructuredType;
  readonly unreadable: readonly string[];
}

/** Undefined until it is known. Only parts that the model does not explain are tried on the service, each by itself. */
export function useUsable(view: ViewState, place: Place): Usable | undefined {
  const model = useModel();
  const doubtful = doubtfulParts(model, view, place);
  const { data, isLoading } = useQuery({
    queryKey: ['view-parts', place.set, doubtful],
    queryFn: async ({ signal }) => await rejected(place.set, doubtful, signal),
    enabled: doubtful.length > 0,
  });
  if (isLoading) return undefined;
  return without(model, view, place, new Set((data ?? []).map(({ text }) => text)));
}

/** Conditions that are joined by `and`, and sort criteria. A filter with `or` is one condition. */
function partsOf({ filter = '', orderby = '' }: ViewState): readonly Part[] {
  const isConjunction = split(filter, ' or ').length === 1;
  const conditions = isConjunction ? split(filter, ' and ') : [filter];
  const parts: readonly Part[] = [
    ...conditions.map((text) => ({ option: '$filter' as const, text: text.trim() })),
    ...split(orderby, ',').map((text) => ({
      option: '$orderby' as const,
      text: text.trim(),
    })),
  ];
  return parts.filter(({ text }) => text !== '');
}

function doubtfulParts(model: Model, view: ViewState, place: Place): readonly Part[] {
  return partsOf(view).filter(({ option, text }) => {
    const paths =
      option === '$filter'
        ? readFilter(model, place.type, text)?.map(({ path }) => path)
        : readOrder(text).map(({ path }) => path);
    return paths === undefined || !paths.every((path) => isKnown(model, place, path));
  });
}

function isKnown(model: Model, { type, unreadable }: Place, path: string): boolean {
  const isHidden = unreadable.some((one) => path === one || path.startsWith(`${one}/`));
  return !isHidden && memberAt(model, type, path) !== undefined;
}

/** The parts that the service rejects for what they are. Other failures say nothing about them. */
async function rejected(
  set: string,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const results = await readTogether(
    parts.map(({ option, text }) =>
      pathWith(set, [
        [option, text],
        ['$top', '0'],
      ]),
    ),
    signal,
  );
  return parts.filter((_, index) => {
    const result = results[index];
    return result?.kind === 'failed' && [400, 403, 404].includes(result.error.status);
  });
}

function without(model: Model, view: ViewState, place: Place, texts: ReadonlySet<string>): Usable {
  const kept = partsOf(view).filter(({ text }) => !texts.has(text));
  const joined = (option: Part['option'], separator: string) =>
    kept
      .filter((part) => part.option === option)
      .map(({ text }) => text)
      .join(separator) || undefined;
  const { group } = view;
  const isGrouped = group === undefined || canGroup(model, place, group);
  return {
    state: {
      ...view,
      filter: joined('$filter', ' and '),
      orderby: joined('$orderby', ','),
      ...(isGrouped ? {} : { group: undefined }),
    },
    leftOut: [...texts, ...(isGrouped ? [] : [group])],
  };
}

const canGroup = (model: Model, place: Place, group: string): boolean =>
  isKnown(model, place, group) && isGroupable(model, place.type, group);
