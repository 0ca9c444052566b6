// Plans the insert or update of an entity with everything in its body: first the row, then its relations, then nested entities,
// parents before children. OData Protocol 4.01, "Data Modification".
// It is long because inserts, updates and nested writes call one another.

import { rightsTo } from '../../access/policy.ts';
import { unreachable } from '../../base/fault.ts';
import { insertionSource, type WriteMode } from '../../bind/body/body-context.ts';
import { keyInputs } from '../../bind/body/body-keys.ts';
import { missingMembers, requiredErrorParameters } from '../../bind/body/required-members.ts';
import type { NavigationPath, Rows } from '../../bind/bound.ts';
import {
  comparison,
  entityValue,
  joinConditions,
  variable,
} from '../../bind/expression/constructors.ts';
import type {
  EntityInput,
  InputChild,
  InputChildren,
  InputLink,
  InputValue,
} from '../../bind/write/bound-write.ts';
import type { EntityType } from '../../edm/model.ts';
import { isOwning, isReference } from '../../edm/property-storage.ts';
import type { Source } from '../../edm/source.ts';
import { sourceOfTarget } from '../rights/partner-rights.ts';
import { secureRows } from '../rights/read-rights.ts';
import { restrictedMembers } from '../rights/row-conditions.ts';
import { reachesAll } from '../rights/set-rights.ts';
import {
  concealStored,
  membersOf,
  requireAction,
  requireChange,
  requireDisclosedUnique,
  requireMembers,
} from '../rights/write-rights.ts';
import type { PlannedFault, Register, Steps, WriteStep } from '../write-plan.ts';
import {
  findPrincipals,
  requireAgreement,
  requirePrincipals,
  withReferences,
} from './dependent-references.ts';
import { matchTags, rejection, requireTag } from './etag-guards.ts';
import { nameSteps, targetOf } from './file.ts';
import { fillValues } from './fill-values.ts';
import { clearInside, requireInside } from './inner-relations.ts';
import {
  deleteSteps,
  fillScope,
  requireComputed,
  requireConstraints,
  requireExactType,
  requireItemCounts,
  requireRetained,
  requireRules,
  requireType,
  suppliedBy,
} from './row.ts';
import { missingReference, plannedFault, type Writer } from './write-scope.ts';

export interface NewEntity {
  readonly source: Source;
  readonly input: EntityInput;
  /** The row that contains it. */
  readonly parent?: Register | undefined;
  /** The register of the new row, if it already has one. */
  readonly into?: Register | undefined;
  /** Values from the URL: a key that the client chose. */
  readonly keyValues?: readonly InputValue[] | undefined;
  /** Whether a file whose name is taken gets a new name. */
  readonly rename?: boolean | undefined;
}

/** A row whose relations are written; `rows` is set if it existed before. */
export interface Owner {
  readonly row: Register;
  readonly rows?: Rows | undefined;
}

/** Creates an entity with everything in its body. Throws: access.write, access.write-member. */
function insertSteps(writer: Writer, entity: NewEntity): Steps {
  const { input, parent, keyValues = [] } = entity;
  const { type } = input;
  const source = insertionSource(writer.model, entity.source, type) ?? entity.source;
  const into = entity.into ?? writer.register(source);
  const owner: Owner = { row: into };
  const target = { source, type, mode: 'create' } as const;
  const dynamic = [...input.dynamic].flatMap(([name, text]) =>
    text === null ? [] : [[name, text] as const],
  );
  const filled = fillValues(fillScope(writer), target, [...input.values, ...keyValues]);
  const values = withReferences(writer, source, input, filled);
  findPrincipals(writer, input, values);
  const principals = principalSteps(writer, into, input);
  const others = { ...input, children: input.children.filter((one) => !principals.of.has(one)) };
  const file = input.file === undefined ? undefined : writer.file(input.file);
  return [
    ...principals.before,
    ...(file === undefined ? [] : nameSteps(writer, source, entity, file)),
    {
      kind: 'insert',
      into,
      type,
      values,
      dynamic: new Map(dynamic),
      parent,
      file,
      target: targetOf(input),
    },
    ...requireComputed(writer, into, input, values),
    ...requireItemCounts(writer, into, input, values),
    ...requireRules(writer, into, input, values),
    ...rejectRetained(into, input),
    ...principals.links,
    ...relationSteps(writer, owner, others),
    ...requireInside(writer, into, input, values),
    ...requireConstraints(writer, into, type),
    ...requirePrincipals(writer, into, input, values),
    ...creationRights(writer, into, entity),
  ];
}

