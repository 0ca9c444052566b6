// This file defines what the parts of reading a body hand to each other: Body, what holds for the whole of it; EntityPlace, where
// an entity stands; Structure, the structured value that is being read; and Draft, what has been read so far.

import {
  type EntityType,
  isAssignable,
  type Model,
  type Navigation,
  type Property,
  type QualifiedName,
  type StructuredType,
} from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { Version } from '../../request/tree.ts';
import type { Rows } from '../bound.ts';
import { sourceBehind } from '../path/navigation.ts';
import type {
  EntityInput,
  FileInput,
  InputChildren,
  InputLink,
  InputValue,
  Reference,
} from '../write/bound-write.ts';
import { within } from './body-errors.ts';
import type { Lifting } from './body-parameters.ts';
import type { ValueScope } from './value-context.ts';

/** How an entity is written: made anew, changed where something is given, or replaced as a whole. */
export type Deed = 'create' | 'merge' | 'replace';

/** The URL of an entity as it stands in a body. */
export interface AskedReference {
  readonly text: JsonInput;
  /** Where the navigation leads: what the reference must be one of. */
  readonly source: Source;
  readonly type: EntityType;
  readonly target: string;
}

/** What the reading of one body shares. The functions are the doors of other files of this room, handed in so that none imports in a circle. */
export interface Body extends ValueScope {
  /** The version in which the body is written. */
  readonly version: Version;
  /** A number that no other row variable of the request has. */
  readonly rowId: () => number;
  /** Counts an entity, or a reference to one. Faults: write.too-large. */
  readonly countEntity: () => void;
  readonly reference: (asked: AskedReference) => Reference | undefined;
  readonly entity: (body: Body, place: EntityPlace, input: JsonInput | undefined) => EntityInput;
  /** Whether a template is named, from which what is left out may still come. */
  readonly namesTemplate: (input: EntityInput) => boolean;
  /** Whether the body is such a template itself: what it leaves out may come from others. */
  readonly isTemplate: boolean;
  /** Notes what can be lifted out of the body, where anybody wants to know. */
  readonly lifting?: Lifting;
}

export interface EntityPlace {
  readonly source: Source;
  readonly type: EntityType;
  readonly deed: Deed;
  /** Path in the body; empty for the body itself. */
  readonly target: string;
  /** The row that is changed. */
  readonly rows?: Rows;
  /** The bytes of a media entity, where they do not stand in the body. */
  readonly file?: FileInput;
  /** Navigations that follow from the place: to the row of the URL, or to the new entity around this one (undefined). */
  readonly supplied: ReadonlyMap<string, Rows | undefined>;
}

/** An entity or a complex value in it. */
export interface Structure {
  readonly body: Body;
  readonly place: EntityPlace;
  readonly type: StructuredType;
  /** Paths of the key properties of the entity. */
  readonly keys: ReadonlySet<string>;
  /** From the entity to here. */
  readonly path: readonly Property[];
  readonly target: string;
  readonly draft: Draft;
  /** The value is part of one that is kept as JSON. */
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

/** An entity of which nothing is said. */
export function emptyInput(type: EntityType, target = ''): EntityInput {
  return { type, target, values: [], dynamic: new Map(), links: [], children: [] };
}

/** `Assignment/AssigneePerson`: names along a path. */
export function pathText(path: readonly Property[], name: string): string {
  return within(path.map((step) => step.name).join('/'), name);
}

/** Where a navigation of the structure leads. */
export function destinationOf(
  { body, place, type, path }: Structure,
  navigation: Navigation,
): Source {
  return sourceBehind(body.model, place.source, { path, type }, navigation);
}

/**
 * The source that new entities of the type are kept in, where several sets hold what a navigation leads to; undefined where
 * none or more than one can be meant.
 */
export function homeOf(model: Model, source: Source, type: EntityType): Source | undefined {
  if (source.kind !== 'union') return source;
  const fitting = (source.members ?? []).filter((member) => isAssignable(model, type, member.type));
  const nearest = fitting.filter((one) =>
    fitting.every((other) => isAssignable(model, one.type, other.type)),
  );
  return nearest.length === 1 ? nearest[0] : undefined;
}

/** The single navigation back that a new entity gets by being made through the navigation. */
export function wayBack(model: Model, navigation: Navigation): string | undefined {
  const back = backNavigation(model, navigation);
  return back === undefined || back.collection ? undefined : back.name;
}

function backNavigation(model: Model, navigation: Navigation): Navigation | undefined {
  if (navigation.partner === undefined) return undefined;
  const target: QualifiedName = navigation.target;
  const type = model.types.get(target);
  if (type?.kind !== 'entity') return undefined;
  const partner = model.members(type).get(navigation.partner);
  return partner?.kind === 'navigation' ? partner : undefined;
}
