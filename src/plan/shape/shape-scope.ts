// Context for building the shape of one response: the rights of the principal, the serialisation of values, the metadata level,
// and the names of annotations. OData JSON Format 4.01, "Control Information".
import { perPair } from '../../base/memo.ts';
import type { ElementQuery, RowExpression, ValueType } from '../../bind/bound.ts';
import { itemType, typeNote } from '../../bind/expression/types.ts';
import type { Parameters } from '../../bind/parameter.ts';
import type { Member, Model, Property, StructuredType } from '../../edm/model.ts';
import type { Workflows } from '../../edm/workflow/workflow.ts';
import type { Preferences } from '../../request/headers/preferences.ts';
import type { Negotiated, Options } from '../../request/tree.ts';
import type { PageLimits } from '../read/page.ts';
import type { ShapeMember, ValueForm } from '../read-plan.ts';
import type { Guard } from '../rights/row-conditions.ts';

export type MetadataLevel = 'none' | 'minimal' | 'full';

/** The context shared by all parts of a response. */
export interface ShapeScope {
  readonly guard: Guard;
  readonly model: Model;
  readonly workflows: Workflows;
  readonly form: ValueForm;
  readonly metadata: MetadataLevel;
  readonly isXml: boolean;
  readonly version: Negotiated['version'];
  readonly limits: PageLimits;
  readonly prefer: Preferences;
  /** The options as written by the client; nested options become the next links of expanded collections. */
  readonly options: Options;
  readonly parameters: Parameters | undefined;
  /** Whether the response may contain the bytes of files; only reads allow it. */
  readonly allowsFiles: boolean;
  /** Creates a row variable with a unique id for the items of a collection value. */
  readonly newElement: (type: ValueType) => ElementQuery['row'];
}

/** The position of a member: its row, the complex properties on the way to it, and the derived type that declares it. */
export interface Place {
  readonly row: RowExpression;
  readonly path: readonly Property[];
  readonly onType?: StructuredType | undefined;
}

/** A member, and the derived type that declares it if the type itself does not. */
interface DeclaredMember {
  readonly member: Member;
  readonly onType: StructuredType | undefined;
}

/** The members of the type, then those of derived types. */
export const declaredMembers = perPair(
  (model: Model, type: StructuredType): readonly DeclaredMember[] => [
    ...[...model.members(type).values()].map((member) => ({ member, onType: undefined })),
    ...model
      .derived(type)
      .flatMap((onType) =>
        onType.members
          .filter(({ hidden }) => hidden !== true)
          .map((member) => ({ member, onType })),
      ),
  ],
);

/** `"Status@odata.type":"#…"`: an annotation of a member, or of the object if `member` is empty. */
export function annotation(scope: ShapeScope, member: string, term: string): string {
  return `${member}${scope.form.prefix}${term}`;
}

/** A member with the same JSON text in every row. */
export function constant(name: string, json: string, place?: Pick<Place, 'onType'>): ShapeMember {
  return { kind: 'constant', name, json, onType: place?.onType };
}

/** The type annotation of a value, if its JSON does not reveal the type. */
export function typeAnnotation(
  scope: ShapeScope,
  name: string,
  type: ValueType,
  place?: Pick<Place, 'onType'>,
): readonly ShapeMember[] {
  const note = typeNote(type);
  if (note === undefined) return [];
  return [constant(annotation(scope, name, 'type'), JSON.stringify(note), place)];
}

/** First id of variables created by shapes: above any id that binding a request of limited size can assign. */
const FIRST_ELEMENT = 1_000_000;

/** Creates a generator of row variables for collection items. */
export function elementMaker(): ShapeScope['newElement'] {
  let id = FIRST_ELEMENT;
  return (type) => ({ kind: 'element', id: id++, type: itemType(type) });
}
