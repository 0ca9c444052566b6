// This file limits accounts that must do something before they may do anything else: change a password that somebody else has chosen, or add
// a second factor that one of their roles requires.
import type { Principal, RequiredStep } from '../../access/principal.ts';
import { Fault, type FaultCode } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import type { Model, Operation } from '../../edm/model.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Call, Service } from '../service.ts';

interface Step {
  readonly fault: FaultCode;
  /** The actions that are permitted, by their names in the message of the error. */
  readonly actions: Readonly<Record<string, Operation['engine'] & string>>;
}

const STEPS = {
  'change-password': { fault: 'auth.password-change', actions: { action: 'own-password' } },
  'add-second-factor': {
    fault: 'auth.second-factor-required',
    actions: { begin: 'begin-second-factor', confirm: 'confirm-second-factor' },
  },
} satisfies Record<RequiredStep, Step>;

/**
 * Rejects requests of an account with a required step, except the actions of the step, and documents that a client needs to find them.
 * Throws: auth.password-change, auth.second-factor-required.
 */
export function rejectBeforeStep(
  { method, path }: Pick<Call, 'method' | 'path'>,
  { model }: Pick<Service, 'model'>,
  { requiredStep }: Principal,
): void {
  if (requiredStep === undefined) return;
  const actions = permittedActions(model)[requiredStep];
  const name = decodedIfPossible(path).replace(/\/$/, '');
  const isDocument =
    (name === '' || name === '$metadata') && (method === 'GET' || method === 'HEAD');
  if (isDocument || (method === 'POST' && Object.values(actions).includes(name))) return;
  throw new Fault(STEPS[requiredStep].fault, actions);
}

/** The imports of the permitted actions, by whichever name. */
const permittedActions = perObject(({ definition: { imports, operations } }: Model) => {
  const importOf = (engine: string) => {
    const action = operations.find((operation) => operation.engine === engine)?.name;
    return imports.find(({ operation }) => operation === action)?.name ?? '';
  };
  const importsOf = ({ actions }: Step) =>
    Object.fromEntries(Object.entries(actions).map(([key, engine]) => [key, importOf(engine)]));
  return {
    'change-password': importsOf(STEPS['change-password']),
    'add-second-factor': importsOf(STEPS['add-second-factor']),
  } satisfies Record<RequiredStep, unknown>;
});
