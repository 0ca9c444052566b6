// This file makes random definitions with a bit of everything, for tests of what must hold for any model.
import fc from 'fast-check';
import type {
  Annotations,
  CodeList,
  Described,
  EntitySet,
  EnumType,
  Facets,
  Generated,
  Member,
  ModelDefinition,
  Navigation,
  Operation,
  OperationImport,
  Parameter,
  Property,
  StructuredType,
  TypeDefinition,
  TypeReference,
} from '../../src/edm/model.ts';

const LANGUAGES = ['en', 'nl', 'de-AT'];
const NAMESPACES = ['Shop', 'Shop.Stock_2'];
const TYPE_NAMES = ['Shop.Item', 'Shop.Part', 'Shop.Stock_2.Bin', 'Shop.Stock_2.Box'];
const names = (prefix: string, size: number) =>
  Array.from({ length: size }, (_, at) => prefix + at);

/** A record of which each member may be missing. */
function partial<Shape extends object>(
  shape: { [Name in keyof Shape]: fc.Arbitrary<Shape[Name]> },
) {
  return fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Partial<Shape>>;
}

const yes = fc.constant(true as const);
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const texts = fc
  .subarray(LANGUAGES, { minLength: 1 })
  .chain((languages) => fc.record(Object.fromEntries(languages.map((name) => [name, text]))));
const annotations: fc.Arbitrary<Annotations> = fc
  .dictionary(
    fc.constantFrom('Validation.Pattern', 'Measures.Unit#x', 'Core.Example', 'Some.Foreign.Term'),
    fc.oneof(
      text,
      fc.boolean(),
      fc.integer(),
      fc.constant({ $Path: 'A/B' }),
      fc.constant([1, 'b']),
    ),
    { minKeys: 1 },
  )
  .map((terms) => ({ ...terms }));
const described = partial<Required<Described>>({ labels: texts, description: text, annotations });
const count = fc.integer({ min: 1, max: 400 });

const reference: fc.Arbitrary<TypeReference> = fc
  .constantFrom('Edm.String', 'Edm.Int64', 'Edm.Decimal', 'Edm.DateTimeOffset', 'Edm.GeometryPoint')
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      collection: fc.boolean(),
      nullable: fc.boolean(),
      facets: facetsOf(type),
    }),
  );

function facetsOf(type: string): fc.Arbitrary<Facets> {
  switch (type) {
    case 'Edm.String':
      return partial({ maxLength: count, unicode: fc.boolean() });
    case 'Edm.Decimal':
      return partial({
        precision: count,
        scale: fc.constantFrom(0, 2, 'variable' as const, 'floating' as const),
      });
    case 'Edm.DateTimeOffset':
      return fc.record({ precision: fc.integer({ min: 0, max: 12 }) });
    case 'Edm.GeometryPoint':
      return partial({ srid: fc.constantFrom(4326, 'variable' as const) });
    default:
      return fc.constant({});
  }
}

const generated: fc.Arbitrary<Generated> = fc.oneof(
  fc
    .constantFrom('key', 'sequence', 'created', 'modified', 'creator', 'modifier')
    .map((by) => ({ by }) as Generated),
  fc.record({
    by: fc.constantFrom('expression', 'initial'),
    expression: text,
  }) as fc.Arbitrary<Generated>,
);

function property(name: string): fc.Arbitrary<Property> {
  const extras = partial<Omit<Property, keyof TypeReference | keyof Described | 'kind' | 'name'>>({
    defaultValue: fc.oneof(text, fc.integer(), fc.boolean()),
    computed: yes,
    immutable: yes,
    codeList: fc.constant('Colours'),
    custom: yes,
    searchable: yes,
    unique: yes,
    indexed: yes,
    generated,
  });
  return fc
    .tuple(reference, described, extras)
    .map(
      ([type, about, more]) =>
        ({ kind: 'property', name, ...type, ...about, ...more, ...impliedBy(more) }) as Property,
    );
}

