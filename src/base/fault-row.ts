// This file defines the row type of the error tables.

/** HTTP status and message template of an error. `{name}` is replaced by the parameter of that name. */
export interface FaultRow {
  readonly status: number;
  readonly message: string;
}
