// This file writes a model as CSDL JSON, its canonical format; it is long because each kind of element has its writer here.
// Annotations use the standard vocabularies and, on request, Docket.V1. Capabilities of the service are passed in. read-csdl.ts is
// the inverse.
// OData CSDL JSON 4.01. Labels: `@Core.Description` in the default language, `@Core.Description#nl` in the others (a hyphen in a
// language tag becomes an underscore); descriptions: `@Core.LongDescription`.

import { definedMembers } from '../defined-members.ts';
import {
  type Annotations,
  type ComplexType,
  type Described,
  type EntitySet,
  type EntityType,
  type EnumType,
  isPlainRecord,
  type KeyPart,
  type Member,
  type Model,
  type ModelDefinition,
  makeModel,
  type NamedType,
  type Navigation,
  type Operation,
  type OperationImport,
  type Parameter,
  type Property,
  type ReturnType,
  type StructuredType,
  simpleName,
  type TypeDefinition,
  type TypeReference,
} from '../model.ts';
import type { JsonInput, JsonObject } from '../value/lossless-json.ts';
import { fractionDigits, hasAnyPrecision } from '../value/primitives.ts';
import { CONSOLE_NAMESPACE, CONSOLE_SCHEMA, withoutConsoleTerms } from './console-terms.ts';
import { docketAnnotations } from './docket-annotations.ts';
import { aliasesOf, renameTerms, termPrefixes, writeReferences } from './references.ts';
import { CODE_LIST_SCHEMA, DOCKET_SCHEMA, DOCKET_VOCABULARY } from './vocabularies.ts';

export interface CsdlOptions {
  readonly version?: '4.0' | '4.01';
  /**
   * Annotations by target: the qualified name of a namespace, type, operation or the container, optionally with a member, set or
   * import after a slash (`Library.Container/Books`, `Library.Book/Title`).
   */
  readonly capabilities?: Readonly<Record<string, Annotations>>;
  /** Includes the terms of Docket.V1, so that readCsdl restores the same definition. */
  readonly complete?: boolean;
  /** Includes what user interfaces need: the layout, and the term CodeList of Docket.V1, by which they find the codes that a property permits. */
  readonly userInterface?: boolean;
}

interface WriteContext {
  readonly definition: ModelDefinition;
  readonly model: Model;
  readonly options: CsdlOptions;
}

/** Writes a definition as CSDL JSON. Large integers are bigint, so print the result with printJson. */
export function toCsdl(definition: ModelDefinition, options: CsdlOptions = {}): JsonObject {
  const context = { definition, model: makeModel(definition), options };
  const schemas = Object.fromEntries(
    definition.namespaces.map(({ name, alias }) => [name, writeSchema(context, name, alias)]),
  );
  const isForScreens = options.complete === true || options.userInterface === true;
  const shown = isForScreens ? schemas : withoutConsoleTerms(schemas);
  const named = renameTerms(shown, aliasesOf(definition));
  const prefixes = termPrefixes(named);
  const references = writeReferences(definition, prefixes);
  return {
    $Version: options.version ?? '4.01',
    ...(definition.container === '' ? {} : { $EntityContainer: definition.container }),
    ...(Object.keys(references).length === 0 ? {} : { $Reference: references }),
    ...named,
    ...(options.complete === true ? { [DOCKET_VOCABULARY.namespace]: DOCKET_SCHEMA } : {}),
    ...(options.userInterface === true ? { [DOCKET_VOCABULARY.namespace]: CODE_LIST_SCHEMA } : {}),
    ...(prefixes.has(CONSOLE_NAMESPACE) ? { [CONSOLE_NAMESPACE]: CONSOLE_SCHEMA } : {}),
  };
}

function writeSchema(
  context: WriteContext,
  namespace: string,
  alias: string | undefined,
): JsonObject {
  const { definition } = context;
  const isHere = (name: string) => name === `${namespace}.${simpleName(name)}`;
  const isFirst = definition.namespaces[0]?.name === namespace;
  const about = isFirst
    ? annotate(context, namespace, definition, { 'Core.DefaultNamespace': true })
    : annotate(context, namespace, {});
  return {
    ...(alias === undefined ? {} : { $Alias: alias }),
    ...definition.remainder?.schemas?.[namespace],
    ...about,
    ...Object.fromEntries(
      definition.types
        .filter((type) => isHere(type.name))
        .map((type) => [simpleName(type.name), writeType(context, type)]),
    ),
    ...writeOperations(
      context,
      definition.operations.filter((item) => isHere(item.name)),
    ),
    ...(isHere(definition.container)
      ? { [simpleName(definition.container)]: writeContainer(context) }
      : {}),
  };
}

