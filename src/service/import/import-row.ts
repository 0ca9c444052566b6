// This file defines the rows of an import, whatever file they are in.
import type { FaultDetail } from '../../base/fault.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { RecordForm, StoredRecord } from './stored-record.ts';

/** Where an error is in the file. */
export interface CellPlace {
  readonly column?: string | undefined;
  readonly value?: string | undefined;
}

/** A record that the row relates, and of which it states properties. */
export interface RelatedRead {
  readonly navigation: string;
  /** `Persons(Uid=12)` */
  readonly address: string;
  readonly form: RecordForm;
}

export interface ImportRow {
  /** As spreadsheets number rows, so that the first after the headings is 2. In JSON lines, the line. */
  readonly number: number;
  /** The value at the path of a key property; undefined if the row has none. */
  readonly textAt: (path: string) => string | undefined;
  /** The version of the record that the row was made from. */
  readonly etag: string | undefined;
  readonly form: RecordForm;
  /** The record that the row creates. */
  readonly record: () => JsonObject;
  /** What the row changes in the stored record. */
  readonly changesOf: (stored: StoredRecord) => JsonObject;
  /** The records to read before mistakesOf. */
  readonly relatedReads: (stored: StoredRecord | undefined) => readonly RelatedRead[];
  /**
   * The values that the row can neither create nor change: import.related.
   * @param related what relatedReads has found, by navigation
   */
  readonly mistakesOf: (
    stored: StoredRecord | undefined,
    related: ReadonlyMap<string, StoredRecord>,
  ) => readonly FaultDetail[];
  /** The place of the property, or of the header, that an error names. */
  readonly placeOf: (target: string | undefined) => CellPlace;
}
