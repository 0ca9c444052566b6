// This file helps the tests of writing: it reads bodies against a model and prints what comes of them as short lines of text.
import { Fault } from '../../src/base/fault.ts';
import type { Body, EntityPlace, WriteMode } from '../../src/bind/body/body-context.ts';
import { Mistakes } from '../../src/bind/body/body-errors.ts';
import { readEntity } from '../../src/bind/body/entity-body.ts';
import { codeBook } from '../../src/bind/codes.ts';
import type { EntityInput, InputChild, InputValue } from '../../src/bind/write/bound-write.ts';
import type { Model } from '../../src/edm/model.ts';
import { setSource } from '../../src/edm/source.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import type { Version } from '../../src/request/tree.ts';

export interface Reading {
  readonly mode?: WriteMode;
  readonly version?: Version;
  readonly language?: string;
}

/** A body whose references are all taken as they are. */
function newBody(model: Model, { version = '4.01', language = 'en' }: Reading = {}): Body {
  let id = 0;
  return {
    model,
    codes: codeBook(model.codeLists.values()),
    language,
    mistakes: new Mistakes(),
    version,
    rowId: () => id++,
    countEntity: () => undefined,
    reference: ({ text, source, type, target }) => ({
      rows: {
        row: { kind: 'entity', id: id++, source, type },
        origin: { kind: 'source' },
        where: [],
      },
      text: String(text),
      target,
    }),
    entity: readEntity,
    namesTemplate: () => false,
    isTemplate: false,
    isLoad: false,
    isService: false,
  };
}

/** What a body for an entity of a set comes to. Throws the fault that the client would see. */
export function readBody(
  model: Model,
  set: string,
  input: JsonInput,
  reading: Reading = {},
): EntityInput {
  const body = newBody(model, reading);
  const source = setSource(model, set);
  const { type } = source;
  const { mode = 'create' } = reading;
  const row = { kind: 'entity', id: body.rowId(), source, type } as const;
  const rows = { row, origin: { kind: 'source' }, where: [] } as const;
  const base = { source, type, mode, target: '', supplied: new Map() };
  const place: EntityPlace = mode === 'create' ? base : { ...base, rows };
  const result = readEntity(body, place, input);
  body.mistakes.raise();
  return result;
}

/** The fault of something that must not succeed. */
export function faultOf(action: () => unknown): Fault {
  try {
    action();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('no fault');
}

/** The mistakes of a body as `code target`, in order. */
export function mistakesOf(action: () => unknown): readonly string[] {
  return faultOf(action).details.map(({ code, target = '' }) => `${code} ${target}`);
}

/** What the values of an input are, a line each: `Name = "Tweety"`, `Care is`, `Care/Room := {…}`. */
export function printValues(values: readonly InputValue[]): readonly string[] {
  return values.map(printValue);
}

function printValue(value: InputValue): string {
  const path = value.path.map((step) => step.name).join('/');
  switch (value.kind) {
    case 'presence':
      return `${path} is${value.present ? '' : ' not'}`;
    case 'json':
      return `${path} := ${value.text ?? 'nothing'}`;
    case 'value':
      return `${path} = ${typeof value.value === 'string' ? JSON.stringify(value.value) : String(value.value)}`;
  }
}

/** An input as lines: values, dynamic properties, links, children with what is in them indented. */
export function printInput(input: EntityInput): readonly string[] {
  const dynamic = [...input.dynamic].map(([name, text]) => `(${name}) := ${text ?? 'nothing'}`);
  const links = input.links.map(({ path, navigation, mode, references }) => {
    const place = [...path, navigation].map((step) => step.name).join('/');
    return `${mode} ${place}${references.map(({ text }) => ` ${text}`).join('')}`;
  });
  const children = input.children.flatMap(({ path, navigation, mode, entities }) => {
    const place = [...path, navigation].map((step) => step.name).join('/');
    return [`${mode} in ${place}`, ...entities.flatMap(printChild)];
  });
  return [...printValues(input.values), ...dynamic, ...links, ...children];
}

function printChild(child: InputChild): readonly string[] {
  const inside = 'entity' in child ? printInput(child.entity).map((line) => `    ${line}`) : [];
  switch (child.kind) {
    case 'create':
      return ['  new', ...inside];
    case 'change':
      return [`  ${child.reference.text} or ${child.absent}`, ...inside];
    case 'link':
      return [`  link ${child.reference.text}`];
    case 'remove':
      return [`  remove ${child.reference.text} (${child.reason})`];
  }
}
