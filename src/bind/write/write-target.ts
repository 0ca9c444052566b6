// Finds the target of a write. The path is bound as for reads; its result and the method determine what is written. The request
// consists of the path, its body, and the scope that collects mistakes. OData Protocol 4.01, "Data Modification".
import { notAllowed } from '../../base/fault.ts';
import type { Operation, Property } from '../../edm/model.ts';
import type { JsonInput } from '../../edm/value/lossless-json.ts';
import type { Method, Options, Tree } from '../../request/tree.ts';
import { bindPlace, pathFrame, placeOfTree } from '../bind-read.ts';
import type { Body, EntityPlace } from '../body/body-context.ts';
import type { UploadedFile } from '../body/uploaded-file-names.ts';
import type { AddressStep, BoundRead, Rows } from '../bound.ts';
import { entitySteps, type Place, type Position } from '../path/position.ts';
import { outermostLevel } from '../query/option-scope.ts';
import type { Session } from '../scope.ts';

/** The target of the path of a write. */
export type WriteTarget =
  | { readonly kind: 'entities' | 'entity'; readonly read: BoundRead }
  /** Every row of a collection: `/$each`. */
  | { readonly kind: 'each'; readonly read: BoundRead }
  /** References of a navigation; `owner` reads the row that has it. */
  | { readonly kind: 'references'; readonly references: Position; readonly owner: BoundRead }
  /** A property or one of its items; `raw`: its raw value (`/$value`); `dynamic`: the type does not declare it. */
  | {
      readonly kind: 'property';
      readonly read: BoundRead;
      readonly path: readonly Property[];
      readonly index?: number | undefined;
      readonly raw: boolean;
      readonly dynamic: boolean;
    }
  | { readonly kind: 'stream'; readonly read: BoundRead; readonly property?: Property | undefined }
  | {
      readonly kind: 'action';
      readonly operation: Operation;
      readonly on?: Position | undefined;
      readonly address: readonly AddressStep[];
    };

/** Throws: request.method, not-built, and the errors of the path, $select and $expand. */
export function findTarget(session: Session, tree: Tree): WriteTarget {
  const place = placeOfTree(pathFrame(session, tree.options), tree);
  if (place.kind === 'action') return place;
  if (place.kind !== 'position') throw notAllowed(tree.method, methodsOf(place));
  if (place.mark === 'ref') return referencesOf(session, tree, place);
  if (!place.each) return targetOf(readOf(session, tree, place), tree.method);
  return { kind: 'each', read: readOf(session, tree, { ...place, each: false }) };
}

function methodsOf(place: Place): readonly Method[] {
  return place.kind === 'batch' ? ['POST'] : ['GET'];
}

function readOf(session: Session, { options, method }: Tree, position: Position): BoundRead {
  const bound = bindPlace(outermostLevel(session, options.aliases), position, options);
  if (bound.kind !== 'read') throw notAllowed(method, ['GET']);
  return bound;
}

function targetOf(read: BoundRead, method: Method): WriteTarget {
  const { wanted } = read;
  switch (wanted.kind) {
    case 'entities':
    case 'entity':
      return { kind: wanted.kind, read };
    case 'property':
    case 'raw': {
      const { path, value } = wanted;
      if (path.length === 0) throw notAllowed(method, ['GET']);
      const raw = wanted.kind === 'raw';
      const index = raw ? undefined : wanted.index;
      return { kind: 'property', read, path, index, raw, dynamic: value.kind === 'dynamic' };
    }
    case 'stream':
      return { kind: 'stream', read, property: wanted.property };
    default:
      throw notAllowed(method, ['GET']);
  }
}

/** `…/Caller/$ref`, `…/Members(7)/$ref`, `…/Assignment/AssigneePerson/$ref`. The response has the owner of the navigation. */
function referencesOf(session: Session, tree: Tree, references: Position): WriteTarget {
  const { origin } = references.rows;
  if (origin.kind !== 'related') throw notAllowed(tree.method, ['GET']);
  const address = ownerAddress(references.address);
  const position: Position = {
    kind: 'position',
    rows: origin.from,
    many: false,
    nullable: false,
    each: false,
    address,
  };
  return { kind: 'references', references, owner: readOf(session, withoutId(tree), position) };
}

/** The address of the owner, without the navigation and the complex properties and casts before it. */
function ownerAddress(address: readonly AddressStep[]): readonly AddressStep[] {
  const navigation = address.findLastIndex(
    ({ kind }) => kind === 'navigation' || kind === 'containment',
  );
  return entitySteps(address.slice(0, Math.max(navigation, 0)));
}

/** Removes `$id`, which selects the reference to remove and does not affect the response. */
function withoutId(tree: Tree): Tree {
  const options: Options = { ...tree.options, id: undefined };
  return { ...tree, options };
}

export interface Write {
  readonly tree: Tree;
  readonly body: Body;
  readonly input: JsonInput | undefined;
  /** The metadata of the file in the body. */
  readonly sent: UploadedFile | undefined;
}

export const NOTHING_SUPPLIED: EntityPlace['supplied'] = new Map();

/** The place of an existing entity, which is one of the rows. */
export function placeOfRows(rows: Rows, mode: 'merge' | 'replace'): EntityPlace {
  const { source, route, type } = rows.row;
  return { source, route, type, mode, target: '', rows, supplied: NOTHING_SUPPLIED };
}

/** The read of the single entity that a write changes. */
export function readOfOne(read: BoundRead): BoundRead {
  return { ...read, wanted: { kind: 'entity' }, nullable: false };
}
