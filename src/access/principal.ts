// This file defines who asks: an account that has proved to be itself. auth/ makes principals, everything else only reads them.

export interface Principal {
  /** Key of the account. */
  readonly account: bigint;
  readonly loginName: string;
  /** Key of the person behind the account, if there is one. */
  readonly person: bigint | undefined;
  /** Names of the roles that the account has. */
  readonly roles: readonly string[];
  /** May do everything, and see what is reserved to administrators. */
  readonly administrator: boolean;
  /** The log-in by whose token it asks; none where there is no token, as with what was put off. */
  readonly session?: bigint;
}