/** The service alone sets generated values other than keys and initial ones. */
function impliedBy({ generated: by }: Pick<Property, 'generated'>): Pick<Property, 'computed'> {
  return by === undefined || by.by === 'key' || by.by === 'initial' ? {} : { computed: true };
}

function navigation(name: string): fc.Arbitrary<Navigation> {
  const extras = partial({
    inverse: yes,
    computed: yes,
    immutable: yes,
    ordered: yes,
    acyclic: yes,
    discloses: fc.constantFrom(
      { members: ['P0'] },
      { members: [], whole: 'P0 eq @account', through: 'To0' },
    ),
    onDelete: fc.constantFrom('cascade', 'set-null', 'restrict'),
    partner: fc.constantFrom('To0', 'To1', 'Nowhere'),
    constraints: fc.constant([{ property: 'A', referenced: 'B' }]),
  });
  return fc
    .tuple(
      fc.constantFrom(...TYPE_NAMES),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      described,
      extras,
    )
    .map(
      ([target, collection, nullable, contained, about, more]) =>
        ({
          kind: 'navigation',
          name,
          target,
          collection,
          nullable: nullable && !collection,
          contained,
          ...about,
          ...more,
        }) as Navigation,
    );
}

function members(): fc.Arbitrary<readonly Member[]> {
  return fc
    .tuple(fc.subarray(names('P', 4)), fc.subarray(names('To', 2)))
    .chain(([properties, navigations]) =>
      fc.tuple(...properties.map(property), ...navigations.map(navigation)),
    );
}

function structured(name: string): fc.Arbitrary<StructuredType> {
  const common = partial({ base: fc.constant('Shop.Item'), abstract: yes, open: yes });
  const keyParts = fc.array(fc.constantFrom({ path: 'P0' }, { path: 'P1/P2', alias: 'Second' }), {
    minLength: 1,
    maxLength: 2,
  });
  const entity = partial({
    key: keyParts,
    alternateKeys: fc.array(keyParts, { minLength: 1 }),
    hasStream: yes,
    displayName: fc.constantFrom('P0', 'P1'),
    recorded: fc.constantFrom('P0 eq 1', 'Kind/Value in (1,2)'),
    relates: fc.constantFrom({ target: 'To0' }, { source: 'To0', target: 'To1', type: 'P0' }),
  });
  const complex = partial({ coded: fc.constant({ value: 'P0', text: 'P1' }) });
  const kind = fc.boolean();
  return fc.tuple(kind, members(), described, common, entity, complex).map(
    ([isEntity, list, about, more, ofEntity, ofComplex]) =>
      ({
        kind: isEntity ? 'entity' : 'complex',
        name,
        members: list,
        ...about,
        ...more,
        ...(isEntity ? ofEntity : ofComplex),
      }) as StructuredType,
  );
}

