// This file checks the entity container of a model (sets with their bindings, imports), operations, code lists and labels.
// OData CSDL 4.01, "Entity Container", "Navigation Property Binding", "Action and Function".
import { didYouMean } from '../../base/nearest-name.ts';
import {
  areRelated,
  type CodeList,
  type Described,
  type EntitySet,
  type EntityType,
  type Model,
  memberAt,
  type Operation,
  type OperationImport,
  type Parameter,
  type ReturnType,
  type TypeReference,
} from '../model.ts';
import {
  clashes,
  codeListPath,
  elementPath,
  type Mistake,
  memberPath,
  missing,
  mistake,
  mistakeIf,
  requireKnown,
  warning,
} from '../model-error.ts';
import { navigationPaths } from '../navigation-bindings.ts';
import { PRIMITIVES } from '../value/primitives.ts';
import { lintRecalculation } from './clocks.ts';
import { lintEffects } from './effects.ts';
import { namesOf } from './members.ts';
import { lintCalculation } from './schedules.ts';
import { lintDerived, lintUnusedRules, lintValueRules } from './validation.ts';

export function lintContainer(model: Model): readonly Mistake[] {
  const { sets, operations, imports, codeLists } = model.definition;
  const lists = codeLists.map(({ name }) => name);
  return [
    ...sets.flatMap((set) => lintSet(model, set)),
    ...operations.flatMap((operation) => lintOperation(model, operation)),
    ...lintOverloads(operations),
    ...imports.flatMap((item) => lintImport(model, item)),
    ...clashes(lists, (name) => codeListPath(model.definition.container, name), 'code list'),
    ...codeLists.flatMap((list) => lintCodeList(model, list)),
    ...lintCodeValues(model),
    ...lintLabels(model),
  ];
}

function lintSet(model: Model, set: EntitySet): readonly Mistake[] {
  const path = (member: string) => elementPath(model.definition.container, set.name, member);
  const type = model.types.get(set.type);
  if (type?.kind !== 'entity') {
    const entities = namesOf(model, ({ kind }) => kind === 'entity');
    return [missing(path('$Type'), `the entity type ${set.type}`, set.type, entities)];
  }
  const bindings = path('$NavigationPropertyBinding');
  return [
    ...mistakeIf(model.key(type).length === 0 && set.kind === 'set', () =>
      mistake(path('$Type'), `${set.type} has no key.`, 'Add one, or use a type with a key.'),
    ),
    ...Object.entries(set.bindings).flatMap(([navigationPath, target]) =>
      lintBinding(model, type, { navigationPath, target, path: bindings }),
    ),
    ...lintUnbound(model, set, bindings),
    ...lintUnusedRules(set, set.kind === 'set' ? 'entity sets' : 'singletons', path),
    ...lintDerived(model, set.type, set.annotations, path),
  ];
}

interface Binding {
  readonly navigationPath: string;
  readonly target: string;
  readonly path: string;
}

function lintBinding(model: Model, type: EntityType, binding: Binding): readonly Mistake[] {
  const { navigationPath, target, path } = binding;
  const navigation = memberAt(model, type, navigationPath);
  if (navigation?.kind !== 'navigation') {
    const names = [...model.members(type).values()]
      .filter(({ kind }) => kind === 'navigation')
      .map(({ name }) => name);
    return [missing(path, `a navigation ${type.name}/${navigationPath}`, navigationPath, names)];
  }
  const set = model.storedSets.get(target);
  if (set === undefined)
    return [missing(path, `the set ${target}`, target, model.storedSets.keys())];
  const from = model.types.get(navigation.target);
  const to = model.types.get(set.type);
  const fits = from?.kind === 'entity' && to?.kind === 'entity' && areRelated(model, from, to);
  return mistakeIf(!fits, () =>
    mistake(
      path,
      `${navigationPath} refers to ${navigation.target}, but ${target} contains ${set.type}.`,
      `Bind it to a set of ${navigation.target}.`,
    ),
  );
}

/** An unbound navigation may refer to any set that can hold its type. Without such a set, it has no target. */
function lintUnbound(model: Model, set: EntitySet, path: string): readonly Mistake[] {
  return navigationPaths(model, set)
    .filter(
      ({ path: own, navigation }) =>
        set.bindings[own] === undefined && model.types.has(navigation.target),
    )
    .flatMap(({ path: navigationPath, navigation }) => {
      const candidates = setsOf(model, navigation.target);
      if (candidates.length === 0) {
        const remedy = `Add a set of ${navigation.target}, or set $ContainsTarget on the navigation.`;
        const message = `${navigationPath} has no target: no set contains ${navigation.target}.`;
        return [mistake(path, message, remedy)];
      }
      const remedy = `Add "${navigationPath}": "${candidates[0]}" or another set of its type.`;
      const message = `${navigationPath} has no binding and may refer to any of ${candidates.join(', ')}.`;
      return mistakeIf(candidates.length !== 1, () => warning(path, message, remedy));
    });
}

