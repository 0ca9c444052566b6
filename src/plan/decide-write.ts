// Entry point for writes: turns a bound write into guards and ordered steps, plus the read that produces the response. All
// lookups and guards come before the first change, so that a rejected request changes nothing. OData Protocol 4.01, "Data
// Modification". It is long because it decides all kinds of writes.
import { type Rights, rightsTo } from '../access/policy.ts';
import { Fault, unreachable } from '../base/fault.ts';
import { perPair } from '../base/memo.ts';
import { keyInputs, keyProperties } from '../bind/body/body-keys.ts';
import {
  type MissingMember,
  missingMembers,
  requiredErrorParameters,
} from '../bind/body/required-members.ts';
import type { AddressStep, BoundRead, Rows } from '../bind/bound.ts';
import type { BoundWrite, Creation, Destination, EntityInput } from '../bind/write/bound-write.ts';
import { entityType, type Model } from '../edm/model.ts';
import { appliedPreference } from '../request/headers/parse-prefer.ts';
import type { Negotiated } from '../request/tree.ts';
import { chooseLanguage, decideRead, type UnboundRequest } from './decide-read.ts';
import { withPartners } from './rights/partner-rights.ts';
import { navigationTo } from './rights/read-rights.ts';
import { maySeeAny } from './rights/row-conditions.ts';
import { requireMany, withLastingRights } from './rights/write-rights.ts';
import { withApprovals } from './write/approval-steps.ts';
import { withAssignments } from './write/assignment-steps.ts';
import { withAutomaticTransitions } from './write/automatic-transitions.ts';
import { recalculation, withClocks } from './write/clock-steps.ts';
import { writeCollection, writeEach } from './write/collection.ts';
import { withConstraintGuards } from './write/constraint-guards.ts';
import { newEntitySteps, updateSteps } from './write/entity.ts';
import {
  CHANGED,
  matchCollection,
  matchHeaders,
  matchTags,
  rejection,
  requireTag,
  requireTags,
} from './write/etag-guards.ts';
import { fileToReplace, replaceSteps, streamSteps } from './write/file.ts';
import { writeProperty, writeRelation } from './write/property.ts';
import { withRecordedRules } from './write/recorded-row-guards.ts';
import { withRelationRules } from './write/relation-rules.ts';
import { deleteSteps, requireAttach, suppliedBy } from './write/row.ts';
import { withWorkflowRelations } from './write/workflow-relations.ts';
import { withWorkflows } from './write/workflow-steps.ts';
import { plannedFault, Writer, type WriteSetting } from './write/write-scope.ts';
import type { Invocation, PlannedFault, Register, Steps, WritePlan } from './write-plan.ts';

/** The parts of the plan that depend on the kind of write. */
interface Decision {
  readonly steps: Steps;
  readonly subject?: Register | undefined;
  readonly answer: WritePlan['answer'];
  readonly invoke?: Invocation | undefined;
  readonly stream?: 'kept' | 'removed' | undefined;
  readonly applied?: readonly string[] | undefined;
}

/**
 * Plans a write.
 * Throws: access.write, access.write-member, access.write-many, access.read, access.member, write.body, not-built.
 */
export function decideWrite(
  bound: BoundWrite,
  request: UnboundRequest,
  setting: WriteSetting,
): WritePlan {
  const { negotiated } = request;
  if (setting.rights.readOnly === true) throw new Fault('access.read-only');
  const writer = new Writer({
    ...setting,
    waivesTags: setting.waivesTags === true || waivesTags(negotiated),
    isDryRun: setting.isDryRun === true || negotiated.prefer.dryRun,
  });
  const { steps, ...decision } = decide(writer, bound, negotiated);
  const form = answerForm(bound, request);
  const isShown =
    form !== 'minimal' && bound.kind !== 'invoke' && mayBeVisible(writer, bound.result);
  const result = isShown
    ? {
        result: decideRead(bound.result, request, setting),
        ...(form === 'created' ? { resultFor: form } : {}),
      }
    : {};
  return {
    kind: 'write',
    steps: withRules(writer, [...writer.finds, ...steps], languageOf(request, setting)),
    sources: writer.sources,
    ...countableSets(setting.model, setting.rights),
    ...decision,
    ...result,
    ...(writer.files.size === 0 ? {} : { files: writer.files }),
    applied: [...(decision.applied ?? []), ...appliedPreferences(bound, negotiated)],
    dryRun: negotiated.prefer.dryRun,
  };
}

/** Whether the request accepts any state of what it changes. */
function waivesTags({ ifMatch }: Negotiated): boolean {
  return ifMatch?.kind === 'any';
}

