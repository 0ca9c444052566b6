// This file defines what the binding of one write is given: the request, its body, and the scope in which mistakes are noted.
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { Tree } from '../../request/tree.ts';
import type { Body, EntityPlace } from '../body/body-context.ts';
import type { SentFile } from '../body/uploaded-file-names.ts';
import type { BoundRead, Rows } from '../bound.ts';

export interface Write {
  readonly tree: Tree;
  readonly body: Body;
  readonly input: JsonInput | undefined;
  /** What the request says of the file that is its body. */
  readonly sent: SentFile | undefined;
}

export const NOTHING_SUPPLIED: EntityPlace['supplied'] = new Map();

/** The place of an entity that is there: the body is about the rows. */
export function placeOfRows(rows: Rows, deed: 'merge' | 'replace'): EntityPlace {
  const { source, type } = rows.row;
  return { source, type, deed, target: '', rows, supplied: NOTHING_SUPPLIED };
}

/** How the one entity that a write is about would be read. */
export function readOfOne(read: BoundRead): BoundRead {
  return { ...read, wanted: { kind: 'entity' }, nullable: false };
}
