// Reports that an issuer does not respond. For a few seconds after a failure there is no other attempt, so that requests do not queue for it.
import { errors } from 'jose';
import { certificateProblem } from '../../base/certificate-problem.ts';
import { Fault } from '../../base/fault.ts';
import type { Observe } from '../../base/observation.ts';
import type { World } from '../../base/world.ts';
import { IssuerFailure, TIME_LIMIT } from './discovery.ts';

/** Time after a failure without another attempt. Milliseconds. */
const FAILURE_COOLDOWN = 5000;
/** Seconds after which clients should try again. */
const RETRY_SECONDS = 10;

export interface OutageParts {
  readonly world: World;
  readonly observe: Observe;
}

/** The requests of one purpose to one issuer. */
export class IssuerOutage {
  readonly #url: string;
  readonly #parts: OutageParts;
  #failure: { readonly fault: Fault; readonly at: number } | undefined;

  constructor(url: string, parts: OutageParts) {
    this.#url = url;
    this.#parts = parts;
  }

  /**
   * Runs a request. Throws: auth.issuer-unavailable, and the errors that the issuer is not to blame for.
   * @param isAnswer whether the issuer responded as it should, and the error is about what it was asked
   */
  async watch<Result>(
    request: () => Promise<Result>,
    isAnswer: (error: unknown) => boolean,
  ): Promise<Result> {
    const failed = this.#recent();
    if (failed !== undefined) throw failed;
    try {
      return await request();
    } catch (error) {
      if (isAnswer(error)) throw error;
      throw this.#recent() ?? this.#report(error);
    }
  }

  /** The failure that is still reported. Concurrent failures are one. */
  #recent(): Fault | undefined {
    const failure = this.#failure;
    const isRecent =
      failure !== undefined && this.#parts.world.now() - failure.at < FAILURE_COOLDOWN;
    return isRecent ? failure.fault : undefined;
  }

  #report(error: unknown): Fault {
    const { world, observe } = this.#parts;
    const parameters = { issuer: this.#url, reason: reasonOf(error), seconds: RETRY_SECONDS };
    const headers = { 'Retry-After': String(RETRY_SECONDS) };
    const fault = new Fault('auth.issuer-unavailable', parameters, { headers });
    this.#failure = { fault, at: world.now() };
    observe({ kind: 'failure', id: 'issuer', error: fault });
    return fault;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof IssuerFailure) return error.message;
  const isAborted = error instanceof Error && error.name === 'TimeoutError';
  if (isAborted || error instanceof errors.JWKSTimeout)
    return `no response within ${TIME_LIMIT / 1000} seconds`;
  if (error instanceof errors.JOSEError || error instanceof SyntaxError)
    return 'its response is not valid';
  return certificateProblem(error) ?? 'the connection failed';
}
