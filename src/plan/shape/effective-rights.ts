// Writes rights into responses: the annotation of unreadable members, unless the preference include-annotations excludes it, and the
// result of EffectiveRights, which lists what the principal may do with an entity and each of its members. It uses the same
// conditions as read and write plans, so it cannot disagree with them.

import type { Action, Reach, TypeRights } from '../../access/policy.ts';
import { ACTION_OF } from '../../access/read-roles.ts';
import { Fault } from '../../base/fault.ts';
import type { BoundRead, Expression } from '../../bind/bound.ts';
import { variable } from '../../bind/expression/constructors.ts';
import type { EntityRow } from '../../bind/scope.ts';
import { ACCESS_ACTIONS } from '../../edm/account-sets.ts';
import type { EntityType, Member, Navigation, StructuredType } from '../../edm/model.ts';
import type { Shape, ShapeMember } from '../read-plan.ts';
import { navigationTo } from '../rights/read-rights.ts';
import {
  both,
  type Condition,
  type Guard,
  holds,
  isEditable,
  isUnrecorded,
  maySeeAny,
  readableMember,
  rightsCondition,
  visibilityOf,
} from '../rights/row-conditions.ts';
import { isPartnerFixed } from '../rights/set-rights.ts';
import type { ShapeScope } from './shape-scope.ts';

const PERMISSIONS = 'Core.Permissions';

/**
 * The annotation that replaces an unreadable property. OData 4.01 Protocol, "Requesting Individual Entities": properties that are
 * not available due to permissions are not returned, but annotated.
 */
export function permissionAnnotation(
  { prefer }: ShapeScope,
  name: string,
  {
    onType,
    when,
  }: { readonly onType?: StructuredType | undefined; readonly when?: Expression | undefined },
): readonly ShapeMember[] {
  if (!includesAnnotation(prefer.includeAnnotations, PERMISSIONS)) return [];
  return [{ kind: 'constant', name: `${name}@${PERMISSIONS}`, json: '"None"', onType, when }];
}

/** The rights to the row of the read. Throws: not-built in XML. */
export function rightsShape(scope: ShapeScope, { rows }: BoundRead): Shape {
  if (scope.isXml) throw new Fault('not-built', { feature: 'EffectiveRights in XML' });
  const { guard, form } = scope;
  const { row } = rows;
  const unrecorded = isUnrecorded(guard, variable(row), rows);
  const editable = isEditable(guard, variable(row), row.type);
  const members = [...guard.model.members(row.type).values()];
  return {
    row,
    form,
    members: [
      ...ACCESS_ACTIONS.map((name) => {
        if (name === 'Read')
          return booleanMember(name, visibilityOf(guard, row, navigationTo(rows.origin)));
        const isPossible = name === 'Change' ? both(unrecorded, editable) : unrecorded;
        return booleanMember(name, both(mayAct(guard, row, ACTION_OF[name]), isPossible));
      }),
      {
        kind: 'list',
        name: 'Members',
        items: members.map((member) => ({
          members: [
            { kind: 'constant', name: 'Name', json: JSON.stringify(member.name) },
            booleanMember('Read', mayRead(guard, row, member)),
            booleanMember(
              'Change',
              both(mayChange(guard, row, member), both(unrecorded, editable)),
            ),
          ],
        })),
      },
    ],
  };
}

function mayAct(guard: Guard, row: EntityRow, action: Action): Condition {
  const { set } = row.source;
  const isSupported =
    (action !== 'create' || set?.insertable !== false) &&
    (action !== 'change' || set?.updatable !== false) &&
    (action !== 'delete' || set?.deletable !== false);
  return isSupported && conditionOf(guard, row, (rights) => rights.actions[action]);
}

/** A navigation property counts as readable only if it is so in every row, and some of its targets are visible. */
function mayRead(guard: Guard, row: EntityRow, member: Member): Condition {
  const readable = readableMember(guard, variable(row), row.type, member.name);
  if (member.kind === 'property') return readable;
  return readable === true && mayTargetBeVisible(guard, member);
}

function mayTargetBeVisible(guard: Guard, navigation: Navigation): boolean {
  const { target } = navigation;
  const type = guard.model.types.get(target);
  if (type?.kind !== 'entity') return false;
  const row: EntityRow = { kind: 'entity', id: -1, source: { id: '', kind: 'union', type }, type };
  return maySeeAny(guard, row, navigation);
}

/** Whether the account may change the member of the row. */
export function mayChange(guard: Guard, row: EntityRow, member: Member): Condition {
  const isFixed = member.computed === true || member.immutable === true;
  if (isFixed || isKey(guard, row.type, member)) return false;
  if (member.kind === 'navigation' && isPartnerFixed(guard.model, guard.rights, member))
    return false;
  return both(
    mayAct(guard, row, 'change'),
    conditionOf(guard, row, (rights) => rights.writing.get(member.name) ?? { kind: 'all' }),
  );
}

function isKey({ model }: Guard, type: EntityType, { name }: Member): boolean {
  return model.key(type).some(({ path }) => path === name);
}

function conditionOf(guard: Guard, row: EntityRow, pick: (rights: TypeRights) => Reach): Condition {
  if (guard.rights.readOnly === true) return false;
  return guard.rights.everything || rightsCondition(guard, variable(row), row.type, pick);
}

function booleanMember(name: string, condition: Condition): ShapeMember {
  return typeof condition === 'boolean'
    ? { kind: 'constant', name, json: JSON.stringify(condition) }
    : { kind: 'value', name, value: holds(condition) };
}

/** A matching pattern. A longer pattern has more weight. */
interface Match {
  readonly weight: number;
  readonly isExcluded: boolean;
}

/**
 * Whether the response includes annotations of the term; all are included without the preference. OData 4.01 Protocol,
 * "Preference include-annotations": the most specific pattern wins, and exclusion wins a tie.
 * @param patterns such as `*`, `Core.*`, `-Core.Permissions`
 */
export function includesAnnotation(patterns: readonly string[] | undefined, term: string): boolean {
  if (patterns === undefined) return true;
  const matches = patterns.flatMap((pattern) => matchOf(pattern, term));
  const maxWeight = Math.max(...matches.map(({ weight }) => weight), -1);
  const decisive = matches.filter(({ weight }) => weight === maxWeight);
  return decisive.length > 0 && decisive.every(({ isExcluded }) => !isExcluded);
}

function matchOf(pattern: string, term: string): readonly Match[] {
  const isExcluded = pattern.startsWith('-');
  const name = (isExcluded ? pattern.slice(1) : pattern).replace(/^Org\.OData\.(\w+)\.V1\./, '$1.');
  const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
  const isMatch = prefix === undefined ? name === term : term.startsWith(prefix);
  return isMatch ? [{ weight: name.length, isExcluded }] : [];
}
