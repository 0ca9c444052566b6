// This file converts CSDL JSON to CSDL XML, the format of $metadata that most clients read. It handles the differences in defaults:
// in XML, an absent Nullable means true and an absent Scale means 0.
// OData CSDL XML 4.01; OData CSDL JSON 4.01.
import { element, writeXml, type XmlElement } from '../../base/xml.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';
import { toVersion40 } from './version-4-0.ts';
import { PUBLISHED_VOCABULARIES, vocabularyAddress } from './vocabularies.ts';
import {
  annotationElements,
  facetAttributes,
  plain,
  typeName,
  vocabularyPrefixes,
  type XmlContext,
} from './xml-annotations.ts';

const EDMX = 'http://docs.oasis-open.org/odata/ns/edmx';
const EDM = 'http://docs.oasis-open.org/odata/ns/edm';

/** Converts a CSDL JSON document, as returned by toCsdl, to XML text. */
export function csdlXml(document: JsonObject): string {
  const version = text(document.$Version) ?? '4.01';
  const context: XmlContext = { prefixes: vocabularyPrefixes(document) };
  const schemas = objectsOf(version === '4.0' ? toVersion40(document) : document).map(
    ([name, schema]) => schemaElement(context, name, schema),
  );
  return writeXml(
    element('edmx:Edmx', { 'xmlns:edmx': EDMX, Version: version }, [
      ...references(context, document.$Reference),
      element('edmx:DataServices', {}, schemas),
    ]),
  );
}

function references(context: XmlContext, value: JsonInput | undefined): readonly XmlElement[] {
  if (!isJsonObject(value)) return [];
  return objectsOf(value).map(([address, reference]) =>
    element('edmx:Reference', { Uri: xmlAddress(address) }, [
      ...itemsOf(reference.$Include).map((include) =>
        element(
          'edmx:Include',
          attributesOf(include, 'Namespace', 'Alias'),
          annotationElements(context, include, EDM),
        ),
      ),
      ...itemsOf(reference.$IncludeAnnotations).map((include) =>
        element(
          'edmx:IncludeAnnotations',
          attributesOf(include, 'TermNamespace', 'Qualifier', 'TargetNamespace'),
        ),
      ),
      ...annotationElements(context, reference, EDM),
    ]),
  );
}

/** The standard vocabularies are published in both formats. */
function xmlAddress(address: string): string {
  const vocabulary = PUBLISHED_VOCABULARIES.find(
    (candidate) => vocabularyAddress(candidate, 'json') === address,
  );
  return vocabulary === undefined ? address : vocabularyAddress(vocabulary, 'xml');
}

function schemaElement(context: XmlContext, namespace: string, schema: JsonObject): XmlElement {
  const children = Object.entries(schema).flatMap(([name, child]) =>
    /^[$@]/.test(name) ? [] : schemaChild(context, name, child),
  );
  return element('Schema', { xmlns: EDM, Namespace: namespace, Alias: text(schema.$Alias) }, [
    ...children,
    ...externalAnnotations(context, schema.$Annotations),
    ...annotationElements(context, schema),
  ]);
}

function externalAnnotations(
  context: XmlContext,
  targets: JsonInput | undefined,
): readonly XmlElement[] {
  if (!isJsonObject(targets)) return [];
  return objectsOf(targets).map(([target, annotations]) =>
    element('Annotations', { Target: target }, annotationElements(context, annotations)),
  );
}

function schemaChild(context: XmlContext, name: string, child: JsonInput): readonly XmlElement[] {
  if (isJsonArray(child)) {
    return child.filter(isJsonObject).map((overload) => operationElement(context, name, overload));
  }
  if (!isJsonObject(child)) return [];
  switch (child.$Kind) {
    case 'EntityType':
    case 'ComplexType':
      return [structuredElement(context, name, child)];
    case 'EnumType':
      return [enumElement(context, name, child)];
    case 'TypeDefinition':
      return [typeDefinitionElement(context, name, child)];
    case 'Term':
      return [termElement(context, name, child)];
    case 'EntityContainer':
      return [containerElement(context, name, child)];
    default:
      return [];
  }
}

