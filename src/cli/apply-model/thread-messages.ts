// This file defines the messages between the service and a thread that plans and applies a model.
import { Fault, type FaultCode, type FaultDetail } from '../../base/fault.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { WantedModel } from '../../service/models/models.ts';
import type { Config } from '../config/config.ts';
import type { ModelFiles } from '../model-source.ts';

/** What a thread is to do. A model is applied once the service has sent a message that it may be. */
export interface ThreadTask {
  readonly config: Config;
  readonly files: ModelFiles;
  /** Absent if the model is only planned. */
  readonly apply?: Omit<WantedModel, 'files'>;
}

/** A thread sends one message: its plan, or why there is none. The outcome of an application is stored in the database. */
export type ThreadMessage =
  | {
      readonly kind: 'plan';
      readonly inForce: number;
      readonly isSame: boolean;
      readonly origin: string;
      /** The members of `Docket.System.ModelPlan`. */
      readonly json: JsonObject;
    }
  | {
      readonly kind: 'fault';
      readonly code: FaultCode;
      readonly message: string;
      readonly target: string | undefined;
      readonly details: readonly FaultDetail[];
    };

export function faultMessage({ code, message, target, details }: Fault): ThreadMessage {
  return { kind: 'fault', code, message, target, details };
}

/** The fault that the thread has sent. */
export function faultOf({
  code,
  message,
  target,
  details,
}: ThreadMessage & { readonly kind: 'fault' }): Fault {
  const place = target === undefined ? { details } : { details, target };
  return Object.assign(new Fault(code, {}, place), { message });
}
