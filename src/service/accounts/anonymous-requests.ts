// This file answers requests without a token with 401 where they need an account: for operations about the current account or its person,
// such as Me, ChangePassword or CreateApiKey, and wherever an account would get 403.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import {
  type Effect,
  type EffectValues,
  type Model,
  type Operation,
  simpleName,
} from '../../edm/model.ts';
import { decodedIfPossible } from '../../request/decode.ts';
import type { Call, Service } from '../service.ts';

/** Rejects operations that need an account, if the principal has none. Throws: auth.token-missing. */
export function requireAccount(
  { path }: Pick<Call, 'path'>,
  { model, sessions }: Pick<Service, 'model' | 'sessions'>,
  principal: Principal,
): void {
  if (principal.anonymous !== true) return;
  const personal = personalNames(model);
  const names = decodedIfPossible(path).split('/').map(nameOf);
  if (names.some((name) => personal.has(name))) throw sessions.tokenMissing();
}

/** The fault for a principal: 401 in place of 403 if it has no account, since a token may have the right. */
export function faultFor(
  { sessions }: Pick<Service, 'sessions'>,
  principal: Principal | undefined,
  error: unknown,
): unknown {
  const isDenied = error instanceof Fault && error.status === 403;
  return isDenied && principal?.anonymous === true ? sessions.tokenMissing() : error;
}

/** The name of a segment without keys or parameters. */
function nameOf(segment: string): string {
  return segment.replace(/\(.*$/s, '');
}

/** Names of the operations and imports whose result or effects depend on the account. */
const personalNames = perObject(({ definition }: Model): ReadonlySet<string> => {
  const operations = definition.operations.filter(isPersonal).map(({ name }) => name);
  const imports = definition.imports.filter(({ operation }) => operations.includes(operation));
  return new Set([
    ...operations,
    ...operations.map(simpleName),
    ...imports.map(({ name }) => name),
  ]);
});

const OF_THE_ACCOUNT: ReadonlySet<Operation['engine']> = new Set([
  'own-password',
  'api-key',
  'end-sessions',
  'begin-second-factor',
  'confirm-second-factor',
  'remove-second-factor',
]);

function isPersonal({ engine, expression = '', effects = [] }: Operation): boolean {
  const texts = [expression, ...effects.flatMap(expressionsOf)];
  return OF_THE_ACCOUNT.has(engine) || texts.some(usesAccount);
}

function expressionsOf(effect: Effect): readonly string[] {
  return Object.values(effect).flatMap((part: string | EffectValues) =>
    typeof part === 'string' ? [part] : Object.values(part),
  );
}

/** Whether an expression refers to the person, the account or the session of the request, outside of string literals. */
function usesAccount(expression: string): boolean {
  return /@(?:me|account|session)\b/.test(expression.replace(/'(?:[^']|'')*'/g, ''));
}