function setsOf(model: Model, name: string): readonly string[] {
  const target = model.types.get(name);
  if (target?.kind !== 'entity') return [];
  return model.definition.sets.flatMap((set) => {
    const type = model.types.get(set.type);
    const fits = type?.kind === 'entity' && areRelated(model, type, target);
    return fits ? [set.name] : [];
  });
}

function lintOperation(model: Model, operation: Operation): readonly Mistake[] {
  const path = elementPath(operation.name);
  return [
    ...lintParameters(model, operation, path),
    ...(operation.returns === undefined ? [] : lintReturnType(model, operation.returns, path)),
    ...lintUnusedRules(operation, `${operation.kind}s`, (member) =>
      elementPath(operation.name, member),
    ),
    ...mistakeIf(operation.kind === 'function' && operation.returns === undefined, () =>
      mistake(
        path,
        `The function ${operation.name} has no $ReturnType.`,
        'Add one, or make it an Action.',
      ),
    ),
    ...mistakeIf(operation.expression !== undefined && operation.expression.trim() === '', () =>
      mistake(
        `${path}["@Docket.Expression"]`,
        'The expression is empty.',
        'Write an OData expression.',
      ),
    ),
    ...lintEffects(model, operation),
    ...lintCalculation(model, operation),
    ...lintRecalculation(model, operation),
  ];
}

function lintReturnType(model: Model, returns: ReturnType, path: string): readonly Mistake[] {
  const whole = `${path}.$ReturnType`;
  return [
    ...lintReference(model, returns, `${whole}.$Type`),
    ...lintUnusedRules(returns, 'return types', (member) => memberPath(whole, member)),
  ];
}

function lintParameters(model: Model, operation: Operation, path: string): readonly Mistake[] {
  const { name, bound, parameters } = operation;
  const hasRequiredLast = parameters.some(
    ({ optional }, index) => optional !== true && parameters[index - 1]?.optional === true,
  );
  const names = parameters.map((parameter) => parameter.name);
  return [
    ...clashes(names, () => path, `parameter of ${name}`),
    ...parameters.flatMap((parameter) => lintParameter(model, operation, parameter, path)),
    ...mistakeIf(bound && names.length === 0, () =>
      mistake(path, `${name} has no binding parameter.`, 'Add it as the first parameter.'),
    ),
    ...mistakeIf(hasRequiredLast, () =>
      mistake(
        path,
        'A required parameter follows an optional one.',
        'Put optional parameters last.',
      ),
    ),
  ];
}

function lintParameter(
  model: Model,
  { kind }: Operation,
  parameter: Parameter,
  operationPath: string,
): readonly Mistake[] {
  const own = `${operationPath}.$Parameter[?(@.$Name=='${parameter.name}')]`;
  const path = (member: string) => memberPath(own, member);
  const rules = Object.keys(parameter.annotations ?? {}).filter((term) =>
    term.startsWith('Validation.'),
  );
  return [
    ...lintReference(model, parameter, path('$Type')),
    ...lintValueRules(model, parameter, path),
    ...mistakeIf(parameter.annotations?.['Validation.Constraint'] !== undefined, () =>
      warning(
        path('@Validation.Constraint'),
        'Validation.Constraint is not enforced for parameters.',
        'Use Docket.Effects with Require.',
      ),
    ),
    ...mistakeIf(kind === 'function' && rules.length > 0, () =>
      warning(
        path(`@${rules[0]}`),
        'The rules of parameters are enforced for actions only.',
        'Check the parameter in the expression of the function.',
      ),
    ),
  ];
}

function lintReference(model: Model, { type }: TypeReference, path: string): readonly Mistake[] {
  const known = [...Object.keys(PRIMITIVES), ...model.types.keys()];
  return requireKnown(path, 'the type', type, known);
}

/**
 * Overloads must differ in their binding parameter or, for functions, in the names of the other parameters.
 * OData CSDL 4.01, "Action Overloads", "Function Overloads".
 */
function lintOverloads(operations: readonly Operation[]): readonly Mistake[] {
  const signatures = new Set<string>();
  return operations.flatMap((operation) => {
    const { kind, name, bound, parameters } = operation;
    const [binding] = bound ? parameters : [];
    const others = parameters.slice(bound ? 1 : 0).map((parameter) => parameter.name);
    const names = kind === 'function' ? others.toSorted().join(',') : '';
    const signature = `${name}(${binding?.type},${binding?.collection})(${names})`;
    const isDuplicate = signatures.has(signature);
    signatures.add(signature);
    const message = `Two overloads of ${name} have the same signature.`;
    return mistakeIf(isDuplicate, () =>
      mistake(
        elementPath(name),
        message,
        'Change the binding parameter or, for functions, the parameter names.',
      ),
    );
  });
}

