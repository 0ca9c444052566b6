// This file turns the annotations of CSDL JSON and their values into CSDL XML. Where JSON has only strings, XML tells text, paths and
// enumeration members apart: vocabularies.ts knows which terms take which.
// OData CSDL XML 4.01, "Vocabulary and Annotation"; OData CSDL JSON 4.01, "Dynamic Expression".
import { element, type XmlElement } from '../../base/xml.ts';
import {
  isJsonList,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  numberText,
  printJson,
} from '../value/lossless-json.ts';
import { findVocabulary, PATH_VALUES, type PathKind } from './vocabularies.ts';

export interface XmlContext {
  /** What terms begin with in this document, and the usual alias of that vocabulary. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly version: string;
}

/** The prefixes by which the document refers to standard vocabularies. */
export function vocabularyPrefixes(document: JsonObject): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  const { $Reference: references } = document;
  const includes = isJsonObject(references)
    ? Object.values(references).map((reference) => isJsonObject(reference) && reference.$Include)
    : [];
  for (const include of includes.flatMap((list) => (isJsonList(list) ? list : []))) {
    if (!isJsonObject(include) || typeof include.$Namespace !== 'string') continue;
    const vocabulary = findVocabulary(include.$Namespace);
    if (vocabulary === undefined) continue;
    prefixes.set(include.$Namespace, vocabulary.alias);
    if (typeof include.$Alias === 'string') prefixes.set(include.$Alias, vocabulary.alias);
  }
  return prefixes;
}

/**
 * The annotations among the members of a CSDL JSON object.
 * @param namespace XML namespace to declare where the surrounding element has another one
 * @param prefix of the member that they are about: `Red` for `Red@Core.Description`
 */
export function annotationElements(
  context: XmlContext,
  object: JsonObject,
  namespace?: string,
  prefix = '',
): readonly XmlElement[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const told = name.startsWith(`${prefix}@`) ? name.slice(prefix.length + 1) : '@';
    // A second @ makes it an annotation of an annotation, which is written inside that one.
    if (told.includes('@')) return [];
    const [term = '', qualifier] = told.split('#');
    const attributes = { xmlns: namespace, Term: term, Qualifier: qualifier };
    const inner = annotationElements(context, object, undefined, name);
    return [
      valued('Annotation', attributes, value, {
        context,
        kind: kindOfTerm(context, term),
        vocabulary: vocabularyOf(context, term),
        inner,
      }),
    ];
  });
}

interface Valued {
  readonly context: XmlContext;
  readonly kind: PathKind | undefined;
  /** Usual alias of the vocabulary that the members of records belong to. */
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

/** An element with a value: constants and paths go into an attribute, everything else inside. */
function valued(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  value: JsonInput,
  { context, kind, vocabulary, inner }: Valued,
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
  if (typeof kind === 'string') return { tag: kind, text };
  const prefix = prefixOf(context, vocabulary);
  const members = text.split(',').map((member) => `${prefix}.${kind.enumeration}/${member.trim()}`);
  return { tag: 'EnumMember', text: members.join(' ') };
}

function prefixOf(context: XmlContext, vocabulary: string): string {
  const known = [...context.prefixes].filter(([, alias]) => alias === vocabulary);
  return known.at(-1)?.[0] ?? vocabulary;
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
  if (isJsonList(value)) {
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
      valued('PropertyValue', { Property: name }, value, { context, kind, vocabulary, inner }),
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
const FACETS = ['MaxLength', 'Precision', 'Scale', 'SRID', 'Unicode'];

/** One dynamic expression: its operands are the value of the operator's member, one or a list. */
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
  const type = plain(expression.$Type) ?? 'Edm.String';
  const facets = FACETS.map((facet) => [facet, plain(expression[`$${facet}`])] as const);
  return {
    Type: expression.$Collection === true ? `Collection(${type})` : type,
    ...Object.fromEntries(facets),
  };
}

function plain(value: JsonInput | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : printJson(value);
}

function listOf(value: JsonInput): readonly JsonInput[] {
  return isJsonList(value) ? value : [value];
}
