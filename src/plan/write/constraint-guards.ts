// This file adds guards for the constraints of the model (Validation.Constraint). A write checks those whose condition reads a member
// that it changes: of the row itself, and of entities that refer to the row.
// OData Vocabularies 4.0, Org.OData.Validation.V1, "Constraint".
import { invariant } from '../../base/fault.ts';
import { perObject, perPair } from '../../base/memo.ts';
import type { Expression, Rows } from '../../bind/bound.ts';
import {
  comparison,
  entityValue,
  instanceOf,
  joinConditions,
  not,
  variable,
} from '../../bind/expression/constructors.ts';
import { constant } from '../../bind/expression/literal.ts';
import { bindCondition } from '../../bind/expression/promotion.ts';
import { BOOLEAN } from '../../bind/expression/types.ts';
import { type EntityConstraint, entityConstraints } from '../../bind/model/constraint.ts';
import type { EntityRow, Frame } from '../../bind/scope.ts';
import {
  areRelated,
  type EntityType,
  entityType,
  isAssignable,
  lineage,
  type Member,
  type Model,
  memberType,
  type StructuredType,
} from '../../edm/model.ts';
import { partnersOf } from '../../edm/partners.ts';
import { allSources, type Source } from '../../edm/source.ts';
import { mapSteps, type Register, type Steps, type WriteStep } from '../write-plan.ts';
import { type FinalGuard, withFinalGuards } from './final-guards.ts';
import { modelFrame, readModelExpression } from './model-expression.ts';
import { plannedFault, type Writer } from './write-scope.ts';
import { collectWritten, type Written } from './written-paths.ts';

/** A member that a constraint reads, on the constrained entity or one that it refers to. */
interface ReadMember {
  readonly constraint: EntityConstraint;
  /** The constrained type. */
  readonly type: EntityType;
  /** The path from the constrained entity to the one that has the member: `Customer`; empty for the entity itself. */
  readonly hops: string;
  readonly member: Member;
}

/** What errors name. */
interface Report {
  readonly language: string;
  readonly written: ReadonlyMap<string, Written>;
}

/** Returns the steps, followed by the guards for constraints. @param language the language of their messages */
export function withConstraintGuards(writer: Writer, steps: Steps, language: string): Steps {
  if (membersRead(writer.model).length === 0) return steps;
  const report = { language, written: collectWritten(writer.model, steps) };
  const guarded = withDeletionGuards(writer, steps, report);
  return withFinalGuards(guarded, (step) => guardsFor(writer, step, report));
}

/** Deletions that clear references are checked before, while the references can be followed. */
function withDeletionGuards(writer: Writer, steps: Steps, report: Report): Steps {
  return mapSteps(steps, (step) =>
    step.kind === 'delete' ? [...deletionGuards(writer, step.row, report), step] : [step],
  );
}

function deletionGuards(writer: Writer, row: Register, report: Report): Steps {
  const { model } = writer;
  const cleared = membersRead(model).filter(({ member }) => {
    if (member.kind !== 'navigation' || member.onDelete !== 'set-null') return false;
    return areRelated(model, entityType(model, member.target), row.source.type);
  });
  return cleared.map((read) => {
    const path = read.hops === '' ? read.member.name : `${read.hops}/${read.member.name}`;
    return referringGuard(writer, row, { ...read, hops: path, absent: path }, report).step;
  });
}

/** Every member that a constraint of the model reads. Constraints that types inherit are those of their base type. */
const membersRead = perObject((model: Model): readonly ReadMember[] =>
  model.definition.types.flatMap((type) =>
    type.kind !== 'entity'
      ? []
      : ownConstraints(model, type).flatMap((constraint) =>
          constraint.reads.flatMap((path) => membersOn(model, type, constraint, path)),
        ),
  ),
);

function ownConstraints(model: Model, type: EntityType): readonly EntityConstraint[] {
  const place = ({ location, target }: EntityConstraint) => `${location} ${target}`;
  const inherited = lineage(type, model.types)
    .slice(1)
    .flatMap((base) => (base.kind === 'entity' ? entityConstraints(model, base).map(place) : []));
  return entityConstraints(model, type).filter((one) => !inherited.includes(place(one)));
}

/** The members on a path: the first one of the entity, and the first one after each navigation. */
function membersOn(
  model: Model,
  type: EntityType,
  constraint: EntityConstraint,
  path: readonly string[],
): readonly ReadMember[] {
  const found: ReadMember[] = [];
  let current: StructuredType | undefined = type;
  let hops = '';
  let isFirst = true;
  for (const [index, name] of path.entries()) {
    const member: Member | undefined = current && model.members(current).get(name);
    if (member === undefined) break;
    if (isFirst) found.push({ constraint, type, hops, member });
    isFirst = member.kind === 'navigation';
    if (isFirst) hops = path.slice(0, index + 1).join('/');
    current = memberType(model, member);
  }
  return found;
}

