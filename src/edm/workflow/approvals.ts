// This file looks up the approvals that entity types declare, by the type of the entity or of its votes.
import { invariant } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import {
  type EntityType,
  lineage,
  type Model,
  memberAt,
  type Property,
  type QualifiedName,
} from '../model.ts';
import { targetAt } from '../source.ts';
import type { ApprovalRules } from './approval-rules.ts';

export interface TypeApproval {
  /** The type that declares it. */
  readonly type: EntityType;
  readonly rules: ApprovalRules;
  /** The type of the votes. */
  readonly votes: EntityType;
}

/** The coded property that shows how far an approval is. */
export interface ApprovalOutcome {
  /** The path of the code's value: `Approval/Status/Value`. */
  readonly path: string;
  /** The values of the codes by symbol. */
  readonly values: ReadonlyMap<string | undefined, bigint>;
  readonly property: Property;
}

/** The outcome of the approval; undefined if it declares none. */
export function outcomeOf(
  model: Model,
  { type, rules: { outcome } }: TypeApproval,
): ApprovalOutcome | undefined {
  if (outcome === undefined) return undefined;
  const property = memberAt(model, type, outcome.member);
  invariant(property?.kind === 'property', `${outcome.member} is a coded property`);
  const coded = model.types.get(property.type);
  const value = coded?.kind === 'complex' ? coded.coded?.value : undefined;
  const codes = model.codeLists.get(property.codeList ?? '')?.codes ?? [];
  return {
    path: value === undefined ? outcome.member : `${outcome.member}/${value}`,
    values: new Map(codes.map((code) => [code.meaning, code.value])),
    property,
  };
}

/** The approvals of a model, by the names of the types that declare them. */
export const approvalsOf = perObject(
  (model: Model): ReadonlyMap<QualifiedName, TypeApproval> =>
    new Map(
      model.definition.types.flatMap((type) => {
        if (type.kind !== 'entity' || type.approval === undefined) return [];
        const votes = targetAt(model, type, type.approval.votes);
        if (votes === undefined) return [];
        return [[type.name, { type, rules: type.approval, votes }] as const];
      }),
    ),
);

/** The approvals that entities of the type, or of a type derived from it, may have. */
export function approvalsAmong(model: Model, type: EntityType): readonly TypeApproval[] {
  const inherited = lineage(type, model.types);
  const derived = model.derived(type);
  return [...approvalsOf(model).values()].filter(
    (one) => inherited.includes(one.type) || derived.includes(one.type),
  );
}

/** The approvals whose votes are entities of the type. */
export function approvalsVotedBy(model: Model, type: EntityType): readonly TypeApproval[] {
  return [...approvalsOf(model).values()].filter(({ votes }) => votes === type);
}