function structuredElement(context: XmlContext, name: string, type: JsonObject): XmlElement {
  const attributes = {
    Name: name,
    ...attributesOf(type, 'BaseType', 'Abstract', 'OpenType', 'HasStream'),
  };
  return element(type.$Kind === 'EntityType' ? 'EntityType' : 'ComplexType', attributes, [
    ...keyElements(type.$Key),
    ...objectsOf(type).map(([member, value]) =>
      value.$Kind === 'NavigationProperty'
        ? navigationElement(context, member, value)
        : propertyElement(context, member, value),
    ),
    ...annotationElements(context, type),
  ]);
}

function keyElements(key: JsonInput | undefined): readonly XmlElement[] {
  if (!isJsonArray(key) || key.length === 0) return [];
  const parts = key.flatMap((part) =>
    isJsonObject(part)
      ? Object.entries(part).map(([alias, path]) =>
          element('PropertyRef', { Name: text(path), Alias: alias }),
        )
      : [element('PropertyRef', { Name: text(part) })],
  );
  return [element('Key', {}, parts)];
}

function propertyElement(context: XmlContext, name: string, property: JsonObject): XmlElement {
  const attributes = {
    Name: name,
    ...typeAttributes(property),
    DefaultValue: plain(property.$DefaultValue),
  };
  return element('Property', attributes, annotationElements(context, property));
}

function navigationElement(context: XmlContext, name: string, navigation: JsonObject): XmlElement {
  const isSingle = navigation.$Collection !== true;
  const attributes = {
    Name: name,
    Type: typeName(navigation),
    Nullable: isSingle && navigation.$Nullable !== true ? false : undefined,
    ...attributesOf(navigation, 'Partner', 'ContainsTarget'),
  };
  const action = text(navigation.$OnDelete);
  return element('NavigationProperty', attributes, [
    ...constraintElements(context, navigation.$ReferentialConstraint),
    ...(action === undefined
      ? []
      : [
          element(
            'OnDelete',
            { Action: action },
            annotationElements(context, navigation, undefined, '$OnDelete'),
          ),
        ]),
    ...annotationElements(context, navigation),
  ]);
}

function constraintElements(
  context: XmlContext,
  constraints: JsonInput | undefined,
): readonly XmlElement[] {
  if (!isJsonObject(constraints)) return [];
  return Object.entries(constraints).flatMap(([property, referenced]) =>
    property.includes('@')
      ? []
      : [
          element(
            'ReferentialConstraint',
            { Property: property, ReferencedProperty: text(referenced) },
            annotationElements(context, constraints, undefined, property),
          ),
        ],
  );
}

function enumElement(context: XmlContext, name: string, type: JsonObject): XmlElement {
  const members = Object.entries(type).filter(([member]) => !/^\$|@/.test(member));
  const attributes = {
    Name: name,
    ...attributesOf(type, 'UnderlyingType', 'IsFlags'),
  };
  return element('EnumType', attributes, [
    ...members.map(([member, value]) =>
      element(
        'Member',
        { Name: member, Value: plain(value) },
        annotationElements(context, type, undefined, member),
      ),
    ),
    ...annotationElements(context, type),
  ]);
}

function typeDefinitionElement(context: XmlContext, name: string, type: JsonObject): XmlElement {
  const underlying = text(type.$UnderlyingType) ?? '';
  const attributes = { Name: name, UnderlyingType: underlying, ...facets(type, underlying) };
  return element('TypeDefinition', attributes, annotationElements(context, type));
}

function termElement(context: XmlContext, name: string, term: JsonObject): XmlElement {
  const applies = isJsonArray(term.$AppliesTo) ? term.$AppliesTo.join(' ') : '';
  const attributes = {
    Name: name,
    ...typeAttributes(term),
    BaseTerm: text(term.$BaseTerm),
    DefaultValue: plain(term.$DefaultValue),
    AppliesTo: applies === '' ? undefined : applies,
  };
  return element('Term', attributes, annotationElements(context, term));
}

