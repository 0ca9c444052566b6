// Writes the declarations of a type for a generated client: interfaces of records and bodies, the fields of filters, and the constant that
// the client needs at run time.
import {
  type ComplexType,
  type EntityType,
  type EnumType,
  isStructured,
  lineage,
  type Member,
  memberAt,
  type NamedType,
  type Navigation,
  type Property,
  type StructuredType,
} from '../model.ts';
import { type BodyVariant, isMedia, isRequired, isSent, keyNames } from '../openapi/schemas.ts';
import { isOpen } from '../property-storage.ts';
import {
  type ClientScope,
  clientMembers,
  isMediaType,
  multiplied,
  ownMembers,
  ownRelations,
  typeName,
} from './client-scope.ts';
import { block, commented, memberName, textLiteral } from './names.ts';
import { fieldType, inputType, keyType, memberInfo, valueType } from './value-types.ts';

/** All declarations of a type; none for a type definition, which is its underlying type. */
export function typeDeclarations(scope: ClientScope, type: NamedType): readonly string[] {
  if (type.kind === 'enum') return enumDeclarations(scope, type);
  if (!isStructured(type)) return [];
  if (type.kind === 'complex' && type.coded !== undefined)
    return [...codedDeclarations(scope, type, type.coded), typeConstant(scope, type)];
  const bodies = (['create', 'update'] as const).map((variant) => bodyOf(scope, type, variant));
  return [
    recordOf(scope, type),
    ...bodies,
    fieldsOf(scope, type),
    ...(type.kind === 'entity' ? [relationsOf(scope, type), shapeOf(scope, type)] : []),
    typeConstant(scope, type),
  ];
}

function enumDeclarations(scope: ClientScope, type: EnumType): readonly string[] {
  const name = typeName(scope, type.name);
  const members = type.members.map((member) => textLiteral(member.name)).join(' | ');
  const types = type.flags
    ? [
        `export type ${name}Flag = ${members};`,
        '/** One flag, or several of them separated by commas. */',
        `export type ${name} = ${name}Flag | OtherText;`,
      ]
    : commented(`export type ${name} = ${members};`, type.description);
  const info = `export const ${name}Info: EnumInfo = { enumeration: ${textLiteral(type.name)} };`;
  return [types.join('\n'), info];
}

/** A coded value is generic in the texts and values of its code list. */
function codedDeclarations(
  scope: ClientScope,
  type: ComplexType,
  coded: NonNullable<ComplexType['coded']>,
): readonly string[] {
  const name = typeName(scope, type.name);
  const head = `<T extends string = string, V extends number = number>`;
  const generic = (member: Member, ofText: string, ofValue: string, other: string) => {
    if (member.name === coded.text) return ofText;
    return member.name === coded.value ? ofValue : other;
  };
  const members = clientMembers(scope, type).filter(isProperty);
  const lines = members.map((member) => {
    const other = valueType(scope, member, 'read');
    return `${memberName(member.name)}: ${generic(member, 'T | OtherText', 'V | OtherNumber', other)};`;
  });
  const fields = members.map((member) => {
    const other = fieldType(scope, member);
    return `${memberName(member.name)}: ${generic(member, 'TextField<T>', 'NumberField<V>', other)};`;
  });
  const [text, value] = [memberName(coded.text), memberName(coded.value)];
  return [
    `export interface ${name}${head} ${block(lines)}`,
    `export type ${name}Input${head} = { ${text}: T; ${value}?: V } | { ${value}: V; ${text}?: T };`,
    `export interface ${name}Fields${head} extends StructuredFields ${block(fields)}`,
  ];
}

function isProperty(member: Member): member is Property {
  return member.kind === 'property';
}

function isNavigation(member: Member): member is Navigation {
  return member.kind === 'navigation';
}

/** ` extends BaseFields` */
function extended(scope: ClientScope, type: StructuredType, suffix: string, root = ''): string {
  const base = type.base === undefined ? root : typeName(scope, type.base) + suffix;
  return base === '' ? '' : ` extends ${base}`;
}

/** A record as the service returns it, without relations. */
function recordOf(scope: ClientScope, type: StructuredType): string {
  const lines = ownMembers(scope, type)
    .filter(isProperty)
    .flatMap((property) =>
      commented(
        `${memberName(property.name)}: ${valueType(scope, property, 'read')};`,
        property.description,
      ),
    );
  if (type.open === true) lines.push('[member: string]: unknown;');
  const head = `export interface ${typeName(scope, type.name)}${extended(scope, type, '')}`;
  return commented(`${head} ${block(lines)}`, type.description).join('\n');
}