function writeType(context: WriteContext, type: NamedType): JsonObject {
  switch (type.kind) {
    case 'entity':
      return writeStructured(context, type, writeEntityHead(type), alternateKeys(type));
    case 'complex':
      return writeStructured(context, type, { $Kind: 'ComplexType' }, {});
    case 'enum':
      return writeEnum(context, type);
    case 'definition':
      return writeTypeDefinition(context, type);
  }
}

function writeEntityHead(type: EntityType): JsonObject {
  const keys = type.key?.map(({ path, alias }) => (alias === undefined ? path : { [alias]: path }));
  return {
    $Kind: 'EntityType',
    ...(keys === undefined ? {} : { $Key: keys }),
    ...(type.hasStream === true ? { $HasStream: true } : {}),
  };
}

function alternateKeys(type: EntityType): Annotations {
  if (type.alternateKeys === undefined) return {};
  const keys = type.alternateKeys.map((parts) => ({ Key: parts.map(propertyReference) }));
  return { 'Core.AlternateKeys': keys };
}

function propertyReference({ path, alias }: KeyPart) {
  return { Name: path, ...(alias === undefined ? {} : { Alias: alias }) };
}

function writeStructured(
  context: WriteContext,
  type: ComplexType | EntityType,
  head: JsonObject,
  derived: Annotations,
): JsonObject {
  return {
    ...head,
    ...(type.base === undefined ? {} : { $BaseType: type.base }),
    ...(type.abstract === true ? { $Abstract: true } : {}),
    ...(type.open === true ? { $OpenType: true } : {}),
    ...annotate(context, type.name, type, {
      ...derived,
      ...docketTerms(context, docketAnnotations.type(type)),
    }),
    ...Object.fromEntries(
      type.members.map((member) => [member.name, writeMember(context, type, member)]),
    ),
  };
}

function writeMember(context: WriteContext, owner: StructuredType, member: Member): JsonObject {
  const target = `${owner.name}/${member.name}`;
  return member.kind === 'property'
    ? writeProperty(context, target, owner, member)
    : writeNavigation(context, target, member);
}

function writeProperty(
  context: WriteContext,
  target: string,
  owner: StructuredType,
  property: Property,
): JsonObject {
  const isCodeText = owner.kind === 'complex' && owner.coded?.text === property.name;
  const hasComputedDefault =
    property.computedDefault === true || property.generated?.by === 'initial';
  return {
    ...writeTypeReference(property),
    ...(property.defaultValue === undefined ? {} : { $DefaultValue: property.defaultValue }),
    ...annotate(context, target, property, {
      ...(property.computed === true || isKeyForScreens(context, property)
        ? { 'Core.Computed': true }
        : {}),
      ...(property.immutable === true ? { 'Core.Immutable': true } : {}),
      ...(hasComputedDefault ? { 'Core.ComputedDefaultValue': true } : {}),
      ...(isCodeText ? { 'Core.IsLanguageDependent': true } : {}),
      ...docketTerms(context, docketAnnotations.property(property), property.codeList),
    }),
  };
}

/** Forms leave out the keys that the service generates, and ask for all others. */
const isKeyForScreens = ({ options }: WriteContext, property: Property): boolean =>
  options.userInterface === true &&
  property.generated?.by === 'key' &&
  property.computedDefault !== true;

function writeNavigation(
  context: WriteContext,
  target: string,
  navigation: Navigation,
): JsonObject {
  return {
    $Kind: 'NavigationProperty',
    ...(navigation.collection ? { $Collection: true } : {}),
    $Type: navigation.target,
    ...(navigation.nullable && !navigation.collection ? { $Nullable: true } : {}),
    ...(navigation.partner === undefined ? {} : { $Partner: navigation.partner }),
    ...(navigation.contained ? { $ContainsTarget: true } : {}),
    ...writeConstraints(navigation),
    ...writeOnDelete(context, navigation),
    ...annotate(context, target, navigation, {
      ...(navigation.computed === true ? { 'Core.Permissions': 'Read' } : {}),
      ...docketTerms(context, docketAnnotations.navigation(navigation)),
    }),
  };
}

/** Names of annotations that belong to a referential constraint: `$ReferentialConstraint/CategoryKind@Core.Description`. */
const CONSTRAINT = '$ReferentialConstraint/';

function writeConstraints({ constraints, annotations }: Navigation): JsonObject {
  if (constraints === undefined) return {};
  const about = Object.entries(annotations ?? {})
    .filter(([term]) => term.startsWith(CONSTRAINT))
    .map(([term, value]) => [term.slice(CONSTRAINT.length), value] as const);
  const pairs = constraints.map(({ property, referenced }) => [property, referenced] as const);
  return { $ReferentialConstraint: Object.fromEntries([...pairs, ...about]) };
}

const ON_DELETE = { cascade: 'Cascade', 'set-null': 'SetNull', restrict: 'None' } as const;

