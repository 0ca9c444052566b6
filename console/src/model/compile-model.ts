// This file compiles a CSDL JSON document (OASIS OData CSDL JSON Representation 4.01) into the model of the console.
import { WORDS } from '../i18n/words.ts';
import type {
  Annotations,
  Coded,
  EntitySet,
  EnumType,
  KeyPart,
  Member,
  MemberKind,
  Model,
  Operation,
  OperationParameter,
  StructuredType,
} from './model.ts';

type Json = Readonly<Record<string, unknown>>;

interface Element extends Json {
  readonly $Kind?: string;
  readonly $Type?: string;
  readonly $Collection?: boolean;
  readonly $Nullable?: boolean;
}

interface Context {
  readonly document: Json;
  /** Qualified names of all types, operations and terms of the document. */
  readonly elements: ReadonlyMap<string, Element>;
  /** Alias to namespace. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly language: string;
}

/** Compiles a document. `language` is the one of labels, such as `nl`; labels without it have the default language of the model. */
export function compileModel(document: Json, language: string): Model {
  const context = contextOf(document, language.split('-')[0] ?? language);
  const structured = [...context.elements].filter(([, { $Kind }]) => /Type$/.test($Kind ?? ''));
  const types = new Map<string, StructuredType>();
  const enums = new Map<string, EnumType>();
  for (const [name, element] of structured) {
    if (element.$Kind === 'EnumType') enums.set(name, compileEnum(context, name, element));
    else if (element.$Kind !== 'TypeDefinition')
      types.set(name, compileType(context, name, element));
  }
  const { sets, imports } = compileContainer(context);
  return {
    language: context.language,
    types,
    enums,
    sets,
    imports,
    operations: compileOperations(context),
  };
}

function contextOf(document: Json, language: string): Context {
  const elements = new Map<string, Element>();
  const aliases = new Map<string, string>();
  for (const [namespace, schema] of Object.entries(document)) {
    if (namespace.startsWith('$') || !isRecord(schema)) continue;
    if (typeof schema.$Alias === 'string') aliases.set(schema.$Alias, namespace);
    for (const [name, element] of Object.entries(schema)) {
      if (name.startsWith('$') || name.includes('@')) continue;
      // Overloads of an operation are an array.
      elements.set(`${namespace}.${name}`, element as Element);
    }
  }
  return { document, elements, aliases, language };
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A qualified name with the namespace in place of its alias. */
function qualified({ aliases }: Context, name: string): string {
  const dot = name.lastIndexOf('.');
  const namespace = aliases.get(name.slice(0, dot));
  return namespace === undefined ? name : `${namespace}${name.slice(dot)}`;
}

function annotationsOf(element: Json): Annotations {
  const entries = Object.entries(element).filter(([name]) => name.startsWith('@'));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(1), value]));
}

/** Terms that contain labels, the most specific first. */
const LABELS = ['Common.Label', 'com.sap.vocabularies.Common.v1.Label', 'Core.Description'];
const HELP = [
  'Common.QuickInfo',
  'com.sap.vocabularies.Common.v1.QuickInfo',
  'Core.LongDescription',
];

/** The text of the first term that has one, in the language of the context if it is there. */
function textOf(context: Context, element: Json, terms: readonly string[]): string | undefined {
  for (const term of terms) {
    const text = element[`@${term}#${context.language}`] ?? element[`@${term}`];
    if (typeof text === 'string' && text !== '') return text;
  }
  return undefined;
}

/** A label for an element: its annotation, or its name in words: `PlanStart` becomes "Plan start". */
function labelOf(context: Context, element: Json, name: string): string {
  return textOf(context, element, LABELS) ?? inWords(name);
}

export function inWords(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ');
  return words
    .map((word, index) => (index > 0 && !/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word))
    .join(' ');
}

function compileEnum(context: Context, name: string, element: Element): EnumType {
  const names = Object.keys(element).filter((key) => !key.startsWith('$') && !key.includes('@'));
  const members = names.map((member) => ({
    name: member,
    label: textOf(context, suffixed(element, member), LABELS) ?? inWords(member),
  }));
  return {
    name,
    label: labelOf(context, element, lastPart(name)),
    flags: element.$IsFlags === true,
    members,
  };
}

