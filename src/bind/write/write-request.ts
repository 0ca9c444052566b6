// The input of binding a write: the request, its body, and the scope that collects mistakes.
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { Tree } from '../../request/tree.ts';
import type { Body, EntityPlace } from '../body/body-context.ts';
import type { UploadedFile } from '../body/uploaded-file-names.ts';
import type { BoundRead, Rows } from '../bound.ts';

export interface Write {
  readonly tree: Tree;
  readonly body: Body;
  readonly input: JsonInput | undefined;
  /** The metadata of the file in the body. */
  readonly sent: UploadedFile | undefined;
}

export const NOTHING_SUPPLIED: EntityPlace['supplied'] = new Map();

/** The place of an existing entity, which is one of the rows. */
export function placeOfRows(rows: Rows, mode: 'merge' | 'replace'): EntityPlace {
  const { source, type } = rows.row;
  return { source, type, mode, target: '', rows, supplied: NOTHING_SUPPLIED };
}

/** The read of the single entity that a write changes. */
export function readOfOne(read: BoundRead): BoundRead {
  return { ...read, wanted: { kind: 'entity' }, nullable: false };
}
