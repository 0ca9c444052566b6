// This file helps the tests of write plans: requests are parsed, bound and decided about as in the service, and the steps are printed
// as short lines.
import { ADMINISTRATORS_ONLY, type Policy, resolveRights } from '../../src/access/policy.ts';
import { bindWrite, type WriteScope } from '../../src/bind/bind-write.ts';
import { codeBook } from '../../src/bind/codes.ts';
import { ruleBinder } from '../../src/bind/model/policy-condition.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import type { BoundWrite } from '../../src/bind/write/bound-write.ts';
import type { Model } from '../../src/edm/model.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { decideWrite } from '../../src/plan/decide-write.ts';
import { DEFAULT_PAGE_LIMITS } from '../../src/plan/read/page.ts';
import { DEFAULT_WRITE_LIMITS } from '../../src/plan/write/write-scope.ts';
import type {
  DocumentMember,
  StoredValue,
  WritePlan,
  WriteStep,
} from '../../src/plan/write-plan.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import type { Tree } from '../../src/request/tree.ts';
import { print, printRows } from '../bind/print.ts';
import { oddModel } from '../odd-model.ts';

export interface Asking {
  readonly model?: Model;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a policy an administrator asks. */
  readonly policy?: Policy;
  readonly contentIds?: ReadonlyMap<string, string>;
}

const ROOT = 'http://zoo.example:5181/odata/';

/** The request as it is read. */
function treeOf(method: string, url: string, { headers = {} }: Asking = {}): Tree {
  const [path = '', query = ''] = url.split('?');
  return parse({ method, path, query, headers }, DEFAULT_LIMITS);
}

/** The request bound. */
export function boundOf(
  method: string,
  url: string,
  input?: JsonInput,
  asking: Asking = {},
): BoundWrite {
  const { model = oddModel, contentIds } = asking;
  const scope: WriteScope = {
    model,
    rules: 'service',
    limits: DEFAULT_BIND_LIMITS,
    root: ROOT,
    codes: codeBook(model.codeLists.values()),
    ...(contentIds === undefined ? {} : { contentIds }),
  };
  return bindWrite(treeOf(method, url, asking), input, scope);
}

/** The plan of a request. */
export function planOf(
  method: string,
  url: string,
  input?: JsonInput,
  asking: Asking = {},
): WritePlan {
  const { model = oddModel, policy } = asking;
  const principal = {
    account: 1n,
    loginName: 'anna',
    person: 7n,
    roles: ['keeper'],
    administrator: policy === undefined,
  };
  return decideWrite(boundOf(method, url, input, asking), treeOf(method, url, asking), {
    model,
    rights: resolveRights(policy ?? ADMINISTRATORS_ONLY, principal, model),
    limits: DEFAULT_PAGE_LIMITS,
    languages: model.definition.languages,
    bindRule: ruleBinder({ model, rules: 'odata', limits: DEFAULT_BIND_LIMITS }),
    writing: DEFAULT_WRITE_LIMITS,
  });
}

/** The steps of a request's plan. */
export function stepsOf(
  method: string,
  url: string,
  input?: JsonInput,
  asking: Asking = {},
): readonly string[] {
  return printSteps(planOf(method, url, input, asking).steps);
}

export function printSteps(steps: readonly WriteStep[]): readonly string[] {
  return steps.flatMap(printStep);
}

