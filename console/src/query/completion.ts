// This file finds what can be written at a place of a request: sets, navigation, options, properties, functions, and values of codes.
import { inWords } from '../model/compile-model.ts';
import {
  type Member,
  type Model,
  memberAt,
  operationsOf,
  type StructuredType,
} from '../model/model.ts';
import { FUNCTIONS, NESTED_OPTIONS, OPERATORS, OPTIONS } from './completion-words.ts';
import { indexOutside, split } from './split.ts';

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  readonly kind: 'set' | 'property' | 'navigation' | 'function' | 'option' | 'operator' | 'value';
}

export interface Completion {
  /** The index where the completed word starts. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
  /** The code list whose values can be written here, and which of its members. */
  readonly codes?: { readonly list: string; readonly as: 'value' | 'text' };
}

interface Scope {
  readonly model: Model;
  readonly type: StructuredType;
  /** Variables of lambda expressions with their types. */
  readonly variables: ReadonlyMap<string, StructuredType>;
}

/** What can be written at the end of `text`, which is the request up to the cursor. */
export function completionAt(model: Model, text: string): Completion | undefined {
  if (/\n[ \t]*\n/.test(text)) return undefined;
  const method = /^\s*(?:GET|POST|PATCH|PUT|DELETE)\s+/.exec(text)?.[0].length ?? 0;
  const question = indexOutside(text.slice(method), '?');
  if (question < 0) return inPath(model, text, method);
  const path = text.slice(method, method + question);
  const type = typeAtPath(model, path.trim());
  const start = method + question + 1;
  const last = split(text.slice(start), '&', { inParentheses: true }).at(-1) ?? '';
  const equals = last.indexOf('=');
  if (equals < 0) return words(text, OPTIONS, 'option');
  if (type === undefined) return undefined;
  const scope = { model, type, variables: new Map() };
  return inOption(scope, last.slice(0, equals).trim(), last.slice(equals + 1), text.length);
}

const LAST_WORD = /[$@\w.]*$/;

function words(text: string, list: readonly string[], kind: Suggestion['kind']): Completion {
  const from = text.length - (LAST_WORD.exec(text)?.[0].length ?? 0);
  return { from, suggestions: list.map((label) => ({ label, detail: '', kind })) };
}

function inPath(model: Model, text: string, start: number): Completion | undefined {
  const path = text.slice(start);
  const from = text.length - (LAST_WORD.exec(path)?.[0].length ?? 0);
  const before = path.slice(0, from - start).trim();
  if (before === '') return { from, suggestions: resources(model) };
  if (!before.endsWith('/')) return undefined;
  const type = typeAtPath(model, before.slice(0, -1));
  if (type === undefined) return undefined;
  const isCollection = !before.slice(0, -1).endsWith(')') && isSetPath(model, before.slice(0, -1));
  return { from, suggestions: [...operations(model, type, isCollection), ...afterSlash(type)] };
}

function isSetPath(model: Model, path: string): boolean {
  return model.sets.get(path)?.kind === 'set';
}

function afterSlash(type: StructuredType): readonly Suggestion[] {
  const rest = ['$count', '$ref', '$value'].map((label) => ({
    label,
    detail: '',
    kind: 'operator' as const,
  }));
  return [...membersOf(type), ...rest];
}

function resources(model: Model): readonly Suggestion[] {
  const sets = [...model.sets.values()].map(({ name, label }) => ({
    label: name,
    detail: label,
    kind: 'set' as const,
  }));
  const functions = [...model.imports.keys()].map((name) => ({
    label: `${name}()`,
    detail: inWords(name),
    kind: 'function' as const,
  }));
  return [...sets, ...functions];
}

function operations(
  model: Model,
  type: StructuredType,
  collection: boolean,
): readonly Suggestion[] {
  return operationsOf(model, type, collection).map(({ name, kind, label }) => ({
    label: `${name.slice(name.lastIndexOf('.') + 1)}${kind === 'function' ? '()' : ''}`,
    detail: label,
    kind: 'function',
  }));
}

