// This file holds further builders of model parts, beside those of define-model.ts.

import type {
  Code,
  CodeList,
  Described,
  EntitySet,
  EnumType,
  Facets,
  Navigation,
  OperationImport,
  Parameter,
  Property,
  Texts,
  TypeDefinition,
} from '../src/edm/model.ts';
import {
  entitySet,
  type ImportOptions,
  type NavigationOptions,
  one,
  type PropertyOptions,
  property,
  type SetOptions,
} from './define-model.ts';

interface CodeOptions {
  readonly meaning?: string;
  readonly parent?: number | bigint;
  readonly disabled?: boolean;
}

export function byte(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Byte', options);
}

export function int16(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Int16', options);
}

/** Without a precision and scale the digits are not limited. */
export function decimal(name: string, options: PropertyOptions = {}): Property {
  return property(name, 'Edm.Decimal', { scale: 'variable', ...options });
}

export function double(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Double', options);
}

export function date(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Date', options);
}

export function timeOfDay(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.TimeOfDay', options);
}

export function duration(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Duration', options);
}

export function guid(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Guid', options);
}

export function binary(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Binary', options);
}

export function stream(name: string, options?: PropertyOptions): Property {
  return property(name, 'Edm.Stream', options);
}

/** A coded value out of a list; the complex type `Code` of the model holds it unless another one is named. */
export function code(
  name: string,
  list: string,
  options: PropertyOptions & { readonly type?: string } = {},
): Property {
  const { type = 'Code', ...rest } = options;
  return property(name, type, { codeList: list, ...rest });
}

/** A single entity that lives and dies with its owner. */
export function containedOne(
  name: string,
  target: string,
  options: NavigationOptions = {},
): Navigation {
  return { ...one(name, target, options), contained: true };
}

/** An enumeration of names and their numbers, `enumType('Colour', { Red: 1, Green: 2 })`. */
export function enumType(
  name: string,
  members: Readonly<Record<string, number | bigint>>,
  options: Described & { readonly underlying?: string; readonly flags?: boolean } = {},
): EnumType {
  const { underlying = 'Edm.Int32', flags = false, ...described } = options;
  const values = Object.entries(members).map(([member, value]) => ({
    name: member,
    value: BigInt(value),
  }));
  return { kind: 'enum', name, underlying, flags, members: values, ...described };
}

export function typeDefinition(
  name: string,
  underlying: string,
  options: Described & Facets = {},
): TypeDefinition {
  const entries = Object.entries(options);
  const facets: Facets = Object.fromEntries(entries.filter(([option]) => FACETS.has(option)));
  const described: Described = Object.fromEntries(
    entries.filter(([option]) => !FACETS.has(option)),
  );
  return { kind: 'definition', name, underlying, facets, ...described };
}

const FACETS = new Set(['maxLength', 'precision', 'scale', 'unicode', 'srid']);

export function singleton(name: string, type: string, options: SetOptions = {}): EntitySet {
  return { ...entitySet(name, type, options), kind: 'singleton' };
}

/** The first parameter of a bound operation. */
export function binding(type: string, options: { readonly collection?: boolean } = {}): Parameter {
  const { collection = false } = options;
  return { name: 'binding', type, collection, nullable: false, facets: {} };
}

export function functionImport(
  name: string,
  operation: string,
  options: ImportOptions = {},
): OperationImport {
  return { kind: 'function-import', name, operation, listed: false, ...options };
}

/** A list of coded values. `ordered`: the order of the codes means something; `hierarchical`: codes have parents. */
export function codeList(
  name: string,
  codes: readonly Code[],
  options: Described & { readonly ordered?: boolean; readonly hierarchical?: boolean } = {},
): CodeList {
  const { ordered = false, hierarchical = false, ...described } = options;
  return { name, ordered, hierarchical, codes, ...described };
}

/** One value of a code list. */
export function codeValue(value: number | bigint, texts: Texts, options: CodeOptions = {}): Code {
  const { parent, ...rest } = options;
  return {
    value: BigInt(value),
    texts,
    ...rest,
    ...(parent === undefined ? {} : { parent: BigInt(parent) }),
  };
}