/** A change that creates the entity cannot retain a disabled code. */
function rejectRetained(into: Register, { values }: EntityInput): Steps {
  return values.flatMap((value) =>
    value.kind !== 'presence' && value.retained !== undefined
      ? [
          rejection(
            into,
            plannedFault('write.code-disabled', value.retained.parameters, value.retained.target),
          ),
        ]
      : [],
  );
}

/**
 * The nested new entities on which dependent properties of the new entity depend, which are created before it.
 * `of` are their lists.
 */
function principalSteps(writer: Writer, row: Register, { children }: EntityInput) {
  const of = new Set(
    children.filter(
      ({ navigation, entities }) =>
        navigation.constraints !== undefined &&
        isReference(writer.model, navigation) &&
        entities.every(({ kind }) => kind === 'create'),
    ),
  );
  const created = [...of].flatMap((list) =>
    list.entities.flatMap((child) => {
      if (child.kind !== 'create') return [];
      const { source } = list;
      const into = writer.register(
        insertionSource(writer.model, source, child.entity.type) ?? source,
      );
      const before = insertSteps(writer, { source, input: child.entity, into });
      return [{ before, links: attach(row, list, into) }];
    }),
  );
  return {
    of,
    before: created.flatMap(({ before }) => before),
    links: created.flatMap(({ links }) => links),
  };
}

/** Checks rights after the insert, since they can depend on the values of the row. */
function creationRights(writer: Writer, row: Register, { input, parent }: NewEntity): Steps {
  const { type } = input;
  const isFile = parent !== undefined && type.hasStream === true;
  const right = isFile
    ? requireAction(writer, parent, parent.source.type, 'attach')
    : requireAction(writer, row, type, 'create');
  const written = { row, type, members: membersOf(input) };
  return [
    ...right,
    ...requireMembers(writer, written, 'creating'),
    ...requireDisclosedUnique(writer, written),
  ];
}

/** Updates an existing row and the relations in its body. Throws: access.write, access.write-member, access.member. */
export function updateSteps(
  writer: Writer,
  owner: Owner & { readonly rows: Rows },
  input: EntityInput,
  mode: Exclude<WriteMode, 'create'>,
): Steps {
  const { row, rows } = owner;
  const target = { source: row.source, type: input.type, mode, kept: input.kept };
  const filled = fillValues(fillScope(writer), target, input.values);
  const values = withReferences(writer, row.source, input, filled);
  findPrincipals(writer, input, values);
  const hasValues = mode === 'replace' || input.values.length > 0 || input.dynamic.size > 0;
  const members = changedMembers(writer, input, mode);
  const written = { row, type: rows.row.type, members };
  const update: WriteStep = {
    kind: 'update',
    row,
    values,
    dynamic: input.dynamic,
    replaceDynamic: mode === 'replace',
    target: targetOf(input),
  };
  // The check of a granted transition replaces the right to change the entity.
  const isGranted = writer.transition?.isGranted === true;
  return [
    ...(isGranted ? concealStored(writer, written) : requireChange(writer, written)),
    ...requireType(writer, owner, input.type),
    ...(mode === 'replace' ? requireExactType(writer, owner, input.type) : []),
    ...requireRetained(writer, row, input.type, input.values),
    ...(hasValues
      ? [
          update,
          ...requireComputed(writer, row, input, values),
          ...requireRules(writer, row, input, values),
        ]
      : []),
    ...clearInside(writer, row, [...values, ...input.values]),
    ...relationSteps(writer, owner, input),
    ...requireInside(writer, row, input, values),
    ...requireAgreement(writer, row, input),
    ...requireConstraints(writer, row, input.type),
    ...requirePrincipals(writer, row, input, values),
  ];
}

/** A replacement sets every property that is not computed, even those missing from the body. */
function changedMembers(
  { guard }: Writer,
  input: EntityInput,
  mode: Exclude<WriteMode, 'create'>,
): ReadonlySet<string> {
  const listed = membersOf(input);
  if (mode !== 'replace') return listed;
  const withheld = rightsTo(guard.rights, input.type).writing.keys();
  const restricted = new Set([...withheld, ...restrictedMembers(guard, input.type)]);
  const unlisted = [...restricted].filter((name) => {
    const member = guard.model.members(input.type).get(name);
    return member?.kind === 'property' && member.computed !== true;
  });
  return new Set([...listed, ...unlisted]);
}