/** $OnDelete belongs to the opposite navigation: it defines what happens to related entities when this entity is deleted. */
function writeOnDelete(context: WriteContext, navigation: Navigation): JsonObject {
  const partner = partnerOf(context.model, navigation);
  return partner?.onDelete === undefined ? {} : { $OnDelete: ON_DELETE[partner.onDelete] };
}

function partnerOf(model: Model, navigation: Navigation): Navigation | undefined {
  const target = model.types.get(navigation.target);
  if (target?.kind !== 'entity' || navigation.partner === undefined) return undefined;
  const partner = model.members(target).get(navigation.partner);
  return partner?.kind === 'navigation' ? partner : undefined;
}

function writeEnum(context: WriteContext, type: EnumType): JsonObject {
  return {
    $Kind: 'EnumType',
    ...(type.underlying === 'Edm.Int32' ? {} : { $UnderlyingType: type.underlying }),
    ...(type.flags ? { $IsFlags: true } : {}),
    ...annotate(context, type.name, type),
    ...Object.fromEntries(
      type.members.flatMap((member) => {
        const about = annotate(context, `${type.name}/${member.name}`, member);
        const prefixed = Object.entries(about).map(([term, value]) => [member.name + term, value]);
        return [[member.name, plainInteger(member.value)], ...prefixed];
      }),
    ),
  };
}

function writeTypeDefinition(context: WriteContext, type: TypeDefinition): JsonObject {
  return {
    $Kind: 'TypeDefinition',
    $UnderlyingType: type.underlying,
    ...writeFacets(type.underlying, type.facets),
    ...annotate(context, type.name, type),
  };
}

function writeTypeReference(reference: TypeReference): JsonObject {
  return {
    ...(reference.collection ? { $Collection: true } : {}),
    ...(reference.type === 'Edm.String' ? {} : { $Type: reference.type }),
    ...(reference.nullable ? { $Nullable: true } : {}),
    ...writeFacets(reference.type, reference.facets),
  };
}

/** In CSDL, absence means any precision; a time without one in the definition has that of its type. */
function writeFacets(type: string, facets: TypeReference['facets']): JsonObject {
  const isTime = type === 'Edm.DateTimeOffset' || type === 'Edm.TimeOfDay';
  const digits = isTime && !hasAnyPrecision(facets) ? fractionDigits(type, facets) : undefined;
  const precision = facets.precision ?? digits;
  return {
    ...(facets.maxLength === undefined ? {} : { $MaxLength: facets.maxLength }),
    ...(facets.unicode === undefined ? {} : { $Unicode: facets.unicode }),
    ...(precision === undefined ? {} : { $Precision: precision }),
    ...(facets.scale === undefined ? {} : { $Scale: facets.scale }),
    ...(facets.srid === undefined ? {} : { $SRID: String(facets.srid) }),
  };
}

function writeOperations(context: WriteContext, operations: readonly Operation[]): JsonObject {
  const groups = new Map<string, JsonObject[]>();
  for (const operation of operations) {
    const name = simpleName(operation.name);
    groups.set(name, [...(groups.get(name) ?? []), writeOperation(context, operation)]);
  }
  return Object.fromEntries(groups);
}

function writeOperation(context: WriteContext, operation: Operation): JsonObject {
  const { name, parameters, returns, entitySetPath } = operation;
  return {
    $Kind: operation.kind === 'action' ? 'Action' : 'Function',
    ...(operation.bound ? { $IsBound: true } : {}),
    ...(operation.composable === true ? { $IsComposable: true } : {}),
    ...(entitySetPath === undefined ? {} : { $EntitySetPath: entitySetPath }),
    ...(parameters.length === 0
      ? {}
      : { $Parameter: parameters.map((item) => writeParameter(context, name, item)) }),
    ...(returns === undefined ? {} : { $ReturnType: writeReturnType(context, name, returns) }),
    ...annotate(context, name, operation, {
      ...hiddenTerm(context, operation),
      ...docketTerms(context, docketAnnotations.operation(operation)),
    }),
  };
}

/** The service performs due actions, so that user interfaces need not offer them unless the model shows them. */
function hiddenTerm({ options }: WriteContext, { due, annotations }: Operation): Annotations {
  const isOffered = due === undefined || annotations?.['UI.Hidden'] !== undefined;
  return options.userInterface !== true || isOffered ? {} : { 'UI.Hidden': true };
}

function writeParameter(
  context: WriteContext,
  operation: string,
  parameter: Parameter,
): JsonObject {
  return {
    $Name: parameter.name,
    ...writeTypeReference(parameter),
    ...annotate(context, `${operation}/${parameter.name}`, parameter, {
      ...(parameter.optional === true ? { 'Core.OptionalParameter': {} } : {}),
      ...docketTerms(context, docketAnnotations.parameter(parameter), parameter.codeList),
    }),
  };
}

