// Binds writes of references: `$ref` after a navigation. OData Protocol 4.01, "Modifying Relationships between Entities".
import { Fault, invariant, notAllowed } from '../../base/fault.ts';
import { mayBeRemoved } from '../../edm/dependents.ts';
import { pathName } from '../../edm/model.ts';
import { isToContainer } from '../../edm/property-storage.ts';
import { unwritablePaths } from '../../edm/restrictions.ts';
import { isJsonObject, type JsonInput } from '../../edm/value/lossless-json.ts';
import { misplacedOption } from '../../request/options/option-names.ts';
import type { Method, Tree } from '../../request/tree.ts';
import {
  containedRemedy,
  itemPath,
  listIn,
  memberPath,
  noteInvalidObject,
} from '../body/body-errors.ts';
import { noteRepeated, sortMembers } from '../body/control-information.ts';
import { affectsKey } from '../body/referential-constraints.ts';
import type { Rows } from '../bound.ts';
import { exampleOf } from '../path/entity-url.ts';
import type { BoundWrite, Reference } from './bound-write.ts';
import { filtersRows } from './entity-write.ts';
import { readOfOne, type Write, type WriteTarget } from './write-target.ts';

type References = WriteTarget & { readonly kind: 'references' };
type Relation = Rows['origin'] & { readonly kind: 'related' };

/** PUT, POST and DELETE of `…/$ref`. Throws: write.contained, write.read-only, write.null, write.all-links, request.method. */
export function bindRelation(write: Write, { references, owner }: References): BoundWrite {
  const { origin } = references.rows;
  invariant(origin.kind === 'related', 'references belong to a navigation');
  const { navigation, path } = origin;
  const isOne = !references.many && navigation.collection;
  checkRelation(write, references.rows, isOne);
  const result = readOfOne(owner);
  const frame = {
    kind: 'relate',
    address: owner.address,
    result,
    rows: owner.rows,
    path,
    navigation,
    target: references.rows.row.source,
  } as const;
  return { ...frame, ...changeOf(write, references.rows, origin, isOne) };
}

function checkRelation({ tree, body }: Write, rows: Rows, isOne: boolean): void {
  const { origin } = rows;
  invariant(origin.kind === 'related', 'references belong to a navigation');
  const { navigation, from } = origin;
  const { name } = navigation;
  const place = { target: name };
  if (!isOne && filtersRows(rows)) throw notAllowed(tree.method, ['GET']);
  const allowed = allowedMethods(tree, rows, isOne);
  const isRejected = !allowed.includes(tree.method);
  if (isRejected && tree.method !== 'DELETE') throw notAllowed(tree.method, allowed);
  const takesId = navigation.collection && !isOne && tree.method === 'DELETE';
  if (tree.options.id !== undefined && !takesId)
    throw misplacedOption('id', `with ${tree.method} of a single reference`, []);
  if (navigation.contained)
    throw new Fault('write.contained', { name, remedy: containedRemedy(navigation) }, place);
  const isRestricted = unwritablePaths(from.row, 'change').includes(
    pathName([...origin.path, navigation]),
  );
  const isFixed =
    isRestricted ||
    isToContainer(body.model, navigation) ||
    affectsKey(body.model, from.row.type, navigation);
  if (navigation.computed === true || navigation.immutable === true || isFixed) {
    throw new Fault('write.read-only', { name }, place);
  }
  if (
    tree.method === 'DELETE' &&
    !mayBeRemoved(body.model, from.row.type, { navigation, isDirect: origin.path.length === 0 })
  ) {
    throw new Fault('write.null', { name, type: navigation.target }, place);
  }
  if (isRejected && rows.where.length > 0) throw notAllowed(tree.method, allowed);
  if (isRejected) {
    const headers = { Allow: allowed.join(', ') };
    throw new Fault('write.all-links', { name }, { ...place, headers });
  }
}

/**
 * In 4.01, DELETE without a key removes all references of a collection. 4.0 has no such request, so a 4.0 client that sends it
 * forgot the key. After a cast, PUT and DELETE of all references are not allowed, as they would affect entities of other types.
 * OData 4.01 Protocol, "Remove a Reference to an Entity".
 */
function allowedMethods(
  { options, negotiated }: Tree,
  { origin, where }: Rows,
  isOne: boolean,
): readonly Method[] {
  if (isOne) return ['DELETE'];
  if (origin.kind !== 'related' || !origin.navigation.collection) return ['GET', 'PUT', 'DELETE'];
  const isWhole = where.length === 0;
  const isRemovable = options.id !== undefined || (negotiated.supports401 && isWhole);
  return ['GET', 'POST', ...only(isWhole, 'PUT'), ...only(isRemovable, 'DELETE')];
}

function only(isAllowed: boolean, method: Method): readonly Method[] {
  return isAllowed ? [method] : [];
}

type Change = Pick<BoundWrite & { readonly kind: 'relate' }, 'action' | 'references'>;

function changeOf(write: Write, rows: Rows, { navigation }: Relation, isOne: boolean): Change {
  const { method, options } = write.tree;
  if (isOne) {
    return {
      action: 'remove',
      references: [{ rows, text: navigation.name, target: navigation.name }],
    };
  }
  if (method === 'DELETE' && options.id !== undefined) {
    return { action: 'remove', references: readReference(write, rows, options.id, '$id') };
  }
  if (method === 'DELETE') return { action: 'clear', references: [] };
  if (method === 'POST')
    return { action: 'add', references: readBody(write, rows, write.input, '') };
  return navigation.collection
    ? { action: 'replace', references: readList(write, rows) }
    : { action: 'set', references: readBody(write, rows, write.input, '') };
}

/** Reads `{"@odata.id": "Persons(7)"}`. */
function readBody(
  write: Write,
  rows: Rows,
  input: JsonInput | undefined,
  target: string,
): readonly Reference[] {
  const sorted = isJsonObject(input) ? sortMembers(input) : undefined;
  if (sorted !== undefined) noteRepeated(write.body.mistakes, sorted, target);
  const id = sorted?.controls.get('id');
  if (id !== undefined && sorted?.members.size === 0)
    return readReference(write, rows, id, memberPath(target, '@odata.id'));
  noteInvalidObject(write.body, { input, target }, referenceTo(rows), '@odata.id');
  return [];
}

/** Reads `{"value": [{"@odata.id": …}, …]}`, the complete list of references. */
function readList(write: Write, rows: Rows): readonly Reference[] {
  const items = listIn(write.body, write.input, `{"value": [${referenceTo(rows)}]}`);
  return items.flatMap((item, index) => readBody(write, rows, item, itemPath('value', index)));
}

/** `{"@odata.id": "Persons(1)"}`, for messages. */
function referenceTo({ row }: Rows): string {
  return `{"@odata.id": "${exampleOf(row.source)}"}`;
}

function readReference(
  { body }: Write,
  { row }: Rows,
  text: JsonInput,
  target: string,
): readonly Reference[] {
  const reference = body.reference({ text, source: row.source, type: row.type, target });
  return reference === undefined ? [] : [reference];
}
