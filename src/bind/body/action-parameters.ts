// Reads the parameters of an action from a body. OData Protocol 4.01, "Invoking an Action".
import { didYouMean } from '../../base/nearest-name.ts';
import { entityType, type Operation, type Parameter } from '../../edm/model.ts';
import { typeSource } from '../../edm/source.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import type { Value } from '../../edm/value/read-result.ts';
import type { Reference } from '../write/bound-write.ts';
import type { Body } from './body-context.ts';
import { noteInvalidValue, noteNull } from './body-errors.ts';
import { checkDeclaredType, type SortedObject, sortMembers } from './control-information.ts';
import { documentText, isScalar, readScalar } from './property-value.ts';

export interface ActionInput {
  readonly parameters: ReadonlyMap<string, Value>;
  readonly references: ReadonlyMap<string, Reference>;
}

/** Returns the parameters in the body; omitted optional parameters are not in the result. */
export function readParameters(
  body: Body,
  operation: Operation,
  input: JsonInput | undefined,
): ActionInput {
  const sorted = sortMembers(isJsonObject(input) ? input : {});
  if (input !== undefined && input !== null && !isJsonObject(input)) {
    noteInvalidValue(
      body,
      { name: 'The body', type: operation.name, collection: false },
      { input, target: '' },
      'an object of parameters',
    );
  }
  const parameters = operation.bound ? operation.parameters.slice(1) : operation.parameters;
  rejectUnknown(body, operation, parameters, sorted);
  const values = new Map<string, Value>();
  const references = new Map<string, Reference>();
  for (const parameter of parameters)
    readParameter(body, parameter, sorted, { values, references });
  return { parameters: values, references };
}

function rejectUnknown(
  body: Body,
  { name: type }: Operation,
  parameters: readonly Parameter[],
  sorted: SortedObject,
): void {
  const names = parameters.map(({ name }) => name);
  for (const name of [...sorted.members.keys(), ...sorted.memberControls.keys()]) {
    if (names.includes(name)) continue;
    const hint = didYouMean(name, names);
    body.mistakes.add('write.unknown-parameter', { type, name: name.slice(0, 100), hint }, name);
  }
}

interface ReadValues {
  readonly values: Map<string, Value>;
  readonly references: Map<string, Reference>;
}

function readParameter(
  body: Body,
  parameter: Parameter,
  sorted: SortedObject,
  result: ReadValues,
): void {
  const { name } = parameter;
  const type = body.model.types.get(parameter.type);
  const bound = sorted.memberControls.get(name)?.get('bind');
  const input = bound ?? sorted.members.get(name);
  if (input === undefined || input === null) {
    if (input === null && !parameter.nullable) noteNull(body, parameter, name);
    if (input === null && parameter.nullable) result.values.set(name, null);
    const mayOmit = parameter.optional === true || parameter.nullable || input === null;
    if (!mayOmit)
      body.mistakes.add('write.required', { name, type: parameter.type, hint: '' }, name);
    return;
  }
  if (type?.kind === 'entity') {
    for (const [key, reference] of readReferences(body, parameter, input))
      result.references.set(key, reference);
    return;
  }
  checkDeclaredType(
    body,
    parameter,
    sorted.memberControls.get(name)?.get('type'),
    `${name}@odata.type`,
  );
  const value = isScalar(body.model, parameter)
    ? readScalar(body, parameter, input, name)
    : documentText(body, parameter, input, name);
  if (value !== undefined) result.values.set(name, value);
}

/** `"Template": {"@odata.id": "Templates(3)"}`; several under `Requests[0]`, `Requests[1]`. */
function readReferences(
  body: Body,
  parameter: Parameter,
  input: JsonInput,
): readonly (readonly [string, Reference])[] {
  const inputs: readonly JsonInput[] =
    parameter.collection && Array.isArray(input) ? input : [input];
  return inputs.flatMap((one, index) => {
    const key = parameter.collection ? `${parameter.name}[${index}]` : parameter.name;
    const text = isJsonObject(one) ? (sortMembers(one).controls.get('id') ?? one) : one;
    const reference = body.reference({
      text,
      source: typeSource(body.model, parameter.type),
      type: entityType(body.model, parameter.type),
      target: key,
    });
    return reference === undefined ? [] : [[key, reference] as const];
  });
}
