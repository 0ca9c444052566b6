// This file checks the container of a model: sets with their bindings, operations and their imports, code lists and labels.
// OData CSDL 4.01, "Entity Container", "Navigation Property Binding", "Action and Function".
import { didYouMean } from '../../base/nearest-name.ts';
import { navigationPaths } from '../complete-definition.ts';
import {
  type CodeList,
  type Described,
  type EntitySet,
  type EntityType,
  isAssignable,
  type Model,
  type Operation,
  type OperationImport,
  type TypeReference,
} from '../model.ts';
import {
  clashes,
  elementPath,
  type Mistake,
  missing,
  mistake,
  warning,
  when,
} from '../model-error.ts';
import { isPrimitive, PRIMITIVES } from '../value/primitives.ts';
import { lintEffects } from './effects.ts';
import { memberAt } from './members.ts';

export function lintContainer(model: Model): readonly Mistake[] {
  const { sets, operations, imports, codeLists } = model.definition;
  const lists = codeLists.map(({ name }) => name);
  return [
    ...sets.flatMap((set) => lintSet(model, set)),
    ...operations.flatMap((operation) => lintOperation(model, operation)),
    ...lintOverloads(operations),
    ...imports.flatMap((item) => lintImport(model, item)),
    ...clashes(lists, (name) => listPath(model, name), 'code list'),
    ...codeLists.flatMap((list) => lintCodeList(model, list)),
    ...lintLabels(model),
  ];
}

function lintSet(model: Model, set: EntitySet): readonly Mistake[] {
  const path = (member: string) => elementPath(model.definition.container, set.name, member);
  const type = model.types.get(set.type);
  if (type?.kind !== 'entity') {
    const entities = model.definition.types.filter(({ kind }) => kind === 'entity');
    return [
      missing(
        path('$Type'),
        `the entity type ${set.type}`,
        set.type,
        entities.map(({ name }) => name),
      ),
    ];
  }
  const bindings = path('$NavigationPropertyBinding');
  return [
    ...when(model.key(type).length === 0 && set.kind === 'set', () =>
      mistake(path('$Type'), `${set.type} has no key.`, 'Give it one, or name a type that has.'),
    ),
    ...Object.entries(set.bindings).flatMap(([way, target]) =>
      lintBinding(model, type, { way, target, path: bindings }),
    ),
    ...lintUnbound(model, set, bindings),
  ];
}

interface Binding {
  readonly way: string;
  readonly target: string;
  readonly path: string;
}

function lintBinding(model: Model, type: EntityType, binding: Binding): readonly Mistake[] {
  const { way, target, path } = binding;
  const navigation = memberAt(model, type, way);
  if (navigation?.kind !== 'navigation') {
    const names = [...model.members(type).values()]
      .filter(({ kind }) => kind === 'navigation')
      .map(({ name }) => name);
    return [missing(path, `a navigation ${type.name}/${way}`, way, names)];
  }
  const set = model.sets.get(target);
  if (set === undefined) return [missing(path, `the set ${target}`, target, model.sets.keys())];
  const from = model.types.get(navigation.target);
  const to = model.types.get(set.type);
  const fits =
    from?.kind === 'entity' &&
    to?.kind === 'entity' &&
    (isAssignable(model, from, to) || isAssignable(model, to, from));
  return when(!fits, () =>
    mistake(
      path,
      `${way} leads to ${navigation.target}, but ${target} holds ${set.type}.`,
      `Bind it to a set of ${navigation.target}.`,
    ),
  );
}

/** A navigation without a binding can lead anywhere its type is kept; where it is kept nowhere, it leads nowhere. */
function lintUnbound(model: Model, set: EntitySet, path: string): readonly Mistake[] {
  return navigationPaths(model.definition, set)
    .filter(({ path: way }) => set.bindings[way] === undefined)
    .flatMap(({ path: way, navigation }) => {
      const candidates = setsOf(model, navigation.target);
      if (candidates.length === 0) {
        const remedy = `Add a set of ${navigation.target}, or let the navigation contain its target.`;
        return [mistake(path, `${way} leads nowhere: no set holds ${navigation.target}.`, remedy)];
      }
      const remedy = `Add "${way}": "${candidates[0]}" or another set of its type.`;
      const message = `${way} has no binding and leads to any of ${candidates.join(', ')}.`;
      return when(candidates.length !== 1, () => warning(path, message, remedy));
    });
}

function setsOf(model: Model, name: string): readonly string[] {
  const wanted = model.types.get(name);
  if (wanted?.kind !== 'entity') return [];
  return model.definition.sets.flatMap((set) => {
    const type = model.types.get(set.type);
    const fits =
      type?.kind === 'entity' &&
      (isAssignable(model, type, wanted) || isAssignable(model, wanted, type));
    return fits ? [set.name] : [];
  });
}

function lintOperation(model: Model, operation: Operation): readonly Mistake[] {
  const path = elementPath(operation.name);
  return [
    ...lintParameters(model, operation, path),
    ...(operation.returns === undefined
      ? []
      : lintReference(model, operation.returns, `${path}.$ReturnType.$Type`)),
    ...when(operation.kind === 'function' && operation.returns === undefined, () =>
      mistake(
        path,
        `The function ${operation.name} returns nothing.`,
        'Add $ReturnType, or make it an Action.',
      ),
    ),
    ...when(operation.expression !== undefined && operation.expression.trim() === '', () =>
      mistake(
        `${path}["@Docket.Expression"]`,
        'The expression is empty.',
        'Write an OData expression.',
      ),
    ),
    ...lintEffects(model, operation),
  ];
}

