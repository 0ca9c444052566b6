// This file checks the values that a model gives to properties: expressions of `Docket.Generated`, which are bound to every table that has
// the property, and defaults of any type.
import type { EntityType, Model, Property } from '../../edm/model.ts';
import { elementPath, type Mistake, mistake, warning } from '../../edm/model-error.ts';
import { allSources, declaringType, type Source } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import { defaultBody } from '../body/default-body.ts';
import { readSingleProperty } from '../body/entity-body.ts';
import { bindExpression, startSession } from '../expression/expression.ts';
import { contextParameters } from '../expression/operation-call.ts';
import { pathsIn } from '../expression/paths-in.ts';
import { typeOfReference } from '../expression/types.ts';
import {
  DEFAULT_BIND_LIMITS,
  newEntityRow,
  resolvedVariable,
  startFrame,
  subjectOf,
} from '../scope.ts';
import { type ExpressionCheck, misfit, tryExpression } from './expression-check.ts';

/** A property of the entities of a source, reached through complex properties. */
interface Use {
  readonly source: Source;
  readonly type: EntityType;
  readonly path: readonly Property[];
  readonly property: Property;
}

/** Returns all mistakes in generated values and defaults, one for each property. The model must have passed lint. */
export function checkProperties(check: ExpressionCheck): readonly Mistake[] {
  const found = new Map<string, Mistake>();
  for (const use of usesOf(check.model)) {
    for (const one of [...checkGenerated(check, use), ...checkDefault(check.model, use)])
      if (!found.has(one.path)) found.set(one.path, one);
  }
  return [...found.values()];
}

function usesOf(model: Model): readonly Use[] {
  return allSources(model).flatMap((source) =>
    [source.type, ...model.derived(source.type)].flatMap((type) =>
      propertiesIn(model, { source, type }, [...model.members(type).values()], []),
    ),
  );
}

function propertiesIn(
  model: Model,
  at: Pick<Use, 'source' | 'type'>,
  members: readonly { readonly kind: string }[],
  path: readonly Property[],
): readonly Use[] {
  const properties = members.filter((member): member is Property => member.kind === 'property');
  return properties.flatMap((property) => {
    const inner = model.types.get(property.type);
    const isNested = inner?.kind === 'complex' && inner.coded === undefined && !property.collection;
    const nested = isNested
      ? propertiesIn(model, at, [...model.members(inner).values()], [...path, property])
      : [];
    return [{ ...at, path, property }, ...nested];
  });
}

function pathOf(model: Model, { type, path, property }: Use, member: string): string {
  const owner = path.at(-1);
  const complex = owner === undefined ? undefined : model.types.get(owner.type);
  const start = complex?.kind === 'complex' ? complex : type;
  return elementPath(declaringType(model, start, property.name).name, property.name, member);
}

function checkGenerated(check: ExpressionCheck, use: Use): readonly Mistake[] {
  const { model } = check;
  const { source, type, property } = use;
  if (property.generated === undefined || !('expression' in property.generated)) return [];
  const place = pathOf(model, use, '@Docket.Generated');
  let reason: string | undefined;
  let read: readonly string[] = [];
  const mistakes = tryExpression(check, place, property.generated.expression, (text) => {
    const session = startSession({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS });
    const row = { ...newEntityRow(session, source, type) };
    const subject = subjectOf(resolvedVariable(row));
    const frame = startFrame(session, { name: undefined, target: 'the expression' }, subject);
    const known = { ...frame, parameters: contextParameters(frame) };
    const bound = bindExpression(known, parseExpression(text, 'the expression'));
    reason = misfit(model, bound.type, typeOfReference(model, property));
    read = pathsIn(bound, row);
    return bound;
  });
  if (reason !== undefined) return [mistake(place, reason, 'Change the expression.')];
  return mistakes.length > 0 ? mistakes : checkOrder(model, use, read);
}

/** Values are computed in the order of the properties, so one that reads a later one gets its previous value. */
function checkOrder(model: Model, use: Use, read: readonly string[]): readonly Mistake[] {
  const { type, path, property } = use;
  if (property.generated?.by !== 'expression' || path.length > 0) return [];
  const members = [...model.stored(type).values()];
  const later = members.slice(members.indexOf(property) + 1).filter((member) => {
    return member.kind === 'property' && member.generated?.by === 'expression';
  });
  return later
    .filter(({ name }) => read.some((one) => one.split('/', 1)[0] === name))
    .map(({ name }) =>
      warning(
        pathOf(model, use, '@Docket.Generated'),
        `${property.name} reads ${name}, which is computed after it, and so gets its previous value.`,
        `Declare ${name} before ${property.name}.`,
      ),
    );
}

function checkDefault(model: Model, use: Use): readonly Mistake[] {
  const { source, type, path, property } = use;
  if (property.defaultValue === undefined || property.generated !== undefined) return [];
  const body = defaultBody(model, type);
  const place = { source, type, mode: 'create', target: '', supplied: new Map() } as const;
  readSingleProperty(body, { place, parents: path, property }, property.defaultValue);
  return body.mistakes.details
    .slice(0, 1)
    .map(({ message }) =>
      mistake(pathOf(model, use, '$DefaultValue'), message, 'Correct or remove the default.'),
    );
}
