// This file makes new records from templates: it reads what the template that a body names holds, under the rights of who asks, and puts
// it under what the body says. Where templates hold what is said by the model.
import { Fault, invariant } from '../../base/fault.ts';
import { bind } from '../../bind/bind-read.ts';
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
import { isJsonObject, type JsonObject } from '../../edm/value/lossless-json.ts';
import { decide, type Setting } from '../../plan/decide-read.ts';
import { applyTemplate } from '../../plan/write/template-values.ts';
import { missingReference } from '../../plan/write/write-scope.ts';
import { DEFAULT_LIMITS, parse } from '../../request/parse.ts';
import type { Tree } from '../../request/tree.ts';
import { compile } from '../../sql/compile.ts';
import { bindParameters, type Context, type Row } from '../../store/database.ts';
import { outcomeOf } from '../../store/run-script.ts';
import { readJson } from '../json-body.ts';
import type { Service } from '../service.ts';

/** Values that a template may have. */
const VALUE_LIMIT = 1000;

/** Where templates are read: in the transaction of the write where there is one. */
export type ReadRows = (text: string, values: Row) => readonly Row[];

export interface TemplateRequest {
  readonly tree: Tree;
  readonly service: Service;
  readonly scope: WriteScope;
  readonly setting: Setting;
  readonly context: Context;
  readonly read: ReadRows;
}

type Create = BoundWrite & { readonly kind: 'create' };

/**
 * The write with what the template gives that its body names; any other write as it is.
 * Faults: write.template where the template is of no use here, write.missing-reference, and those of reading it.
 */
export function withTemplate(bound: BoundWrite, request: TemplateRequest): BoundWrite {
  const { templates } = request.service.model.definition;
  if (bound.kind !== 'create' || templates === undefined) return bound;
  const reference = templateOf(request.service.model, bound.input);
  if (reference === undefined) return bound;
  checkTemplate(request, templates, reference, bound);
  const values = readValues(request, templates, reference);
  const reading = { values, readJson: (text: string) => readJson(Buffer.from(text)) };
  const template = bindTemplate(request.tree, bound, reading, request.scope);
  return { ...bound, input: applyTemplate(bound.input, template) };
}

const TYPE = 'template_type';
const BLOCKED = 'template_blocked';

/** A template is of one type, and is used while it is not blocked. */
function checkTemplate(
  request: TemplateRequest,
  { type, blocked }: Templates,
  reference: Reference,
  { input }: Create,
): void {
  const asked = Object.entries({ [TYPE]: type, [BLOCKED]: blocked }).filter(
    ([, path]) => path !== undefined,
  );
  const computed = asked.map(([alias, path]) => `${path} as ${alias}`).join(',');
  const selected = asked.map(([alias]) => alias).join(',');
  const query = asked.length === 0 ? '' : `$compute=${computed}&$select=${selected}`;
  const [found] = readRecords(request, reference, '', query);
  if (found === undefined) throw notFound(reference);
  const { [TYPE]: made, [BLOCKED]: isBlocked } = found;
  if (typeof made === 'string' && !isOf(request.service.model, input.type, made))
    throw unfit(reference, `it makes ${made}, not ${simpleName(input.type.name)}.`);
  if (isBlocked === true) throw unfit(reference, 'it is blocked.');
}

/** Whether entities of the type are what the template makes, by simple or qualified name. */
function isOf(model: Model, type: EntityType, made: string): boolean {
  return [...model.types.values()].some(
    (other) =>
      other.kind === 'entity' &&
      (other.name === made || simpleName(other.name) === made) &&
      isAssignable(model, type, other),
  );
}

function notFound({ rows, text, target }: Reference): Fault {
  const { code, parameters, place } = missingReference(rows, text, target);
  return new Fault(code, parameters, place);
}

function unfit({ target }: Reference, reason: string): Fault {
  return new Fault('write.template', { reason }, { target });
}

function readValues(
  request: TemplateRequest,
  { values, property, value }: Templates,
  reference: Reference,
): readonly TemplateValue[] {
  const query = `$select=${property},${value}`;
  const records = readRecords(request, reference, `/${values}`, query);
  if (records.length > VALUE_LIMIT)
    throw unfit(reference, `it has more than ${VALUE_LIMIT} values.`);
  return records.flatMap(({ [property]: path, [value]: text }) =>
    typeof path === 'string'
      ? [{ property: path, value: typeof text === 'string' ? text : null }]
      : [],
  );
}

/** Records at the address of the template and a path behind it, in the order of their keys. */
function readRecords(
  { scope, setting, service, context, read }: TemplateRequest,
  { text }: Reference,
  behind: string,
  query: string,
): readonly JsonObject[] {
  const place = relativePath({ root: scope.root, contentIds: scope.contentIds ?? new Map() }, text);
  invariant('relative' in place, 'a template was named by no address');
  const path = `${place.relative}${behind}`;
  const tree = parse({ method: 'GET', path, query, headers: {} }, DEFAULT_LIMITS);
  const bound = bind(tree, { ...scope, rules: 'odata' });
  const limits = {
    pageSize: VALUE_LIMIT + 1,
    maximum: VALUE_LIMIT + 1,
    maximumPage: VALUE_LIMIT + 1,
  };
  const script = compile(
    decide(bound, tree, { ...setting, limits }),
    service.layout,
    service.dialect,
  );
  invariant(script.kind === 'read', 'a template is read');
  const { statement } = script;
  const outcome = outcomeOf(script, read(statement.text, bindParameters(statement, context)));
  return outcome.rows.flatMap(({ json }) => {
    const record = json === null ? null : readJson(Buffer.from(json));
    return isJsonObject(record) ? [record] : [];
  });
}