/** The annotations of an enumeration member, which CSDL JSON writes as `Member@Term`. */
function suffixed(element: Json, member: string): Json {
  const entries = Object.entries(element).filter(([name]) => name.startsWith(`${member}@`));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(member.length), value]));
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function compileType(context: Context, name: string, element: Element): StructuredType {
  const chain = typeChain(context, name);
  const members = new Map<string, Member>();
  for (const { element: part } of chain) {
    for (const [member, value] of Object.entries(part)) {
      if (member.startsWith('$') || member.includes('@') || !isRecord(value)) continue;
      const words = WORDS[`${name}/${member}`];
      members.set(member, { ...compileMember(context, member, value), words });
    }
  }
  return {
    kind: element.$Kind === 'EntityType' ? 'entity' : 'complex',
    name,
    label: labelOf(context, element, lastPart(name)),
    help: textOf(context, element, HELP),
    base: typeof element.$BaseType === 'string' ? qualified(context, element.$BaseType) : undefined,
    abstract: element.$Abstract === true,
    open: chain.some(({ element: part }) => part.$OpenType === true),
    hasStream: chain.some(({ element: part }) => part.$HasStream === true),
    key: chain.flatMap(({ element: part }) => keyOf(part)),
    coded: codedOf(element),
    members,
    annotations: Object.assign({}, ...chain.map(({ element: part }) => annotationsOf(part))),
  };
}

/** A type with its base types, the most general first. */
function typeChain(context: Context, name: string): readonly { readonly element: Element }[] {
  const element = context.elements.get(name);
  if (element === undefined) return [];
  const base = element.$BaseType;
  const before = typeof base === 'string' ? typeChain(context, qualified(context, base)) : [];
  return [...before, { element }];
}

function keyOf(element: Element): readonly KeyPart[] {
  const parts = Array.isArray(element.$Key) ? element.$Key : [];
  return parts.map((part: unknown) => {
    if (typeof part === 'string') return { path: part, alias: part };
    const [alias = '', path] = Object.entries(part as Json)[0] ?? [];
    return { alias, path: String(path) };
  });
}

/** Code types have a text that depends on the language of the reader, and a value. */
function codedOf(element: Element): Coded | undefined {
  if (element.$Kind !== 'ComplexType') return undefined;
  const properties = Object.entries(element).filter(
    ([name, value]) => !name.startsWith('$') && !name.includes('@') && isRecord(value),
  );
  const isText = ([, value]: [string, unknown]) =>
    (value as Json)['@Core.IsLanguageDependent'] === true;
  const text = properties.find(isText);
  const value = properties.find((property) => !isText(property));
  if (text === undefined || value === undefined || properties.length !== 2) return undefined;
  return { text: text[0], value: value[0] };
}

function compileMember(context: Context, name: string, raw: Json): Omit<Member, 'words'> {
  const element = raw as Element;
  const type = memberType(context, element);
  const annotations = annotationsOf(element);
  const facet = (facetName: string) => {
    const value = element[facetName] ?? type.definition?.[facetName];
    return typeof value === 'number' ? value : undefined;
  };
  const isNavigation = element.$Kind === 'NavigationProperty';
  return {
    name,
    kind: isNavigation ? 'navigation' : kindOf(context, type.name),
    label: labelOf(context, element, name),
    help: textOf(context, element, HELP),
    type: type.name,
    collection: element.$Collection === true,
    nullable: element.$Nullable === true,
    maxLength: facet('$MaxLength'),
    precision: facet('$Precision'),
    scale: facet('$Scale'),
    defaultValue: element.$DefaultValue,
    computed: isTagged(annotations, 'Computed') || annotations['Core.Permissions'] === 'Read',
    immutable: isTagged(annotations, 'Immutable'),
    contained: element.$ContainsTarget === true,
    partner: typeof element.$Partner === 'string' ? element.$Partner : undefined,
    codeList: textAnnotation(annotations, 'Docket.CodeList'),
    annotations,
  };
}

