// This file reports annotations without effect: terms of Docket.V1 on elements that they do not apply to, terms that the vocabularies Core
// and Capabilities do not have, and annotations whose external target does not exist. The readers have taken the others.
import { didYouMean } from '../../base/nearest-name.ts';
import { DOCKET_SCHEMA, DOCKET_VOCABULARY } from '../csdl/vocabularies.ts';
import {
  type Annotations,
  isPlainRecord,
  isStructured,
  type Json,
  type Model,
  type NamedType,
} from '../model.ts';
import { elementPath, type Mistake, memberPath, warning } from '../model-error.ts';
import { isJsonArray, isJsonObject } from '../value/lossless-json.ts';

interface Annotated {
  /** As in `AppliesTo` of a term. */
  readonly kind: string;
  readonly path: string;
  readonly annotations: Annotations | undefined;
  /** The annotated member if it is not an object. */
  readonly prefix?: string;
}

/** Returns a warning for each annotation without effect. */
export function lintTerms(model: Model): readonly Mistake[] {
  const elements = [...typeElements(model), ...operationElements(model), ...setElements(model)];
  return [...elements.flatMap(lintElement), ...lintTargets(model)];
}

/** Terms that have another name for navigation properties. */
const OF_PROPERTIES = ['Computed', 'Immutable'];

const STANDARD_TERMS: Readonly<Record<string, readonly string[]>> = {
  Core: words(`ODataVersions SchemaVersion Revisions Description LongDescription Links Example Messages ValueException ResourceException
    DataModificationException IsLanguageDependent RequiresType AppliesViaContainer ResourcePath DereferenceableIDs ConventionalIDs
    Permissions ContentID DefaultNamespace Immutable Computed ComputedDefaultValue IsURL AcceptableMediaTypes MediaType IsMediaType
    ContentDisposition OptimisticConcurrency AdditionalProperties AutoExpand AutoExpandReferences MayImplement Ordered
    PositionalInsert AlternateKeys OptionalParameter OperationAvailable RequiresExplicitBinding ExplicitOperationBindings
    SymbolicName GeometryFeature AnyStructure IsDelta`),
  Capabilities:
    words(`ConformanceLevel SupportedFormats SupportedMetadataFormats AcceptableEncodings AsynchronousRequestsSupported
    BatchContinueOnErrorSupported IsolationSupported CrossJoinSupported CallbackSupported ChangeTracking CountRestrictions
    NavigationRestrictions IndexableByKey TopSupported SkipSupported ComputeSupported SelectSupport BatchSupported BatchSupport
    FilterFunctions FilterRestrictions SortRestrictions ExpandRestrictions SearchRestrictions KeyAsSegmentSupported
    QuerySegmentSupported InsertRestrictions DeepInsertSupport UpdateRestrictions DeepUpdateSupport DeleteRestrictions
    CollectionPropertyRestrictions OperationRestrictions AnnotationValuesInQuerySupported ModificationQueryOptions
    ReadRestrictions CustomHeaders CustomQueryOptions MediaLocationUpdateSupported DefaultCapabilities`),
};

function words(names: string): readonly string[] {
  return names.split(/\s+/);
}

const TYPE_KINDS: Readonly<Record<NamedType['kind'], string>> = {
  entity: 'EntityType',
  complex: 'ComplexType',
  enum: 'EnumType',
  definition: 'TypeDefinition',
};

function typeElements({ definition }: Model): readonly Annotated[] {
  return definition.types.flatMap((type): readonly Annotated[] => {
    const path = elementPath(type.name);
    const whole = { kind: TYPE_KINDS[type.kind], path, annotations: type.annotations };
    if (type.kind === 'enum')
      return [
        whole,
        ...type.members.map(({ name, annotations }) => {
          return { kind: 'Member', path, annotations, prefix: name };
        }),
      ];
    if (!isStructured(type)) return [whole];
    const members = type.members.map(({ kind, name, annotations }) => {
      const element = kind === 'property' ? 'Property' : 'NavigationProperty';
      return { kind: element, path: memberPath(path, name), annotations };
    });
    return [whole, ...members];
  });
}

function operationElements({ definition }: Model): readonly Annotated[] {
  return definition.operations.flatMap(({ kind, name, annotations, parameters, returns }) => {
    const path = elementPath(name);
    return [
      { kind: kind === 'action' ? 'Action' : 'Function', path, annotations },
      ...parameters.map((parameter) => ({
        kind: 'Parameter',
        path: memberPath(path, parameter.name),
        annotations: parameter.annotations,
      })),
      { kind: 'ReturnType', path: `${path}.$ReturnType`, annotations: returns?.annotations },
    ];
  });
}

