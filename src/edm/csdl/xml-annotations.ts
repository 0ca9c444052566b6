// This file converts annotations from CSDL JSON to CSDL XML. JSON has only strings where XML distinguishes text, paths and enumeration
// members; vocabularies.ts defines which terms take which.
// OData CSDL XML 4.01, "Vocabulary and Annotation"; OData CSDL JSON 4.01, "Dynamic Expression".
import { element, type XmlElement } from '../../base/xml.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  numberText,
  printJson,
} from '../value/lossless-json.ts';
import { includesIn } from './references.ts';
import { findVocabulary, PATH_VALUES, type PathKind } from './vocabularies.ts';

export interface XmlContext {
  /** The standard alias of each prefix that terms of this document use. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** The namespaces and aliases of known vocabularies in the references of the document, with the standard alias of each. */
export function vocabularyPrefixes(document: JsonObject): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const [namespace, alias] of includesIn(document.$Reference)) {
    const vocabulary = findVocabulary(namespace);
    if (vocabulary === undefined) continue;
    prefixes.set(namespace, vocabulary.alias).set(alias, vocabulary.alias);
  }
  return prefixes;
}

/**
 * The annotations among the members of a CSDL JSON object.
 * @param namespace XML namespace to declare if the surrounding element has another one
 * @param prefix the annotated member: `Red` for `Red@Core.Description`
 */
export function annotationElements(
  context: XmlContext,
  object: JsonObject,
  namespace?: string,
  prefix = '',
): readonly XmlElement[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const qualifiedTerm = name.startsWith(`${prefix}@`) ? name.slice(prefix.length + 1) : '@';
    // A second @ marks an annotation of an annotation, which is nested in that annotation.
    if (qualifiedTerm.includes('@')) return [];
    const [term = '', qualifier] = qualifiedTerm.split('#');
    const attributes = { xmlns: namespace, Term: term, Qualifier: qualifier };
    const inner = annotationElements(context, object, undefined, name);
    return [
      valueElement('Annotation', attributes, value, {
        context,
        kind: kindOfTerm(context, term),
        vocabulary: vocabularyOf(context, term),
        inner,
      }),
    ];
  });
}

interface ValueContext {
  readonly context: XmlContext;
  readonly kind: PathKind | undefined;
  /** The standard alias of the vocabulary that defines the members of records. */
  readonly vocabulary: string;
  readonly inner: readonly XmlElement[];
}

function vocabularyOf(context: XmlContext, term: string): string {
  return context.prefixes.get(term.slice(0, term.lastIndexOf('.'))) ?? '';
}

function kindOfTerm(context: XmlContext, term: string): PathKind | undefined {
  return kindOf(vocabularyOf(context, term), term.slice(term.lastIndexOf('.') + 1));
}

function kindOf(vocabulary: string, name: string): PathKind | undefined {
  const kinds = PATH_VALUES[vocabulary] ?? {};
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** An element with a value: constants and paths as an attribute, other expressions as a child element. */
function valueElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  value: JsonInput,
  { context, kind, vocabulary, inner }: ValueContext,
): XmlElement {
  const constant = constantOf(context, value, kind, vocabulary);
  if (constant !== undefined) {
    return element(name, { ...attributes, [constant.tag]: constant.text }, inner);
  }
  return element(name, attributes, [...inner, expressionElement(context, value, kind, vocabulary)]);
}

interface Constant {
  readonly tag: string;
  readonly text: string;
}

function constantOf(
  context: XmlContext,
  value: JsonInput,
  kind: PathKind | undefined,
  vocabulary: string,
): Constant | undefined {
  if (typeof value === 'boolean') return { tag: 'Bool', text: String(value) };
  const digits = numberText(value);
  if (digits !== undefined)
    return { tag: /^-?\d+$/.test(digits) ? 'Int' : 'Decimal', text: digits };
  if (typeof value === 'string') return stringConstant(context, value, kind, vocabulary);
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$Path === 'string' ? { tag: 'Path', text: value.$Path } : undefined;
}

function stringConstant(
  context: XmlContext,
  text: string,
  kind: PathKind | undefined,
  vocabulary: string,
): Constant {
  if (kind === undefined) return { tag: 'String', text };
  if (kind === 'AnyPropertyPath') return { tag: 'PropertyPath', text };
  if (kind === 'AnnotationOrNavigationPath') {
    return { tag: text.includes('@') ? 'AnnotationPath' : 'NavigationPropertyPath', text };
  }
  if (typeof kind === 'string') return { tag: kind, text };
  const prefix = prefixOf(context, vocabulary);
  const members = text.split(',').map((member) => `${prefix}.${kind.enumeration}/${member.trim()}`);
  return { tag: 'EnumMember', text: members.join(' ') };
}