// ---- relations ------------------------------------------------------------------------------------------------------

function relationSteps(writer: Writer, owner: Owner, input: EntityInput): Steps {
  return [
    ...input.links.flatMap((link) => linkSteps(writer, owner, link)),
    ...input.children.flatMap((children) => childrenSteps(writer, owner, children)),
  ];
}

/** Links a row to existing entities. */
export function linkSteps(writer: Writer, owner: Owner, link: InputLink): Steps {
  const { path, navigation, mode, references } = link;
  const start = { kind: 'link', row: owner.row, path, navigation } as const;
  const targets = references.map((reference) => writer.refer(reference));
  const isReplaced = mode !== 'add' && (navigation.collection || mode === 'clear');
  const action = navigation.collection ? 'add' : 'set';
  return [
    ...(isReplaced ? clearSteps(writer, owner, link) : []),
    ...targets.flatMap((to) => [
      { ...start, action, to } as const,
      ...requireConstraints(writer, to, to.source.type),
    ]),
  ];
}

/** Removes a relation: to all entities, or to those that the account can see. `missing`: the fault if there is none. */
export function clearSteps(
  writer: Writer,
  owner: Owner,
  { path, navigation }: NavigationPath,
  missing?: PlannedFault,
): Steps {
  const { row, rows } = owner;
  const source = sourceOfTarget(writer, row, { path, navigation });
  if (
    !navigation.collection ||
    rows === undefined ||
    reachesAll(writer.model, writer.guard.rights, source, ['read', 'change'])
  )
    return [{ kind: 'link', row, path, navigation, action: 'clear', missing }];
  const related = relatedRows(writer, rows, { path, navigation, source });
  return [forEachUnlisted(writer, related, [], (to) => detach(row, { path, navigation }, to))];
}

function childrenSteps(writer: Writer, owner: Owner, children: InputChildren): Steps {
  const { navigation } = children;
  const isFullList = children.mode === 'full' && (navigation.collection || navigation.contained);
  const removals = isFullList ? removeUnlisted(writer, owner, children) : [];
  return [
    ...removals,
    ...children.entities.flatMap((child) => childSteps(writer, owner, children, child)),
  ];
}

/** The destination of children: a navigation property of a row, or, without one, their set. */
export type Relation = { readonly source: Source } & Partial<
  Pick<InputChildren, 'path' | 'navigation'>
>;

/** Writes one entity of a list. */
export function childSteps(
  writer: Writer,
  owner: Owner | undefined,
  relation: Relation,
  child: InputChild,
): Steps {
  switch (child.kind) {
    case 'create': {
      const home = insertionSource(writer.model, relation.source, child.entity.type);
      const into = writer.register(home ?? relation.source);
      return newEntitySteps(writer, owner?.row, relation, { input: child.entity, into });
    }
    case 'link':
      return attach(owner?.row, relation, writer.refer(child.reference));
    case 'change':
      return changeChild(writer, owner, relation, child);
    case 'remove': {
      const row = writer.refer(child.reference);
      const isDeleted = relation.navigation?.contained !== false || child.reason === 'deleted';
      if (isDeleted)
        return [
          ...requireTag(writer, row, undefined),
          ...deleteSteps(writer, row, child.reference.rows),
        ];
      return owner === undefined ? [] : detach(owner.row, relation, row);
    }
    default:
      return unreachable(child);
  }
}

/** Creates an entity in the relation: contained in the owner, or linked to it. */
export function newEntitySteps(
  writer: Writer,
  owner: Register | undefined,
  relation: Relation,
  created: Pick<NewEntity, 'input' | 'rename'> & { readonly into: Register },
): Steps {
  const { source, navigation } = relation;
  if (navigation !== undefined && isOwning(navigation) && owner !== undefined)
    return insertSteps(writer, { ...created, source, parent: owner });
  return [...insertSteps(writer, { ...created, source }), ...attach(owner, relation, created.into)];
}

/** Relates the owner to an entity. Those that it contains are related by their place. */
function attach(row: Register | undefined, relation: Relation, to: Register): Steps {
  const { path = [], navigation } = relation;
  if (row === undefined || navigation === undefined || isOwning(navigation)) return [];
  return [
    { kind: 'link', row, path, navigation, action: navigation.collection ? 'add' : 'set', to },
  ];
}

