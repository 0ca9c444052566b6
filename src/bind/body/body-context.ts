// The context shared by the readers of a body: Body covers the whole body, EntityPlace the position of an entity, Structure the
// structured value being read, and Draft the results so far.
import {
  type EntityType,
  isAssignable,
  type Model,
  type Navigation,
  type Property,
  pathName,
  type QualifiedName,
  type StructuredType,
} from '../../edm/model.ts';
import { isInside, type Route, unwritablePaths } from '../../edm/restrictions.ts';
import type { Source } from '../../edm/source.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { Version } from '../../request/tree.ts';
import type { Rows } from '../bound.ts';
import type { Parameters } from '../parameter.ts';
import { navigationSource } from '../path/navigation.ts';
import type {
  EntityInput,
  FileInput,
  InputChildren,
  InputLink,
  InputValue,
  Reference,
} from '../write/bound-write.ts';
import { memberPath, type ValueScope } from './body-errors.ts';

/** How an entity is written: created, changed in the given members, or replaced as a whole. */
export type WriteMode = 'create' | 'merge' | 'replace';

/** The URL of an entity in a body. */
export interface RequestedReference {
  readonly text: JsonInput;
  /** The target of the navigation; the entity must be one of its rows. */
  readonly source: Source;
  readonly type: EntityType;
  readonly target: string;
}

/** Shared while one body is read. Its functions come from other files of this module, which avoids import cycles. */
export interface Body extends ValueScope {
  /** The OData version of the body. */
  readonly version: Version;
  /** Returns a new id for a row variable. */
  readonly rowId: () => number;
  /** Counts an entity or a reference. Throws: write.too-large. */
  readonly countEntity: () => void;
  readonly reference: (asked: RequestedReference) => Reference | undefined;
  readonly entity: (body: Body, place: EntityPlace, input: JsonInput | undefined) => EntityInput;
  /** Whether the entity names a template, which can supply omitted members. */
  readonly namesTemplate: (input: EntityInput) => boolean;
  /** Whether the body is a template itself, so that other bodies can supply omitted members. */
  readonly isTemplate: boolean;
  /** Whether the body is a record of a load, which may set what the service maintains, also in sets that are not insertable. */
  readonly isLoad: boolean;
  /** Whether the service itself writes, which sets the relations that it maintains. */
  readonly isService: boolean;
  /** Collects the values that can be parameters of a cached plan, if the caller caches plans. */
  readonly parameters?: Parameters | undefined;
}

export interface EntityPlace {
  readonly source: Source;
  readonly route?: Route | undefined;
  readonly type: EntityType;
  readonly mode: WriteMode;
  /** Path in the body; empty for the body itself. */
  readonly target: string;
  /** The row to change. */
  readonly rows?: Rows;
  /** The content of a media entity, unless it is in the body. */
  readonly file?: FileInput;
  /** Navigations that the position determines: to the row of the URL, or to the new parent entity (undefined). */
  readonly supplied: ReadonlyMap<string, Rows | undefined>;
}

/** An entity, or a complex value in it. */
export interface Structure {
  readonly body: Body;
  readonly place: EntityPlace;
  readonly type: StructuredType;
  /** Paths of the key properties of the entity. */
  readonly keys: ReadonlySet<string>;
  /** The path from the entity. */
  readonly path: readonly Property[];
  readonly target: string;
  readonly draft: Draft;
  /** The value is part of one that is stored as JSON. */
  readonly document: boolean;
}

export interface Draft {
  readonly values: InputValue[];
  readonly dynamic: Map<string, string | null>;
  readonly links: InputLink[];
  readonly children: InputChildren[];
}

export function newDraft(): Draft {
  return { values: [], dynamic: new Map(), links: [], children: [] };
}

/** An entity without any members. */
export function emptyInput(type: EntityType, target = ''): EntityInput {
  return { type, target, values: [], dynamic: new Map(), links: [], children: [] };
}

/** Whether the model forbids to set the member; adds the mistake. Loads may set it. */
export function isRestricted({ body, place, path, target }: Structure, name: string): boolean {
  const mode = place.mode === 'create' ? 'create' : 'change';
  const paths = body.isLoad ? [] : unwritablePaths(place, mode);
  if (!paths.some((one) => isInside(pathText(path, name), one))) return false;
  const action = mode === 'create' ? 'creation' : 'a change';
  const parameters = { name: memberPath(target, name), action, place: placeName(place) };
  body.mistakes.add('write.restricted', parameters, memberPath(target, name));
  return true;
}

function placeName({ source, route }: EntityPlace): string {
  return source.set?.name ?? route?.path ?? source.id;
}

/** The names on a path: `Assignment/AssigneePerson`. */
export function pathText(path: readonly Property[], name: string): string {
  return memberPath(pathName(path), name);
}

/** The source of the entities that a navigation of the structure refers to. */
export function relatedSource(
  { body, place, type, path }: Structure,
  navigation: Navigation,
): Source {
  return navigationSource(body.model, place.source, { path, type }, navigation);
}

/**
 * The source in which new entities of the type are stored if the target of a navigation spans several sets; undefined if none, or
 * more than one, fits.
 */
export function insertionSource(
  model: Model,
  source: Source,
  type: EntityType,
): Source | undefined {
  if (source.kind !== 'union') return source;
  const candidates = (source.members ?? []).filter((one) => isAssignable(model, type, one.type));
  const nearest = candidates.filter((one) =>
    candidates.every((other) => isAssignable(model, one.type, other.type)),
  );
  return nearest.length === 1 ? nearest[0] : undefined;
}

/** The single-valued partner of a navigation, which is set when an entity is created through the navigation. */
export function singlePartnerName(model: Model, navigation: Navigation): string | undefined {
  const partner = partnerOf(model, navigation);
  return partner === undefined || partner.collection ? undefined : partner.name;
}

function partnerOf(model: Model, navigation: Navigation): Navigation | undefined {
  if (navigation.partner === undefined) return undefined;
  const target: QualifiedName = navigation.target;
  const type = model.types.get(target);
  if (type?.kind !== 'entity') return undefined;
  const partner = model.members(type).get(navigation.partner);
  return partner?.kind === 'navigation' ? partner : undefined;
}
