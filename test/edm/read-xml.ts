// This file reads CSDL XML into CSDL JSON, for tests only: samples that exist as XML, and a check that what csdl-xml.ts writes
// means what it should. It trusts its input.
import { SaxesParser } from 'saxes';
import type { JsonInput, JsonObject } from '../../src/edm/value/lossless-json.ts';

interface Node {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  text: string;
}

/** The CSDL JSON document that says the same as the XML. */
export function readXml(xml: string): JsonObject {
  const root = parse(xml);
  const services = root.children.find((child) => child.name === 'DataServices');
  const references = root.children.filter((child) => child.name === 'Reference');
  const schemas = services?.children ?? [];
  const container = schemas
    .flatMap((schema) => schema.children.map((child) => ({ schema, child })))
    .find(({ child }) => child.name === 'EntityContainer');
  return {
    $Version: root.attributes.Version ?? '',
    ...(references.length === 0
      ? {}
      : {
          $Reference: Object.fromEntries(
            references.map((item) => [item.attributes.Uri ?? '', reference(item)]),
          ),
        }),
    ...Object.fromEntries(
      schemas.map((schema) => [schema.attributes.Namespace ?? '', readSchema(schema)]),
    ),
    ...(container === undefined
      ? {}
      : {
          $EntityContainer: `${container.schema.attributes.Namespace}.${container.child.attributes.Name}`,
        }),
  };
}

function parse(xml: string): Node {
  const document: Node = { name: '', attributes: {}, children: [], text: '' };
  const open = [document];
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    const name = tag.name.slice(tag.name.indexOf(':') + 1);
    const attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([key, value]) => [key, String(value)]),
    );
    const node: Node = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', (text) => {
    const current = open.at(-1);
    if (current !== undefined) current.text += text;
  });
  parser.write(xml).close();
  const [root] = document.children;
  if (root === undefined) throw new Error('no element');
  return root;
}

function reference(node: Node): JsonObject {
  const includes = childrenOf(node, 'Include').map((include) => ({
    ...dollars(include, ['Namespace', 'Alias']),
    ...annotations(include),
  }));
  const terms = childrenOf(node, 'IncludeAnnotations').map((include) =>
    dollars(include, ['TermNamespace', 'Qualifier', 'TargetNamespace']),
  );
  return {
    ...(includes.length === 0 ? {} : { $Include: includes }),
    ...(terms.length === 0 ? {} : { $IncludeAnnotations: terms }),
    ...annotations(node),
  };
}

function readSchema(schema: Node): JsonObject {
  const result: Record<string, JsonInput> = {
    ...dollars(schema, ['Alias']),
    ...annotations(schema),
  };
  const external: Record<string, JsonInput> = {};
  for (const child of schema.children) {
    const name = child.attributes.Name ?? '';
    if (child.name === 'Annotations') {
      const target = child.attributes.Target ?? '';
      const qualifier = child.attributes.Qualifier;
      const said = annotations(child, '', qualifier);
      external[target] = { ...(external[target] as JsonObject | undefined), ...said };
    } else if (child.name === 'Action' || child.name === 'Function') {
      const overloads = (result[name] as readonly JsonInput[] | undefined) ?? [];
      result[name] = [...overloads, operation(child)];
    } else if (child.name !== 'Annotation') {
      result[name] = schemaChild(child);
    }
  }
  return Object.keys(external).length === 0 ? result : { ...result, $Annotations: external };
}

function schemaChild(node: Node): JsonObject {
  switch (node.name) {
    case 'EntityType':
    case 'ComplexType':
      return structured(node);
    case 'EnumType':
      return enumeration(node);
    case 'TypeDefinition':
      return {
        $Kind: node.name,
        ...dollars(node, ['UnderlyingType']),
        ...facets(node, node.attributes.UnderlyingType ?? ''),
        ...annotations(node),
      };
    case 'Term':
      return term(node);
    default:
      return container(node);
  }
}

function structured(node: Node): JsonObject {
  const key = childrenOf(node, 'Key')
    .flatMap((item) => item.children)
    .map(({ attributes }) =>
      attributes.Alias === undefined
        ? (attributes.Name ?? '')
        : { [attributes.Alias]: attributes.Name ?? '' },
    );
  const members = node.children.flatMap((child) => {
    const name = child.attributes.Name ?? '';
    if (child.name === 'Property') return [[name, property(child)]];
    return child.name === 'NavigationProperty' ? [[name, navigation(child)]] : [];
  });
  return {
    $Kind: node.name,
    ...dollars(node, ['BaseType']),
    ...flags(node, ['Abstract', 'OpenType', 'HasStream']),
    ...(key.length === 0 ? {} : { $Key: key }),
    ...Object.fromEntries(members),
    ...annotations(node),
  };
}

function property(node: Node): JsonObject {
  return { ...typed(node, true), ...defaultValue(node), ...annotations(node) };
}

/** XML has only text for default values. */
function defaultValue(node: Node): JsonObject {
  const { DefaultValue: text } = node.attributes;
  return text === undefined ? {} : { $DefaultValue: text };
}

