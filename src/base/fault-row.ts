// This file says what a row of the tables of refusals is made of.

/** A refusal: HTTP status and message, in which `{name}` is replaced by the parameter of that name. */
export interface FaultRow {
  readonly status: number;
  readonly message: string;
}
