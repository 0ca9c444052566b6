// This file renders answers of the odd model out of plans made by hand-bound readings, with records written as the database would.
import type { BoundReadRequest } from '../../src/bind/bound.ts';
import { decide } from '../../src/plan/decide-read.ts';
import type { Outcome, OutcomeRow, ReadOutcome } from '../../src/plan/outcome.ts';
import type { Tree } from '../../src/request/tree.ts';
import { render } from '../../src/response/render.ts';
import type { Answer } from '../../src/response/response.ts';
import type { Site } from '../../src/response/site.ts';
import { oddModel } from '../odd-model.ts';
import { ask, setting } from '../plan/readings.ts';

export const ROOT = 'http://zoo.example/odata/';

const document = (type: string, text: string) => ({ type, text, etag: 'W/"m1"' });

export const site: Site = {
  root: ROOT,
  model: oddModel,
  documents: {
    metadataXml: {
      '4.0': document('application/xml', '<edmx Version="4.0"/>'),
      '4.01': document('application/xml', '<edmx Version="4.01"/>'),
    },
    metadataJson: document('application/json', '{"$Version":"4.01"}'),
    get flat() {
      return this;
    },
    get engine() {
      return this;
    },
    openapi: (root) => document('application/json', JSON.stringify({ root })),
  },
  flatMetadata: false,
  tags: 'entity',
  digest: (text) => String(text.length),
  now: Date.parse('2026-03-30T14:30:00Z'),
};

/** Rows with their records and order values. */
export function rows(...records: readonly (string | null)[]): readonly OutcomeRow[] {
  return records.map((json, index) => ({ json, keys: [BigInt(index + 1)] }));
}

export function found(
  records: readonly OutcomeRow[],
  more: Omit<ReadOutcome, 'kind' | 'rows'> = {},
): ReadOutcome {
  return { kind: 'read', rows: records, ...more };
}

export function answer(
  bound: BoundReadRequest,
  outcome: Outcome,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const tree: Tree = ask(url, headers);
  return render(outcome, decide(bound, tree, setting()), tree, site);
}

export function json(given: Answer): unknown {
  return typeof given.body === 'string' ? JSON.parse(given.body) : undefined;
}
