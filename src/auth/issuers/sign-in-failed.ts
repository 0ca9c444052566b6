// The outcome of a sign-in of the console that did not succeed.

/** What prevents a sign-in, as the page explains it to people. */
type SignInObstacle =
  /** The issuer is not configured for the console. */
  | 'issuer'
  /** The browser has not begun this sign-in, or too long ago. */
  | 'restart'
  | 'cancelled'
  /** The issuer does not respond. */
  | 'unavailable'
  /** The response of the issuer is not accepted. */
  | 'rejected'
  /** There is no account, or it is blocked. */
  | 'account';

/** A sign-in that failed. The message is for administrators, and contains nothing of the response. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
  readonly obstacle: SignInObstacle;

  constructor(obstacle: SignInObstacle, reason: string) {
    super(reason);
    this.obstacle = obstacle;
  }
}
