// Binds writes of entities: creation, changes by URL, changes of every row of a collection, and updates of a whole collection.
// OData Protocol 4.01, "Create an Entity", "Update an Entity", "Upsert an Entity", "Delete an Entity".
import { Fault, notAllowed } from '../../base/fault.ts';
import { isOwning } from '../../edm/property-storage.ts';
import { allowsWrite } from '../../edm/restrictions.ts';
import { isJsonObject } from '../../edm/value/lossless-json.ts';
import { misplacedOption } from '../../request/options/option-names.ts';
import type { Method } from '../../request/tree.ts';
import { type EntityPlace, singlePartnerName } from '../body/body-context.ts';
import { itemPath, listIn } from '../body/body-errors.ts';
import { inputsOf, isNamed, isServerKeyed, readKey, withReference } from '../body/body-keys.ts';
import { type EntityList, readChange } from '../body/delta-payload.ts';
import { uploadedFileMembers } from '../body/uploaded-file-names.ts';
import type { BoundRead, Rows } from '../bound.ts';
import type { BoundWrite, Destination, InputValue } from './bound-write.ts';
import { NOTHING_SUPPLIED, placeOfRows, readOfOne, type Write } from './write-target.ts';

/**
 * POST to a set or a collection-valued navigation. The body of a media entity is its content instead of JSON.
 * Throws: request.method, request.misplaced-option.
 */
export function bindCreate({ tree, body, input, sent }: Write, read: BoundRead): BoundWrite {
  const { rows } = read;
  requireMethod('POST', methodsOfAll(rows), body.isLoad || allowsWrite(rows.row, 'insertable'));
  const into = destinationOf(rows);
  if (into === undefined || filtersRows(rows)) throw notAllowed('POST', ['GET']);
  const { type } = rows.row;
  const isStream = type.hasStream === true && !body.isLoad;
  const place: EntityPlace = {
    source: rows.row.source,
    route: rows.row.route,
    type,
    mode: 'create',
    target: '',
    supplied: suppliedBy(body.model, into),
    ...(isStream ? { file: { kind: 'sent' } as const } : {}),
  };
  if (tree.options.index !== undefined)
    throw misplacedOption('index', 'on entities, which are ordered by key', []);
  return {
    kind: 'create',
    address: read.address,
    result: createdRead(read),
    into,
    input: body.entity(body, place, isStream ? uploadedFileMembers(body.model, type, sent) : input),
    ...(isStream ? { media: 'stream' } : {}),
  };
}

/** The read of a created entity: by its set, whatever the URL of the request; contained entities by the URL of the request. */
export function createdRead(read: BoundRead): BoundRead {
  const { row } = read.rows;
  const { set } = row.source;
  const one = { ...readOfOne(read), rows: { ...read.rows, where: [] } };
  if (set === undefined) return one;
  const { parent: _, ...alone } = one;
  return {
    ...alone,
    rows: { row, origin: { kind: 'source' }, where: [] },
    address: [{ name: set.name, kind: 'set', many: true }],
  };
}

/** Where a POST to the rows creates entities; undefined if it cannot. */
function destinationOf({ row, origin }: Rows): Destination | undefined {
  const { source } = row;
  if (source.kind === 'union') return undefined;
  if (origin.kind === 'source') return { kind: 'set', source };
  if (origin.kind !== 'related') return undefined;
  const { from, path, navigation } = origin;
  if (navigation.computed === true) return undefined;
  return { kind: 'navigation', source, parent: from, path, navigation };
}

/** Whether the path has conditions other than type casts. */
export function filtersRows({ where }: Rows): boolean {
  return where.some(({ kind }) => kind !== 'instance');
}

/** The navigations that the destination of a new entity determines. */
export function suppliedBy(
  model: Write['body']['model'],
  into: Destination,
): EntityPlace['supplied'] {
  if (into.kind === 'set') return NOTHING_SUPPLIED;
  const partner = singlePartnerName(model, into.navigation);
  return partner === undefined ? NOTHING_SUPPLIED : new Map([[partner, into.parent]]);
}

/** PATCH and PUT of an entity. Throws: request.method. */
export function bindChange(write: Write, read: BoundRead): BoundWrite {
  const { tree, body, input } = write;
  const { rows } = read;
  const allowed = allowedFor(read);
  if (tree.method === 'POST' || tree.method === 'OPTIONS') throw notAllowed(tree.method, allowed);
  requireMethod(tree.method, allowed, body.isLoad || allowsWrite(rows.row, 'updatable'));
  const mode = tree.method === 'PUT' ? 'replace' : 'merge';
  const complete = input && withReference(body, rows, mode, { input, target: '' });
  return {
    kind: 'change',
    address: read.address,
    result: readOfOne(read),
    rows,
    mode,
    input: body.entity(body, placeOfRows(rows, mode), complete),
    nullable: read.nullable,
    ...upsert(write, rows),
  };
}

/** How the write of an entity, or of its content, creates it if it does not exist. */
export interface Upsert {
  readonly create?: Destination;
  readonly key?: readonly InputValue[];
}

