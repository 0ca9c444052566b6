// This file decides what a screen shows of a type where nothing else is configured: by annotations (UI vocabulary of SAP, qualifier Docket
// first), otherwise by the kinds of its members.
import { isComputed } from './changeable.ts';
import {
  type Annotations,
  type EntitySet,
  type Member,
  type Model,
  memberAt,
  type StructuredType,
} from './model.ts';

/** Characters. Longer texts get a field of several lines. */
const LONG_TEXT = 255;
const LIST_COLUMNS = 7;
const FILTER_FIELDS = 5;

/** The value of a term of the UI or Common vocabulary, by its short or full name; the qualifier `Docket` wins. */
function term(annotations: Annotations, name: string): unknown {
  const [vocabulary = '', short = ''] = name.split('.');
  const full = `com.sap.vocabularies.${vocabulary}.v1.${short}`;
  for (const candidate of [name, full]) {
    const value = annotations[`${candidate}#Docket`] ?? annotations[candidate];
    if (value !== undefined) return value;
  }
  return undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The path of an annotation value: CSDL JSON writes `{"$Path": "Name"}`, or the path alone. */
function pathOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const record = value as Json | undefined;
  const path = record?.$Path ?? record?.$PropertyPath;
  return typeof path === 'string' ? path : undefined;
}

/** The path of the property that names an entity to people: `Name`; undefined where only the key does. */
export function titlePath(model: Model, type: StructuredType): string | undefined {
  const header = term(type.annotations, 'UI.HeaderInfo') as Json | undefined;
  const title = pathOf((header?.Title as Json | undefined)?.Value);
  if (title !== undefined && memberAt(model, type, title) !== undefined) return title;
  return namedProperty(type) ?? alternateKey(type);
}

const TITLES = ['Name', 'Title', 'Subject', 'Description'];

function namedProperty(type: StructuredType): string | undefined {
  const texts = [...type.members.values()].filter(
    (member) => member.type === 'Edm.String' && !member.collection,
  );
  const exact = TITLES.find((name) => texts.some((member) => member.name === name));
  return exact ?? texts.find((member) => member.name.endsWith('Name'))?.name;
}

/** The first property of the first alternate key, which identifies an entity to people: `LoginName`. */
export function alternateKey(type: StructuredType): string | undefined {
  const keys = type.annotations['Core.AlternateKeys'] as
    | readonly { readonly Key: readonly { readonly Name: string }[] }[]
    | undefined;
  return keys?.[0]?.Key[0]?.Name;
}

/** The path of a second line that distinguishes entities with the same title. */
export function subtitlePath(model: Model, type: StructuredType): string | undefined {
  const header = term(type.annotations, 'UI.HeaderInfo') as Json | undefined;
  const path = pathOf((header?.Description as Json | undefined)?.Value);
  if (path !== undefined && memberAt(model, type, path) !== undefined) return path;
  const title = titlePath(model, type);
  const candidates = ['Searchcode', 'Email', 'Jobtitle', alternateKey(type)];
  return candidates.find((name) => name !== undefined && name !== title && type.members.has(name));
}

export interface Column {
  /** `Status`, `Registration/DateCreated`, `Assignment/AssigneePerson`. */
  readonly path: string;
  readonly label: string;
  readonly member: Member;
  /** How long it stays in a list that has little room; undefined for a column that always does. */
  readonly importance?: Importance | undefined;
}

/** UI vocabulary of SAP, "ImportanceType". */
export type Importance = 'High' | 'Medium' | 'Low';

/** A column for a path; undefined if the type has no such member. */
export function columnAt(model: Model, type: StructuredType, path: string): Column | undefined {
  const member = memberAt(model, type, path);
  if (member === undefined) return undefined;
  // People know the text of a code by the name of the code.
  const outer = memberAt(model, type, path.slice(0, path.lastIndexOf('/') + 1).replace(/\/$/, ''));
  const isText = outer?.kind === 'code' && model.types.get(outer.type)?.coded?.text === member.name;
  return { path, label: isText ? outer.label : member.label, member };
}

/** The columns that a list shows at first. */
export function listColumns(model: Model, type: StructuredType): readonly Column[] {
  const annotated = dataFields(model, type, term(type.annotations, 'UI.LineItem'));
  if (annotated.length > 0) return annotated;
  return heuristicColumns(model, type).slice(0, LIST_COLUMNS);
}

function dataFields(model: Model, type: StructuredType, value: unknown): readonly Column[] {
  const fields = Array.isArray(value) ? (value as readonly Json[]) : [];
  return fields.flatMap((field) => {
    const path = pathOf(field.Value);
    const column = path === undefined ? undefined : columnAt(model, type, path);
    return column === undefined ? [] : [{ ...column, importance: importanceOf(field) }];
  });
}

function importanceOf(field: Json): Importance | undefined {
  const value = String(term(withoutSigns(field), 'UI.Importance'));
  return (['High', 'Medium', 'Low'] as const).find((one) => value.endsWith(one));
}

