// This file defines what rendering needs to know of the installation and of the moment: its address and its ready-made documents.
import type { Model } from '../edm/model.ts';

/** A text that is made once, with its ETag. */
export interface ReadyDocument {
  readonly type: string;
  readonly text: string;
  readonly etag: string;
}

export interface ReadyDocuments {
  /** CSDL XML by protocol version. */
  readonly metadataXml: Readonly<Record<'4.0' | '4.01', ReadyDocument>>;
  readonly metadataJson: ReadyDocument;
  readonly openapi: (root: string) => ReadyDocument;
}

export interface Site {
  /** `http://host:port/odata/`. */
  readonly root: string;
  readonly model: Model;
  readonly documents: ReadyDocuments;
  /** Whose ETag responses carry: that of the entity (writes), or that of its representation (reads). */
  readonly tags: 'entity' | 'representation';
  /** A short digest of a text, of characters that an ETag may have. */
  readonly digest: (text: string) => string;
  /** Milliseconds since 1970: Atom says when an answer was made. */
  readonly now: number;
}
