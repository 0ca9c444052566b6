// This file is the door of the room for readings: it turns a syntax tree into a bound request, in which names are things of the
// model and expressions have types, or refuses it. Writes come in by bind-write.ts, which shares the walk along the path.
import { Fault, unreachable } from '../base/fault.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../request/cursor.ts';
import { misplacedOption } from '../request/options/option-names.ts';
import { missingId, readPath } from '../request/path.ts';
import type * as Tree from '../request/tree.ts';
import type { BoundReading } from './bound.ts';
import { startSession } from './expression/expression.ts';
import { relativePath } from './path/entity-url.ts';
import type { Place, Position } from './path/position.ts';
import { walkOn, walkPath } from './path/resource-path.ts';
import { bindAll, bindCrossjoin } from './query/crossjoin.ts';
import { type Level, outermostLevel, refuseOthers } from './query/option-scope.ts';
import { bindRead, bindResult } from './query/read.ts';
import { type Frame, type Scope, type Session, startFrame } from './scope.ts';

/**
 * What a GET or HEAD asks for. Faults: bind.*, request.misplaced-option, request.misplaced-segment, request.method for what is
 * no reading, not-built.
 */
export function bind(tree: Tree.Tree, scope: Scope): BoundReading {
  refuseStrayed(tree);
  const session = startSession(scope);
  const frame = pathFrame(session, tree.options);
  const place = placeOfTree(frame, tree);
  const bound = bindPlace(outermostLevel(session, tree.options.aliases), place, tree.options);
  refuseTokens(bound, tree.options);
  return bound;
}

/** Tokens stand in links only that the service gives out: none lead on in a document, and only reads of entities tell of changes. */
function refuseTokens(bound: BoundReading, { skiptoken, deltatoken }: Tree.Options): void {
  const place = 'here, where no link of the service has it';
  if (skiptoken !== undefined && bound.kind === 'document')
    throw misplacedOption('skiptoken', place, []);
  if (deltatoken !== undefined && bound.kind !== 'read')
    throw misplacedOption('deltatoken', place, []);
}

/** $index is for writing, $id for what it names. Faults: request.misplaced-option. */
function refuseStrayed({ path, options }: Tree.Tree): void {
  if (options.index !== undefined) throw misplacedOption('index', 'where nothing is inserted', []);
  const isEntity = path.segments[0]?.kind === 'entity';
  if (options.id !== undefined && !isEntity) {
    throw misplacedOption('id', 'here', []);
  }
}

/** The frame in which the keys and parameters of the path are bound. */
export function pathFrame(session: Session, options: Tree.Options): Frame {
  const frame = startFrame(session, { name: 'path', target: 'the path' }, undefined);
  return { ...frame, aliases: options.aliases, custom: options.custom };
}

/** What the place gives when it is read with the options. Faults: as bind. */
export function bindPlace(level: Level, place: Place, options: Tree.NestedOptions): BoundReading {
  switch (place.kind) {
    case 'position':
      return bindRead(level, place, options);
    case 'document':
      refuseOthers(options, [], `on the ${place.document} document`);
      return { kind: 'document', document: place.document };
    case 'result':
      return bindResult(place, options);
    case 'all':
      return bindAll(level, place, options);
    case 'crossjoin':
      return bindCrossjoin(level, place, options);
    case 'batch':
    case 'action':
      throw new Fault(
        'request.method',
        { method: 'GET', allow: 'POST' },
        { headers: { Allow: 'POST' } },
      );
    default:
      return unreachable(place);
  }
}

/** Where the path leads; behind `$entity` that is what `$id` names. */
export function placeOfTree(frame: Frame, tree: Pick<Tree.Tree, 'path' | 'options'>): Place {
  const [first, ...others] = tree.path.segments;
  if (first?.kind !== 'entity') return walkPath(frame, tree.path);
  const { id } = tree.options;
  if (id === undefined) throw missingId(tree.path);
  const position = resolveId(frame, id);
  const place = others.length === 0 ? position : castEntity(frame, position, others, id);
  if (place.kind !== 'position' || place.value !== undefined) throw unknownId(id);
  return place;
}

/** The one entity that an id names. Faults: bind.unknown-id. */
function resolveId(frame: Frame, id: string): Position {
  const path = relativePath({ root: frame.session.scope.root ?? '', contentIds: new Map() }, id);
  if ('reason' in path) throw unknownId(id);
  const place = refusing(id, () =>
    walkPath(frame, readPath(path.relative, new Budget(DEFAULT_TREE_LIMITS)).path),
  );
  const isEntity = place.kind === 'position' && !place.many && place.value === undefined;
  if (!isEntity || place.mark !== undefined) throw unknownId(id);
  return place;
}

/** `$entity/NS.Type?$id=…`; an entity that cannot be of the type is not there. */
function castEntity(
  frame: Frame,
  position: Position,
  segments: readonly Tree.Segment[],
  id: string,
): Place {
  return refusing(id, () => walkOn(frame, position, segments));
}

/** Whatever is wrong with an id, there is no entity of that name. */
function refusing<Result>(id: string, read: () => Result): Result {
  try {
    return read();
  } catch (fault) {
    throw fault instanceof Fault ? unknownId(id) : fault;
  }
}

function unknownId(id: string): Fault {
  return new Fault('bind.unknown-id', { id: id.slice(0, 100) }, { target: '$id' });
}