function navigation(node: Node): JsonObject {
  const constraints = childrenOf(node, 'ReferentialConstraint').flatMap((item) => {
    const name = item.attributes.Property ?? '';
    const about = Object.entries(annotations(item)).map(([key, value]) => [name + key, value]);
    return [[name, item.attributes.ReferencedProperty ?? ''], ...about];
  });
  const [onDelete] = childrenOf(node, 'OnDelete');
  const { $Nullable: nullable, ...type } = typed(node, true);
  return {
    $Kind: 'NavigationProperty',
    ...type,
    ...(nullable === true && type.$Collection !== true ? { $Nullable: true } : {}),
    ...dollars(node, ['Partner']),
    ...flags(node, ['ContainsTarget']),
    ...(constraints.length === 0
      ? {}
      : { $ReferentialConstraint: Object.fromEntries(constraints) }),
    ...(onDelete === undefined ? {} : { $OnDelete: onDelete.attributes.Action ?? '' }),
    ...(onDelete === undefined
      ? {}
      : Object.fromEntries(
          Object.entries(annotations(onDelete)).map(([key, value]) => [`$OnDelete${key}`, value]),
        )),
    ...annotations(node),
  };
}

function enumeration(node: Node): JsonObject {
  let next = 0n;
  const members = childrenOf(node, 'Member').flatMap((member) => {
    const name = member.attributes.Name ?? '';
    const value = BigInt(member.attributes.Value ?? next);
    next = value + 1n;
    const about = Object.entries(annotations(member)).map(([key, said]) => [name + key, said]);
    return [[name, Number.isSafeInteger(Number(value)) ? Number(value) : value], ...about];
  });
  return {
    $Kind: 'EnumType',
    ...dollars(node, ['UnderlyingType']),
    ...flags(node, ['IsFlags']),
    ...Object.fromEntries(members),
    ...annotations(node),
  };
}

function term(node: Node): JsonObject {
  const applies = node.attributes.AppliesTo?.split(/\s+/).filter((item) => item !== '');
  return {
    $Kind: 'Term',
    ...typed(node, true),
    ...dollars(node, ['BaseTerm']),
    ...(applies === undefined ? {} : { $AppliesTo: applies }),
    ...defaultValue(node),
    ...annotations(node),
  };
}

function operation(node: Node): JsonObject {
  const parameters = childrenOf(node, 'Parameter').map((item) => ({
    $Name: item.attributes.Name ?? '',
    ...typed(item, true),
    ...annotations(item),
  }));
  const [returns] = childrenOf(node, 'ReturnType');
  return {
    $Kind: node.name,
    ...flags(node, ['IsBound', 'IsComposable']),
    ...dollars(node, ['EntitySetPath']),
    ...(parameters.length === 0 ? {} : { $Parameter: parameters }),
    ...(returns === undefined
      ? {}
      : { $ReturnType: { ...typed(returns, true), ...annotations(returns) } }),
    ...annotations(node),
  };
}

function container(node: Node): JsonObject {
  const children = node.children
    .filter((child) => child.name !== 'Annotation')
    .map((child) => [child.attributes.Name ?? '', containerChild(child)]);
  return {
    $Kind: 'EntityContainer',
    ...dollars(node, ['Extends']),
    ...Object.fromEntries(children),
    ...annotations(node),
  };
}

function containerChild(node: Node): JsonObject {
  const bindings = childrenOf(node, 'NavigationPropertyBinding').map(({ attributes }) => [
    attributes.Path ?? '',
    attributes.Target ?? '',
  ]);
  const listed = node.attributes.IncludeInServiceDocument;
  const isSet = node.name === 'EntitySet';
  return {
    ...(isSet ? { $Collection: true } : {}),
    ...(isSet ? { $Type: node.attributes.EntityType ?? '' } : dollars(node, ['Type'])),
    ...flags(node, ['Nullable']),
    ...dollars(node, ['Action', 'Function', ...(isSet ? [] : ['EntitySet'])]),
    ...(bindings.length === 0 ? {} : { $NavigationPropertyBinding: Object.fromEntries(bindings) }),
    ...(isSet && listed === 'false' ? { $IncludeInServiceDocument: false } : {}),
    ...(!isSet && listed === 'true' ? { $IncludeInServiceDocument: true } : {}),
    ...annotations(node),
  };
}

function typed(node: Node, nullableByDefault: boolean): Record<string, JsonInput> {
  const { Type: whole = 'Edm.String', Nullable: nullable } = node.attributes;
  const inner = /^Collection\((.*)\)$/.exec(whole)?.[1];
  const type = inner ?? whole;
  const isNullable =
    nullable === undefined ? nullableByDefault && inner === undefined : nullable === 'true';
  return {
    ...(inner === undefined ? {} : { $Collection: true }),
    ...(type === 'Edm.String' ? {} : { $Type: type }),
    ...(isNullable ? { $Nullable: true } : {}),
    ...facets(node, type),
  };
}

