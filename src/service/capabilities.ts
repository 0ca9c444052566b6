// This file describes the service with annotations of the Capabilities vocabulary, for the container and for each set. A test covers every
// annotation: one that promises too much would mislead generated clients.
// Source: OData Vocabularies 4.0, "Capabilities Vocabulary", "Core Vocabulary", "Aggregation Vocabulary",
// "Repeatability Vocabulary".
import type { FileLimits } from '../attachments/vault.ts';
import { FUNCTIONS } from '../bind/expression/functions.ts';
import type { Annotations, EntitySet, ModelDefinition } from '../edm/model.ts';

/** Aliases of the vocabularies. */
const CORE = 'Core';
const CAPABILITIES = 'Capabilities';
const REPEATABILITY = 'Repeatability';

const AGGREGATION = 'Aggregation';
const VALIDATION = 'Validation';

const FORMATS = [
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false',
  'application/json;odata.metadata=full;odata.streaming=true;IEEE754Compatible=true;ExponentialDecimals=true',
  'application/json;odata.metadata=none',
  'application/atom+xml',
  'application/xml',
  'text/xml',
];

/** Supported transformations of `$apply`. Others return 501. */
const TRANSFORMATIONS =
  `addnested aggregate ancestors bottomcount bottompercent bottomsum compute concat descendants filter groupby identity join
  nest orderby outerjoin search skip top topcount toppercent topsum traverse`.split(/\s+/);

/** Spelling of functions whose names are not all lower case, by their lookup name. */
const SPELLING: Readonly<Record<string, string>> = { matchespattern: 'matchesPattern' };

/** Options within $select, as `Nicknames($filter=...)`. */
const SELECT_SUPPORT = {
  Supported: true,
  Filterable: true,
  TopSupported: true,
  SkipSupported: true,
  Countable: true,
  Sortable: true,
  Searchable: true,
  ComputeSupported: true,
  InstanceAnnotationsSupported: true,
};

/** Annotations by target, for the metadata documents. */
export function capabilitiesOf(
  definition: ModelDefinition,
  files?: FileLimits,
): Readonly<Record<string, Annotations>> {
  const sets = definition.sets.map(
    (set) =>
      [
        `${definition.container}/${set.name}`,
        { ...setCapabilities(set), ...streamCapabilities(definition, set) },
      ] as const,
  );
  return {
    [definition.container]: containerCapabilities(),
    ...(files === undefined ? {} : fileCapabilities(definition, files)),
    ...Object.fromEntries(sets.filter(([, annotations]) => Object.keys(annotations).length > 0)),
  };
}

function containerCapabilities(): Annotations {
  return {
    [`${CORE}.ODataVersions`]: '4.0 4.01',
    [`${CAPABILITIES}.ConformanceLevel`]: 'Advanced',
    [`${CORE}.DereferenceableIDs`]: true,
    [`${CORE}.ConventionalIDs`]: true,
    [`${CAPABILITIES}.SupportedFormats`]: FORMATS,
    [`${CAPABILITIES}.SupportedMetadataFormats`]: ['application/xml', 'application/json'],
    [`${CAPABILITIES}.FilterFunctions`]: Object.keys(FUNCTIONS).map(
      (name) => SPELLING[name] ?? name,
    ),
    [`${CAPABILITIES}.CrossJoinSupported`]: true,
    [`${CAPABILITIES}.KeyAsSegmentSupported`]: true,
    [`${CAPABILITIES}.QuerySegmentSupported`]: true,
    [`${CAPABILITIES}.AnnotationValuesInQuerySupported`]: true,
    [`${CAPABILITIES}.SelectSupport`]: SELECT_SUPPORT,
    [`${AGGREGATION}.ApplySupportedDefaults`]: {
      Transformations: TRANSFORMATIONS,
      From: true,
    },
    [`${CAPABILITIES}.AsynchronousRequestsSupported`]: true,
    // An empty collection means HTTP.
    [`${CAPABILITIES}.CallbackSupported`]: { CallbackProtocols: [] },
    [`${CAPABILITIES}.BatchSupported`]: true,
    [`${CAPABILITIES}.BatchContinueOnErrorSupported`]: true,
    [`${CAPABILITIES}.BatchSupport`]: {
      Supported: true,
      ContinueOnErrorSupported: true,
      ReferencesInRequestBodiesSupported: true,
      ReferencesAcrossChangeSetsSupported: true,
      EtagReferencesSupported: true,
      RequestDependencyConditionsSupported: false,
      SupportedFormats: ['multipart/mixed', 'application/json'],
    },
    [`${REPEATABILITY}.Supported`]: true,
  };
}

/** Limits of files: Validation.Maximum for properties with the size, AcceptableMediaTypes, and a description of the rest. */
function fileCapabilities(
  { types }: ModelDefinition,
  limits: FileLimits,
): Readonly<Record<string, Annotations>> {
  const media = types.filter((type) => type.kind === 'entity' && type.hasStream === true);
  const { bytes, permitted } = limits;
  const ofType: Annotations = {
    [`${CORE}.LongDescription#FileLimits`]: describeLimits(limits),
    ...(permitted.length === 0 ? {} : { [`${CORE}.AcceptableMediaTypes`]: permitted }),
  };
  return Object.fromEntries(
    media.flatMap((type) => {
      const members = type.kind === 'entity' ? type.members : [];
      const sizes = members.filter((member) => member.filePart === 'size');
      return [
        [type.name, ofType] as const,
        ...sizes.map(
          ({ name }) => [`${type.name}/${name}`, { [`${VALIDATION}.Maximum`]: bytes }] as const,
        ),
      ];
    }),
  );
}

function describeLimits({ bytes, refused, accountBytes }: FileLimits): string {
  return [
    `A file has at most ${bytes} bytes.`,
    ...(refused.length === 0 ? [] : [`Files of these types are rejected: ${refused.join(', ')}.`]),
    ...(accountBytes === undefined
      ? []
      : [`The files of one account have at most ${accountBytes} bytes in total.`]),
  ].join(' ');
}

/** Annotations of every set, but not of singletons. */
const COLLECTION: Annotations = {
  [`${CAPABILITIES}.TopSupported`]: true,
  [`${CAPABILITIES}.SkipSupported`]: true,
  [`${CAPABILITIES}.ComputeSupported`]: true,
  [`${CAPABILITIES}.IndexableByKey`]: true,
};

/** Sets with streams support $expand of stream properties. */
function streamCapabilities({ types }: ModelDefinition, { type: name }: EntitySet): Annotations {
  const entityType = types.find((type) => type.name === name);
  const hasStreams =
    entityType?.kind === 'entity' &&
    (entityType.hasStream === true ||
      entityType.members.some(
        (member) => member.kind === 'property' && member.type === 'Edm.Stream',
      ));
  return hasStreams ? { [`${CAPABILITIES}.ExpandRestrictions`]: { StreamsExpandable: true } } : {};
}

function setCapabilities(set: EntitySet): Annotations {
  return {
    ...(set.kind === 'set' ? COLLECTION : {}),
    ...(set.kind === 'set'
      ? { [`${CAPABILITIES}.ChangeTracking`]: { Supported: set.administrative !== true } }
      : {}),
    ...restriction(set.insertable, 'InsertRestrictions', 'Insertable'),
    ...restriction(set.updatable, 'UpdateRestrictions', 'Updatable'),
    ...restriction(set.deletable, 'DeleteRestrictions', 'Deletable'),
  };
}

function restriction(isAllowed: boolean | undefined, name: string, member: string): Annotations {
  return isAllowed === false ? { [`${CAPABILITIES}.${name}`]: { [member]: false } } : {};
}
