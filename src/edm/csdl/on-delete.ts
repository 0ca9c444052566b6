// This file turns `$OnDelete` round. CSDL says at a navigation what becomes of the related entities when its own entity is deleted;
// the model says it at the partner, the navigation that those related entities have.
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
 * The types with `$OnDelete`, which the reader has left among the annotations, moved to the partners. Where there is no partner, or
 * an action that the service does not know, it stays and a mistake is noted.
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
  const seen = new Set<StructuredType>();
  let owner = types.get(navigation.target);
  while (owner !== undefined && !seen.has(owner)) {
    const partner = navigationsOf(owner).find(({ name }) => name === navigation.partner);
    if (partner !== undefined && action !== undefined) {
      return { owner: owner.name, partner: partner.name, action };
    }
    seen.add(owner);
    owner = owner.base === undefined ? undefined : types.get(owner.base);
  }
  return undefined;
}

function unusable(type: StructuredType, navigation: Navigation): Mistake {
  const { $OnDelete: action } = navigation.annotations ?? {};
  return {
    path: elementPath(type.name, navigation.name, '$OnDelete'),
    message: `${String(action)} is not carried out: it belongs to a relation whose other side is not known, or is no action of this service.`,
    remedy: 'Add $Partner with the navigation that leads back, and write Cascade, SetNull or None.',
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
    const told = rules.has(member) ? withoutOnDelete(member) : member;
    return onDelete === undefined ? told : { ...told, onDelete };
  });
  return { ...type, members };
}

function withoutOnDelete({ annotations = {}, ...navigation }: Navigation): Navigation {
  const { $OnDelete: _, ...others }: Annotations = annotations;
  return Object.keys(others).length === 0 ? navigation : { ...navigation, annotations: others };
}
