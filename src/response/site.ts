// This file defines Site, the context of rendering: service root, model, prebuilt documents and time.
import type { Model } from '../edm/model.ts';

/** A document that is built once, with its ETag. */
export interface PrebuiltDocument {
  readonly type: string;
  readonly text: string;
  readonly etag: string;
}

/** $metadata in its formats. */
export interface MetadataDocuments {
  /** CSDL XML by protocol version. */
  readonly metadataXml: Readonly<Record<'4.0' | '4.01', PrebuiltDocument>>;
  readonly metadataJson: PrebuiltDocument;
}

/** The part of the service that an OpenAPI document describes. */
export interface OpenApiSelection {
  /** Names of sets; all if absent. */
  readonly sets?: readonly string[];
  /** Only the main operations. */
  readonly isCompact?: boolean;
}

/** $metadata, also without base types. */
interface MetadataVariants extends MetadataDocuments {
  readonly flat: MetadataDocuments;
}

export interface PrebuiltDocuments extends MetadataVariants {
  /** $metadata with the administrative sets and all other parts of the engine. */
  readonly engine: MetadataVariants;
  /** Throws request.option-value for an unknown set. */
  readonly openapi: (root: string, selection?: OpenApiSelection) => PrebuiltDocument;
}

export interface Site {
  /** `http://host:port/odata/`. */
  readonly root: string;
  readonly model: Model;
  readonly documents: PrebuiltDocuments;
  /** Whether $metadata is flat unless the request states otherwise. */
  readonly flatMetadata: boolean;
  /** Which ETag responses have: that of the entity (writes) or of its representation (reads). */
  readonly tags: 'entity' | 'representation';
  /** Returns a short digest of a text, of characters that are valid in an ETag. */
  readonly digest: (text: string) => string;
  /** Time of the response, in milliseconds since 1970, for Atom. */
  readonly now: number;
}
