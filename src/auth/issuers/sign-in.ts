// Signs in browsers of the console at issuers: begins an attempt, and finishes it with the response that the browser carries back.
import { Fault } from '../../base/fault.ts';
import type { AccountRecord } from '../auth-records.ts';
import { type AccountParts, accountOf } from './issued-account.ts';
import { errorIn, IssuerClient, RejectedCode } from './issuer-client.ts';
import type { OutageParts } from './issuer-outage.ts';
import { newAttempt, nonceOf, type SignInAttempt, stateOf } from './sign-in-attempt.ts';
import { SignInFailed } from './sign-in-failed.ts';
import { type KnownIssuer, RejectedToken, verifyIdToken } from './verify-token.ts';

type SignInParts = OutageParts & AccountParts;

/** What the browser returns with from the issuer. */
interface Returned {
  /** The query of the URL. */
  readonly answer: URLSearchParams;
  readonly attempt: SignInAttempt | undefined;
  /** The URL that the issuer sent it to. */
  readonly callback: string;
  /** IP address of the client. */
  readonly address: string;
}

/** The sign-in of the console at all issuers that have a client for it. */
export class IssuerSignIn {
  readonly #parts: SignInParts;
  readonly #clients: ReadonlyMap<string, IssuerClient>;

  constructor(issuers: readonly KnownIssuer[], parts: SignInParts) {
    this.#parts = parts;
    const clients = issuers.flatMap((known) => {
      const { url, console: client } = known.issuer;
      return client === undefined ? [] : [[url, new IssuerClient(known, client, parts)] as const];
    });
    this.#clients = new Map(clients);
  }

  /** The issuers to choose from, with their names. */
  get choices(): readonly { readonly issuer: string; readonly name: string }[] {
    return [...this.#clients].map(([issuer, { client }]) => ({ issuer, name: client.name }));
  }

  /** Begins a sign-in. Returns where the browser goes, and what it has to keep. Throws: SignInFailed. */
  async begin(
    target: Pick<SignInAttempt, 'issuer' | 'returnTo'>,
    callback: string,
  ): Promise<{ readonly url: string; readonly attempt: SignInAttempt }> {
    const client = this.#clientOf(target.issuer);
    const attempt = newAttempt(target, this.#parts.world);
    try {
      return { attempt, url: await client.authorizationUrl(attempt, callback) };
    } catch (error) {
      throw obstacleOf(error);
    }
  }

  /** The account that has signed in. Throws: SignInFailed, auth.busy. */
  async finish({ answer, attempt, callback, address }: Returned): Promise<AccountRecord> {
    if (attempt === undefined || answer.get('state') !== stateOf(attempt))
      throw new SignInFailed('restart', 'the browser has not begun it, or too long ago');
    const client = this.#clientOf(attempt.issuer);
    try {
      const code = await codeIn(answer, client);
      const token = await client.exchange(code, attempt, callback);
      const { clientId } = client.client;
      const now = this.#parts.world.now();
      const verified = await verifyIdToken(token, client.known, {
        clientId,
        nonce: nonceOf(attempt),
        now,
      });
      return await accountOf(verified, address, this.#parts).catch((error: unknown) => {
        throw error instanceof RejectedToken ? new SignInFailed('account', error.message) : error;
      });
    } catch (error) {
      throw obstacleOf(error);
    }
  }

  #clientOf(issuer: string): IssuerClient {
    const client = this.#clients.get(issuer);
    if (client !== undefined) return client;
    throw new SignInFailed('issuer', 'the issuer is not configured for the console');
  }
}

/** The code in the response of the issuer. Throws: SignInFailed, auth.issuer-unavailable. */
async function codeIn(answer: URLSearchParams, client: IssuerClient): Promise<string> {
  if (!(await client.hasSent(answer.get('iss'))))
    throw new SignInFailed('rejected', 'the response comes from another issuer');
  const error = answer.get('error');
  if (error === 'access_denied') throw new SignInFailed('cancelled', 'the user has cancelled it');
  if (error !== null)
    throw new SignInFailed('rejected', `the issuer returned the error ${errorIn(error)}`);
  const code = answer.get('code');
  if (code) return code;
  throw new SignInFailed('rejected', 'the response of the issuer contains no code');
}

function obstacleOf(error: unknown): unknown {
  if (error instanceof RejectedToken)
    return new SignInFailed('rejected', `the ID token is not accepted: ${error.message}`);
  if (error instanceof RejectedCode) return new SignInFailed('rejected', error.message);
  const isDown = error instanceof Fault && error.code === 'auth.issuer-unavailable';
  return isDown ? new SignInFailed('unavailable', error.message) : error;
}
