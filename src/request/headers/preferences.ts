// This file defines Preferences, what the Prefer header of a request asks for.

/** Prefer, in either spelling (maxpagesize, odata.maxpagesize). What is absent, unknown or unreadable is undefined or false. */
export interface Preferences {
  readonly return: 'minimal' | 'representation' | undefined;
  readonly maxpagesize: number | undefined;
  /** The patterns of include-annotations, such as *, -NS.*, NS.Term#Qualifier. */
  readonly includeAnnotations: readonly string[] | undefined;
  readonly omitValues: 'nulls' | 'defaults' | undefined;
  readonly continueOnError: boolean | undefined;
  readonly trackChanges: boolean;
  readonly respondAsync: boolean;
  /** Seconds. */
  readonly wait: number | undefined;
  readonly allowEntityReferences: boolean;
  /** The address of the callback preference. */
  readonly callback: string | undefined;
  readonly conflictResolution: 'replace' | 'rename' | 'none' | undefined;
  readonly dryRun: boolean;
  /** How the request spells each known preference, by name in lower case without the prefix odata. */
  readonly spellings: ReadonlyMap<string, PreferenceSpelling>;
}

export interface PreferenceSpelling {
  /** The name in the case of the request, with the prefix odata. if it has one. */
  readonly name: string;
  readonly hasValue: boolean;
}
