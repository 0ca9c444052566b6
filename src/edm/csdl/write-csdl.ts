// This file writes a model as CSDL JSON, its canonical description; it is long because each kind of element has its writer here.
// What the model itself says becomes annotations of the standard vocabularies; what only this service understands becomes terms
// of Docket.V1 when asked for; what the service can do is decided elsewhere and handed in. read-csdl.ts is its mirror.
// OData CSDL JSON 4.01. Labels: `@Core.Description` in the default language, `@Core.Description#nl` in the others (a hyphen in a
// language tag becomes an underscore); descriptions: `@Core.LongDescription`.

import {
  type Annotations,
  type ComplexType,
  type Described,
  type EntitySet,
  type EntityType,
  type EnumType,
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
import { ownTerms } from './docket-annotations.ts';
import { aliasesOf, renameTerms, writeReferences } from './references.ts';
import { OWN_SCHEMA, OWN_VOCABULARY } from './vocabularies.ts';

export interface CsdlOptions {
  readonly version?: '4.0' | '4.01';
  /**
   * Annotations by what they are said about: qualified name of a namespace, type, operation or the container, with the name of
   * a member, set or import after a slash (`Library.Container/Books`, `Library.Book/Title`).
   */
  readonly capabilities?: Readonly<Record<string, Annotations>>;
  /** Also what only this service understands, so that readCsdl gives the same definition again. */
  readonly complete?: boolean;
}

interface Writing {
  readonly definition: ModelDefinition;
  readonly model: Model;
  readonly options: CsdlOptions;
}

/** The description as JSON (integers beyond the doubles are bigint: print it with printJson). */
export function toCsdl(definition: ModelDefinition, options: CsdlOptions = {}): JsonObject {
  const writing = { definition, model: makeModel(definition), options };
  const schemas = Object.fromEntries(
    definition.namespaces.map(({ name, alias }) => [name, writeSchema(writing, name, alias)]),
  );
  const named = renameTerms(schemas, aliasesOf(definition));
  const references = writeReferences(definition, named);
  return {
    $Version: options.version ?? '4.01',
    ...(definition.container === '' ? {} : { $EntityContainer: definition.container }),
    ...(Object.keys(references).length === 0 ? {} : { $Reference: references }),
    ...named,
    ...(options.complete === true ? { [OWN_VOCABULARY.namespace]: OWN_SCHEMA } : {}),
  };
}

function writeSchema(writing: Writing, namespace: string, alias: string | undefined): JsonObject {
  const { definition } = writing;
  const isHere = (name: string) => name === `${namespace}.${simpleName(name)}`;
  const isFirst = definition.namespaces[0]?.name === namespace;
  const about = isFirst
    ? annotate(writing, namespace, definition, { 'Core.DefaultNamespace': true })
    : annotate(writing, namespace, {});
  return {
    ...(alias === undefined ? {} : { $Alias: alias }),
    ...definition.remainder?.schemas?.[namespace],
    ...about,
    ...Object.fromEntries(
      definition.types
        .filter((type) => isHere(type.name))
        .map((type) => [simpleName(type.name), writeType(writing, type)]),
    ),
    ...writeOperations(
      writing,
      definition.operations.filter((item) => isHere(item.name)),
    ),
    ...(isHere(definition.container)
      ? { [simpleName(definition.container)]: writeContainer(writing) }
      : {}),
  };
}

function writeType(writing: Writing, type: NamedType): JsonObject {
  switch (type.kind) {
    case 'entity':
      return writeStructured(writing, type, writeEntityHead(type), alternateKeys(type));
    case 'complex':
      return writeStructured(writing, type, { $Kind: 'ComplexType' }, {});
    case 'enum':
      return writeEnum(writing, type);
    case 'definition':
      return writeTypeDefinition(writing, type);
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
  writing: Writing,
  type: ComplexType | EntityType,
  head: JsonObject,
  derived: Annotations,
): JsonObject {
  return {
    ...head,
    ...(type.base === undefined ? {} : { $BaseType: type.base }),
    ...(type.abstract === true ? { $Abstract: true } : {}),
    ...(type.open === true ? { $OpenType: true } : {}),
    ...annotate(writing, type.name, type, { ...derived, ...own(writing, ownTerms.type(type)) }),
    ...Object.fromEntries(
      type.members.map((member) => [member.name, writeMember(writing, type, member)]),
    ),
  };
}

function writeMember(writing: Writing, owner: StructuredType, member: Member): JsonObject {
  const target = `${owner.name}/${member.name}`;
  return member.kind === 'property'
    ? writeProperty(writing, target, owner, member)
    : writeNavigation(writing, target, member);
}

function writeProperty(
  writing: Writing,
  target: string,
  owner: StructuredType,
  property: Property,
): JsonObject {
  const isCodeText = owner.kind === 'complex' && owner.coded?.text === property.name;
  return {
    ...writeTypeReference(property),
    ...(property.defaultValue === undefined ? {} : { $DefaultValue: property.defaultValue }),
    ...annotate(writing, target, property, {
      ...(property.computed === true ? { 'Core.Computed': true } : {}),
      ...(property.immutable === true ? { 'Core.Immutable': true } : {}),
      ...(property.generated?.by === 'initial' ? { 'Core.ComputedDefaultValue': true } : {}),
      ...(isCodeText ? { 'Core.IsLanguageDependent': true } : {}),
      ...own(writing, ownTerms.property(property)),
    }),
  };
}

function writeNavigation(writing: Writing, target: string, navigation: Navigation): JsonObject {
  return {
    $Kind: 'NavigationProperty',
    ...(navigation.collection ? { $Collection: true } : {}),
    $Type: navigation.target,
    ...(navigation.nullable && !navigation.collection ? { $Nullable: true } : {}),
    ...(navigation.partner === undefined ? {} : { $Partner: navigation.partner }),
    ...(navigation.contained ? { $ContainsTarget: true } : {}),
    ...writeConstraints(navigation),
    ...writeOnDelete(writing, navigation),
    ...annotate(writing, target, navigation, {
      ...(navigation.computed === true ? { 'Core.Permissions': 'Read' } : {}),
      ...own(writing, ownTerms.navigation(navigation)),
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

/** CSDL says on the one side what the model says on the other: what becomes of the related entities when this one is deleted. */
function writeOnDelete(writing: Writing, navigation: Navigation): JsonObject {
  const partner = partnerOf(writing.model, navigation);
  return partner?.onDelete === undefined ? {} : { $OnDelete: ON_DELETE[partner.onDelete] };
}

function partnerOf(model: Model, navigation: Navigation): Navigation | undefined {
  const target = model.types.get(navigation.target);
  if (target?.kind !== 'entity' || navigation.partner === undefined) return undefined;
  const partner = model.members(target).get(navigation.partner);
  return partner?.kind === 'navigation' ? partner : undefined;
}

function writeEnum(writing: Writing, type: EnumType): JsonObject {
  return {
    $Kind: 'EnumType',
    ...(type.underlying === 'Edm.Int32' ? {} : { $UnderlyingType: type.underlying }),
    ...(type.flags ? { $IsFlags: true } : {}),
    ...annotate(writing, type.name, type),
    ...Object.fromEntries(
      type.members.flatMap((member) => {
        const about = annotate(writing, `${type.name}/${member.name}`, member);
        const prefixed = Object.entries(about).map(([term, value]) => [member.name + term, value]);
        return [[member.name, plainInteger(member.value)], ...prefixed];
      }),
    ),
  };
}

function writeTypeDefinition(writing: Writing, type: TypeDefinition): JsonObject {
  return {
    $Kind: 'TypeDefinition',
    $UnderlyingType: type.underlying,
    ...writeFacets(type.underlying, type.facets),
    ...annotate(writing, type.name, type),
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

/** A point in time without a precision is kept with three digits, and its description says so. */
function writeFacets(type: string, facets: TypeReference['facets']): JsonObject {
  const precision = facets.precision ?? (type === 'Edm.DateTimeOffset' ? 3 : undefined);
  return {
    ...(facets.maxLength === undefined ? {} : { $MaxLength: facets.maxLength }),
    ...(facets.unicode === undefined ? {} : { $Unicode: facets.unicode }),
    ...(precision === undefined ? {} : { $Precision: precision }),
    ...(facets.scale === undefined ? {} : { $Scale: facets.scale }),
    ...(facets.srid === undefined ? {} : { $SRID: String(facets.srid) }),
  };
}

function writeOperations(writing: Writing, operations: readonly Operation[]): JsonObject {
  const groups = new Map<string, JsonObject[]>();
  for (const operation of operations) {
    const name = simpleName(operation.name);
    groups.set(name, [...(groups.get(name) ?? []), writeOperation(writing, operation)]);
  }
  return Object.fromEntries(groups);
}

function writeOperation(writing: Writing, operation: Operation): JsonObject {
  const { name, parameters, returns, entitySetPath } = operation;
  return {
    $Kind: operation.kind === 'action' ? 'Action' : 'Function',
    ...(operation.bound ? { $IsBound: true } : {}),
    ...(operation.composable === true ? { $IsComposable: true } : {}),
    ...(entitySetPath === undefined ? {} : { $EntitySetPath: entitySetPath }),
    ...(parameters.length === 0
      ? {}
      : { $Parameter: parameters.map((item) => writeParameter(writing, name, item)) }),
    ...(returns === undefined ? {} : { $ReturnType: writeReturnType(writing, name, returns) }),
    ...annotate(writing, name, operation, own(writing, ownTerms.operation(operation))),
  };
}

function writeParameter(writing: Writing, operation: string, parameter: Parameter): JsonObject {
  return {
    $Name: parameter.name,
    ...writeTypeReference(parameter),
    ...annotate(writing, `${operation}/${parameter.name}`, parameter, {
      ...(parameter.optional === true ? { 'Core.OptionalParameter': {} } : {}),
      ...own(writing, ownTerms.parameter(parameter)),
    }),
  };
}

function writeReturnType(writing: Writing, operation: string, returns: ReturnType): JsonObject {
  return {
    ...writeTypeReference(returns),
    ...annotate(writing, `${operation}/$ReturnType`, returns),
  };
}

function writeContainer(writing: Writing): JsonObject {
  const { definition } = writing;
  const { container, containerAnnotations } = definition;
  const about = containerAnnotations === undefined ? {} : { annotations: containerAnnotations };
  return {
    $Kind: 'EntityContainer',
    ...annotate(writing, container, about, {
      'Core.ODataVersions': '4.01',
      ...own(
        writing,
        ownTerms.container(definition, (list) => annotate(writing, '', list)),
      ),
    }),
    ...Object.fromEntries(definition.sets.map((set) => [set.name, writeSet(writing, set)])),
    ...Object.fromEntries(
      definition.imports.map((item) => [item.name, writeImport(writing, item)]),
    ),
  };
}

function writeSet(writing: Writing, set: EntitySet): JsonObject {
  const isSet = set.kind === 'set';
  return {
    ...(isSet ? { $Collection: true } : {}),
    $Type: set.type,
    ...(!isSet && set.nullable === true ? { $Nullable: true } : {}),
    ...(Object.keys(set.bindings).length === 0 ? {} : { $NavigationPropertyBinding: set.bindings }),
    ...(isSet && !set.listed ? { $IncludeInServiceDocument: false } : {}),
    ...annotate(writing, `${writing.definition.container}/${set.name}`, set, {
      ...restriction('InsertRestrictions', 'Insertable', set.insertable),
      ...restriction('UpdateRestrictions', 'Updatable', set.updatable),
      ...restriction('DeleteRestrictions', 'Deletable', set.deletable),
      ...own(writing, ownTerms.set(set)),
    }),
  };
}

function restriction(term: string, member: string, value: boolean | undefined): Annotations {
  return value === undefined ? {} : { [`Capabilities.${term}`]: { [member]: value } };
}

function writeImport(writing: Writing, item: OperationImport): JsonObject {
  const isFunction = item.kind === 'function-import';
  return {
    [isFunction ? '$Function' : '$Action']: item.operation,
    ...(item.set === undefined ? {} : { $EntitySet: item.set }),
    ...(isFunction && item.listed ? { $IncludeInServiceDocument: true } : {}),
    ...annotate(
      writing,
      `${writing.definition.container}/${item.name}`,
      item,
      own(writing, ownTerms.import(item)),
    ),
  };
}

function own(writing: Writing, terms: Annotations): Annotations {
  return writing.options.complete === true ? terms : {};
}

/**
 * Everything that is said about one thing, as members of its CSDL object. Where several sources speak of one term with a record
 * (a set that is not insertable, capabilities that restrict insertion further), the records are put together.
 */
function annotate(
  writing: Writing,
  target: string,
  thing: Described,
  derived: Annotations = {},
): Annotations {
  const said = [
    describe(writing.definition, thing),
    thing.annotations ?? {},
    writing.options.capabilities?.[target] ?? {},
    derived,
  ].reduce(mergeTerms, {});
  return Object.fromEntries(
    Object.entries(said)
      .filter(([term]) => !term.startsWith(CONSTRAINT))
      .map(([term, value]) => [term.startsWith('$') ? term : `@${term}`, value]),
  );
}

function describe(definition: ModelDefinition, thing: Described): Annotations {
  const [defaultLanguage] = definition.languages;
  const labels = Object.entries(thing.labels ?? {}).map(([language, text]) => {
    const qualifier = language === defaultLanguage ? '' : `#${language.replaceAll('-', '_')}`;
    return [`Core.Description${qualifier}`, text] as const;
  });
  return {
    ...Object.fromEntries(labels),
    ...(thing.description === undefined ? {} : { 'Core.LongDescription': thing.description }),
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

function isPlainRecord(value: Annotations[string] | undefined): value is Annotations {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plainInteger(value: bigint): JsonInput {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
