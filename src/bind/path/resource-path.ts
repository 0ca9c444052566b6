import { didYouMean } from '../../base/nearest-name.ts';
import type { EntitySet, Model, StructuredType } from '../../edm/model.ts';
import { hasStream, isAssignable } from '../../edm/model.ts';
import { isOpen } from '../../edm/property-storage.ts';
import { setSource } from '../../edm/source.ts';
import { adviceForResource } from '../../request/expression/syntax-hints.ts';
import { misplacedSegment } from '../../request/path.ts';
import type * as Tree from '../../request/tree.ts';
import { castRows, itemFrame } from '../expression/collection.ts';
import { bindCondition } from '../expression/promotion.ts';
import { theseOf } from '../expression/these-variable.ts';
import { fullName, narrowType, operationsNamed, structuredNamed } from '../names.ts';
import { requireFilterable } from '../query/restrictions.ts';
import { allRows, type Frame, faultAt, subjectOf } from '../scope.ts';
import { takeKey, takeKeySegments, takeParentheses } from './key-segments.ts';
import { callImport, callInPath } from './operation-segments.ts';
import {
  addStep,
  followNavigation,
  nameOf,
  narrowPosition,
  type Place,
  type Position,
  unknownSegment,
} from './position.ts';
import { stepFromResult, stepIntoValue, takeIndex, takeMember } from './value-segments.ts';

/** Resolves the path. Throws: bind.unknown-resource, bind.unknown-segment, bind.key, request.misplaced-segment and other bind.* codes. */
export function walkPath(frame: Frame, path: Tree.ResourcePath): Place {
  const [first, ...others] = path.segments;
  if (first === undefined) return { kind: 'document', document: 'service' };
  switch (first.kind) {
    case 'metadata':
    case 'ping':
      return { kind: 'document', document: first.kind };
    case 'batch':
      return { kind: 'batch' };
    case 'all':
      return walkAll(frame, others[0]);
    case 'crossjoin':
      return { kind: 'crossjoin', sets: first.sets };
    case 'name':
      return walkSegments(frame, startFrom(frame, first), others);
    default:
      throw misplacedSegment(`$${first.kind}`, 'at the service root', first.at);
  }
}

/** Resolves the remaining segments after a place. Throws: as walkPath. */
export function walkSegments(frame: Frame, start: Place, segments: readonly Tree.Segment[]): Place {
  let place = start;
  let index = 0;
  while (index < segments.length) {
    const step = takeSegment(frame, place, segments.slice(index));
    place = step.place;
    index += step.used;
  }
  return place;
}

interface Step {
  readonly place: Place;
  /** The number of segments resolved; more than one for composite keys in key-as-segment syntax. */
  readonly used: number;
}

function takeSegment(frame: Frame, place: Place, segments: readonly Tree.Segment[]): Step {
  const [segment] = segments;
  if (segment === undefined) return { place, used: 1 };
  if (place.kind === 'result') return { place: stepFromResult(frame, place, segment), used: 1 };
  if (place.kind !== 'position') throw misplacedSegment(nameOf(segment), 'here', segment.at);
  switch (segment.kind) {
    case 'name':
    case 'text':
      return takeNamed(frame, place, segment, segments);
    case 'filter': {
      const filtered = takeFilter(frame, place, segment);
      const { key } = segment;
      return { place: key === undefined ? filtered : takeKey(frame, filtered, key), used: 1 };
    }
    case 'value':
    case 'count':
    case 'ref':
      return { place: takeMark(frame, place, segment.kind, segment.at), used: 1 };
    case 'each':
      return { place: takeEach(place, segment.at), used: 1 };
    default:
      throw misplacedSegment(nameOf(segment), 'after another segment', segment.at);
  }
}

// ---- the first segment ----------------------------------------------------------------------------------------------