function lintImport(model: Model, item: OperationImport): readonly Mistake[] {
  const isFunction = item.kind === 'function-import';
  const path = (member: string) => elementPath(model.definition.container, item.name, member);
  const kind = isFunction ? 'function' : 'action';
  const overloads = (model.operations.get(item.operation) ?? []).filter(
    (operation) => operation.kind === kind,
  );
  const member = isFunction ? '$Function' : '$Action';
  if (overloads.length === 0) {
    const candidates = model.definition.operations
      .filter((operation) => operation.kind === kind)
      .map(({ name }) => name);
    return [missing(path(member), `the ${kind} ${item.operation}`, item.operation, candidates)];
  }
  const unprefixed = (item.ignoredOptions ?? []).filter((option) => !option.startsWith('$'));
  return [
    ...mistakeIf(
      overloads.every(({ bound }) => bound),
      () =>
        mistake(
          path(member),
          `${item.operation} is bound and cannot be imported.`,
          `Import an unbound ${kind}.`,
        ),
    ),
    ...requireKnown(path('$EntitySet'), 'the set', item.set, model.storedSets.keys()),
    ...unprefixed.map((option) =>
      mistake(
        path('@Docket.IgnoredOptions'),
        `${option} is not a system query option.`,
        `Write $${option}.`,
      ),
    ),
  ];
}

function lintCodeList(model: Model, list: CodeList): readonly Mistake[] {
  const path = codeListPath(model.definition.container, list.name);
  const values = list.codes.map(({ value }) => value);
  const [language = ''] = model.definition.languages;
  const meanings = list.codes.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning]));
  return [
    ...clashes(values.map(String), () => path, `code of ${list.name}`),
    ...clashes(meanings, () => path, `meaning in ${list.name}`),
    ...list.codes.flatMap(({ value, parent, texts }) => [
      ...(parent === undefined || values.includes(parent)
        ? []
        : [missing(path, `the parent ${parent} of ${value}`, String(parent), values.map(String))]),
      ...mistakeIf(texts[language] === undefined, () =>
        mistake(
          path,
          `The code ${value} has no text in ${language}.`,
          'Add one. It is the fallback for other languages.',
        ),
      ),
    ]),
    ...mistakeIf(list.codes.some(({ parent }) => parent !== undefined) && !list.hierarchical, () =>
      mistake(
        path,
        'A code has a parent, but the list is not hierarchical.',
        'Set Hierarchical to true.',
      ),
    ),
    ...circularCodes(list).map((value) =>
      mistake(
        path,
        `The code ${value} is its own ancestor.`,
        'Change the Parent of one of the codes.',
      ),
    ),
  ];
}

/** Statements look up codes by their value alone. */
function lintCodeValues(model: Model): readonly Mistake[] {
  const lists = new Map<bigint, string>();
  return model.definition.codeLists.flatMap(({ name, codes }) =>
    codes.flatMap(({ value }) => {
      const other = lists.get(value) ?? name;
      lists.set(value, other);
      return mistakeIf(other !== name, () =>
        mistake(
          codeListPath(model.definition.container, name),
          `The list ${other} has a code ${value}, too.`,
          'Use other values, such as 1001 for the first code of the first list, and 2001 for that of the second.',
        ),
      );
    }),
  );
}

function circularCodes(list: CodeList): readonly bigint[] {
  const parents = new Map(list.codes.map(({ value, parent }) => [value, parent]));
  return list.codes
    .map(({ value }) => value)
    .filter((value) => {
      const visited = new Set<bigint>();
      let current = parents.get(value);
      while (current !== undefined && current !== value && !visited.has(current)) {
        visited.add(current);
        current = parents.get(current);
      }
      return current === value;
    });
}

/** Labels in a language that the model does not have are never shown. */
function lintLabels(model: Model): readonly Mistake[] {
  const { definition } = model;
  const { languages, container } = definition;
  const elements: readonly (readonly [string, Described])[] = [
    ['$', definition],
    ...definition.types.map((type) => [elementPath(type.name), type] as const),
    ...definition.types.flatMap((type) =>
      type.kind === 'definition'
        ? []
        : type.members.map((member) => [elementPath(type.name, member.name), member] as const),
    ),
    ...definition.sets.map((set) => [elementPath(container, set.name), set] as const),
    ...definition.codeLists.map(
      (list) => [codeListPath(model.definition.container, list.name), list] as const,
    ),
  ];
  return elements.flatMap(([path, { labels = {} }]) =>
    Object.keys(labels)
      .filter((language) => !languages.includes(language))
      .map((language) =>
        warning(
          path,
          `The label in ${language} is never used.`,
          `Add ${language} to the languages or remove the label.${didYouMean(language, languages)}`,
        ),
      ),
  );
}