/** Adds the rules that apply to every kind of request. */
function withRules(writer: Writer, steps: Steps, language: string): Steps {
  const lasting = withLastingRights(writer, withPartners(writer, steps));
  const allowed = withRecordedRules(writer, lasting);
  const assigned = withAssignments(writer, withRelationRules(writer.model, allowed));
  const permitted = withWorkflows(writer, assigned, language);
  const related = withWorkflowRelations(writer, permitted);
  const guarded = withConstraintGuards(writer, withClocks(writer, related), language);
  return withAutomaticTransitions(writer, withApprovals(writer, guarded));
}

function languageOf({ negotiated }: UnboundRequest, { languages }: WriteSetting): string {
  return chooseLanguage(negotiated.languages, languages);
}

/** Sets whose references may be counted in an error: only those the principal may read completely. */
const countableSets = perPair((model: Model, rights: Rights): Pick<WritePlan, 'counted'> => {
  if (rights.everything) return {};
  const sets = [...model.sets.values()].filter((set) => {
    const type = entityType(model, set.type);
    const types = [type, ...model.derived(type)];
    const isReadable = types.every((other) => rightsTo(rights, other).actions.read.kind === 'all');
    return isReadable && set.administrative !== true;
  });
  return { counted: sets.map(({ name }) => name) };
});

/** Whether the principal may read any row of the result. A row that can never be read is not returned, even after creating it. */
export function mayBeVisible({ guard }: Pick<Writer, 'guard'>, { rows }: BoundRead): boolean {
  return maySeeAny(guard, rows.row, navigationTo(rows.origin));
}

function decide(writer: Writer, bound: BoundWrite, negotiated: Negotiated): Decision {
  switch (bound.kind) {
    case 'create':
      return bound.media === undefined
        ? decideCreate(writer, bound, negotiated)
        : decideUpload(writer, bound, negotiated);
    case 'change':
      return decideChange(writer, bound, negotiated);
    case 'delete': {
      const row = findRow(writer, bound, negotiated);
      return { steps: deleteSteps(writer, row, bound.rows), answer: 'deleted' };
    }
    case 'relate': {
      const row = findRow(writer, bound, negotiated);
      return { steps: writeRelation(writer, row, bound), subject: row, answer: 'related' };
    }
    case 'property': {
      const row = findRow(writer, bound, negotiated);
      return { steps: writeProperty(writer, row, bound), subject: row, answer: 'changed' };
    }
    case 'each': {
      matchCollection(writer, bound.rows.row.source, negotiated);
      requireTags(writer, bound.rows.row.source, negotiated);
      const steps = writeEach(writer, bound);
      requireMany(writer);
      return { steps, answer: 'changed' };
    }
    case 'collection':
      return decideCollection(writer, bound, negotiated);
    case 'invoke':
      return decideInvoke(writer, bound, negotiated);
    case 'stream':
      return decideStream(writer, bound, negotiated);
    default:
      return unreachable(bound);
  }
}

type Kind<Name extends BoundWrite['kind']> = BoundWrite & { readonly kind: Name };

/** Finds the addressed row, which must exist and match If-Match and If-None-Match. */
function findRow(
  writer: Writer,
  { rows, address }: { readonly rows: Rows; readonly address: readonly AddressStep[] },
  negotiated: Negotiated,
): Register {
  const row = writer.find(rows, notFound(address));
  writer.before(...requireTag(writer, row, negotiated.ifMatch));
  writer.before(...matchHeaders(writer, row, negotiated));
  return row;
}

function notFound(address: readonly AddressStep[]): PlannedFault {
  return { code: 'write.not-found', parameters: { address: addressText(address) } };
}

/** `ServiceRequests(12)/Caller`. */
function addressText(address: readonly AddressStep[]): string {
  return address.map(({ name, key }) => (key === undefined ? name : `${name}(${key})`)).join('/');
}

function decideCreate(
  writer: Writer,
  { into, input, address }: Kind<'create'>,
  negotiated: Negotiated,
): Decision {
  requireComplete(writer, into, input);
  const parent = findParent(writer, into, address);
  matchCollection(writer, into.source, negotiated);
  const subject = writer.register(into.source);
  const steps = newEntitySteps(writer, parent, into, { input, into: subject });
  return { steps, subject, answer: 'created' };
}

/**
 * Creates a media entity from the request body. The preference conflict-resolution decides what happens if the file name is
 * taken.
 */