function startFrom(frame: Frame, segment: Tree.NameSegment): Place {
  const { model } = frame;
  const set = model.sets.get(segment.name);
  if (set !== undefined) return startFromSet(frame, set, segment);
  const singular = model.singulars.get(segment.name);
  if (singular !== undefined && segment.arguments !== undefined) {
    return startFromSet(frame, singular, segment);
  }
  const imported = model.imports.get(segment.name);
  if (imported !== undefined) return callImport(frame, imported, segment);
  const names = [...model.sets.keys(), ...model.imports.keys()];
  const hint =
    singular === undefined
      ? adviceForResource(segment.name) || didYouMean(segment.name, names)
      : ` Write ${segment.name}(…) for one entity, ${singular.name} for all.`;
  throw faultAt(frame, segment.at, 'bind.unknown-resource', { name: segment.name, hint });
}

function startFromSet(frame: Frame, set: EntitySet, segment: Tree.NameSegment): Position {
  const isSingleton = set.kind === 'singleton';
  const start: Position = {
    kind: 'position',
    rows: allRows(frame.session, setSource(frame.model, set.name)),
    many: !isSingleton,
    nullable: isSingleton && set.nullable === true,
    address: [{ name: set.name, kind: set.kind, many: !isSingleton }],
    each: false,
  };
  return takeParentheses(frame, start, segment);
}

function walkAll(frame: Frame, segment: Tree.Segment | undefined): Place {
  if (segment === undefined) return { kind: 'all' };
  const name = segment.kind === 'name' ? segment.name : nameOf(segment);
  const type = frame.model.types.get(fullName(frame.model, name));
  if (type?.kind === 'entity') return { kind: 'all', type };
  const entities = [...frame.model.types.values()].filter(({ kind }) => kind === 'entity');
  const hint = didYouMean(
    name,
    entities.map((one) => one.name),
  );
  throw faultAt(frame, segment.at, 'bind.unknown-segment', { type: '$all', name, hint });
}

// ---- names ----------------------------------------------------------------------------------------------------------

function takeNamed(
  frame: Frame,
  position: Position,
  segment: Tree.NameSegment | Tree.TextSegment,
  segments: readonly Tree.Segment[],
): Step {
  if (position.closed !== undefined) {
    const place = `after ${position.closed}, which is not composable`;
    throw misplacedSegment(nameOf(segment), place, segment.at);
  }
  if (position.mark !== undefined)
    throw misplacedSegment(nameOf(segment), `after $${position.mark}`, segment.at);
  if (position.value !== undefined) {
    const place =
      segment.kind === 'text'
        ? takeIndex(frame, position, segment)
        : stepIntoValue(frame, position, segment);
    return { place, used: 1 };
  }
  const place = segment.kind === 'name' ? takeName(frame, position, segment) : undefined;
  if (place !== undefined) return { place, used: 1 };
  if (!position.many || position.each) {
    const name = nameOf(segment);
    throw unknownSegment(frame, position.rows.row.type, { at: segment.at, name });
  }
  return takeKeySegments(frame, position, segments);
}

/** An unqualified name of an unrelated type is an operation or a misspelled navigation, not a cast. */
function isCast(
  model: Model,
  { rows: { row } }: Position,
  type: StructuredType,
  { name }: Tree.NameSegment,
): boolean {
  const isRelated = isAssignable(model, type, row.type) || isAssignable(model, row.type, type);
  return isRelated || name.includes('.');
}

/** A cast, an operation or a member; undefined if the name is unknown. */
function takeName(frame: Frame, position: Position, segment: Tree.NameSegment): Place | undefined {
  const { model } = frame;
  const member = position.many
    ? undefined
    : model.members(position.rows.row.type).get(segment.name);
  if (member?.kind === 'navigation')
    return takeParentheses(frame, followNavigation(frame, position, [], member), segment);
  if (member !== undefined) return takeMember(frame, position, segment);
  const type = structuredNamed(model, segment.name);
  if (type !== undefined && isCast(model, position, type, segment))
    return takeCast(frame, position, type, segment);
  if (operationsNamed(model, segment.name).length > 0) return callInPath(frame, position, segment);
  if (type !== undefined) return undefined;
  const acceptsAny = !position.many && isOpen(model, position.rows.row.type);
  return acceptsAny && segment.arguments === undefined
    ? takeMember(frame, position, segment)
    : undefined;
}

