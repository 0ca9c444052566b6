// This file is the entry point for read requests: it turns a syntax tree into a bound request, in which names are resolved to model
// elements and expressions have types. Writes enter through bind-write.ts, which resolves paths in the same way.
import { Fault, notAllowed, unreachable } from '../base/fault.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../request/cursor.ts';
import { misplacedOption } from '../request/options/option-names.ts';
import { missingId, readPath } from '../request/path.ts';
import type * as Tree from '../request/tree.ts';
import type { BoundDocument, BoundReadRequest } from './bound.ts';
import { startSession } from './expression/expression.ts';
import { relativePath } from './path/entity-url.ts';
import type { Place, Position } from './path/position.ts';
import { walkPath, walkSegments } from './path/resource-path.ts';
import { bindAll, bindCrossjoin } from './query/crossjoin.ts';
import { type Level, outermostLevel, rejectOtherOptions } from './query/option-scope.ts';
import { bindRead, bindResult } from './query/read.ts';
import { requireFilter } from './query/restrictions.ts';
import { type Frame, type Scope, type Session, startFrame } from './scope.ts';

/**
 * Binds a GET or HEAD request. Throws: bind.*, request.misplaced-option, request.misplaced-segment, request.method for resources that
 * cannot be read, not-built.
 */
export function bind(tree: Tree.Tree, scope: Scope): BoundReadRequest {
  rejectWriteOptions(tree);
  const session = startSession(scope);
  const frame = pathFrame(session, tree.options);
  const place = placeOfTree(frame, tree);
  const bound = bindPlace(outermostLevel(session, tree.options.aliases), place, tree.options);
  rejectTokens(bound, tree.options);
  if (bound.kind === 'document' && bound.document === 'metadata')
    return { ...bound, ...metadataOptions(tree.options) };
  const isPage = bound.kind === 'read' && PAGES.includes(bound.wanted.kind);
  if (isPage && tree.options.deltatoken === undefined) requireFilter(bound.rows, bound.query);
  return bound;
}

const PAGES = ['entities', 'references', 'transition-lists', 'count'];

/** The custom options of $metadata. Throws: request.option-value, request.duplicate-option. */
function metadataOptions({ custom }: Tree.Options): Pick<BoundDocument, 'flat' | 'engine'> {
  const given = (['flat', 'engine'] as const).flatMap((name) => {
    const values = custom.get(name) ?? [];
    return values.length === 0 ? [] : [[name, flagValue(name, values)] as const];
  });
  return Object.fromEntries(given);
}

function flagValue(name: string, [value = '', ...others]: readonly string[]): boolean {
  if (others.length > 0) throw new Fault('request.duplicate-option', { name });
  if (value === 'true' || value === 'false') return value === 'true';
  const expected = 'it is true or false';
  throw new Fault('request.option-value', { value: value.slice(0, 100), name, expected });
}

/** The service never issues next links for documents, nor delta links for anything but entities. */
function rejectTokens(bound: BoundReadRequest, { skiptoken, deltatoken }: Tree.Options): void {
  const place = 'on this resource';
  if (skiptoken !== undefined && bound.kind === 'document')
    throw misplacedOption('skiptoken', place, []);
  if (deltatoken !== undefined && bound.kind !== 'read')
    throw misplacedOption('deltatoken', place, []);
}

/** $index is for inserts only, and $id for `$entity`. Throws: request.misplaced-option. */
function rejectWriteOptions({ path, options }: Tree.Tree): void {
  if (options.index !== undefined) throw misplacedOption('index', 'in a read request', []);
  const isEntity = path.segments[0]?.kind === 'entity';
  if (options.id !== undefined && !isEntity) {
    throw misplacedOption('id', 'here', []);
  }
}

/** The frame for binding keys and parameters in the path. */
export function pathFrame(session: Session, options: Tree.Options): Frame {
  const frame = startFrame(session, { name: 'path', target: 'the path' }, undefined);
  return { ...frame, aliases: options.aliases, custom: options.custom };
}

/** Binds a read of the place with the options. Throws: as bind. */
export function bindPlace(
  level: Level,
  place: Place,
  options: Tree.NestedOptions,
): BoundReadRequest {
  switch (place.kind) {
    case 'position':
      return bindRead(level, place, options);
    case 'document':
      rejectOtherOptions(options, [], `on the ${place.document} document`);
      return { kind: 'document', document: place.document };
    case 'result':
      return bindResult(place, options);
    case 'all':
      return bindAll(level, place, options);
    case 'crossjoin':
      return bindCrossjoin(level, place, options);
    case 'batch':
    case 'action':
      throw notAllowed('GET', ['POST']);
    default:
      return unreachable(place);
  }
}

/** Resolves the path; `$entity` is the entity that `$id` names. Throws: as bind. */
export function placeOfTree(frame: Frame, tree: Pick<Tree.Tree, 'path' | 'options'>): Place {
  const [first, ...others] = tree.path.segments;
  if (first?.kind !== 'entity') return walkPath(frame, tree.path);
  const { id } = tree.options;
  if (id === undefined) throw missingId(tree.path);
  const position = resolveId(frame, id);
  // `$entity/NS.Type?$id=…`: an entity that cannot be of the type does not exist.
  const place = orUnknownId(id, () => walkSegments(frame, position, others));
  if (place.kind !== 'position' || place.value !== undefined) throw unknownId(id);
  return place;
}

/** The single entity that the id names. Throws: bind.unknown-id. */
function resolveId(frame: Frame, id: string): Position {
  const path = relativePath({ root: frame.session.scope.root ?? '', contentIds: new Map() }, id);
  if ('reason' in path) throw unknownId(id);
  const place = orUnknownId(id, () =>
    walkPath(frame, readPath(path.relative, new Budget(DEFAULT_TREE_LIMITS)).path),
  );
  const isEntity = place.kind === 'position' && !place.many && place.value === undefined;
  if (!isEntity || place.mark !== undefined) throw unknownId(id);
  return place;
}

/** Any error in an id means that no such entity exists. Throws: bind.unknown-id. */
function orUnknownId<Result>(id: string, read: () => Result): Result {
  try {
    return read();
  } catch (fault) {
    throw fault instanceof Fault ? unknownId(id) : fault;
  }
}

function unknownId(id: string): Fault {
  return new Fault('bind.unknown-id', { id: id.slice(0, 100) }, { target: '$id' });
}
