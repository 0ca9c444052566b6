// This file defines what the making of one answer's shape shares: the asker's rights, the form of values, the metadata level, and how
// members and their annotations are called. OData JSON Format 4.01, "Control Information".
import type { ElementQuery, RowExpression, ValueType } from '../../bind/bound.ts';
import { isCollection, itemType } from '../../bind/expression/types.ts';
import type { Model, Property, StructuredType } from '../../edm/model.ts';
import type { Preferences } from '../../request/headers/preferences.ts';
import type { Options, Wishes } from '../../request/tree.ts';
import type { PageLimits } from '../read/page.ts';
import type { ShapeMember, ValueForm } from '../read-plan.ts';
import type { Guard } from '../rights/row-conditions.ts';

export type MetadataLevel = 'none' | 'minimal' | 'full';

/** What every part of the answer to one request shares. */
export interface Drafting {
  readonly guard: Guard;
  readonly model: Model;
  readonly form: ValueForm;
  readonly metadata: MetadataLevel;
  readonly isXml: boolean;
  readonly version: Wishes['version'];
  readonly limits: PageLimits;
  readonly prefer: Preferences;
  /** What was written: nested options make the links to the rest of expanded collections. */
  readonly options: Options;
  /** Whether bytes of files may stand in the answer: in those of reads. */
  readonly takesFiles: boolean;
  /** A row variable for the items of a collection value, with a number that no other has. */
  readonly newElement: (type: ValueType) => ElementQuery['row'];
}

/** Where a member stands: a row, the complex properties walked through, and the derived type it is restricted to. */
export interface Place {
  readonly row: RowExpression;
  readonly path: readonly Property[];
  readonly onType?: StructuredType;
}

/** `"Status@odata.type":"#…"`: an annotation of a member, or of the object itself where no member is named. */
export function annotation(drafting: Drafting, member: string, term: string): string {
  return `${member}${drafting.form.prefix}${term}`;
}

/** A member whose text is the same in every row. */
export function constant(name: string, json: string, place?: Pick<Place, 'onType'>): ShapeMember {
  return { kind: 'constant', name, json, ...onlyOn(place) };
}

/** The restriction to a derived type, where there is one. */
export function onlyOn(place: Pick<Place, 'onType'> | undefined): {
  readonly onType?: StructuredType;
} {
  return place?.onType === undefined ? {} : { onType: place.onType };
}

/**
 * The name of a type as annotations have it: `#Int64`, `#Collection(String)`, `#Model.Code`.
 * OData JSON Format 4.01, "Control Information: type".
 */
function typeFragment(type: ValueType): string | undefined {
  const item = itemType(type);
  const name =
    item.kind === 'primitive'
      ? item.name.replace(/^Edm\./, '')
      : item.kind === 'null' || item.kind === 'untyped'
        ? undefined
        : item.type.name;
  if (name === undefined) return undefined;
  return isCollection(type) ? `#Collection(${name})` : `#${name}`;
}

/** Types that a reader recognizes in the JSON itself. */
const EVIDENT: ReadonlySet<string> = new Set(['#String', '#Boolean', '#Double']);

/** The annotation that tells the type of a value which the JSON does not show, or nothing. */
export function typeAnnotation(
  drafting: Drafting,
  name: string,
  type: ValueType,
  place?: Pick<Place, 'onType'>,
): readonly ShapeMember[] {
  const note = typeNote(type);
  if (note === undefined) return [];
  return [constant(annotation(drafting, name, 'type'), JSON.stringify(note), place)];
}

/** The type of a property as full metadata names it beside its value; undefined where the value itself shows or names it. */
export function typeNote(type: ValueType): string | undefined {
  const fragment = typeFragment(type);
  const isComplex = type.kind === 'complex' && !type.collection;
  return fragment === undefined || isComplex || EVIDENT.has(fragment) ? undefined : fragment;
}

/** Numbers of the variables that shapes bring in: above any that a binding of a request of limited size hands out. */
const FIRST_ELEMENT = 1_000_000;

/** Makes row variables for the items of collection values. */
export function elementMaker(): Drafting['newElement'] {
  let id = FIRST_ELEMENT;
  return (type) => ({ kind: 'element', id: id++, type: itemType(type) });
}