/** The terms of the vocabulary Core apply to properties, those of the service to navigations. */
const isTagged = (annotations: Annotations, term: 'Computed' | 'Immutable'): boolean =>
  annotations[`Core.${term}`] === true || annotations[`Docket.${term}`] === true;

function textAnnotation(annotations: Annotations, term: string): string | undefined {
  const value = annotations[term];
  return typeof value === 'string' ? value : undefined;
}

/** The type of an element; type definitions are replaced by their underlying type, whose facets they restrict. */
function memberType(context: Context, { $Type }: Element) {
  const name = qualified(context, $Type ?? 'Edm.String');
  const definition = context.elements.get(name);
  if (definition?.$Kind !== 'TypeDefinition') return { name, definition: undefined };
  return { name: String(definition.$UnderlyingType ?? 'Edm.String'), definition };
}

function kindOf(context: Context, type: string): MemberKind {
  if (type === 'Edm.Stream') return 'stream';
  const element = context.elements.get(type);
  if (element?.$Kind === 'EnumType') return 'enumeration';
  if (element?.$Kind !== 'ComplexType') return 'primitive';
  return codedOf(element) === undefined ? 'complex' : 'code';
}

function compileContainer(context: Context) {
  const sets = new Map<string, EntitySet>();
  const imports = new Map<string, string>();
  const containers = [...context.elements.values()].filter(
    ({ $Kind }) => $Kind === 'EntityContainer',
  );
  for (const [name, value] of containers.flatMap((container) => Object.entries(container))) {
    if (name.startsWith('$') || name.includes('@') || !isRecord(value)) continue;
    const operation = value.$Function ?? value.$Action;
    if (typeof operation === 'string') imports.set(name, qualified(context, operation));
    else sets.set(name, compileSet(context, name, value as Element));
  }
  return { sets, imports };
}

function compileSet(context: Context, name: string, element: Element): EntitySet {
  const bindings = isRecord(element.$NavigationPropertyBinding)
    ? Object.entries(element.$NavigationPropertyBinding)
    : [];
  return {
    name,
    kind: element.$Collection === true ? 'set' : 'singleton',
    label: labelOf(context, element, name),
    help: textOf(context, element, HELP),
    type: qualified(context, element.$Type ?? ''),
    bindings: new Map(bindings.map(([path, target]) => [path, lastPart(String(target))])),
    annotations: annotationsOf(element),
  };
}

function compileOperations(context: Context): readonly Operation[] {
  return [...context.elements].flatMap(([name, overloads]) =>
    Array.isArray(overloads)
      ? overloads.map((overload: Element) => compileOperation(context, name, overload))
      : [],
  );
}

function compileOperation(context: Context, name: string, element: Element): Operation {
  const parameters = (element.$Parameter ?? []) as readonly Element[];
  const [first] = parameters;
  const isBound = element.$IsBound === true && first !== undefined;
  const result = element.$ReturnType as Element | undefined;
  return {
    kind: element.$Kind === 'Action' ? 'action' : 'function',
    name,
    label: labelOf(context, element, lastPart(name)),
    help: textOf(context, element, HELP),
    bound: isBound
      ? { type: qualified(context, first.$Type ?? ''), collection: first.$Collection === true }
      : undefined,
    parameters: parameters.slice(isBound ? 1 : 0).map((one) => compileParameter(context, one)),
    returnType: result === undefined ? undefined : memberType(context, result).name,
    returnsCollection: result?.$Collection === true,
    annotations: annotationsOf(element),
  };
}

function compileParameter(context: Context, element: Element): OperationParameter {
  const name = String(element.$Name);
  return {
    name,
    label: labelOf(context, element, name),
    type: memberType(context, element).name,
    collection: element.$Collection === true,
    nullable: element.$Nullable === true,
    optional: element['@Core.OptionalParameter'] !== undefined,
    codeList: textAnnotation(annotationsOf(element), 'Docket.CodeList'),
  };
}
