// This file stores in which indexes an installation differs from its model: as a setting, so that copies and backups contain it.
import { andThen, type MaybePromise } from '../../base/value-or-promise.ts';
import {
  adjustLayout,
  type IndexAdjustments,
  NO_ADJUSTMENTS,
} from '../../sql/schema/index-adjustments.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { DatabaseReader, Work } from '../database.ts';
import {
  currentSetting,
  readSetting,
  removeSetting,
  storeSetting,
} from '../installation-settings.ts';

/** The setting with the adjustments as JSON. It does not exist if there are none. */
const INDEX_SETTING = 'indexes';

export function readAdjustments(database: DatabaseReader): MaybePromise<IndexAdjustments> {
  return andThen(readSetting(database, INDEX_SETTING), parseAdjustments);
}

function parseAdjustments(text: string | undefined): IndexAdjustments {
  return text === undefined ? NO_ADJUSTMENTS : (JSON.parse(text) as IndexAdjustments);
}

export function* storeAdjustments(adjustments: IndexAdjustments): Work<void> {
  if (adjustments.added.length + adjustments.dropped.length === 0)
    yield* removeSetting(INDEX_SETTING);
  else yield* storeSetting(INDEX_SETTING, JSON.stringify(adjustments));
}

/** The layout of a service, which follows the indexes of its installation. */
export class InstallationIndexes {
  readonly #model: Layout;
  #text: string | undefined;
  #layout: Layout;

  constructor(model: Layout) {
    this.#model = model;
    this.#layout = model;
  }

  /** Another object after each change. */
  get layout(): Layout {
    return this.#layout;
  }

  async load(database: DatabaseReader): Promise<void> {
    const text = await currentSetting(database, INDEX_SETTING);
    if (text === this.#text) return;
    this.#text = text;
    this.#layout = adjustLayout(this.#model, parseAdjustments(text));
  }
}