/** The type of the entities at a path: of a set, or what its last navigation property contains. */
export function typeAtPath(model: Model, path: string): StructuredType | undefined {
  const [first = '', ...rest] = split(path, '/').map((segment) => segment.replace(/\(.*$/s, ''));
  const set = model.sets.get(first);
  const start = set === undefined ? undefined : model.types.get(set.type);
  return rest.reduce((type, segment) => {
    if (type === undefined || segment.startsWith('$')) return type;
    return model.types.get(segment) ?? targetOf(model, type, segment);
  }, start);
}

function targetOf(model: Model, type: StructuredType, path: string): StructuredType | undefined {
  const member = memberAt(model, type, path);
  return member === undefined ? undefined : model.types.get(member.type);
}

function inOption(
  scope: Scope,
  option: string,
  value: string,
  end: number,
): Completion | undefined {
  if (option === '$expand') return inExpand(scope, value, end);
  if (option === '$select' || option === '$orderby') return inMembers(scope, value, end);
  if (option === '$filter' || option === '$apply' || option === '$compute')
    return inExpression(withVariables(scope, value), value, end);
  return undefined;
}

function inExpand(scope: Scope, value: string, end: number): Completion | undefined {
  const item = split(value, ',').at(-1) ?? '';
  const open = item.indexOf('(');
  if (open < 0) {
    const navigation = memberWords(scope, item, end);
    return navigation && { ...navigation, suggestions: navigation.suggestions.filter(isForExpand) };
  }
  const type = targetOf(scope.model, scope.type, item.slice(0, open).trim());
  if (type === undefined || item.endsWith(')')) return undefined;
  const last = split(item.slice(open + 1), ';').at(-1) ?? '';
  const equals = last.indexOf('=');
  if (equals < 0) {
    const length = LAST_WORD.exec(last)?.[0].length ?? 0;
    return { ...words('', NESTED_OPTIONS, 'option'), from: end - length };
  }
  return inOption({ ...scope, type }, last.slice(0, equals).trim(), last.slice(equals + 1), end);
}

function isForExpand({ kind, detail }: Suggestion): boolean {
  return kind === 'navigation' || detail === COMPLEX;
}

function inMembers(scope: Scope, value: string, end: number): Completion | undefined {
  const item = split(value, ',').at(-1) ?? '';
  if (/\S\s+\w*$/.test(item)) {
    const length = /\w*$/.exec(item)?.[0].length ?? 0;
    return { ...words('', ['asc', 'desc'], 'operator'), from: end - length };
  }
  return memberWords(scope, item, end);
}

/** Members at the path that ends the text. */
function memberWords(scope: Scope, text: string, end: number): Completion | undefined {
  const word = /[\w$./@]*$/.exec(text)?.[0] ?? '';
  const slash = word.lastIndexOf('/');
  const from = end - (word.length - slash - 1);
  if (slash < 0) return { from, suggestions: membersOf(scope.type) };
  const type = resolve(scope, word.slice(0, slash));
  return type === undefined ? undefined : { from, suggestions: membersOf(type) };
}

/** The type at a path that may start with a variable. */
function resolve({ model, type, variables }: Scope, path: string): StructuredType | undefined {
  const [first = '', ...rest] = path.split('/');
  const variable = variables.get(first);
  if (variable === undefined) return targetOf(model, type, path);
  return rest.length === 0 ? variable : targetOf(model, variable, rest.join('/'));
}

/** Adds the variables of the lambda expressions in a text: `Lines/any(l:` defines `l`. */
function withVariables(scope: Scope, text: string): Scope {
  const variables = new Map(scope.variables);
  for (const [, path = '', name = ''] of text.matchAll(/([\w./]+)\/(?:any|all)\((\w+):/g)) {
    const type = resolve({ ...scope, variables }, path);
    if (type !== undefined) variables.set(name, type);
  }
  return { ...scope, variables };
}

const COMPARED = /([\w./]+) (?:eq|ne|gt|ge|lt|le|has) ([\w.'-]*)$/;
const LISTED = /([\w./]+) in \((?:[^()']|'[^']*')*?([\w.'-]*)$/;

function inExpression(scope: Scope, value: string, end: number): Completion | undefined {
  const [, path, word = ''] = COMPARED.exec(value) ?? LISTED.exec(value) ?? [];
  const values = path === undefined ? undefined : valuesOf(scope, path);
  if (values !== undefined) return { from: end - word.length, ...values };
  if (isInLiteral(value)) return undefined;
  const members = memberWords(scope, value, end);
  if (members === undefined || /\/[\w.]*$/.test(value)) return withLambdas(members, value);
  const extra = [
    ...[...scope.variables.keys()].map((label) => suggestion(label, 'property')),
    ...FUNCTIONS.map((name) => suggestion(`${name}(`, 'function')),
    ...OPERATORS.map((name) => suggestion(name, 'operator')),
  ];
  return { ...members, suggestions: [...members.suggestions, ...extra] };
}

function suggestion(label: string, kind: Suggestion['kind']): Suggestion {
  return { label, detail: '', kind };
}

function withLambdas(members: Completion | undefined, value: string): Completion | undefined {
  if (members === undefined || !/\w\/\w*$/.test(value)) return members;
  const lambdas = ['any(', 'all(', '$count'].map((label) => suggestion(label, 'function'));
  return { ...members, suggestions: [...members.suggestions, ...lambdas] };
}

const isInLiteral = (text: string): boolean => (text.split("'").length - 1) % 2 === 1;

/** The values of a code, enumeration or boolean; undefined for other members. */
function valuesOf(scope: Scope, path: string): Omit<Completion, 'from'> | undefined {
  const [first = '', ...rest] = path.split('/');
  const variable = scope.variables.get(first);
  const type = variable ?? scope.type;
  const inner = variable === undefined ? path : rest.join('/');
  const code = codeAt(scope.model, type, inner);
  if (code !== undefined) return { suggestions: [], codes: code };
  const member = memberAt(scope.model, type, inner);
  return member === undefined ? undefined : fixedValues(scope.model, member);
}

function codeAt(model: Model, type: StructuredType, path: string): Completion['codes'] {
  const slash = path.lastIndexOf('/');
  const member = slash < 0 ? undefined : memberAt(model, type, path.slice(0, slash));
  const coded = member === undefined ? undefined : model.types.get(member.type)?.coded;
  if (member?.codeList === undefined || coded === undefined) return undefined;
  return { list: member.codeList, as: path.slice(slash + 1) === coded.text ? 'text' : 'value' };
}

function fixedValues(model: Model, member: Member): Omit<Completion, 'from'> | undefined {
  if (member.type === 'Edm.Boolean')
    return { suggestions: ['true', 'false'].map((label) => suggestion(label, 'value')) };
  const type = model.enums.get(member.type);
  return (
    type && {
      suggestions: type.members.map(({ name, label }) => ({
        label: `${type.name}'${name}'`,
        detail: label,
        kind: 'value',
      })),
    }
  );
}

const COMPLEX = '…';

function membersOf(type: StructuredType): readonly Suggestion[] {
  return [...type.members.values()].map(({ name, label, kind }) => ({
    label: name,
    detail: kind === 'complex' ? COMPLEX : label,
    kind: kind === 'navigation' ? 'navigation' : 'property',
  }));
}