function prefixOf(context: XmlContext, vocabulary: string): string {
  const prefixes = [...context.prefixes].filter(([, alias]) => alias === vocabulary);
  return prefixes.at(-1)?.[0] ?? vocabulary;
}

function expressionElement(
  context: XmlContext,
  value: JsonInput,
  kind: PathKind | undefined,
  vocabulary: string,
): XmlElement {
  if (value === null) return element('Null');
  const constant = constantOf(context, value, kind, vocabulary);
  if (constant !== undefined) return element(constant.tag, {}, [constant.text]);
  if (isJsonArray(value)) {
    const items = value.map((item) => expressionElement(context, item, kind, vocabulary));
    return element('Collection', {}, items);
  }
  if (!isJsonObject(value)) return element('String', {}, [printJson(value)]);
  const operator = Object.keys(value).find((name) => OPERATORS.has(name));
  return operator === undefined
    ? recordElement(context, value, vocabulary)
    : operatorElement(context, value, operator, vocabulary);
}

function recordElement(context: XmlContext, record: JsonObject, vocabulary: string): XmlElement {
  const type = typeof record['@type'] === 'string' ? record['@type'] : undefined;
  const values = Object.entries(record).flatMap(([name, value]) => {
    if (name.includes('@')) return [];
    const inner = annotationElements(context, record, undefined, name);
    const kind = kindOf(vocabulary, name);
    return [
      valueElement('PropertyValue', { Property: name }, value, {
        context,
        kind,
        vocabulary,
        inner,
      }),
    ];
  });
  const { '@type': _, ...annotated } = record;
  return element('Record', { Type: type?.slice(type.lastIndexOf('#') + 1) }, [
    ...values,
    ...annotationElements(context, annotated),
  ]);
}

const OPERATORS = new Set([
  ...['$And', '$Or', '$Not', '$Eq', '$Ne', '$Gt', '$Ge', '$Lt', '$Le', '$Has', '$In'],
  ...['$Add', '$Sub', '$Neg', '$Mul', '$Div', '$DivBy', '$Mod'],
  ...['$Apply', '$Cast', '$IsOf', '$If', '$LabeledElement', '$LabeledElementReference'],
  ...['$Null', '$Path', '$UrlRef'],
]);
const FACETS = ['MaxLength', 'Precision', 'Scale', 'SRID', 'Unicode'] as const;

/** A dynamic expression. The operator's member holds its operand or a list of operands. */
function operatorElement(
  context: XmlContext,
  expression: JsonObject,
  operator: string,
  vocabulary: string,
): XmlElement {
  const name = operator.slice(1);
  const about = annotationElements(context, expression);
  const operands = expression[operator] ?? null;
  const children = (list: readonly JsonInput[]) => [
    ...about,
    ...list.map((operand) => expressionElement(context, operand, undefined, vocabulary)),
  ];
  switch (operator) {
    case '$Null':
      return element(name, {}, about);
    case '$Path':
    case '$LabeledElementReference':
      return element(name, {}, [typeof operands === 'string' ? operands : printJson(operands)]);
    case '$Apply':
      return element(name, { Function: plain(expression.$Function) }, children(listOf(operands)));
    case '$Cast':
    case '$IsOf':
      return element(name, typeAttributes(expression), children([operands]));
    case '$LabeledElement':
      return element(name, { Name: plain(expression.$Name) }, children([operands]));
    case '$Not':
    case '$Neg':
    case '$UrlRef':
      return element(name, {}, children([operands]));
    default:
      return element(name, {}, children(listOf(operands)));
  }
}

function typeAttributes(expression: JsonObject): Readonly<Record<string, string | undefined>> {
  return { Type: typeName(expression), ...facetAttributes(expression) };
}

export function typeName(reference: JsonObject): string {
  const name = plain(reference.$Type) ?? 'Edm.String';
  return reference.$Collection === true ? `Collection(${name})` : name;
}

export function facetAttributes(holder: JsonObject): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(FACETS.map((facet) => [facet, plain(holder[`$${facet}`])]));
}

/** The text of a value; other values than strings as JSON. */
export function plain(value: JsonInput | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : printJson(value);
}

function listOf(value: JsonInput): readonly JsonInput[] {
  return isJsonArray(value) ? value : [value];
}
