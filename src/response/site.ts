// This file defines Site, the context of rendering: service root, model, prebuilt documents and time.
import type { Model } from '../edm/model.ts';

/** A document that is built once, with its ETag. */
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
  /** Which ETag responses have: that of the entity (writes) or of its representation (reads). */
  readonly tags: 'entity' | 'representation';
  /** Returns a short digest of a text, of characters that are valid in an ETag. */
  readonly digest: (text: string) => string;
  /** Time of the response, in milliseconds since 1970, for Atom. */
  readonly now: number;
}