function operationElement(context: XmlContext, name: string, operation: JsonObject): XmlElement {
  const attributes = {
    Name: name,
    ...attributesOf(operation, 'IsBound', 'IsComposable', 'EntitySetPath'),
  };
  const parameters = itemsOf(operation.$Parameter).map((parameter) =>
    element(
      'Parameter',
      { Name: text(parameter.$Name), ...typeAttributes(parameter) },
      annotationElements(context, parameter),
    ),
  );
  const { $ReturnType: returns } = operation;
  const result = isJsonObject(returns)
    ? [element('ReturnType', typeAttributes(returns), annotationElements(context, returns))]
    : [];
  const about = annotationElements(context, operation);
  const kind = operation.$Kind === 'Function' ? 'Function' : 'Action';
  return element(kind, attributes, [...parameters, ...result, ...about]);
}

function containerElement(context: XmlContext, name: string, container: JsonObject): XmlElement {
  return element('EntityContainer', { Name: name, Extends: text(container.$Extends) }, [
    ...annotationElements(context, container),
    ...objectsOf(container).map(([child, value]) => containerChild(context, child, value)),
  ]);
}

function containerChild(context: XmlContext, name: string, child: JsonObject): XmlElement {
  const about = annotationElements(context, child);
  if (child.$Action !== undefined) {
    const attributes = { Name: name, ...attributesOf(child, 'Action', 'EntitySet') };
    return element('ActionImport', attributes, about);
  }
  if (child.$Function !== undefined) {
    const own = attributesOf(child, 'Function', 'EntitySet', 'IncludeInServiceDocument');
    return element('FunctionImport', { Name: name, ...own }, about);
  }
  const content = [...bindingElements(child), ...about];
  const type = text(child.$Type);
  if (child.$Collection !== true) {
    const nullable = attributesOf(child, 'Nullable');
    return element('Singleton', { Name: name, Type: type, ...nullable }, content);
  }
  const isHidden = child.$IncludeInServiceDocument === false;
  const listed = { IncludeInServiceDocument: isHidden ? false : undefined };
  return element('EntitySet', { Name: name, EntityType: type, ...listed }, content);
}

function bindingElements(set: JsonObject): readonly XmlElement[] {
  const { $NavigationPropertyBinding: bindings } = set;
  if (!isJsonObject(bindings)) return [];
  return Object.entries(bindings).map(([path, target]) =>
    element('NavigationPropertyBinding', { Path: path, Target: text(target) }),
  );
}

/** Nullable is always written for collections, because clients disagree on the default. */
function typeAttributes(reference: JsonObject) {
  const isNullable = reference.$Nullable === true;
  const isExplicit = !isNullable || reference.$Collection === true;
  return {
    Type: typeName(reference),
    Nullable: isExplicit ? isNullable : undefined,
    ...facets(reference, text(reference.$Type) ?? 'Edm.String'),
  };
}

/**
 * OData CSDL XML 4.01, "Scale": an absent scale means 0, but variable in JSON. "Precision": for times, an absent precision means 0, but
 * any in JSON, which XML cannot express.
 */
function facets(holder: JsonObject, type: string) {
  const attributes = facetAttributes(holder);
  const isVariable = type === 'Edm.Decimal' && attributes.Scale === undefined;
  if (isVariable) return { ...attributes, Scale: 'variable' };
  const isTime = type === 'Edm.DateTimeOffset' || type === 'Edm.TimeOfDay';
  return isTime && attributes.Precision === undefined
    ? { ...attributes, Precision: '12' }
    : attributes;
}

function text(value: JsonInput | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The members of these names as attributes; false, like an absent member, is the default. */
function attributesOf(object: JsonObject, ...names: readonly string[]) {
  const attributes = names.map((name) => {
    const value = object[`$${name}`];
    return [name, value === true ? value : text(value)] as const;
  });
  return Object.fromEntries(attributes);
}

/** The members that are model elements, neither `$` members nor annotations. */
function objectsOf(object: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.entries(object).flatMap(([name, value]) =>
    !/^[$@]/.test(name) && isJsonObject(value) ? [[name, value] as const] : [],
  );
}

function itemsOf(value: JsonInput | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
