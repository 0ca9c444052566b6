// This file finds out what the path of a write is about. The path is walked as a reading of the same address, and what it leads to
// together with the method says what is written. OData Protocol 4.01, "Data Modification"; URL Conventions 4.01, "Addressing".
import { Fault } from '../base/fault.ts';
import type { Operation, Property } from '../edm/model.ts';
import { isAssignable, type Model, type QualifiedName } from '../edm/model.ts';
import type { Method, NestedOptions, Options, Segment, Tree } from '../request/tree.ts';
import type { BoundRead, BoundReading, Rows } from './bound.ts';
import { operationsNamed } from './names.ts';

/** Binds the reading that stands for an address. */
export type BindReading = (tree: Tree) => BoundReading;

/** What the path of a write leads to. */
export type WriteTarget =
  | { readonly kind: 'entities' | 'entity'; readonly read: BoundRead }
  /** Every row of a collection: `/$each`. */
  | { readonly kind: 'each'; readonly read: BoundRead }
  /** References of a navigation; `owner` reads the row that has it. */
  | { readonly kind: 'references'; readonly read: BoundRead; readonly owner: BoundRead }
  /** A property or an item of it; `raw`: its text. */
  | {
      readonly kind: 'property';
      readonly read: BoundRead;
      readonly path: readonly Property[];
      readonly index?: number;
      readonly raw: boolean;
    }
  | { readonly kind: 'stream'; readonly read: BoundRead; readonly property?: Property }
  | { readonly kind: 'action'; readonly operation: Operation; readonly read?: BoundRead };

/**
 * What is written. Faults: those of binding a path, request.method where nothing can be written there, not-built.
 */
export function findTarget(model: Model, tree: Tree, bind: BindReading): WriteTarget {
  const action = findAction(model, tree, bind);
  if (action !== undefined) return action;
  const { segments } = tree.path;
  const last = segments.at(-1)?.kind;
  if (segments.some(({ kind }, at) => kind === 'each' && at < segments.length - 1)) {
    throw new Fault('not-built', { feature: 'a path that goes on behind $each' });
  }
  if (last === 'each') {
    return { kind: 'each', read: readOf(bind, cut(tree, segments.slice(0, -1)), tree.method) };
  }
  if (last === 'ref') return findReferences(tree, bind);
  return targetOf(readOf(bind, { ...tree, method: 'GET' }, tree.method), tree.method);
}

function targetOf(read: BoundRead, method: Method): WriteTarget {
  const { wanted } = read;
  switch (wanted.kind) {
    case 'entities':
    case 'entity':
      return { kind: wanted.kind, read };
    case 'property': {
      const { path, index } = wanted;
      return {
        kind: 'property',
        read,
        path,
        raw: false,
        ...(index === undefined ? {} : { index }),
      };
    }
    case 'raw':
      return { kind: 'property', read, path: wanted.path, raw: true };
    case 'stream': {
      const { property } = wanted;
      return { kind: 'stream', read, ...(property === undefined ? {} : { property }) };
    }
    default:
      throw notAllowed(method, ['GET']);
  }
}

/** The fault for a method that the resource does not have. */
export function notAllowed(method: Method, methods: readonly Method[]): Fault {
  const allow = methods.join(', ');
  return new Fault('request.method', { method, allow }, { headers: { Allow: allow } });
}

/** Things without rows can be read only. */
function readOf(bind: BindReading, tree: Tree, method: Method): BoundRead {
  const bound = bind(tree);
  if (bound.kind !== 'read') throw notAllowed(method, ['GET']);
  return bound;
}

/** The request for an address that is part of the one asked for. Options that are about what is answered stay. */
function cut(tree: Tree, segments: readonly Segment[]): Tree {
  return { ...tree, method: 'GET', path: { ...tree.path, segments } };
}

// ---- references -----------------------------------------------------------------------------------------------------

/** `…/Caller/$ref`, `…/Members(7)/$ref`, `…/Assignment/AssigneePerson/$ref`. */
function findReferences(tree: Tree, bind: BindReading): WriteTarget {
  const segments = tree.path.segments.slice(0, -1);
  const bare: Tree = { ...tree, options: withoutAnswer(tree.options) };
  const read = readOf(bind, cut(bare, segments), tree.method);
  const { origin } = read.rows;
  const isEntities = read.wanted.kind === 'entity' || read.wanted.kind === 'entities';
  if (origin.kind !== 'related' || !isEntities) throw notAllowed(tree.method, ['GET']);
  return { kind: 'references', read, owner: findOwner(tree, segments, origin.from, bind) };
}