/** The annotations of a record, which CSDL JSON writes among its members. */
function withoutSigns(record: Json): Json {
  const terms = Object.entries(record).filter(([name]) => name.startsWith('@'));
  return Object.fromEntries(terms.map(([name, value]) => [name.slice(1), value]));
}

/** Title, codes and enumerations (status and priority first), two related entities, and the latest time. */
function heuristicColumns(model: Model, type: StructuredType): readonly Column[] {
  const paths = memberPaths(model, type);
  const title = titlePath(model, type);
  const id = ['ID', 'Number'].find((name) => type.members.has(name));
  const codes = paths.filter(
    (path) => isChoice(memberAt(model, type, path)) && !path.includes('/'),
  );
  const first = ['Status', 'Priority'].filter((name) => codes.includes(name));
  const related = paths.filter((path) => isSingleNavigation(memberAt(model, type, path)));
  const times = paths.filter((path) => memberAt(model, type, path)?.type === 'Edm.DateTimeOffset');
  const time = times.find((path) => /Modified|Changed/.test(path)) ?? times.at(-1);
  const others = paths.filter((path) => isShort(memberAt(model, type, path)));
  // The link of a row is its title, or the first part of its key.
  const main = [
    ...(id === undefined ? [] : [id]),
    ...(title === undefined ? type.key.map(({ path }) => path) : [title]),
    ...first,
    ...related.slice(0, 2),
    ...codes.filter((path) => !first.includes(path)).slice(0, 2),
    ...(time === undefined ? [] : [time]),
  ];
  const known = new Set([...main, ...type.key.map(({ path }) => path)]);
  const chosen = [...main, ...others.filter((path) => !known.has(path)).slice(0, 3)];
  return [...new Set(chosen)].flatMap((path) => columnAt(model, type, path) ?? []);
}

/** The paths of members, those of complex values included, without collections of complex values and streams. */
export function memberPaths(model: Model, type: StructuredType): readonly string[] {
  return [...type.members.values()].flatMap((member) => {
    if (isHidden(member.annotations) || member.kind === 'stream') return [];
    if (member.kind !== 'complex') return [member.name];
    const value = member.collection ? undefined : model.types.get(member.type);
    return value === undefined
      ? []
      : [...value.members.values()]
          .filter((inner) => inner.kind !== 'complex' && inner.kind !== 'stream')
          .map((inner) => `${member.name}/${inner.name}`);
  });
}

export function isHidden(annotations: Annotations): boolean {
  return term(annotations, 'UI.Hidden') === true;
}

/** Whether a member has one of a few values: a code, an enumeration, a word, or yes and no. */
function isChoice(member: Member | undefined): boolean {
  return (
    member !== undefined &&
    !member.collection &&
    (member.kind === 'code' ||
      member.kind === 'enumeration' ||
      member.words !== undefined ||
      member.type === 'Edm.Boolean')
  );
}

export function isSingleNavigation(member: Member | undefined): boolean {
  return member?.kind === 'navigation' && !member.collection;
}

function isShort(member: Member | undefined): boolean {
  if (member === undefined || member.collection || member.kind !== 'primitive') return false;
  if (/Binary|Geography|Geometry|Stream/.test(member.type)) return false;
  return (
    member.type !== 'Edm.String' || (member.maxLength ?? Number.POSITIVE_INFINITY) <= LONG_TEXT
  );
}

/** Whether the value of a text member needs several lines. */
export function isLongText(member: Member): boolean {
  if (term(member.annotations, 'UI.MultiLineText') === true) return true;
  return member.type === 'Edm.String' && (member.maxLength ?? Number.POSITIVE_INFINITY) > LONG_TEXT;
}

/** The members that the filter bar offers at first. */
export function filterFields(model: Model, type: StructuredType): readonly Column[] {
  const annotated = term(type.annotations, 'UI.SelectionFields');
  const paths = Array.isArray(annotated)
    ? annotated.flatMap((value: unknown) => pathOf(value) ?? [])
    : heuristicFilters(model, type);
  return paths.flatMap((path) => columnAt(model, type, path) ?? []);
}

function heuristicFilters(model: Model, type: StructuredType): readonly string[] {
  const paths = memberPaths(model, type);
  const rank = (path: string) => {
    const member = memberAt(model, type, path);
    if (isChoice(member)) return path === 'Status' ? 0 : 1;
    if (isSingleNavigation(member)) return 2;
    return /Date/.test(member?.type ?? '') ? 3 : 4;
  };
  return paths
    .filter((path) => rank(path) < 4)
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, FILTER_FIELDS);
}