function setElements({ definition }: Model): readonly Annotated[] {
  const { container, containerAnnotations, sets, imports, namespaces, annotations } = definition;
  return [
    { kind: 'Schema', path: memberPath('$', namespaces[0]?.name ?? ''), annotations },
    { kind: 'EntityContainer', path: elementPath(container), annotations: containerAnnotations },
    ...sets.map((set) => ({
      kind: set.kind === 'set' ? 'EntitySet' : 'Singleton',
      path: elementPath(container, set.name),
      annotations: set.annotations,
    })),
    ...imports.map((item) => ({
      kind: item.kind === 'function-import' ? 'FunctionImport' : 'ActionImport',
      path: elementPath(container, item.name),
      annotations: item.annotations,
    })),
  ];
}

function lintElement({ kind, path, annotations, prefix = '' }: Annotated): readonly Mistake[] {
  return Object.keys(annotations ?? {}).flatMap((name) => {
    if (name.includes('@')) return [];
    const [term = '', qualifier] = name.split('#');
    const reason = reasonOf(term, qualifier, kind);
    return reason === undefined ? [] : [warning(memberPath(path, `${prefix}@${name}`), ...reason)];
  });
}

type Reason = readonly [message: string, remedy: string];

function reasonOf(term: string, qualifier: string | undefined, kind: string): Reason | undefined {
  const dot = term.lastIndexOf('.');
  const [vocabulary, name] = [term.slice(0, dot), term.slice(dot + 1)];
  if (vocabulary === DOCKET_VOCABULARY.alias) return misplaced(term, qualifier, kind);
  if (vocabulary === 'Core' && kind === 'NavigationProperty' && OF_PROPERTIES.includes(name))
    return [`${term} has no effect on navigation properties.`, `Use @Docket.${name}.`];
  const known = STANDARD_TERMS[vocabulary];
  if (known === undefined || known.includes(name)) return undefined;
  return [
    `The vocabulary ${vocabulary} has no term ${name}, so it has no effect.`,
    `Remove it or correct the name.${didYouMean(name, known)}`,
  ];
}

function misplaced(term: string, qualifier: string | undefined, kind: string): Reason | undefined {
  const declared = DOCKET_SCHEMA[term.slice(term.lastIndexOf('.') + 1)];
  const kinds = isJsonObject(declared) ? declared.$AppliesTo : undefined;
  if (!isJsonArray(kinds)) return undefined;
  if (!kinds.includes(kind))
    return [`${term} has no effect here.`, `Remove it, or use it on ${kinds.join(', ')}.`];
  if (qualifier === undefined) return undefined;
  return [`${term} has no effect with a qualifier.`, 'Remove the qualifier.'];
}

// ---- annotations with external targets ------------------------------------------------------------------------------

/** Annotations whose targets are not in the model. Targets in the namespaces of other documents are left to their readers. */
function lintTargets(model: Model): readonly Mistake[] {
  const { namespaces, remainder } = model.definition;
  const full = new Map(
    namespaces.flatMap(({ name, alias = name }) => [[name, name] as const, [alias, name] as const]),
  );
  return Object.entries(remainder?.schemas ?? {}).flatMap(
    ([namespace, { $Annotations: targets }]) =>
      Object.entries(isPlainRecord(targets) ? targets : {}).flatMap(([target, annotations]) => {
        const [element = '', ...members] = target.replace(/\(.*\)/, '').split('/');
        const dot = element.lastIndexOf('.');
        const known = full.get(element.slice(0, dot));
        if (known === undefined) return [];
        const reason =
          missingTarget(model, `${known}${element.slice(dot)}`, members) ?? unused(annotations);
        const path = memberPath(memberPath(memberPath('$', namespace), '$Annotations'), target);
        return reason === undefined ? [] : [warning(path, ...reason)];
      }),
  );
}

function missingTarget(
  model: Model,
  element: string,
  [member]: readonly string[],
): Reason | undefined {
  const { container } = model.definition;
  const elements = [...model.types.keys(), ...model.operations.keys(), container];
  if (!elements.includes(element)) return missing(element, elements);
  const type = model.types.get(element);
  const sets = [...model.storedSets.keys(), ...model.imports.keys()];
  const members = element === container ? sets : type && membersOf(model, type);
  if (member === undefined || members === undefined || members.includes(member)) return undefined;
  return missing(member, members);
}

function membersOf(model: Model, type: NamedType): readonly string[] {
  if (isStructured(type)) return [...model.stored(type).keys()];
  return type.kind === 'enum' ? type.members.map(({ name }) => name) : [];
}

function missing(name: string, candidates: readonly string[]): Reason {
  const remedy = `Remove the annotations or correct the name.${didYouMean(name, candidates)}`;
  return [`The model does not have the target ${name}.`, remedy];
}

/** The target is there, but annotations that the service would use are read from the element only. */
function unused(annotations: Json): Reason | undefined {
  const names = Object.keys(isPlainRecord(annotations) ? annotations : {});
  const name = names.find((one) => /\b(Docket|Validation)\./.test(one));
  if (name === undefined) return undefined;
  return [`${name} has no effect on this target.`, 'Write it in the element itself.'];
}
