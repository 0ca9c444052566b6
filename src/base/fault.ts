// This file defines Fault, the error class of the service, and FAULTS, all its errors: code, HTTP status and message template.
// docs/errors.md is generated from FAULTS.

import { REQUEST_FAULTS } from './request-faults.ts';
import { SERVICE_FAULTS } from './service-faults.ts';
import { WRITE_FAULTS } from './write-faults.ts';

/** Each row is an HTTP status and a message template. `{name}` is replaced by the parameter of that name. */
const ROWS = {
  ...REQUEST_FAULTS,
  ...WRITE_FAULTS,
  ...SERVICE_FAULTS,
} as const satisfies Record<string, `${number} ${string}`>;

export type FaultCode = keyof typeof ROWS;

interface FaultRow {
  readonly status: number;
  readonly message: string;
}

const entries = Object.entries(ROWS).map(([code, row]) => {
  const [status = ''] = row.split(' ', 1);
  return [code, { status: Number(status), message: row.slice(status.length + 1) }] as const;
});

export const FAULTS = Object.fromEntries(entries) as Readonly<Record<FaultCode, FaultRow>>;

/** One of several errors: code, message, and the path of the member or option that is wrong. */
export interface FaultDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

export interface FaultPlace {
  /** Zero-based offset into the decoded text. */
  readonly position?: number;
  /** Query option, header or property path that is wrong. */
  readonly target?: string;
  readonly details?: readonly FaultDetail[];
  /** Headers of the error response, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The values for the placeholders of a message template. */
export type FaultParameters = Readonly<Record<string, string | number | bigint>>;

/** An error that is reported to the client: stable code, HTTP status, message and location. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly position: number | undefined;
  readonly target: string | undefined;
  readonly details: readonly FaultDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, parameters: FaultParameters = {}, place: FaultPlace = {}) {
    const { status, message } = FAULTS[code];
    super(fillTemplate(message, parameters));
    this.name = 'Fault';
    this.code = code;
    this.status = status;
    this.position = place.position;
    this.target = place.target;
    this.details = place.details ?? [];
    this.headers = place.headers ?? {};
  }

  /** The same fault with other targets. */
  moved(targetOf: (target: string) => string): Fault {
    const move = (target: string | undefined) =>
      target === undefined ? {} : { target: targetOf(target) };
    const details = this.details.map((detail) => ({ ...detail, ...move(detail.target) }));
    const { code, message, position, headers } = this;
    const place = position === undefined ? {} : { position };
    const fault = new Fault(code, {}, { ...place, ...move(this.target), details, headers });
    fault.message = message;
    return fault;
  }
}

/** Converts the fault to an entry of another fault's `details`. */
export function toDetail({ code, message, target }: Fault): FaultDetail {
  return target === undefined ? { code, message } : { code, message, target };
}

/** An entry of a fault's `details`, without the cost of an error. */
export function faultDetail(
  code: FaultCode,
  parameters: FaultParameters = {},
  target?: string,
): FaultDetail {
  const message = fillTemplate(FAULTS[code].message, parameters);
  return target === undefined ? { code, message } : { code, message, target };
}

/** A programming error. The client receives 500 and the request id; the message is only logged. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws InvariantError unless the condition holds. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** Marks the default case of an exhaustive switch. Throws InvariantError. */
export function unreachable(value: never): never {
  throw new InvariantError(`unexpected ${JSON.stringify(value)}`);
}

function fillTemplate(template: string, parameters: FaultParameters): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : String(value);
  });
}

/** A method that the resource does not support. */
export function notAllowed(method: string, allowed: readonly string[]): Fault {
  const allow = allowed.join(', ');
  return new Fault('request.method', { method, allow }, { headers: { Allow: allow } });
}
