// This file reads tiles: four in a batch, those that are visible first, and visible ones again after the chosen minutes.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { readTogether } from '../api/batch.ts';
import { serviceNow } from '../api/reachability.ts';
import { ownZone } from '../components/inputs/local-time.ts';
import { useLanguage, useText } from '../i18n/text.tsx';
import { type Model, memberAt, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { type Bucket, bucketLabel, type Unit } from '../query/buckets.ts';
import { parseConditions } from '../query/conditions.ts';
import type { Tile } from './tile.ts';
import { type Moment, planTile, type TilePlan } from './tile-plan.ts';
import { resultOf, type TileResult, type Words } from './tile-results.ts';

const BATCH = 4;

interface ReadTile {
  readonly result: TileResult;
  /** When the service counted. */
  readonly at: Date;
}

export interface Tiles {
  readonly results: ReadonlyMap<Tile, ReadTile>;
  readonly isReading: boolean;
  /** Called when a tile becomes visible, or is no longer. */
  readonly onVisible: (tile: Tile, isVisible: boolean) => void;
  readonly refresh: () => void;
}

export function useTiles(tiles: readonly Tile[], condition: string): Tiles {
  const [results, setResults] = useState<ReadonlyMap<Tile, ReadTile>>(new Map());
  const [isReading, setReading] = useState(false);
  const read = useReader(condition);
  const visible = useRef(new Set<Tile>());
  const waiting = useRef(new Set<Tile>());
  const running = useRef<AbortController>(undefined);
  const next = useCallback(async () => {
    if (running.current !== undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setReading(true);
    while (waiting.current.size > 0 && !controller.signal.aborted) {
      const batch = [...waiting.current].slice(0, BATCH);
      for (const tile of batch) waiting.current.delete(tile);
      const found = await read(batch, controller.signal);
      if (controller.signal.aborted) return;
      setResults((before) => new Map([...before, ...found]));
    }
    running.current = undefined;
    setReading(false);
  }, [read]);
  const refresh = useCallback(() => {
    for (const tile of visible.current) waiting.current.add(tile);
    void next();
  }, [next]);
  const onVisible = useCallback(
    (tile: Tile, isVisible: boolean) => {
      if (!isVisible) {
        visible.current.delete(tile);
        waiting.current.delete(tile);
        return;
      }
      visible.current.add(tile);
      waiting.current.add(tile);
      // Tiles that become visible together are read together.
      queueMicrotask(() => void next());
    },
    [next],
  );
  useEffect(() => {
    for (const tile of visible.current) if (!tiles.includes(tile)) visible.current.delete(tile);
    refresh();
    return () => {
      running.current?.abort();
      running.current = undefined;
    };
  }, [tiles, refresh]);
  return { results, isReading, onVisible, refresh };
}

/** A function that reads some tiles in one batch. */
function useReader(condition: string) {
  const model = useModel();
  const words = useWords();
  return useCallback(
    async (tiles: readonly Tile[], signal: AbortSignal) => {
      const moment = {
        now: new Date(serviceNow()),
        zone: ownZone(),
      };
      const plans = tiles.map((tile) => planOrError(model, tile, moment, condition));
      const requests = plans.flatMap((plan) => (plan instanceof Error ? [] : plan.requests));
      const responses = await readTogether(requests, signal).catch((error: Error) => error);
      let used = 0;
      return tiles.map((tile, index): readonly [Tile, ReadTile] => {
        const plan = plans[index];
        const failed = responses instanceof Error ? responses : plan;
        if (
          failed instanceof Error ||
          plan === undefined ||
          plan instanceof Error ||
          responses instanceof Error
        )
          return [tile, { result: { kind: 'failed', error: failed as Error }, at: moment.now }];
        const mine = responses.slice(used, used + plan.requests.length);
        used += plan.requests.length;
        const set = model.sets.get(tile.set);
        const type = set === undefined ? undefined : typeOfSet(model, set);
        if (type === undefined)
          return [tile, { result: { kind: 'failed', error: new Error(tile.set) }, at: moment.now }];
        return [tile, { result: resultOf(type, model, tile, plan, mine, words), at: moment.now }];
      });
    },
    [model, words, condition],
  );
}

function planOrError(
  model: Model,
  tile: Tile,
  moment: Moment,
  condition: string,
): TilePlan | Error {
  try {
    return planTile(model, tile, moment, appliesTo(model, tile, condition) ? condition : '');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Whether the entities of a tile have all members of a condition. */
function appliesTo(model: Model, { set }: Tile, condition: string): boolean {
  const entitySet = model.sets.get(set);
  const conditions = parseConditions(condition);
  if (entitySet === undefined || conditions === undefined) return false;
  const type = typeOfSet(model, entitySet);
  return conditions.every(({ path }) => memberAt(model, type, path) !== undefined);
}

function useWords(): Words {
  const text = useText();
  const language = useLanguage();
  return useMemo(
    () => ({
      none: text('common.none'),
      bucket: (bucket: Bucket, unit: Unit | undefined, index: number, count: number) => {
        const zone = ownZone();
        if (unit !== undefined) return bucketLabel(bucket, unit, language, zone);
        return ageLabel(text, bucket, index, count);
      },
    }),
    [text, language],
  );
}

const DAY = 86_400_000;

/** Ages are counted from the instant at which the tile was read: the youngest bucket has no end, the oldest no beginning. */
function ageLabel(
  text: ReturnType<typeof useText>,
  { from, to }: Bucket,
  index: number,
  count: number,
): string {
  const days = (time: Date | undefined) =>
    time === undefined ? 0 : Math.round((serviceNow() - time.getTime()) / DAY);
  if (index === count - 1) return text('dashboard.older', { days: days(to) });
  if (to === undefined) return text('dashboard.younger', { days: days(from) });
  return text('dashboard.between', { from: days(to), to: days(from) });
}
