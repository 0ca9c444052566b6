import { didYouMean } from '../../base/nearest-name.ts';
import {
  DOCKET_VOCABULARY,
  findVocabulary,
  PUBLISHED_VOCABULARIES,
} from '../../edm/csdl/vocabularies.ts';
import type { Annotations, Described, Json, Member, Model } from '../../edm/model.ts';
import type * as Tree from '../../request/tree.ts';
import type { Expression } from '../bound.ts';
import { type Frame, faultAt, type Resolved } from '../scope.ts';
import { resolvedTypeName } from './collection.ts';
import { constant } from './literal.ts';
import { BOOLEAN, INT64, NULL, primitive, STRING } from './types.ts';

/** The annotation value as an expression. Throws: bind.unknown-property for terms of an unknown vocabulary. */
export function annotationAt(
  frame: Frame,
  resolved: Resolved,
  step: Tree.AnnotationStep,
): Expression {
  return valueOfJson(valueAt(frame, resolved, step) ?? null);
}

/**
 * The annotation as a member of a JSON object in the response. `json` is undefined if the model has no value, or a dynamic one (a path
 * or an expression). Throws: bind.unknown-property for terms of an unknown vocabulary.
 */
export function annotationMember(
  frame: Frame,
  resolved: Resolved,
  step: Tree.AnnotationStep,
): { readonly name: string; readonly json: string | undefined } {
  const value = valueAt(frame, resolved, step);
  const qualifier = step.qualifier === undefined ? '' : `#${step.qualifier}`;
  const json = value === undefined || isDynamic(value) ? undefined : JSON.stringify(value);
  return { name: `@${step.term}${qualifier}`, json };
}

function isDynamic(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(isDynamic);
  return Object.entries(value).some(([name, one]) => name.startsWith('$') || isDynamic(one));
}

function valueAt(frame: Frame, resolved: Resolved, step: Tree.AnnotationStep): Json | undefined {
  const term = canonicalTerm(frame, resolved, step);
  const name = step.qualifier === undefined ? term : `${term}#${step.qualifier}`;
  return annotationOf(frame.model, annotatedElement(resolved), name);
}

/** Replaces the namespace of a vocabulary by its alias: `Org.OData.Core.V1.Description` is `Core.Description`. */
function canonicalTerm(frame: Frame, resolved: Resolved, step: Tree.AnnotationStep): string {
  const dot = step.term.lastIndexOf('.');
  const prefix = step.term.slice(0, Math.max(dot, 0));
  const vocabulary = findVocabulary(prefix);
  if (vocabulary !== undefined) return `${vocabulary.alias}${step.term.slice(dot)}`;
  const { namespaces } = frame.model.definition;
  const own = namespaces.find(({ name, alias }) => name === prefix || alias === prefix);
  if (own !== undefined) return `${own.name}${step.term.slice(dot)}`;
  const known = [...PUBLISHED_VOCABULARIES, DOCKET_VOCABULARY].map(({ alias }) => alias);
  throw faultAt(frame, step.at, 'bind.unknown-property', {
    type: resolvedTypeName(resolved),
    name: `@${step.term.slice(0, 100)}`,
    hint: didYouMean(prefix, known),
  });
}

/** The model element at the end of the path. */
function annotatedElement(resolved: Resolved): Described | undefined {
  switch (resolved.kind) {
    case 'row':
      return resolved.row.kind === 'follow' ? resolved.row.navigation : resolved.type;
    case 'rows': {
      const { origin, row } = resolved.rows;
      return 'navigation' in origin ? origin.navigation : (row.source.set ?? row.type);
    }
    case 'value':
      return resolved.value.kind === 'property' ? resolved.value.path.at(-1) : undefined;
    case 'elements': {
      const { of } = resolved.collection;
      return of.kind === 'property' ? of.path.at(-1) : undefined;
    }
    default:
      return undefined;
  }
}

/** The annotation of the element, including those derived from its labels, description and flags. */
function annotationOf(
  { definition }: Model,
  element: (Described & Partial<Pick<Member, 'computed' | 'immutable'>>) | undefined,
  name: string,
): Json | undefined {
  if (element === undefined) return undefined;
  const [language = 'en', ...others] = definition.languages;
  const derived: Annotations = {
    ...textOf('Core.Description', element.labels?.[language]),
    ...Object.assign(
      {},
      ...others.map((one) =>
        textOf(`Core.Description#${one.replaceAll('-', '_')}`, element.labels?.[one]),
      ),
    ),
    ...textOf('Core.LongDescription', element.description),
    ...(element.computed === true ? { 'Core.Computed': true } : {}),
    ...(element.immutable === true ? { 'Core.Immutable': true } : {}),
  };
  return element.annotations?.[name] ?? derived[name];
}

function textOf(term: string, text: string | undefined): Annotations {
  return text === undefined ? {} : { [term]: text };
}

function valueOfJson(value: Json): Expression {
  switch (typeof value) {
    case 'string':
      return constant(STRING, value);
    case 'boolean':
      return constant(BOOLEAN, value);
    case 'number':
      return Number.isSafeInteger(value)
        ? constant(INT64, BigInt(value))
        : constant(primitive('Edm.Double'), value);
    default:
      return value === null
        ? constant(NULL, null)
        : {
            kind: 'json',
            type: { kind: 'untyped', collection: false },
            text: JSON.stringify(value),
          };
  }
}