/** Removes the relation to an entity. */
export function detach(row: Register, relation: Partial<Relation>, to: Register): Steps {
  const { path = [], navigation } = relation;
  return navigation === undefined
    ? []
    : [{ kind: 'link', row, path, navigation, action: 'remove', to }];
}

/** Updates a child, or creates it if it does not exist and upserts are allowed. */
function changeChild(
  writer: Writer,
  owner: Owner | undefined,
  relation: Relation,
  child: InputChild & { readonly kind: 'change' },
): Steps {
  const { entity, reference, absent } = child;
  const { rows, text, target } = reference;
  const row = writer.find(rows, missingReference(rows, text, target), absent === 'create');
  const isRelated = rows.origin.kind === 'related' && rows.origin.from === owner?.rows;
  const there = [
    ...requireTag(writer, row, entity.etag),
    ...(entity.etag === undefined ? [] : [matchTags(row, [entity.etag], target)]),
    ...updateSteps(writer, { row, rows }, entity, 'merge'),
    ...(isRelated ? [] : attach(owner?.row, relation, row)),
  ];
  if (absent === 'refuse') return there;
  const creation = createChild(writer, owner?.row, relation, child, row);
  return [{ kind: 'branch', on: row, there, absent: creation }];
}

function createChild(
  writer: Writer,
  owner: Register | undefined,
  relation: Relation,
  { entity, reference }: InputChild & { readonly kind: 'change' },
  into: Register,
): Steps {
  const input = {
    ...entity,
    values: [...entity.values, ...keyInputs(writer.model, reference.rows, entity.values)],
  };
  const { model } = writer;
  const home = insertionSource(model, relation.source, entity.type);
  if (home === undefined || entity.type.abstract === true)
    return [rejection(into, unresolvableType(relation, entity.type, reference.target))];
  const supplied = suppliedBy(relation.navigation);
  const [missing] = missingMembers({ model, create: true, supplied }, input);
  if (missing !== undefined) {
    const parameters = requiredErrorParameters(reference.target, missing);
    return [rejection(into, plannedFault('write.required', parameters, parameters.name))];
  }
  const register = into.source.kind === 'union' ? writer.register(home) : into;
  return newEntitySteps(writer, owner, relation, { input, into: register });
}

/** The body does not identify one of several possible types. */
function unresolvableType({ source }: Relation, type: EntityType, target: string): PlannedFault {
  return plannedFault(
    'write.homeless',
    { type: type.name, set: source.set?.name ?? 'set' },
    target,
  );
}

/** Removes related entities that a full list does not contain: contained ones are deleted, others unlinked. */
function removeUnlisted(writer: Writer, owner: Owner, children: InputChildren): Steps {
  if (owner.rows === undefined) return [];
  const rows = relatedRows(writer, owner.rows, children);
  return [
    forEachUnlisted(writer, rows, children.entities, (into) =>
      isOwning(children.navigation)
        ? deleteSteps(writer, into, rows)
        : detach(owner.row, children, into),
    ),
  ];
}

/** The rows to which a navigation leads from a row. */
function relatedRows(
  writer: Writer,
  from: Rows,
  { path, navigation, source }: NavigationPath & { readonly source: Source },
): Rows {
  const row = writer.variable(source, source.type);
  return { row, origin: { kind: 'related', from, path, navigation }, where: [] };
}

/** Runs the steps for each row that is not among the entities. */
export function forEachUnlisted(
  writer: Writer,
  rows: Rows,
  entities: readonly InputChild[],
  stepsFor: (row: Register) => Steps,
): WriteStep {
  const into = writer.register(rows.row.source);
  const listed = entities.flatMap((child) =>
    child.kind === 'create' ? [] : [child.reference.rows],
  );
  const { row } = rows;
  const isUnlisted = listed.map((other) => {
    const target = { kind: 'addressed', rows: other } as const;
    return comparison('ne', entityValue(variable(row), row.type), entityValue(target, row.type));
  });
  const filter = joinConditions('and', isUnlisted);
  return {
    kind: 'each',
    rows: secureRows(writer.guard, rows),
    filter,
    into,
    steps: stepsFor(into),
    limit: writer.limits.rows,
  };
}
