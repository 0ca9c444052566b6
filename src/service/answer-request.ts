// This file defines what batches and jobs are handed of the corridor: the ways to have a request answered that came inside of another
// one. The principal is known already, and what a request inside says about who asks does not count.
import type { Principal } from '../access/principal.ts';
import type { Ready } from '../base/value-or-promise.ts';
import type { Answer } from '../response/response.ts';
import type { WorkResult } from '../store/database.ts';
import type { Within } from './files/uploads.ts';
import type { Call, Service } from './service.ts';

export interface Corridor {
  readonly service: Service;
  readonly principal: Principal;
  /** The principal as it is now. Fault auth.token-invalid when it may ask for nothing any more. */
  readonly current: () => Ready<Principal>;
  /** Answers a request as if it stood alone, with the rights of now. Never throws. */
  readonly answer: (call: Call) => Ready<Answer>;
  /** Does a write of the principal in a transaction that is open already. Faults: all that the rooms raise. */
  readonly write: (call: Call, principal: Principal, within: Within) => WorkResult<Answer>;
}
