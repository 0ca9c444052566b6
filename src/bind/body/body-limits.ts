// Limits the depth and size of bodies before anything else reads them, so that other functions can recurse safely.
import { Fault } from '../../base/fault.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';

export interface BodyLimits {
  /** Nesting depth of objects and lists. */
  readonly depth: number;
  /** Values of all kinds. */
  readonly values: number;
  /** Entities and references to entities. */
  readonly entities: number;
}

export const DEFAULT_BODY_LIMITS: BodyLimits = { depth: 60, values: 200_000, entities: 2000 };

/** Throws: write.too-deep, write.too-large. */
export function checkBody(input: JsonInput, limits: Pick<BodyLimits, 'depth' | 'values'>): void {
  let level: readonly JsonInput[] = [input];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (count > limits.values) {
      throw new Fault('write.too-large', { what: 'values', limit: limits.values });
    }
    const next = level.flatMap(innerValues);
    if (next.length > 0 && depth >= limits.depth) {
      throw new Fault('write.too-deep', { limit: limits.depth });
    }
    level = next;
  }
}

function innerValues(input: JsonInput): readonly JsonInput[] {
  if (Array.isArray(input)) return input;
  return isJsonObject(input) ? Object.values(input) : [];
}