function decideUpload(writer: Writer, bound: Kind<'create'>, negotiated: Negotiated): Decision {
  const { into, input, address } = bound;
  const { conflictResolution } = negotiated.prefer;
  const applied =
    conflictResolution === undefined
      ? []
      : [appliedPreference(negotiated.prefer, 'conflict-resolution', conflictResolution)];
  const rows = conflictResolution === 'replace' ? fileToReplace(writer, into, input) : undefined;
  const parent = findParent(writer, into, address);
  requireComplete(writer, into, input);
  matchCollection(writer, into.source, negotiated);
  if (rows === undefined) {
    const subject = writer.register(into.source);
    const rename = conflictResolution === 'rename';
    const steps = newEntitySteps(writer, parent, into, { input, into: subject, rename });
    return { steps, subject, answer: 'created', applied };
  }
  const subject = writer.find(rows, notFound(address), true);
  const right = requireAttach(writer, rows, subject);
  const required = requireTag(writer, subject, negotiated.ifMatch);
  const there = [...required, ...right, ...replaceSteps(writer, subject, input)];
  const isContained = into.kind === 'navigation' && into.navigation.contained;
  const entity = { input, into: subject };
  const absent = newEntitySteps(writer, isContained ? parent : undefined, into, entity);
  const steps: Steps = [{ kind: 'branch', on: subject, there, absent }];
  return { steps, subject, answer: 'upserted', applied };
}

/** Checks required members only now, since a template may have supplied them. Throws: write.body. */
function requireComplete(writer: Writer, into: Destination, input: EntityInput): void {
  const error = completenessError(writer, into, input);
  if (error !== undefined) throw new Fault(error.code, error.parameters, error.place);
}

/** The error for missing required members, or undefined if the entity is complete. */
function completenessError(
  writer: Writer,
  into: Destination,
  input: EntityInput,
): PlannedFault | undefined {
  const supplied = suppliedBy(into.kind === 'navigation' ? into.navigation : undefined);
  const { model } = writer;
  const missing = missingMembers({ model, create: true, supplied }, input);
  const details = missing.map((member) => {
    const parameters = {
      ...requiredErrorParameters('', member),
      ...keyHint(writer, into, input, member),
    };
    const fault = new Fault('write.required', parameters);
    return { code: fault.code, message: fault.message, target: member.path };
  });
  const [first] = details;
  if (first === undefined) return undefined;
  const others = details.length - 1;
  const more = others === 0 ? '' : ` See details for ${others} more.`;
  const parameters = { first: first.message, more };
  return { code: 'write.body', parameters, place: { target: first.target, details } };
}

/** How the content of a media entity is sent with its key, which a body of content does not contain. */
function keyHint(
  { model }: Writer,
  into: Destination,
  { type, file }: EntityInput,
  { path }: MissingMember,
): { readonly hint?: string } {
  const names = keyProperties(model, type).map(({ name }) => name);
  if (file?.kind !== 'sent' || !names.includes(path)) return {};
  const name = into.kind === 'set' ? into.source.id : into.navigation.name;
  const slug = names.length === 1 ? ', or send it in the header Slug' : '';
  return { hint: `; PUT the content to ${name}(${names.join()})/$value${slug}` };
}

function findParent(
  writer: Writer,
  into: Destination,
  address: readonly AddressStep[],
): Register | undefined {
  if (into.kind === 'set') return undefined;
  return writer.find(into.parent, notFound(address.slice(0, -1 - into.path.length)));
}

function decideChange(writer: Writer, bound: Kind<'change'>, negotiated: Negotiated): Decision {
  const { rows, create, address } = bound;
  if (create === undefined) {
    const row = findRow(writer, bound, negotiated);
    const steps = [
      ...changeRow(writer, row, bound),
      ...(writer.recalculates ? recalculation(writer.model, row) : []),
    ];
    return { steps, subject: row, answer: 'changed' };
  }
  const row = writer.find(rows, notFound(address), true);
  const guards = matchHeaders(writer, row, negotiated);
  const required = requireTag(writer, row, negotiated.ifMatch);
  const there = [...required, ...guards, ...changeRow(writer, row, bound)];
  const absent = [...guards, ...insertRow(writer, row, { ...bound, create })];
  return { steps: [{ kind: 'branch', on: row, there, absent }], subject: row, answer: 'upserted' };
}

function changeRow(writer: Writer, row: Register, { rows, mode, input }: Kind<'change'>): Steps {
  const etag = input.etag === undefined ? [] : [matchTags(row, [input.etag], '@odata.etag')];
  return [...etag, ...updateSteps(writer, { row, rows }, input, mode)];
}