/** The row that has the navigation: the longest beginning of the path that leads to one entity of its type. */
function findOwner(
  tree: Tree,
  segments: readonly Segment[],
  from: Rows,
  bind: BindReading,
): BoundRead {
  for (let length = segments.length - 1; length > 0; length--) {
    const read = tryRead(tree, segments.slice(0, length), bind);
    if (read?.wanted.kind === 'entity' && read.rows.row.source.id === from.row.source.id)
      return read;
  }
  throw notAllowed(tree.method, ['GET']);
}

/** The beginning of a path need not mean anything by itself: a key in front of which the path was cut does not. */
function tryRead(
  tree: Tree,
  segments: readonly Segment[],
  bind: BindReading,
): BoundRead | undefined {
  const last = segments.at(-1);
  if (last?.kind !== 'name' && last?.kind !== 'text') return undefined;
  const plain = { ...tree, options: { ...tree.options, id: undefined } };
  try {
    const bound = bind(cut(plain, segments));
    return bound.kind === 'read' ? bound : undefined;
  } catch (fault) {
    if (fault instanceof Fault && isForOther(fault, tree.options)) return undefined;
    throw fault;
  }
}

/** $select and $expand are about the row that has the navigation; other steps of the path do not know them. */
function isForOther(fault: Fault, { select, expand }: NestedOptions): boolean {
  return fault.code.startsWith('request.') || select !== undefined || expand !== undefined;
}

function withoutAnswer(options: Options): Options {
  return { ...options, select: undefined, expand: undefined, id: undefined };
}

// ---- actions --------------------------------------------------------------------------------------------------------

/** An action import, or an action behind what it is bound to. */
function findAction(model: Model, tree: Tree, bind: BindReading): WriteTarget | undefined {
  const { segments } = tree.path;
  const last = segments.at(-1);
  if (last?.kind !== 'name') return undefined;
  const imported = segments.length === 1 ? model.imports.get(last.name) : undefined;
  if (imported?.kind === 'action-import') {
    const operation = actionsNamed(model, imported.operation).find(({ bound }) => !bound);
    return operation === undefined ? undefined : { kind: 'action', operation };
  }
  const actions = actionsNamed(model, last.name).filter(({ bound }) => bound);
  if (segments.length === 1 || actions.length === 0 || tree.method !== 'POST') return undefined;
  if (segments.at(-2)?.kind === 'each') {
    throw new Fault('not-built', { feature: 'an action behind $each' });
  }
  const read = readOf(bind, cut(tree, segments.slice(0, -1)), tree.method);
  const operation = chooseAction(model, actions, read);
  return operation === undefined ? undefined : { kind: 'action', operation, read };
}

function actionsNamed(model: Model, name: QualifiedName): readonly Operation[] {
  return operationsNamed(model, name).filter(({ kind }) => kind === 'action');
}

/** The action of the most derived type that what the path leads to can be bound to. */
function chooseAction(
  model: Model,
  actions: readonly Operation[],
  { rows, wanted }: BoundRead,
): Operation | undefined {
  const isMany = wanted.kind === 'entities';
  if (!isMany && wanted.kind !== 'entity') return undefined;
  const fitting = actions.filter(({ parameters: [binding] }) => {
    const type = binding === undefined ? undefined : model.types.get(binding.type);
    return (
      type?.kind === 'entity' &&
      binding?.collection === isMany &&
      isAssignable(model, rows.row.type, type)
    );
  });
  return fitting.find((one) => fitting.every((other) => isNarrower(model, one, other)));
}

function isNarrower(model: Model, one: Operation, other: Operation): boolean {
  const [type, otherType] = [one, other].map(({ parameters }) =>
    model.types.get(parameters[0]?.type ?? ''),
  );
  return (
    type?.kind === 'entity' && otherType?.kind === 'entity' && isAssignable(model, type, otherType)
  );
}