function writeReturnType(
  context: WriteContext,
  operation: string,
  returns: ReturnType,
): JsonObject {
  return {
    ...writeTypeReference(returns),
    ...annotate(context, `${operation}/$ReturnType`, returns),
  };
}

function writeContainer(context: WriteContext): JsonObject {
  const { definition } = context;
  const { container, containerAnnotations } = definition;
  const about = containerAnnotations === undefined ? {} : { annotations: containerAnnotations };
  return {
    $Kind: 'EntityContainer',
    ...annotate(context, container, about, {
      'Core.ODataVersions': '4.01',
      ...docketTerms(
        context,
        docketAnnotations.container(definition, (list) => annotate(context, '', list)),
      ),
    }),
    ...Object.fromEntries(definition.sets.map((set) => [set.name, writeSet(context, set)])),
    ...Object.fromEntries(
      definition.imports.map((item) => [item.name, writeImport(context, item)]),
    ),
  };
}

function writeSet(context: WriteContext, set: EntitySet): JsonObject {
  const isSet = set.kind === 'set';
  return {
    ...(isSet ? { $Collection: true } : {}),
    $Type: set.type,
    ...(!isSet && set.nullable === true ? { $Nullable: true } : {}),
    ...(Object.keys(set.bindings).length === 0 ? {} : { $NavigationPropertyBinding: set.bindings }),
    ...(isSet && !set.listed ? { $IncludeInServiceDocument: false } : {}),
    ...annotate(context, `${context.definition.container}/${set.name}`, set, {
      ...restriction('InsertRestrictions', 'Insertable', set.insertable),
      ...restriction('UpdateRestrictions', 'Updatable', set.updatable),
      ...restriction('DeleteRestrictions', 'Deletable', set.deletable),
      ...docketTerms(context, docketAnnotations.set(set)),
    }),
  };
}

function restriction(term: string, member: string, value: boolean | undefined): Annotations {
  return value === undefined ? {} : { [`Capabilities.${term}`]: { [member]: value } };
}

function writeImport(context: WriteContext, item: OperationImport): JsonObject {
  const isFunction = item.kind === 'function-import';
  return {
    [isFunction ? '$Function' : '$Action']: item.operation,
    ...(item.set === undefined ? {} : { $EntitySet: item.set }),
    ...(isFunction && item.listed ? { $IncludeInServiceDocument: true } : {}),
    ...annotate(
      context,
      `${context.definition.container}/${item.name}`,
      item,
      docketTerms(context, docketAnnotations.import(item)),
    ),
  };
}

/** Terms from which user interfaces learn what they can offer; for navigations there are no standard ones. */
const FOR_USER_INTERFACES = new Set(['Docket.Computed', 'Docket.Discloses', 'Docket.Immutable']);

function docketTerms(
  { options }: WriteContext,
  terms: Annotations,
  codeList?: string,
): Annotations {
  if (options.complete === true) return terms;
  if (options.userInterface !== true) return {};
  const shown = Object.entries(terms).filter(([term]) => FOR_USER_INTERFACES.has(term));
  return { ...Object.fromEntries(shown), ...definedMembers({ 'Docket.CodeList': codeList }) };
}

/**
 * All annotations of an element, as members of its CSDL object. Records of the same term from several sources are merged, for example
 * if a set is not insertable and capabilities restrict insertion further.
 */
function annotate(
  context: WriteContext,
  target: string,
  element: Described,
  derived: Annotations = {},
): Annotations {
  const merged = [
    describe(context.definition, element),
    element.annotations ?? {},
    context.options.capabilities?.[target] ?? {},
    derived,
  ].reduce(mergeTerms, {});
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([term]) => !term.startsWith(CONSTRAINT))
      .map(([term, value]) => [term.startsWith('$') ? term : `@${term}`, value]),
  );
}

function describe(definition: ModelDefinition, element: Described): Annotations {
  const [defaultLanguage] = definition.languages;
  const labels = Object.entries(element.labels ?? {}).map(([language, text]) => {
    const qualifier = language === defaultLanguage ? '' : `#${language.replaceAll('-', '_')}`;
    return [`Core.Description${qualifier}`, text] as const;
  });
  return {
    ...Object.fromEntries(labels),
    ...(element.description === undefined ? {} : { 'Core.LongDescription': element.description }),
  };
}

function mergeTerms(earlier: Annotations, later: Annotations): Annotations {
  const merged = Object.entries(later).map(([term, value]) => {
    const other = earlier[term];
    return isPlainRecord(other) && isPlainRecord(value)
      ? ([term, { ...other, ...value }] as const)
      : ([term, value] as const);
  });
  return { ...earlier, ...Object.fromEntries(merged) };
}

function plainInteger(value: bigint): JsonInput {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
