// This file checks the terms of the vocabulary Validation: whether they apply to their element, whether their values can be read, and
// whether they contradict one another or a default value.
import { didYouMean } from '../../base/nearest-name.ts';
import {
  type Annotations,
  type Generated,
  isStructured,
  type Json,
  type Model,
  type TypeReference,
} from '../model.ts';
import { type Mistake, mistake, mistakeIf, warning } from '../model-error.ts';
import {
  compileRule,
  itemCounts,
  permittedTypes,
  type RuledElement,
  VALUE_TERMS,
  type ValueRule,
} from '../validation/value-rules.ts';
import { parseEnumJson } from '../value/enum.ts';
import { parseJson, resolvePrimitive } from '../value/primitives.ts';

type Path = (member: string) => string;

/** An element that can have rules: `collection` is false for types. */
interface Target extends Partial<TypeReference> {
  readonly annotations?: Annotations | undefined;
}

const COUNT_TERMS = ['Validation.MinItems', 'Validation.MaxItems'];
const BOUNDS = ['Validation.Minimum', 'Validation.Maximum'];
const CONSTRAINT = 'Validation.Constraint';
/** Terms without an effect on values. */
const SILENT_TERMS = ['Validation.ApplicableTerms', 'Validation.AllowedTerms'];
const DERIVED = 'Validation.DerivedTypeConstraint';
const UNENFORCED_TERMS = ['Validation.ItemsOf', 'Validation.OpenPropertyTypeConstraint', DERIVED];

/** Checks the rules of a property, a parameter or a type definition. */
export function lintValueRules(
  model: Model,
  element: Pick<TypeReference, 'type' | 'facets' | 'collection'> & {
    readonly annotations?: Annotations | undefined;
    readonly defaultValue?: Json;
    readonly generated?: Generated;
  },
  path: Path,
): readonly Mistake[] {
  const { annotations, generated } = element;
  if (annotations === undefined) return [];
  const compiled = VALUE_TERMS.map((term) => compileRule(model, element, term, annotations));
  const unreadable = VALUE_TERMS.flatMap((term, index) => {
    const result = compiled[index];
    if (result?.kind !== 'mistake') return [];
    const message = `${term} is not valid: ${result.expected.replace(/\.$/, '')}.`;
    return [mistake(path(`@${term}`), message, 'Correct or remove it.')];
  });
  const rules = compiled.flatMap((result) => (result?.kind === 'value' ? [result.value] : []));
  return [
    ...unreadable,
    ...lintBounds(model, element, rules, path),
    ...lintDefault(model, element, rules, path),
    ...(generated === undefined ? [] : lintComputed(rules, path)),
    ...lintCounts(element, path),
    ...lintDerived(model, element.type, annotations, path),
    ...lintNames(annotations, [...VALUE_TERMS, ...COUNT_TERMS, CONSTRAINT, DERIVED], path),
  ];
}

/** The database checks values that the service computes, but cannot check all rules. */
function lintComputed(rules: readonly ValueRule[], path: Path): readonly Mistake[] {
  return rules
    .filter(({ condition }) => condition === undefined)
    .map(({ term }) =>
      warning(
        path(`@${term}`),
        `${term} is not enforced for values that the service computes.`,
        'Put the rule on the properties that the expression reads.',
      ),
    );
}

/** Checks the terms of an element without values of its own: a structured type or a navigation. */
export function lintOtherRules(target: Target, path: Path): readonly Mistake[] {
  const { annotations } = target;
  if (annotations === undefined) return [];
  const counts = COUNT_TERMS.filter((term) => annotations[term] !== undefined);
  return [
    ...lintCounts(target, path),
    ...lintNames(annotations, [CONSTRAINT, ...COUNT_TERMS], path),
    ...counts.map((term) =>
      warning(path(`@${term}`), `${term} is enforced for properties only.`, 'Remove it.'),
    ),
  ];
}