/** The order of a list that nobody has sorted: the latest change first, else by key. */
export function defaultOrder(model: Model, type: StructuredType): string {
  const variant = term(type.annotations, 'UI.PresentationVariant') as Json | undefined;
  const order = variant?.SortOrder as readonly Json[] | undefined;
  const annotated = order?.flatMap((item) => {
    const path = pathOf(item.Property);
    return path === undefined ? [] : [`${path}${item.Descending === true ? ' desc' : ''}`];
  });
  if (annotated !== undefined && annotated.length > 0) return annotated.join(',');
  const changed = memberPaths(model, type).find(
    (path) =>
      /(?:^|\/)(?:DateModified|Modified|ModifiedAt|ChangedAt|UpdatedAt|Time)$/.test(path) &&
      memberAt(model, type, path)?.type === 'Edm.DateTimeOffset',
  );
  if (changed !== undefined) return `${changed} desc`;
  return type.key.map(({ path }) => path).join(',');
}

export interface FormGroup {
  readonly id: string;
  /** Undefined for the first group, which needs no heading. */
  readonly label: string | undefined;
  readonly fields: readonly Column[];
  readonly collapsed: boolean;
}

/** The groups of a form: annotated ones, or main fields, one group for each complex type, and what the service computes. */
export function formGroups(model: Model, type: StructuredType): readonly FormGroup[] {
  const annotated = facetGroups(model, type);
  const used = new Set(annotated.flatMap(({ fields }) => fields.map(({ path }) => path)));
  const rest = heuristicGroups(model, type)
    .map((group) => ({ ...group, fields: group.fields.filter(({ path }) => !used.has(path)) }))
    .filter(({ fields }) => fields.length > 0);
  return [...annotated, ...rest];
}

function facetGroups(model: Model, type: StructuredType): readonly FormGroup[] {
  const facets = term(type.annotations, 'UI.Facets');
  if (!Array.isArray(facets)) return [];
  return (facets as readonly Json[]).flatMap((facet, index) => {
    const target = pathOf(facet.Target) ?? (facet.Target as Json | undefined)?.$AnnotationPath;
    const name = String(target ?? '').replace(/^@/, '');
    const group = term(type.annotations, name) as Json | undefined;
    const fields = dataFields(model, type, group?.Data);
    if (fields.length === 0) return [];
    const label = facet[`@Core.Description#${model.language}`] ?? facet.Label ?? group?.Label;
    return [
      {
        id: name,
        label: index === 0 || typeof label !== 'string' ? undefined : label,
        fields,
        collapsed: false,
      },
    ];
  });
}

function heuristicGroups(model: Model, type: StructuredType): readonly FormGroup[] {
  const columns = memberPaths(model, type)
    .flatMap((path) => columnAt(model, type, path) ?? [])
    .filter(
      ({ member }) => member.kind !== 'navigation' || (!member.collection && !member.contained),
    );
  const own = columns.filter((column) => !isComputed(type, column) && !column.path.includes('/'));
  const required = ({ member }: Column) => !member.nullable && member.defaultValue === undefined;
  const complexes = [...type.members.values()].filter(
    ({ kind, collection, computed }) => kind === 'complex' && !collection && !computed,
  );
  return [
    {
      id: 'main',
      label: undefined,
      fields: [...own.filter(required), ...own.filter((column) => !required(column))],
      collapsed: false,
    },
    ...complexes.map((member) => ({
      id: member.name,
      label: member.label,
      fields: columns.filter(
        (column) => column.path.startsWith(`${member.name}/`) && !isComputed(type, column),
      ),
      collapsed: false,
    })),
    {
      id: 'system',
      label: 'System',
      fields: columns.filter((column) => isComputed(type, column)),
      collapsed: true,
    },
  ];
}

/** The collections of an entity, which a record shows as tabs or lists. */
export function relatedCollections(type: StructuredType): readonly Member[] {
  return [...type.members.values()].filter(
    (member) => member.kind === 'navigation' && member.collection && !isHidden(member.annotations),
  );
}

/** The sets that the navigation of the console lists: those with entities that people work with. */
export function navigationSets(model: Model, listed: ReadonlySet<string>): readonly EntitySet[] {
  return [...model.sets.values()].filter(({ name, kind }) => kind === 'set' && listed.has(name));
}

/** The reference to the template that supplies the values of a new entity. */
export const templateMember = (type: StructuredType): Member | undefined =>
  type.members.get('Template');

/** The contained files. */
export function attachmentsMember(model: Model, type: StructuredType): Member | undefined {
  return [...type.members.values()].find(
    (member) =>
      member.contained && member.collection && model.types.get(member.type)?.hasStream === true,
  );
}

/**
 * Whether people who ask for something see a member, or may give it when they do: members with the annotation Portal, and all where a type
 * annotates none.
 */
export function isForPortal(type: StructuredType, path: string, use: 'Read' | 'Write' = 'Read') {
  const portalOf = (member: Member | undefined) => member?.annotations['Docket.Console.V1.Portal'];
  const isAnnotated = [...type.members.values()].some((one) => portalOf(one) !== undefined);
  const value = portalOf(type.members.get(path.split('/')[0] ?? path));
  return !isAnnotated || (use === 'Write' ? value === 'Write' : value !== undefined);
}
