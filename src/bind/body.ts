// This file defines what the parts of reading a body hand to each other: Body, what holds for the whole of it; EntityPlace, where
// an entity stands; Structure, the structured value that is being read; and Draft, what has been read so far.
import type { JsonInput } from '../edm/json.ts';
import type {
  EntityType,
  Model,
  Navigation,
  Property,
  QualifiedName,
  StructuredType,
} from '../edm/model.ts';
import type { Source } from '../edm/source.ts';
import { targetSource } from '../edm/source.ts';
import type { Version } from '../request/tree.ts';
import type { Rows } from './bound.ts';
import { within } from './mistakes.ts';
import type { ValueScope } from './slot.ts';
import type { EntityInput, InputChildren, InputLink, InputValue, Reference } from './writing.ts';

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
  readonly reference: (asked: AskedReference) => Reference | undefined;
  readonly entity: (body: Body, place: EntityPlace, input: JsonInput) => EntityInput;
}

export interface EntityPlace {
  readonly source: Source;
  readonly type: EntityType;
  readonly deed: Deed;
  /** Path in the body; empty for the body itself. */
  readonly target: string;
  /** The row that is changed. */
  readonly rows?: Rows;
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
export function emptyInput(type: EntityType): EntityInput {
  return { type, values: [], dynamic: new Map(), links: [], children: [] };
}

/** `Assignment/AssigneePerson`: names along a path. */
export function pathText(path: readonly Property[], name: string): string {
  return within(path.map((step) => step.name).join('/'), name);
}

/** Where a navigation of the structure leads. */
export function destinationOf(structure: Structure, navigation: Navigation): Source {
  const { body, place, type, path } = structure;
  return navigationTarget({ model: body.model, from: place.source, owner: type }, path, navigation);
}

export interface NavigationStart {
  readonly model: Model;
  /** The source of the rows. */
  readonly from: Source;
  /** The type that has the navigation: of the rows, or of a complex value in them. */
  readonly owner: StructuredType;
}

/**
 * Where a navigation leads. A binding of a navigation that a derived type declares has that type's name before it.
 * OData CSDL 4.01, "Navigation Property Path Binding".
 */
export function navigationTarget(
  { model, from, owner }: NavigationStart,
  path: readonly Property[],
  navigation: Navigation,
): Source {
  const plain = pathText(path, navigation.name);
  const bindings = from.set?.bindings ?? {};
  if (Object.hasOwn(bindings, plain)) return targetSource(model, from, owner, navigation, plain);
  const first = path[0]?.name ?? navigation.name;
  const declaring = model
    .derived(from.type)
    .find((type) => type.members.some((member) => member.name === first));
  const typed = declaring === undefined ? plain : `${declaring.name}/${plain}`;
  return targetSource(model, from, owner, navigation, typed);
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