/** Reports all terms of an element whose values are not checked: a set, an operation, an import, a return type or an enumeration. */
export function lintUnusedRules(
  { annotations = {} }: Pick<Target, 'annotations'>,
  what: string,
  path: Path,
): readonly Mistake[] {
  const remedy = 'Put it on properties, parameters or types.';
  return Object.keys(annotations).flatMap((name) => {
    const [term = ''] = name.split(/[#@]/);
    const isEnforced = term === DERIVED && STORED.includes(what);
    const isRule = term.startsWith('Validation.') && !SILENT_TERMS.includes(term) && !isEnforced;
    return isRule ? [warning(path(`@${name}`), `${term} is not enforced on ${what}.`, remedy)] : [];
  });
}

/** What lintUnusedRules calls sets and singletons. */
const STORED = ['entity sets', 'singletons'];

/** The types that an element or a set permits must be derived from its type. */
export function lintDerived(
  model: Model,
  name: string,
  annotations: Annotations | undefined,
  path: Path,
): readonly Mistake[] {
  const type = model.types.get(name);
  const derived = type === undefined || !isStructured(type) ? [] : [type, ...model.derived(type)];
  const names = derived.map((one) => one.name);
  return (permittedTypes(model, annotations) ?? [])
    .filter((one) => !names.includes(one))
    .map((one) =>
      mistake(
        path(`@${DERIVED}`),
        `${one} is not derived from ${name}.`,
        `Correct or remove it.${didYouMean(one, names)}`,
      ),
    );
}

/** The bounds must leave at least one value. */
function lintBounds(
  model: Model,
  element: RuledElement,
  rules: readonly ValueRule[],
  path: Path,
): readonly Mistake[] {
  const maximum = rules.find(({ term }) => term === 'Validation.Maximum');
  const operand = element.annotations?.['Validation.Minimum'];
  const isReadable = rules.some(({ term }) => term === 'Validation.Minimum');
  if (maximum === undefined || operand === undefined || !isReadable) return [];
  return mistakeIf(isBroken(model, element, maximum, operand), () =>
    mistake(
      path('@Validation.Minimum'),
      'The minimum exceeds the maximum, so no value is valid.',
      'Correct one of them.',
    ),
  );
}

function lintDefault(
  model: Model,
  element: RuledElement & { readonly collection: boolean; readonly defaultValue?: Json },
  rules: readonly ValueRule[],
  path: Path,
): readonly Mistake[] {
  const { defaultValue, collection } = element;
  if (defaultValue === undefined) return [];
  const items: readonly Json[] = Array.isArray(defaultValue) ? defaultValue : [];
  const values = collection ? items : [defaultValue];
  return rules
    .filter((rule) => values.some((value) => isBroken(model, element, rule, value)))
    .map(({ term, permitted }) =>
      mistake(
        path('$DefaultValue'),
        `The default breaks ${term}: expected ${permitted}.`,
        'Correct the default or the rule.',
      ),
    );
}

/** Whether the value can be read, but breaks the rule. */
function isBroken(model: Model, element: RuledElement, rule: ValueRule, value: Json): boolean {
  const type = model.types.get(element.type);
  const primitive = resolvePrimitive(model, element);
  const reading =
    type?.kind === 'enum'
      ? parseEnumJson(type, value)
      : primitive && parseJson(primitive.type, primitive.facets, value);
  return reading?.kind === 'value' && reading.value !== null && !rule.holds(reading.value);
}

function lintCounts(target: Target, path: Path): readonly Mistake[] {
  const { annotations = {}, collection = false } = target;
  const terms = COUNT_TERMS.filter((term) => annotations[term] !== undefined);
  const found = terms.flatMap((term): readonly Mistake[] => {
    const count = annotations[term];
    const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;
    return [
      ...mistakeIf(!collection, () =>
        mistake(path(`@${term}`), `${term} applies to collections only.`, 'Remove it.'),
      ),
      ...mistakeIf(!isCount, () =>
        mistake(path(`@${term}`), `${term} is not a number of items.`, 'Write 0 or more.'),
      ),
    ];
  });
  if (found.length > 0) return found;
  const counts = itemCounts(target);
  return mistakeIf(counts !== undefined && counts.least > counts.most, () =>
    mistake(
      path('@Validation.MinItems'),
      'MinItems exceeds MaxItems, so no collection is valid.',
      'Correct one of them.',
    ),
  );
}

/** Terms of the vocabulary that do not apply here, are unknown or have no effect. */
function lintNames(
  annotations: Annotations,
  applicable: readonly string[],
  path: Path,
): readonly Mistake[] {
  return Object.keys(annotations).flatMap((name): readonly Mistake[] => {
    const [term = '', inner] = name.split('@');
    const [unqualified = '', qualifier] = term.split('#');
    if (!term.startsWith('Validation.')) return [];
    if (inner !== undefined) return lintInner(unqualified, inner, path(`@${name}`));
    const known = [...VALUE_TERMS, ...COUNT_TERMS, CONSTRAINT, ...UNENFORCED_TERMS];
    if (SILENT_TERMS.includes(unqualified)) return [];
    if (UNENFORCED_TERMS.includes(unqualified) && !applicable.includes(unqualified))
      return [warning(path(`@${name}`), `${term} is not enforced.`, 'Use Validation.Constraint.')];
    if (!known.includes(unqualified)) {
      const remedy = `Correct or remove it.${didYouMean(unqualified, known)}`;
      return [mistake(path(`@${name}`), `The vocabulary has no term ${unqualified}.`, remedy)];
    }
    if (!applicable.includes(unqualified)) {
      const remedy = `Remove it. The terms that apply are ${applicable.join(', ')}.`;
      return [mistake(path(`@${name}`), `${unqualified} does not apply here.`, remedy)];
    }
    return mistakeIf(qualifier !== undefined && unqualified !== CONSTRAINT, () =>
      warning(path(`@${name}`), `${term} is not enforced.`, 'Remove the qualifier.'),
    );
  });
}

function lintInner(term: string, inner: string, path: string): readonly Mistake[] {
  if (inner !== 'Validation.Exclusive' || BOUNDS.includes(term)) return [];
  return [mistake(path, 'Validation.Exclusive applies to Minimum and Maximum only.', 'Remove it.')];
}