function lintParameters(
  model: Model,
  { name, bound, parameters }: Operation,
  path: string,
): readonly Mistake[] {
  const isLate = parameters.some(
    ({ optional }, index) => optional !== true && parameters[index - 1]?.optional === true,
  );
  const names = parameters.map((parameter) => parameter.name);
  return [
    ...clashes(names, () => path, `parameter of ${name}`),
    ...parameters.flatMap((parameter) =>
      lintReference(model, parameter, `${path}.$Parameter[?(@.$Name=='${parameter.name}')].$Type`),
    ),
    ...when(bound && names.length === 0, () =>
      mistake(path, `${name} is bound to nothing.`, 'Add the binding parameter as the first one.'),
    ),
    ...when(isLate, () =>
      mistake(
        path,
        'A required parameter stands behind an optional one.',
        'Put optional parameters last.',
      ),
    ),
  ];
}

function lintReference(model: Model, reference: TypeReference, path: string): readonly Mistake[] {
  const { type } = reference;
  if (isPrimitive(type) || model.types.has(type)) return [];
  const candidates = [...Object.keys(PRIMITIVES), ...model.types.keys()];
  return [missing(path, `the type ${type}`, type, candidates)];
}

/**
 * Overloads are told apart by their binding parameters, functions also by the names of the others.
 * OData CSDL 4.01, "Action Overloads", "Function Overloads".
 */
function lintOverloads(operations: readonly Operation[]): readonly Mistake[] {
  const seen = new Set<string>();
  return operations.flatMap((operation) => {
    const { kind, name, bound, parameters } = operation;
    const [binding] = bound ? parameters : [];
    const others = parameters.slice(bound ? 1 : 0).map((parameter) => parameter.name);
    const told = kind === 'function' ? others.toSorted().join(',') : '';
    const signature = `${name}(${binding?.type},${binding?.collection})(${told})`;
    const isKnown = seen.has(signature);
    seen.add(signature);
    const message = `Two overloads of ${name} cannot be told apart.`;
    return when(isKnown, () =>
      mistake(
        elementPath(name),
        message,
        'Give them other binding parameters or, for functions, other names of parameters.',
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
  const odd = (item.ignoredOptions ?? []).filter((option) => !option.startsWith('$'));
  return [
    ...when(
      overloads.every(({ bound }) => bound),
      () =>
        mistake(
          path(member),
          `${item.operation} is bound and cannot be imported.`,
          `Import an unbound ${kind}.`,
        ),
    ),
    ...(item.set === undefined || model.sets.has(item.set)
      ? []
      : [missing(path('$EntitySet'), `the set ${item.set}`, item.set, model.sets.keys())]),
    ...odd.map((option) =>
      mistake(
        path('@Docket.IgnoredOptions'),
        `${option} is no system query option.`,
        `Write $${option}.`,
      ),
    ),
  ];
}

function lintCodeList(model: Model, list: CodeList): readonly Mistake[] {
  const path = listPath(model, list.name);
  const values = list.codes.map(({ value }) => value);
  const [language = ''] = model.definition.languages;
  const meanings = list.codes.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning]));
  return [
    ...clashes(values.map(String), () => path, `code of ${list.name}`),
    ...clashes(meanings, () => path, `meaning in ${list.name}`),
    ...list.codes.flatMap(({ value, parent, texts }) => [
      ...when(parent !== undefined && !values.includes(parent), () =>
        missing(path, `the parent ${parent} of ${value}`, String(parent), values.map(String)),
      ),
      ...when(texts[language] === undefined, () =>
        mistake(
          path,
          `The code ${value} has no text in ${language}.`,
          'Add one: it stands in for missing ones.',
        ),
      ),
    ]),
    ...when(list.codes.some(({ parent }) => parent !== undefined) && !list.hierarchical, () =>
      mistake(
        path,
        'A code has a parent, but the list has no hierarchy.',
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

function circularCodes(list: CodeList): readonly bigint[] {
  const parents = new Map(list.codes.map(({ value, parent }) => [value, parent]));
  return list.codes
    .map(({ value }) => value)
    .filter((value) => {
      const seen = new Set<bigint>();
      let current = parents.get(value);
      while (current !== undefined && current !== value && !seen.has(current)) {
        seen.add(current);
        current = parents.get(current);
      }
      return current === value;
    });
}

function listPath(model: Model, name: string): string {
  const lists = elementPath(model.definition.container, '@Docket.CodeLists');
  return `${lists}[?(@.Name=='${name}')]`;
}

/** Labels in a language that the model does not have are never shown. */
function lintLabels(model: Model): readonly Mistake[] {
  const { definition } = model;
  const { languages, container } = definition;
  const things: readonly (readonly [string, Described])[] = [
    ['$', definition],
    ...definition.types.map((type) => [elementPath(type.name), type] as const),
    ...definition.types.flatMap((type) =>
      type.kind === 'definition'
        ? []
        : type.members.map((member) => [elementPath(type.name, member.name), member] as const),
    ),
    ...definition.sets.map((set) => [elementPath(container, set.name), set] as const),
    ...definition.codeLists.map((list) => [listPath(model, list.name), list] as const),
  ];
  return things.flatMap(([path, { labels = {} }]) =>
    Object.keys(labels)
      .filter((language) => !languages.includes(language))
      .map((language) =>
        warning(
          path,
          `The label in ${language} is never shown.`,
          `Add ${language} to the languages, or remove it.${didYouMean(language, languages)}`,
        ),
      ),
  );
}