/** Inserts an entity under the key in the URL. */
function insertRow(
  writer: Writer,
  row: Register,
  { rows, input, address, key, create: into }: Creation,
): Steps {
  const { type } = input;
  if (type.hasStream === true && input.file === undefined)
    return [rejection(row, plannedFault('write.media-upsert', { type: type.name }))];
  const keyValues = key ?? keyInputs(writer.model, rows, input.values);
  const completed = { ...input, values: [...input.values, ...keyValues] };
  const error = completenessError(writer, into, completed);
  // Only the database knows whether the entity exists, and an update need not be complete. So the error is a guard, not a throw.
  if (error !== undefined) return [rejection(row, error)];
  const parent = findParent(writer, into, address);
  return newEntitySteps(writer, parent, into, { input: completed, into: row });
}

function decideCollection(
  writer: Writer,
  bound: Kind<'collection'>,
  negotiated: Negotiated,
): Decision {
  const parent = findParent(writer, bound.into, bound.address);
  matchCollection(writer, bound.into.source, negotiated);
  const steps = writeCollection(writer, bound, parent);
  if (bound.mode === 'full') {
    requireTags(writer, bound.into.source, negotiated);
    requireMany(writer);
  }
  return { steps, answer: 'changed' };
}

function decideInvoke(writer: Writer, bound: Kind<'invoke'>, negotiated: Negotiated): Decision {
  const { rows, operation, parameters, collection, members } = bound;
  const many = collection ?? members;
  const origin = many?.origin;
  if (origin?.kind === 'related')
    writer.find(origin.from, notFound(bound.address.slice(0, -2 - origin.path.length)));
  if (many !== undefined) matchCollection(writer, many.row.source, negotiated);
  if (members !== undefined) requireMany(writer);
  const row = rows && findRow(writer, { rows, address: bound.address.slice(0, -1) }, negotiated);
  const references = new Map(
    [...bound.references].map(([name, reference]) => [name, writer.refer(reference)] as const),
  );
  const invoke = { operation, parameters, references };
  return { steps: [], subject: row, answer: 'changed', invoke };
}

function decideStream(writer: Writer, bound: Kind<'stream'>, negotiated: Negotiated): Decision {
  const { rows, address, creation } = bound;
  const { ifMatch } = negotiated;
  const row = writer.find(rows, notFound(address), creation !== undefined);
  const stream = bound.action === 'put' ? 'kept' : 'removed';
  const required = requireTag(writer, row, ifMatch);
  const there = [...required, ...streamSteps(writer, row, bound, negotiated)];
  if (creation === undefined) return { steps: there, subject: row, answer: 'changed', stream };
  const isChange = ifMatch === undefined ? [] : [rejection(row, CHANGED)];
  const absent = [...isChange, ...insertRow(writer, row, creation)];
  const steps: Steps = [{ kind: 'branch', on: row, there, absent }];
  return { steps, subject: row, answer: 'upserted', stream };
}

// ---- response -------------------------------------------------------------------------------------------------------

/**
 * Whether the response contains the result: never, always, or only after a creation. Without a return preference, $select or
 * $expand request it. OData Protocol 4.01, "Upsert an Entity": an upsert that creates responds as POST does.
 */
function answerForm(
  bound: BoundWrite,
  { options, negotiated }: UnboundRequest,
): 'minimal' | 'representation' | 'created' {
  if (!showsResult(bound)) return 'minimal';
  const preferred = negotiated.prefer.return;
  // The content of an existing media entity has no representation.
  if (bound.kind === 'stream') return preferred === 'minimal' ? 'minimal' : 'created';
  if (preferred !== undefined) return preferred;
  if (bound.kind === 'create' || bound.kind === 'invoke') return 'representation';
  const { selection, expansions } = bound.result.query;
  // Without $select and $expand, binding still adds expansions for nested entities of the body.
  const isRequested = options.select !== undefined || options.expand !== undefined;
  if (isRequested && (!selection.all || expansions.length > 0)) return 'representation';
  return bound.kind === 'change' && bound.create !== undefined ? 'created' : 'minimal';
}

/** OData Protocol 4.01, "Preference return": applies to requests that create or change data. */
function showsResult(bound: BoundWrite): boolean {
  const { kind } = bound;
  if (kind === 'stream') return bound.creation !== undefined;
  return kind === 'create' || kind === 'change' || kind === 'property' || kind === 'relate';
}

function appliedPreferences(bound: BoundWrite, { prefer }: Negotiated): readonly string[] {
  const form =
    showsResult(bound) && prefer.return !== undefined
      ? [appliedPreference(prefer, 'return', prefer.return)]
      : [];
  return prefer.dryRun ? [...form, appliedPreference(prefer, 'dry-run')] : form;
}
