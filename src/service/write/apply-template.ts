// This file creates records from templates. It reads the values of the template that a body names, with the rights of the requester,
// and uses them as defaults. The model defines where templates store their values.
import { UNRESTRICTED } from '../../access/policy.ts';
import { Fault, invariant } from '../../base/fault.ts';
import { bindTemplate, templateOf, type WriteScope } from '../../bind/bind-write.ts';
import type { TemplateValue } from '../../bind/body/template-body.ts';
import { relativePath } from '../../bind/path/entity-url.ts';
import type { BoundWrite, Reference } from '../../bind/write/bound-write.ts';
import {
  type EntityType,
  isAssignable,
  type Model,
  simpleName,
  type Templates,
} from '../../edm/model.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { Setting } from '../../plan/decide-read.ts';
import { applyTemplate } from '../../plan/write/template-values.ts';
import { missingReference } from '../../plan/write/write-scope.ts';
import type { Tree } from '../../request/tree.ts';
import type { Context, Work } from '../../store/database.ts';
import { readJson } from '../json-body.ts';
import { readEntities } from '../read-entities.ts';
import type { Service } from '../service.ts';

/** Maximum of values in a template. */
const VALUE_LIMIT = 1000;

export interface TemplateRequest {
  readonly tree: Tree;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly setting: Setting;
  readonly context: Context;
}

type Create = BoundWrite & { readonly kind: 'create' };

/**
 * Adds the values of the template that the body names. Returns other writes unchanged.
 * Throws: write.template if the template is not usable here, access.template, write.missing-reference, and the faults of reading it.
 */
export function* withTemplate(bound: BoundWrite, request: TemplateRequest): Work<BoundWrite> {
  const { templates } = request.service.model.definition;
  if (bound.kind !== 'create' || templates === undefined) return bound;
  const reference = templateOf(request.service.model, bound.input);
  if (reference === undefined) return bound;
  yield* checkTemplate(request, templates, reference, bound);
  yield* checkRoles(request, templates, reference);
  const values = yield* readValues(request, templates, reference);
  const reading = { values, readJson: (text: string) => readJson(Buffer.from(text)) };
  const template = bindTemplate(request.tree, bound, reading, request.scope);
  return { ...bound, input: applyTemplate(bound.input, template) };
}

const TYPE = 'template_type';
const BLOCKED = 'template_blocked';
const ROLE = 'template_role';

/** Checks that the template is for the type of the record, and not blocked. */
function* checkTemplate(
  request: TemplateRequest,
  { type, blocked }: Templates,
  reference: Reference,
  { input }: Create,
): Work<void> {
  const columns = Object.entries({ [TYPE]: type, [BLOCKED]: blocked }).filter(
    ([, path]) => path !== undefined,
  );
  const computed = columns.map(([alias, path]) => `${path} as ${alias}`).join(',');
  const selected = columns.map(([alias]) => alias).join(',');
  const query = columns.length === 0 ? '' : `$compute=${computed}&$select=${selected}`;
  const [template] = yield* readRecords(request, reference, '', query);
  if (template === undefined) throw notFound(reference);
  const { [TYPE]: typeName, [BLOCKED]: isBlocked } = template;
  if (typeof typeName === 'string' && !isOfType(request.service.model, input.type, typeName))
    throw unusable(reference, `it is for ${typeName}, not ${simpleName(input.type.name)}.`);
  if (isBlocked === true) throw unusable(reference, 'it is blocked.');
}

/** Checks that the account has one of the roles to which the template is limited. It need not be able to read them. */
function* checkRoles(
  request: TemplateRequest,
  { roles }: Templates,
  reference: Reference,
): Work<void> {
  const { rights } = request.setting;
  if (roles === undefined || rights.everything) return;
  const [collection, ...name] = roles.split('/');
  const setting = { ...request.setting, rights: UNRESTRICTED };
  const query = `$compute=${name.join('/')} as ${ROLE}&$select=${ROLE}`;
  const records = yield* readRecords({ ...request, setting }, reference, `/${collection}`, query);
  const isPermitted = records.some(({ [ROLE]: role }) => rights.roles.includes(String(role)));
  if (records.length > 0 && !isPermitted)
    throw new Fault('access.template', {}, { target: reference.target });
}

/** Whether the type is the named one or derived from it. The name may be simple or qualified. */
function isOfType(model: Model, type: EntityType, name: string): boolean {
  return [...model.types.values()].some(
    (other) =>
      other.kind === 'entity' &&
      (other.name === name || simpleName(other.name) === name) &&
      isAssignable(model, type, other),
  );
}

function notFound({ rows, text, target }: Reference): Fault {
  const { code, parameters, place } = missingReference(rows, text, target);
  return new Fault(code, parameters, place);
}

function unusable({ target }: Reference, reason: string): Fault {
  return new Fault('write.template', { reason }, { target });
}

function* readValues(
  request: TemplateRequest,
  { values, property, value }: Templates,
  reference: Reference,
): Work<readonly TemplateValue[]> {
  const query = `$select=${property},${value}`;
  const records = yield* readRecords(request, reference, `/${values}`, query);
  if (records.length > VALUE_LIMIT)
    throw unusable(reference, `it has more than ${VALUE_LIMIT} values.`);
  return records.flatMap(({ [property]: path, [value]: text }) =>
    typeof path === 'string'
      ? [{ property: path, value: typeof text === 'string' ? text : null }]
      : [],
  );
}

/** Records at the URL of the template followed by `suffix`, ordered by key. */
function readRecords(
  { scope, setting, service, context }: TemplateRequest,
  { text }: Reference,
  suffix: string,
  query: string,
): Work<readonly JsonObject[]> {
  const place = relativePath({ root: scope.root, contentIds: scope.contentIds ?? new Map() }, text);
  invariant('relative' in place, 'a template reference must be a URL of the service');
  const path = `${place.relative}${suffix}`;
  return readEntities({ scope, setting, service, context }, path, query, VALUE_LIMIT + 1);
}