function takeCast(
  frame: Frame,
  position: Position,
  type: StructuredType,
  segment: Tree.NameSegment,
): Position {
  const to = narrowType(frame, position.rows.row.type, type, segment.at);
  const cast: Position = {
    ...position,
    rows: castRows(position.rows, to),
    nullable: position.many && position.nullable,
    address: addStep(position, { name: to.name, kind: 'cast', many: position.many }),
  };
  return takeParentheses(frame, cast, segment);
}

// ---- $filter, $each, $value, $count, $ref ---------------------------------------------------------------------------

function takeFilter(frame: Frame, position: Position, segment: Tree.FilterStep): Position {
  if (position.value !== undefined) return filterValue(frame, position, segment);
  if (!position.many || position.each)
    throw misplacedSegment('$filter', 'after a single entity', segment.at);
  const collection = { kind: 'rows', rows: position.rows } as const;
  const innerFrame = itemFrame(frame, collection);
  const these = theseOf(frame.session, collection);
  const condition = bindCondition(
    { ...innerFrame, these, it: innerFrame.current },
    segment.condition,
  );
  requireFilterable(position.rows.row, condition);
  return narrowPosition(position, [condition]);
}

function filterValue(frame: Frame, position: Position, segment: Tree.FilterStep): Position {
  const { value } = position;
  const elements = value?.elements;
  if (value === undefined || elements === undefined || value.index !== undefined) {
    throw misplacedSegment('$filter', 'after a single value', segment.at);
  }
  const of = { kind: 'elements', of: value.value, ...elements } as const;
  const innerFrame = itemFrame(frame, of);
  const subject = innerFrame.current ?? subjectOf({ kind: 'elements', collection: of });
  const these = theseOf(frame.session, of);
  const condition = bindCondition({ ...innerFrame, these, it: subject }, segment.condition);
  const where = [...elements.where, condition];
  return { ...position, value: { ...value, elements: { ...elements, where } } };
}

function takeEach(position: Position, at: number): Position {
  if (!position.many || position.value !== undefined) {
    throw misplacedSegment('$each', 'except after a collection of entities', at);
  }
  return { ...position, each: true };
}

function takeMark(
  frame: Frame,
  position: Position,
  mark: 'value' | 'count' | 'ref',
  at: number,
): Position {
  const { value, many, rows } = position;
  if (position.each) throw misplacedSegment(`$${mark}`, 'after $each', at);
  if (mark === 'ref' && value !== undefined) {
    throw unknownSegment(frame, rows.row.type, { at, name: '$ref' });
  }
  if (mark === 'count' && !isCountable(position)) {
    throw misplacedSegment('$count', 'except after a collection', at);
  }
  if (mark === 'value' && !hasRawValue(frame, position)) {
    throw misplacedSegment(
      '$value',
      many || value !== undefined ? 'after this value' : 'after an entity without a media stream',
      at,
    );
  }
  return { ...position, mark };
}

function isCountable({ value, many }: Position): boolean {
  return value === undefined ? many : value.elements !== undefined && value.index === undefined;
}

/** Whether $value is allowed: media entities and single primitive values have a raw value. A stream property is read without $value. */
function hasRawValue(frame: Frame, { value, many, rows }: Position): boolean {
  if (value === undefined) return !many && hasStream(frame.model, rows.row.type);
  const { type } = value.value;
  const isOne = value.elements === undefined || value.index !== undefined;
  if (type.kind === 'primitive') return isOne && type.name !== 'Edm.Stream';
  return isOne && (type.kind === 'enum' || type.kind === 'untyped');
}