function guardsFor(writer: Writer, step: WriteStep, report: Report): readonly FinalGuard[] {
  switch (step.kind) {
    case 'insert':
      return entityConstraints(writer.model, step.type).map((constraint) =>
        ownGuard(writer, step.into, { constraint, type: step.type }, report),
      );
    case 'update':
    case 'append':
    case 'bytes': {
      const values = step.kind === 'append' ? [step] : step.values;
      const changed = new Set<Member>(values.flatMap(({ path }) => path.slice(0, 1)));
      const isChanged = (member: Member) =>
        changed.has(member) || (step.kind === 'bytes' && member.filePart !== undefined);
      return rowGuards(writer, step.row, isChanged, report);
    }
    case 'transition': {
      const effects = [...step.leaving.values(), ...step.entering.values()].flat();
      return effects.flatMap((effect) => guardsFor(writer, effect, report));
    }
    case 'link': {
      const [first = step.navigation] = step.path;
      const own = rowGuards(writer, step.row, (member) => member === first, report);
      const partners = partnersOf(writer.model, step.navigation);
      if (step.to === undefined || partners.length === 0) return own;
      const isPartner = (member: Member) => partners.some((one) => one === member);
      return [...own, ...rowGuards(writer, step.to, isPartner, report)];
    }
    default:
      return [];
  }
}

/** Guards for a change of some members of the row. */
function rowGuards(
  writer: Writer,
  row: Register,
  isChanged: (member: Member) => boolean,
  report: Report,
): readonly FinalGuard[] {
  const { model } = writer;
  const types = [row.source.type, ...model.derived(row.source.type)];
  const owners = (member: Member) =>
    types.some((type) => model.members(type).get(member.name) === member);
  return membersRead(model)
    .filter(({ member }) => isChanged(member) && owners(member))
    .flatMap((read) => {
      if (read.hops !== '') return [referringGuard(writer, row, read, report)];
      const { type } = row.source;
      const isOfAll = isAssignable(model, type, read.type);
      if (!isOfAll && !types.includes(read.type)) return [];
      return [ownGuard(writer, row, isOfAll ? { ...read, type } : read, report)];
    });
}

/** The condition must be true for the row, if it is of the constrained type. */
function ownGuard(
  writer: Writer,
  row: Register,
  { constraint, type }: Pick<ReadMember, 'constraint' | 'type'>,
  report: Report,
): FinalGuard {
  const tested = writer.variable(row.source, type);
  const condition = bindCondition(frameOf(writer, tested), constraint.condition());
  const whole = { ...tested, type: row.source.type };
  const isOther = not(instanceOf(entityValue(variable(whole), whole.type), type));
  const expression =
    type === row.source.type ? condition : joinConditions('or', [isOther, condition]);
  const place = report.written.get(row.name)?.target ?? '';
  const target = [place, constraint.target].filter((part) => part !== '').join('/');
  return requireTrue(row, expression, { ...constraint, target }, report);
}

/** The condition must be true for all entities that refer to the row. */
function referringGuard(
  writer: Writer,
  row: Register,
  { constraint, type, hops, absent }: ReadMember & { readonly absent?: string },
  report: Report,
): FinalGuard {
  const { model } = writer;
  const changed = variable(writer.variable(row.source, row.source.type));
  const violations = sourcesOf(model, type).map((source): Expression => {
    const referring = writer.variable(source, type);
    const whole = { ...referring, type: source.type };
    const isOfType = instanceOf(entityValue(variable(whole), whole.type), type);
    const where = isAssignable(model, source.type, type) ? [] : [isOfType];
    const rows: Rows = { row: referring, origin: { kind: 'source' }, where };
    const frame = frameOf(writer, referring);
    const target = entityAt(frame, hops);
    const refers = comparison('eq', target, entityValue(changed, row.source.type), target.type);
    const broken = comparison(
      'ne',
      bindCondition(frame, constraint.condition(absent)),
      constant(BOOLEAN, true),
      BOOLEAN,
    );
    const predicate = joinConditions('and', [refers, broken]);
    return { kind: 'any', collection: { kind: 'rows', rows }, predicate, type: BOOLEAN };
  });
  const expression = joinConditions('and', violations.map(not)) ?? constant(BOOLEAN, true);
  return requireTrue(row, expression, constraint, report);
}

const sourcesOf = perPair((model: Model, type: EntityType): readonly Source[] =>
  allSources(model).filter((source) => areRelated(model, source.type, type)),
);

function frameOf(writer: Writer, row: EntityRow): Frame {
  return modelFrame(writer.model, row, () => writer.rowId());
}

/** The entity at the end of a path of single navigations. */
function entityAt(frame: Frame, path: string): Expression {
  const reached = frame.session.resolve(frame, readModelExpression(path));
  invariant(reached.kind === 'row', `${path} is not a path to one entity`);
  return entityValue(reached.row, reached.type);
}

function requireTrue(
  row: Register,
  expression: Expression,
  { term, location, target, message }: EntityConstraint,
  report: Report,
): FinalGuard {
  const fault = plannedFault(
    'write.condition',
    { message: message(report.language), rule: term },
    target,
  );
  return {
    step: { kind: 'require', row, expression, fault },
    rows: [row],
    key: `${row.name} ${location} ${target}`,
  };
}
