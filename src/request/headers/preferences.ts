// This file defines Preferences, the parsed Prefer header.

/** Preferences that are absent, unknown or malformed are undefined or false. */
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
  /** The URL of the callback preference. */
  readonly callback: string | undefined;
  readonly conflictResolution: 'replace' | 'rename' | 'none' | undefined;
  readonly dryRun: boolean;
  readonly handling: 'strict' | 'lenient' | undefined;
  /** The spelling of each known preference in the request, by its name in lower case without the prefix odata. */
  readonly spellings: ReadonlyMap<string, PreferenceSpelling>;
}

export interface PreferenceSpelling {
  /** The name in its original case, including the prefix odata., if any. */
  readonly name: string;
  readonly hasValue: boolean;
}
