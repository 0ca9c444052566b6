// This file splits a JSON record into the parts that Atom writes in different places: annotations, properties, links with expanded
// content, and streams. The model defines the kind of each member.
import type { ValueType } from '../../bind/bound.ts';
import { typeOfReference } from '../../bind/expression/types.ts';
import {
  isStructured,
  type Member,
  type Model,
  type Navigation,
  type StructuredType,
} from '../../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  numberText,
} from '../../edm/value/lossless-json.ts';

export interface AtomRecord {
  readonly model: Model;
  /** The type named in the record, or else its declared type; undefined for rows of $apply. */
  readonly type: StructuredType | undefined;
  readonly annotations: ReadonlyMap<string, string>;
  readonly properties: readonly AtomProperty[];
  readonly navigations: readonly AtomNavigation[];
  /** Annotations by stream property. */
  readonly streams: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly operations: readonly AtomOperation[];
  /** Whether the record consists only of its id. */
  readonly isReference: boolean;
}

interface AtomProperty {
  readonly name: string;
  readonly type: ValueType;
  readonly value: JsonInput;
}

interface AtomNavigation {
  readonly name: string;
  readonly isCollection: boolean;
  readonly links: ReadonlyMap<string, string>;
  /** Expanded records; a single-valued navigation that is null has an empty list. */
  readonly expanded: readonly AtomRecord[] | undefined;
  readonly count: string | undefined;
  readonly nextLink: string | undefined;
}

/** A bound action or function advertised in the record. */
interface AtomOperation {
  readonly kind: 'action' | 'function';
  /** `#Model.Feed`. */
  readonly metadata: string;
  readonly title: string;
  readonly target: string;
}

const MARK = '@odata.';

type Members = ReadonlyMap<string, JsonInput>;

/** @param declared the type of the record unless it names another one */
export function readRecord(
  model: Model,
  declared: StructuredType | undefined,
  input: JsonInput,
): AtomRecord {
  const members: Members = new Map(Object.entries(isJsonObject(input) ? input : {}));
  const annotations = annotationsOf(members, '');
  const type = namedType(model, annotations.get('type')) ?? declared;
  const known: ReadonlyMap<string, Member> = type === undefined ? new Map() : model.members(type);
  const values = [...members].filter(([name]) => !/[@#]/.test(name));
  return {
    model,
    type,
    annotations,
    properties: values.flatMap(([name, value]) => {
      const member = known.get(name);
      if (member?.kind === 'navigation') return [];
      const annotatedType = typeNamed(model, annotationsOf(members, name).get('type'));
      const declaredType = member === undefined ? undefined : typeOfReference(model, member);
      return [{ name, value, type: declaredType ?? annotatedType ?? typeOfJson(value) }];
    }),
    navigations: navigationsOf(model, known, members),
    streams: streamsOf(known, members),
    operations: operationsOf(model, members),
    isReference: values.length === 0 && annotations.size === 1 && annotations.has('id'),
  };
}

function navigationsOf(
  model: Model,
  known: ReadonlyMap<string, Member>,
  members: Members,
): readonly AtomNavigation[] {
  return [...known.values()].flatMap((member) => {
    if (member.kind !== 'navigation') return [];
    const links = annotationsOf(members, member.name);
    const content = members.get(member.name);
    if (links.size === 0 && content === undefined) return [];
    return [
      {
        name: member.name,
        isCollection: member.collection,
        links,
        expanded: content === undefined ? undefined : expandedOf(model, member, content),
        count: links.get('count'),
        nextLink: links.get('nextLink'),
      },
    ];
  });
}

function expandedOf(
  model: Model,
  { target }: Navigation,
  content: JsonInput,
): readonly AtomRecord[] {
  const found = model.types.get(target);
  const type = found !== undefined && isStructured(found) ? found : undefined;
  const records = isJsonArray(content) ? content : content === null ? [] : [content];
  return records.map((record) => readRecord(model, type, record));
}

function streamsOf(
  known: ReadonlyMap<string, Member>,
  members: Members,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const streams = [...known.values()].filter(
    (member) => member.kind === 'property' && member.type === 'Edm.Stream',
  );
  return new Map(
    streams
      .map(({ name }) => [name, annotationsOf(members, name)] as const)
      .filter(([, facts]) => facts.size > 0),
  );
}

function operationsOf(model: Model, members: Members): readonly AtomOperation[] {
  return [...members].flatMap(([metadata, offer]) => {
    const operation = model.operations.get(metadata.slice(1))?.[0];
    if (!metadata.startsWith('#') || operation === undefined || !isJsonObject(offer)) return [];
    const { kind } = operation;
    return [{ kind, metadata, title: String(offer.title), target: String(offer.target) }];
  });
}

/** Returns the annotations of a member, or of the record itself if `name` is '', without prefix. */
function annotationsOf(members: Members, name: string): ReadonlyMap<string, string> {
  const head = `${name}${MARK}`;
  const found = new Map<string, string>();
  for (const [key, value] of members) {
    if (key.startsWith(head) && value !== null) found.set(key.slice(head.length), String(value));
  }
  return found;
}

function namedType(model: Model, fragment: string | undefined): StructuredType | undefined {
  const type = fragment === undefined ? undefined : model.types.get(fragment.replace(/^#/, ''));
  return type !== undefined && isStructured(type) ? type : undefined;
}

/** Resolves the type in an annotation: `#Int64`, `#Collection(Model.Code)`. */
function typeNamed(model: Model, fragment: string | undefined): ValueType | undefined {
  if (fragment === undefined) return undefined;
  const [, item, single] = /^#(?:Collection\((.*)\)|(.*))$/.exec(fragment) ?? [];
  const name = item ?? single ?? '';
  const type = name.includes('.') ? name : `Edm.${name}`;
  return typeOfReference(model, {
    type,
    collection: item !== undefined,
    nullable: true,
    facets: {},
  });
}

/** Infers the type from the JSON value. OData JSON Format 4.01, "Control Information: type". */
function typeOfJson(value: JsonInput): ValueType {
  const name = INFERRED.get(numberText(value) === undefined ? typeof value : 'number');
  return name === undefined
    ? { kind: 'untyped', collection: isJsonArray(value) }
    : { kind: 'primitive', name, facets: {}, collection: false };
}

const INFERRED: ReadonlyMap<string, 'Edm.String' | 'Edm.Boolean' | 'Edm.Double'> = new Map([
  ['string', 'Edm.String'],
  ['boolean', 'Edm.Boolean'],
  ['number', 'Edm.Double'],
]);