function printStep(step: WriteStep): readonly string[] {
  switch (step.kind) {
    case 'find':
      return [
        `${step.optional === true ? 'look for' : 'find'} ${step.into.name} = ${printRows(step.rows)} else ${step.missing.code}`,
      ];
    case 'match':
      return [
        `match ${step.row.name} ${step.negated ? 'not ' : ''}${String(step.versions)} else ${step.fault.code}`,
      ];
    case 'name':
      return [
        `name ${step.file} ${JSON.stringify(step.wanted)}${step.rename ? ' or another' : ''} in ${step.owner.name}`,
      ];
    case 'bytes': {
      const path = step.path.map((property) => property.name).join('/');
      const values = step.values.map((value) => `  ${printStored(value)}`);
      return [`bytes ${step.row.name}/${path || '$value'} := ${step.file ?? 'none'}`, ...values];
    }
    case 'match-file':
      return [
        `match bytes of ${step.row.name} ${step.negated ? 'not ' : ''}${String(step.digests)} else ${step.fault.code}`,
      ];
    case 'follow':
      return [`follow the ${step.event} of ${step.row.name}`];
    case 'require':
      return [`require ${step.row.name} ${print(step.expression)} else ${step.fault.code}`];
    case 'insert': {
      const place = step.parent === undefined ? '' : ` in ${step.parent.name}`;
      const dynamic = [...step.dynamic].map(([name, text]) => `  (${name}) := ${text}`);
      const file = step.file === undefined ? '' : ` of ${step.file}`;
      const head = `insert ${step.into.name} = ${step.type.name.replace(/^.*\./, '')} into ${step.into.source.id}${place}${file}`;
      return [head, ...step.values.map((value) => `  ${printStored(value)}`), ...dynamic];
    }
    case 'update': {
      const dynamic = [...step.dynamic].map(
        ([name, text]) => `  (${name}) := ${text ?? 'nothing'}`,
      );
      const others = step.replaceDynamic ? ['  no other dynamic properties'] : [];
      return [
        `update ${step.row.name}`,
        ...step.values.map((value) => `  ${printStored(value)}`),
        ...dynamic,
        ...others,
      ];
    }
    case 'touch':
      return [`touch ${step.row.name}`];
    case 'delete':
      return [`delete ${step.row.name}`];
    case 'link': {
      const place = [...step.path, step.navigation].map(({ name }) => name).join('/');
      const to = step.to === undefined ? '' : ` ${step.to.name}`;
      return [
        `${step.action} ${step.row.name}/${place}${to}${step.missing === undefined ? '' : ` else ${step.missing.code}`}`,
      ];
    }
    case 'remember':
      return [`remember the ${step.as} of ${step.row.name}`];
    case 'transition':
      return [`check the state of ${step.row.name}`];
    case 'clocks':
      return [`calculate ${step.row.name}${step.chooses ? ' and choose' : ''} ${step.set.join()}`];
    case 'revise-clocks':
      return [`revise ${step.clocks.map(({ source }) => source.id).join()}`];
    case 'acyclic':
      return [
        `no circle by ${step.row.name}/${step.navigation.name} ${step.to.name} else ${step.fault.code}`,
      ];
    case 'apart':
      return [`two others of ${step.row.name} else ${step.fault.code}`];
    case 'once':
      return [`the only one like ${step.row.name} else ${step.fault.code}`];
    case 'append': {
      const place = `${step.row.name}/${pathOf(step.path)}`;
      const at = step.index === undefined ? '' : ` at ${step.index}`;
      return [`${step.action ?? 'append'} ${place}${at} ${step.json}`];
    }
    case 'branch':
      return [
        `if ${step.on.name}`,
        ...indent(printSteps(step.there)),
        'else',
        ...indent(printSteps(step.absent)),
      ];
    case 'each': {
      const filter = step.filter === undefined ? '' : ` where ${print(step.filter)}`;
      return [
        `each ${step.into.name} of ${printRows(step.rows)}${filter}`,
        ...indent(printSteps(step.steps)),
      ];
    }
  }
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** `Name = "x"`, `Id <- key`, `Label <- concat(…)`. */
function printStored(value: StoredValue): string {
  const path = pathOf(value.path);
  switch (value.kind) {
    case 'value':
      return `${path} = ${typeof value.value === 'string' ? JSON.stringify(value.value) : String(value.value)}`;
    case 'json':
      return `${path} := ${value.text ?? 'nothing'}`;
    case 'reference':
      return `${value.navigation.name} -> ${value.to === undefined ? 'nothing' : printRows(value.to)}`;
    case 'presence':
      return `${path} is${value.present ? '' : ' not'}`;
    case 'evaluated':
    case 'expression':
      return `${path} <- ${print(value.expression)}`;
    case 'members':
      return `${path} ${value.base} ${value.members.map(printMember).join(' ')}`;
    case 'generated':
      return `${path} <- ${value.by}`;
  }
}

function printMember(member: DocumentMember): string {
  const place = member.steps.join('/');
  return member.kind === 'set' ? `${place}=${member.text}` : `${member.kind} ${place}`;
}

function pathOf(path: readonly { readonly name: string }[]): string {
  return path.map(({ name }) => name).join('/');
}