function facets(node: Node, type: string): JsonObject {
  const { MaxLength, Precision, Scale, SRID, Unicode } = node.attributes;
  const scale = Scale ?? (type === 'Edm.Decimal' ? '0' : undefined);
  const isTemporal = /^Edm\.(DateTimeOffset|Duration|TimeOfDay)$/.test(type);
  const precision = Precision ?? (isTemporal ? '0' : undefined);
  return {
    ...(MaxLength === undefined || MaxLength === 'max' ? {} : { $MaxLength: Number(MaxLength) }),
    ...(precision === undefined || (isTemporal && Precision === undefined)
      ? {}
      : { $Precision: Number(precision) }),
    ...(scale === undefined || scale === 'variable'
      ? {}
      : { $Scale: /^\d/.test(scale) ? Number(scale) : scale }),
    ...(SRID === undefined ? {} : { $SRID: SRID }),
    ...(Unicode === undefined ? {} : { $Unicode: Unicode === 'true' }),
  };
}

function annotations(
  node: Node,
  prefix = '',
  defaultQualifier?: string,
): Record<string, JsonInput> {
  const result: Record<string, JsonInput> = {};
  for (const child of childrenOf(node, 'Annotation')) {
    const qualifier = child.attributes.Qualifier ?? defaultQualifier;
    const name = `${prefix}@${child.attributes.Term}${qualifier === undefined ? '' : `#${qualifier}`}`;
    result[name] = value(child);
    Object.assign(result, annotations(child, name));
  }
  return result;
}

const CONSTANTS: Readonly<Record<string, (text: string) => JsonInput>> = {
  Bool: (text) => text === 'true',
  Int: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  Decimal: (text) => (/^[\d.+-]/.test(text) && !text.includes('INF') ? Number(text) : text),
  Float: (text) => (/INF|NaN/.test(text) ? text : Number(text)),
  EnumMember: (text) =>
    text
      .trim()
      .split(/\s+/)
      .map((item) => item.slice(item.indexOf('/') + 1))
      .join(','),
  Path: (text) => ({ $Path: text }),
  UrlRef: (text) => ({ $UrlRef: text }),
};
for (const tag of ['String', 'Binary', 'Date', 'DateTimeOffset', 'Duration', 'Guid', 'TimeOfDay']) {
  Object.assign(CONSTANTS, { [tag]: (text: string) => text });
}
for (const tag of [
  'AnnotationPath',
  'ModelElementPath',
  'NavigationPropertyPath',
  'PropertyPath',
]) {
  Object.assign(CONSTANTS, { [tag]: (text: string) => text });
}

/** The value of an annotation or property value, in an attribute or inside; without one it is true, as for tags. */
function value(node: Node): JsonInput {
  for (const [name, text] of Object.entries(node.attributes)) {
    const constant = CONSTANTS[name];
    if (constant !== undefined) return constant(text);
  }
  const [inner] = node.children.filter((child) => child.name !== 'Annotation');
  return inner === undefined ? true : expression(inner);
}

function expression(node: Node): JsonInput {
  const operands = node.children.filter((child) => child.name !== 'Annotation').map(expression);
  const about = annotations(node);
  const operator = `$${node.name}`;
  switch (node.name) {
    case 'Null':
      return Object.keys(about).length === 0 ? null : { ...about, $Null: null };
    case 'Collection':
      return operands;
    case 'Record':
      return record(node, about);
    case 'Apply':
      return { ...about, $Apply: operands, $Function: node.attributes.Function ?? '' };
    case 'Cast':
    case 'IsOf': {
      // Here an absent scale says nothing, other than in a property.
      const { $Scale: scale, ...type } = typed(node, false);
      const told =
        node.attributes.Scale === undefined || scale === undefined ? {} : { $Scale: scale };
      return { ...about, [operator]: operands[0] ?? null, ...type, ...told };
    }
    case 'LabeledElement':
      return { ...about, $LabeledElement: value(node), $Name: node.attributes.Name ?? '' };
    case 'LabeledElementReference':
      return { $LabeledElementReference: node.text };
    case 'UrlRef':
    case 'Not':
    case 'Neg':
      return { ...about, [operator]: operands[0] ?? null };
    default:
      return CONSTANTS[node.name]?.(node.text) ?? { ...about, [operator]: operands };
  }
}

function record(node: Node, about: JsonObject): JsonObject {
  const type = node.attributes.Type;
  const values = childrenOf(node, 'PropertyValue').flatMap((child) => {
    const name = child.attributes.Property ?? '';
    return [[name, value(child)], ...Object.entries(annotations(child, name))];
  });
  return {
    ...(type === undefined ? {} : { '@type': `#${type}` }),
    ...Object.fromEntries(values),
    ...about,
  };
}

function childrenOf(node: Node, name: string): readonly Node[] {
  return node.children.filter((child) => child.name === name);
}

function dollars(node: Node, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = node.attributes[name];
      return text === undefined ? [] : [[`$${name}`, text]];
    }),
  );
}

function flags(node: Node, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => node.attributes[name] === 'true').map((name) => [`$${name}`, true]),
  );
}