/** Allows an upsert if the client sets the key or an item that identifies the entity: in the URL, or in the body for a singleton and the target of a single-valued containment. */
export function upsert({ body, input }: Pick<Write, 'body' | 'input'>, rows: Rows): Upsert {
  const { model } = body;
  const { origin, row } = rows;
  const isSingleton = origin.kind === 'source' && row.source.set?.kind === 'singleton';
  const isContained =
    origin.kind === 'related' && origin.navigation.contained && !origin.navigation.collection;
  const hasServerKey = isServerKeyed(model, row.type);
  const create = destinationOf(rows);
  if (create === undefined || row.type.abstract === true) return {};
  if (allowsWrite(row, 'insertable') === false && !body.isLoad) return {};
  if (!isContained && !isSingleton) return isNamed(model, rows) ? { create } : {};
  if (hasServerKey || !isJsonObject(input)) return hasServerKey ? { create } : {};
  const key = readKey(body, row.type, input, '');
  // The database knows whether the singleton exists, and so whether its key is missing.
  if (key === undefined) return isSingleton ? { create, key: [] } : {};
  return { create, key: inputsOf(model, row.type, key) };
}

/** DELETE of an entity. Throws: request.method. */
export function bindDelete({ tree }: Write, read: BoundRead): BoundWrite {
  const { rows } = read;
  const allowed = allowedFor(read);
  requireMethod(tree.method, allowed, isDeletable(rows));
  if (!allowed.includes('DELETE')) throw notAllowed('DELETE', allowed);
  return { kind: 'delete', address: read.address, result: readOfOne(read), rows };
}

function isDeletable({ row }: Rows): boolean | undefined {
  const { set } = row.source;
  return set?.kind === 'singleton' && set.nullable !== true ? false : allowsWrite(row, 'deletable');
}

/** PATCH or DELETE of every row: `/$each`. Throws: request.method, not-built. */
export function bindEach({ tree, body, input }: Write, read: BoundRead): BoundWrite {
  const { rows, query } = read;
  const { method } = tree;
  if (read.wanted.kind !== 'entities' || (method !== 'PATCH' && method !== 'DELETE')) {
    throw notAllowed(method, ['PATCH', 'DELETE']);
  }
  const frame = { address: read.address, result: read, rows, query };
  if (method === 'DELETE') {
    requireMethod(method, ['PATCH'], isDeletable(rows));
    return { kind: 'each', ...frame, action: { kind: 'delete' } };
  }
  requireMethod(method, ['DELETE'], allowsWrite(rows.row, 'updatable'));
  const change = body.entity(body, placeOfRows(rows, 'merge'), input);
  if (change.children.length > 0) {
    throw new Fault('not-built', { feature: 'a change of related entities after $each' });
  }
  return { kind: 'each', ...frame, action: { kind: 'change', input: change } };
}

/** PATCH of a collection with a delta payload, or PUT with all its entities. Throws: request.method. */
export function bindCollection(write: Write, read: BoundRead): BoundWrite {
  const { tree } = write;
  const { rows } = read;
  const into = destinationOf(rows);
  if (into === undefined || filtersRows(rows)) throw notAllowed(tree.method, ['GET']);
  const allowed = methodsOfAll(rows);
  if (!allowed.includes(tree.method)) throw notAllowed(tree.method, allowed);
  const mode = tree.method === 'PUT' ? 'full' : 'delta';
  const list = { ...listInto(write, into), route: rows.row.route };
  const expected = `{"value": […]} with ${mode === 'full' ? 'all entities' : 'the changes'}`;
  const entities = listIn(write.body, write.input, expected).flatMap((item, index) =>
    readChange(list, { input: item, target: itemPath('value', index) }, mode === 'delta'),
  );
  return { kind: 'collection', address: read.address, result: read, into, rows, mode, entities };
}

function listInto({ body }: Write, into: Destination): EntityList {
  const { source } = into;
  const related =
    into.kind === 'set'
      ? ({ kind: 'source' } as const)
      : ({
          kind: 'related',
          from: into.parent,
          path: into.path,
          navigation: into.navigation,
        } as const);
  const isContained = into.kind === 'navigation' && into.navigation.contained;
  return {
    body,
    name: into.kind === 'set' ? source.id : into.navigation.name,
    source,
    type: source.type,
    single: false,
    mode: 'merge',
    candidates: isContained ? related : { kind: 'source' },
    related,
    supplied: suppliedBy(body.model, into),
  };
}

// ---- methods --------------------------------------------------------------------------------------------------------

/** The methods of an entity. The result of a function can be changed, but deleted only by its own URL. */
function allowedFor({ rows, address }: BoundRead): readonly Method[] {
  const isFixed = allowsWrite(rows.row, 'updatable') === false;
  const change: readonly Method[] = isFixed ? [] : ['PATCH', 'PUT'];
  const isPermanent = isDeletable(rows) === false;
  const remove: readonly Method[] =
    isPermanent || address.at(-1)?.kind === 'operation' ? [] : ['DELETE'];
  return ['GET', ...change, ...remove];
}

/** The methods of a collection. PUT needs deletable entities, because it deletes or unlinks those that are not in its list. */
function methodsOfAll(rows: Rows): readonly Method[] {
  const { row, origin } = rows;
  const isUnlinked = origin.kind === 'related' && !isOwning(origin.navigation);
  const isPermanent = !isUnlinked && isDeletable(rows) === false;
  const isFixed = allowsWrite(row, 'updatable') === false;
  const create: readonly Method[] = allowsWrite(row, 'insertable') === false ? [] : ['POST'];
  const change: readonly Method[] = isFixed ? [] : ['PATCH'];
  const replace: readonly Method[] = isFixed || isPermanent ? [] : ['PUT'];
  return ['GET', ...create, ...change, ...replace];
}

/** Throws: request.method if the entities do not allow the method. */
function requireMethod(
  method: Method,
  methods: readonly Method[],
  isAllowed: boolean | undefined,
): void {
  const without = methods.filter((other) => other !== method);
  if (isAllowed === false) throw notAllowed(method, without);
}