const enumType: fc.Arbitrary<EnumType> = fc
  .tuple(
    fc.subarray(names('Member', 3), { minLength: 1 }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.boolean(),
    described,
  )
  .map(([list, value, flags, about]) => ({
    kind: 'enum',
    name: 'Shop.Size',
    underlying: 'Edm.Int64',
    flags,
    members: list.map((name) => ({ name, value, ...about })),
    ...about,
  }));

const definition: fc.Arbitrary<TypeDefinition> = fc
  .tuple(facetsOf('Edm.Decimal'), described)
  .map(([facets, about]) => ({
    kind: 'definition',
    name: 'Shop.Weight',
    underlying: 'Edm.Decimal',
    facets,
    ...about,
  }));

function parameter(name: string): fc.Arbitrary<Parameter> {
  return fc
    .tuple(reference, described, partial({ optional: yes }))
    .map(([type, about, more]) => ({ name, ...type, ...about, ...more }) as Parameter);
}

const operation: fc.Arbitrary<Operation> = fc
  .tuple(
    fc.boolean(),
    fc.tuple(parameter('A'), parameter('B')),
    fc.tuple(reference, described).map(([type, about]) => ({ ...type, ...about })),
    described,
    partial({ composable: yes, entitySetPath: fc.constant('A/B'), expression: text }),
  )
  .map(
    ([bound, parameters, returns, about, more]) =>
      ({
        kind: 'function',
        name: 'Shop.Best',
        bound,
        parameters,
        returns,
        ...about,
        ...more,
      }) as Operation,
  );

function set(name: string): fc.Arbitrary<EntitySet> {
  const extras = partial({
    singular: fc.constant(`${name}One`),
    insertable: fc.boolean(),
    updatable: fc.boolean(),
    deletable: fc.boolean(),
    administrative: yes,
  });
  return fc
    .tuple(
      fc.constantFrom('set', 'singleton'),
      fc.constantFrom(...TYPE_NAMES),
      fc.boolean(),
      fc.boolean(),
      fc.dictionary(fc.constantFrom('To0', 'P1/To1', 'Shop.Item/To0'), fc.constant('Set0')),
      described,
      extras,
    )
    .map(
      ([kind, type, listed, nullable, bindings, about, more]) =>
        ({
          kind,
          name,
          type,
          listed,
          bindings: { ...bindings },
          ...(kind === 'singleton' && nullable ? { nullable: true } : {}),
          ...about,
          ...more,
        }) as EntitySet,
    );
}

const imports: fc.Arbitrary<OperationImport> = fc
  .tuple(
    fc.constantFrom('function-import', 'action-import'),
    fc.boolean(),
    described,
    partial({ set: fc.constant('Set0'), ignoredOptions: fc.constant(['$filter', '$top']) }),
  )
  .map(
    ([kind, listed, about, more]) =>
      ({
        kind,
        name: 'Best',
        operation: 'Shop.Best',
        listed,
        ...about,
        ...more,
      }) as OperationImport,
  );

const codeList: fc.Arbitrary<CodeList> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        texts,
        partial({ meaning: text, parent: fc.bigInt({ min: 0n, max: 9n }), disabled: fc.boolean() }),
      ),
      { maxLength: 3 },
    ),
    fc.boolean(),
    fc.boolean(),
    described,
  )
  .map(
    ([codes, ordered, hierarchical, about]) =>
      ({
        name: 'Colours',
        ordered,
        hierarchical,
        codes: codes.map(([value, texts_, more]) => ({ value, texts: texts_, ...more })),
        ...about,
      }) as CodeList,
  );

/** Definitions that csdl.ts can write; they need not pass lint.ts. */
export const arbitraryDefinition: fc.Arbitrary<ModelDefinition> = fc
  .tuple(
    fc.tuple(...TYPE_NAMES.map(structured)),
    enumType,
    definition,
    fc.array(operation, { maxLength: 2 }),
    fc.tuple(...names('Set', 3).map(set)),
    fc.array(imports, { maxLength: 1 }),
    fc.array(codeList, { maxLength: 1 }),
    described,
    partial({
      people: fc.constant('Set0'),
      history: fc.constant('To1'),
      templates: fc
        .tuple(
          fc.record({ navigation: text, values: text, property: text, value: text }),
          partial({ type: text, blocked: text, roles: text }),
        )
        .map(([places, more]) => ({ ...places, ...more })),
      containerAnnotations: annotations,
    }),
  )
  .map(
    ([types, size, weight, operations, sets, list, codeLists, about, more]) =>
      ({
        namespaces: [{ name: NAMESPACES[0] ?? '', alias: 'S' }, { name: NAMESPACES[1] ?? '' }],
        container: 'Shop.Container',
        types: [...types.slice(0, 2), size, weight, ...types.slice(2)],
        operations,
        sets,
        imports: list,
        codeLists,
        languages: LANGUAGES,
        ...about,
        ...more,
      }) as ModelDefinition,
  );