/** The body of a POST or PATCH. */
function bodyOf(scope: ClientScope, type: StructuredType, variant: BodyVariant): string {
  const { model } = scope;
  const keys = type.kind === 'entity' ? keyNames(model, type) : [];
  const sent = [...model.members(type).values()].filter((one) => isSent(one, variant, keys));
  const lines = sent.flatMap((member) => bodyMember(scope, member, variant));
  const isFamily = type.base !== undefined || model.derived(type).length > 0;
  if (isFamily) lines.unshift(`'@odata.type'?: ${textLiteral(`#${type.name}`)};`);
  if (isOpen(model, type)) lines.push('[member: string]: unknown;');
  const name = typeName(scope, type.name);
  return `export interface ${name}${variant === 'create' ? 'Create' : 'Update'} ${block(lines)}`;
}

function bodyMember(scope: ClientScope, member: Member, variant: BodyVariant): readonly string[] {
  const { model } = scope;
  const mark = variant === 'create' && isRequired(model, member) ? '' : '?';
  if (member.kind === 'property') {
    if (member.type === 'Edm.Stream') return [];
    return [`${memberName(member.name)}${mark}: ${valueType(scope, member, variant)};`];
  }
  if (!member.contained || variant === 'update') {
    const { collection, nullable } = member;
    const link = multiplied('string', { type: '', collection, nullable, facets: {} });
    return [`'${member.name}@odata.bind'?: ${link};`];
  }
  const target = model.types.get(member.target);
  if (isMedia(model, member) || target === undefined || !isStructured(target)) return [];
  const item = inputType(scope, target, variant);
  const { collection } = member;
  const nested = multiplied(item, { type: '', collection, nullable: false, facets: {} });
  return [`${memberName(member.name)}?: ${nested};`];
}

/** The fields of filters, relations included. */
function fieldsOf(scope: ClientScope, type: StructuredType): string {
  const lines = ownMembers(scope, type).map((member) => {
    if (member.kind === 'property')
      return `${memberName(member.name)}: ${fieldType(scope, member)};`;
    const target = `${typeName(scope, member.target)}Fields`;
    return `${memberName(member.name)}: ${member.collection ? `ManyField<${target}>` : target};`;
  });
  const extensions = extended(scope, type, 'Fields', 'StructuredFields');
  const open = type.open === true ? ', OpenFields' : '';
  return `export interface ${typeName(scope, type.name)}Fields${extensions}${open} ${block(lines)}`;
}

function relationsOf(scope: ClientScope, type: EntityType): string {
  const lines = ownRelations(scope, type).map(([path, navigation]) => {
    const shape = `${typeName(scope, navigation.target)}Shape`;
    const kind = navigation.nullable ? 'OneOrNone' : 'One';
    return `${memberName(path)}: ${navigation.collection ? 'Many' : kind}<${shape}>;`;
  });
  const head = `export interface ${typeName(scope, type.name)}Links`;
  return `${head}${extended(scope, type, 'Links')} ${block(lines)}`;
}

function shapeOf(scope: ClientScope, type: EntityType): string {
  const { model } = scope;
  const name = typeName(scope, type.name);
  const all = lineage(type, model.types).map((one) => textLiteral(one.name));
  return `export interface ${name}Shape ${block([
    `readonly is: ${all.join(' | ')};`,
    `readonly media: ${isMediaType(model, type)};`,
    `readonly entity: ${name};`,
    `readonly fields: ${name}Fields;`,
    `readonly relations: ${name}Links;`,
    `readonly key: ${keyOf(scope, type)};`,
    `readonly create: ${inputType(scope, type, 'create')};`,
    `readonly update: ${inputType(scope, type, 'update')};`,
  ])}`;
}

/** The type of the key: a value, or an object if it has several parts. Alternate keys of properties are objects. */
function keyOf(scope: ClientScope, type: EntityType): string {
  const { model } = scope;
  const parts = keyParts(scope, type);
  const [only] = parts;
  const alternates = lineage(type, model.types).flatMap((one) =>
    one.kind === 'entity' ? (one.alternateKeys ?? []) : [],
  );
  const simple = alternates.filter((key) =>
    key.every((part) => !part.path.includes('/') && part.alias === undefined),
  );
  const objects = simple.map((key) =>
    objectKey(
      scope,
      key.flatMap(({ path }) => namedProperty(scope, type, path, path)),
    ),
  );
  const primary =
    parts.length === 1 && only !== undefined ? keyType(scope, only[1]) : objectKey(scope, parts);
  return [...(parts.length === 0 ? [] : [primary]), ...objects].join(' | ') || 'never';
}

function objectKey(scope: ClientScope, parts: readonly (readonly [string, Property])[]): string {
  const members = parts.map(
    ([name, property]) => `${memberName(name)}: ${keyType(scope, property)}`,
  );
  return `{ ${members.join('; ')} }`;
}

function keyParts(
  scope: ClientScope,
  type: EntityType,
): readonly (readonly [name: string, property: Property])[] {
  return scope.model
    .key(type)
    .flatMap(({ path, alias = path }) => namedProperty(scope, type, path, alias));
}

function namedProperty(
  { model }: ClientScope,
  type: EntityType,
  path: string,
  name: string,
): readonly (readonly [string, Property])[] {
  const member = memberAt(model, type, path);
  return member?.kind === 'property' ? [[name, member]] : [];
}

/** The constant with what the client needs at run time: names, and types of members. */
function typeConstant(scope: ClientScope, type: StructuredType): string {
  const name = typeName(scope, type.name);
  const key = type.kind === 'entity' && type.key !== undefined ? keyParts(scope, type) : [];
  const keys = key.map(([part, property]) => `${memberName(part)}: ${memberInfo(scope, property)}`);
  const members = ownMembers(scope, type).map(
    (member) => `${memberName(member.name)}: ${infoOf(scope, member)},`,
  );
  const base = type.base === undefined ? [] : [`base: () => ${typeName(scope, type.base)}Info,`];
  const inner = block(members, '    ').replace(/\}$/, '  }');
  const lines = [
    `name: ${textLiteral(type.name)},`,
    ...base,
    ...(keys.length === 0 ? [] : [`key: { ${keys.join(', ')} },`]),
    `members: () => (${inner}),`,
  ];
  const declared =
    type.kind === 'entity' ? `EntityTypeInfo<${name}Shape>` : `TypeWithFields<${name}Fields>`;
  return `export const ${name}Info: ${declared} = ${block(lines)};`;
}

function infoOf(scope: ClientScope, member: Member): string {
  if (!isNavigation(member)) return memberInfo(scope, member);
  const target = `${typeName(scope, member.target)}Info`;
  return member.collection ? `[${target}]` : target;
}
