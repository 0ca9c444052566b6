// Reads the parameters of the action Transition: the next state, members of the entity to change with it, and a comment. They are untyped
// in $metadata, but their mistakes are reported together, as those of a body that changes the entity.
import { nearestName } from '../../base/nearest-name.ts';
import { isVisibleText } from '../../base/visible-text.ts';
import {
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { TRANSITION_PARAMETERS } from '../../edm/workflow/operations.ts';
import { type TypeWorkflow, workflowsOf } from '../../edm/workflow/workflow.ts';
import { type CodeEntry, type CodeListing, codesByText } from '../codes.ts';
import type { TransitionInput } from '../write/bound-write.ts';
import type { Body, EntityPlace } from './body-context.ts';
import { sortMembers } from './control-information.ts';

/** Undefined after a mistake. @param place the entities whose state changes */
export function readTransition(
  body: Body,
  place: EntityPlace,
  input: JsonInput | undefined,
): TransitionInput | undefined {
  const workflow = workflowsOf(body.model).get(place.type.name);
  if (workflow === undefined) return undefined;
  const { members } = sortMembers(isJsonObject(input) ? input : {});
  const to = readState(body, workflow, members.get(TRANSITION_PARAMETERS.to));
  const values = readValues(body, { workflow, place }, members.get(TRANSITION_PARAMETERS.values));
  const comment = readComment(body, workflow, members.get(TRANSITION_PARAMETERS.comment));
  return to === undefined ? undefined : { to, values, comment };
}

/** The next state: a code by its value, text or symbol. */
function readState(
  body: Body,
  { values, list }: TypeWorkflow,
  given: JsonInput | undefined,
): bigint | undefined {
  const listing = body.codes.get(list.name);
  if (given === undefined || given === null || listing === undefined) return undefined;
  const [code, ...others] = codesNamed(listing, values, given);
  if (code?.disabled === false && others.length === 0) return code.value;
  const symbols = [...values].flatMap(([symbol, value]) =>
    listing.byValue.get(value)?.disabled === false ? [symbol] : [],
  );
  const problem = code?.disabled === true ? 'is a state that is no longer in use' : 'is no state';
  return note(body, TRANSITION_PARAMETERS.to, unknownState(given, problem, symbols));
}

/** The codes with the symbol, else those with the text, else the one with the value, which is a string in IEEE754-compatible JSON. */
function codesNamed(
  listing: CodeListing,
  values: ReadonlyMap<string, bigint>,
  given: JsonInput,
): readonly CodeEntry[] {
  const withValue = (value: bigint | undefined) =>
    value === undefined ? [] : (listing.byValue.get(value) ?? []);
  if (typeof given !== 'string')
    return [withValue(typeof given === 'bigint' ? given : undefined)].flat();
  const own = [withValue(values.get(given))].flat();
  if (own.length > 0) return own;
  const named = codesByText(listing, given);
  return named.length > 0 ? named : [withValue(valueIn(given))].flat();
}

function valueIn(text: string): bigint | undefined {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

function unknownState(given: JsonInput, problem: string, symbols: readonly string[]): string {
  const shown = printJson(given).slice(0, 100);
  const nearest = typeof given === 'string' ? nearestName(given.slice(0, 100), symbols) : undefined;
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `${shown} ${problem}. Write the symbol, the text or the value of one: ${symbols.join(', ')}${hint}`;
}

interface Subject {
  readonly workflow: TypeWorkflow;
  readonly place: EntityPlace;
}

/** The members to change, which are read only for their mistakes: requests of their own change them. */
function readValues(
  body: Body,
  { workflow: { property }, place }: Subject,
  values: JsonInput | undefined,
): JsonObject {
  const { values: name, to } = TRANSITION_PARAMETERS;
  if (values === undefined || values === null) return {};
  if (!isJsonObject(values)) return note(body, name, 'it must be an object of members') ?? {};
  if (property.name in values) note(body, name, `it contains ${property.name}, which ${to} sets`);
  body.entity({ ...body, parameters: undefined }, { ...place, target: name }, values);
  return values;
}

function readComment(
  body: Body,
  { declared, type }: TypeWorkflow,
  comment: JsonInput | undefined,
): TransitionInput['comment'] {
  if (typeof comment !== 'string' || !isVisibleText(comment)) return undefined;
  const [path, member] = declared.comments?.split('/') ?? [];
  if (path !== undefined && member !== undefined) return { path, values: { [member]: comment } };
  const reason = `the workflow of ${type.name} keeps no comments`;
  return note(body, TRANSITION_PARAMETERS.comment, reason);
}

function note({ mistakes }: Body, name: string, reason: string): undefined {
  mistakes.add('workflow.parameter', { name, reason }, name);
}
