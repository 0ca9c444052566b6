// This file moves `$OnDelete` to the partner. In CSDL it annotates the navigation of the deleted entity; in the model it belongs to the
// partner navigation of the related entities.
// OData CSDL JSON 4.01, "On-Delete Action".

import {
  type Annotations,
  isStructured,
  type NamedType,
  type Navigation,
  type QualifiedName,
  type StructuredType,
} from '../model.ts';
import { elementPath, type Mistake } from '../model-error.ts';

const ACTIONS: Readonly<Record<string, 'cascade' | 'set-null' | 'restrict'>> = {
  Cascade: 'cascade',
  SetNull: 'set-null',
  None: 'restrict',
};

interface Rule {
  readonly owner: QualifiedName;
  readonly partner: string;
  readonly action: 'cascade' | 'set-null' | 'restrict';
}

/**
 * Moves `$OnDelete` from the annotations to the partners. Without a partner, or with an unknown action, it stays among the annotations
 * and a warning is added.
 */
export function resolveOnDelete(
  types: readonly NamedType[],
  mistakes: Mistake[],
): readonly NamedType[] {
  const structured = new Map(types.filter(isStructured).map((type) => [type.name, type]));
  const rules = new Map<Navigation, Rule>();
  for (const type of structured.values()) {
    for (const navigation of navigationsOf(type)) {
      if (navigation.annotations?.$OnDelete === undefined) continue;
      const rule = ruleOf(structured, navigation);
      if (rule === undefined) mistakes.push(unusable(type, navigation));
      else rules.set(navigation, rule);
    }
  }
  return rules.size === 0 ? types : types.map((type) => applyRules(type, rules));
}

function navigationsOf(type: StructuredType): readonly Navigation[] {
  return type.members.filter((member) => member.kind === 'navigation');
}

function ruleOf(
  types: ReadonlyMap<QualifiedName, StructuredType>,
  navigation: Navigation,
): Rule | undefined {
  const action = ACTIONS[String(navigation.annotations?.$OnDelete)];
  const visited = new Set<StructuredType>();
  let owner = types.get(navigation.target);
  while (owner !== undefined && !visited.has(owner)) {
    const partner = navigationsOf(owner).find(({ name }) => name === navigation.partner);
    if (partner !== undefined && action !== undefined) {
      return { owner: owner.name, partner: partner.name, action };
    }
    visited.add(owner);
    owner = owner.base === undefined ? undefined : types.get(owner.base);
  }
  return undefined;
}

function unusable(type: StructuredType, navigation: Navigation): Mistake {
  const { $OnDelete: action } = navigation.annotations ?? {};
  return {
    path: elementPath(type.name, navigation.name, '$OnDelete'),
    message: `${String(action)} has no effect: the navigation has no partner, or the action is not supported.`,
    remedy: 'Add $Partner with the inverse navigation, and use Cascade, SetNull or None.',
    warning: true,
  };
}

function applyRules(type: NamedType, rules: ReadonlyMap<Navigation, Rule>): NamedType {
  if (!isStructured(type)) return type;
  const members = type.members.map((member) => {
    if (member.kind !== 'navigation') return member;
    const rule = [...rules.values()].find(
      ({ owner, partner }) => owner === type.name && partner === member.name,
    );
    const onDelete = member.onDelete ?? rule?.action;
    const cleaned = rules.has(member) ? withoutOnDelete(member) : member;
    return onDelete === undefined ? cleaned : { ...cleaned, onDelete };
  });
  return { ...type, members };
}

function withoutOnDelete({ annotations = {}, ...navigation }: Navigation): Navigation {
  const { $OnDelete: _, ...others }: Annotations = annotations;
  return Object.keys(others).length === 0 ? navigation : { ...navigation, annotations: others };
}
