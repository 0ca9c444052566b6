// Plans writes of files, in media entities and stream properties: unique names, name conflicts, and the replacement of content.
// OData Protocol 4.01, "Managing Media Entities", "Managing Stream Properties".

import { filePartOf } from '../../bind/body/uploaded-file-names.ts';
import type { LiteralExpression, Rows } from '../../bind/bound.ts';
import { comparison, propertyOf } from '../../bind/expression/constructors.ts';
import { constant, parameterLiteral } from '../../bind/expression/literal.ts';
import { STRING, typeOfReference } from '../../bind/expression/types.ts';
import type { BoundWrite, Destination, EntityInput } from '../../bind/write/bound-write.ts';
import type { Property } from '../../edm/model.ts';
import type { Source } from '../../edm/source.ts';
import type { EntityTags, Negotiated } from '../../request/tree.ts';
import { concealStored } from '../rights/write-rights.ts';
import type { PlannedFault, Register, Steps, WriteStep } from '../write-plan.ts';
import { CHANGED, EXISTS } from './etag-guards.ts';
import { requireAttach } from './row.ts';
import type { Writer } from './write-scope.ts';

/** Name of files for which the client gives none. */
const UNNAMED = 'unnamed';

interface NewFile {
  readonly input: EntityInput;
  readonly parent?: Register | undefined;
  readonly rename?: boolean | undefined;
}

/** Assigns a name that is unique among the files of the owner. */
export function nameSteps(
  writer: Writer,
  source: Source,
  { input, parent, rename = false }: NewFile,
  file: string,
): Steps {
  const property = filePartOf(writer.model, input.type, 'name');
  if (property === undefined || parent === undefined) return [];
  const clientName = nameOf(input, property);
  return [
    {
      kind: 'name',
      file,
      source,
      owner: parent,
      property,
      wanted: clientName?.parameter ?? String(clientName?.value ?? UNNAMED),
      rename: rename || clientName === undefined,
      target: targetOf(input),
    },
  ];
}

/** The position in the body that a step refers to. */
export function targetOf({ target }: EntityInput): string | undefined {
  return target === '' ? undefined : target;
}

/** The file name from the client. */
function nameOf(
  { values }: Pick<EntityInput, 'values'>,
  property: Property,
): LiteralExpression | undefined {
  const input = values.find(({ path }) => path.length === 1 && path[0] === property);
  if (input?.kind !== 'value') return undefined;
  if (input.parameter !== undefined) return parameterLiteral(STRING, input.parameter);
  return input.value === null ? undefined : constant(STRING, input.value);
}

/** The existing file with the same name, which the new one replaces; undefined if the file has no name. */
export function fileToReplace(
  writer: Writer,
  into: Destination,
  input: EntityInput,
): Rows | undefined {
  const { model } = writer;
  const property = filePartOf(model, input.type, 'name');
  if (property === undefined || into.kind === 'set') return undefined;
  const clientName = nameOf(input, property);
  if (clientName === undefined) return undefined;
  const { source, parent, path, navigation } = into;
  const row = writer.variable(source, input.type);
  const type = typeOfReference(model, property);
  return {
    row,
    origin: { kind: 'related', from: parent, path, navigation },
    where: [comparison('eq', propertyOf(row, [property], type), clientName)],
  };
}

/** Replaces the content and name of an existing file. */
export function replaceSteps(writer: Writer, row: Register, input: EntityInput): Steps {
  const { type, values } = input;
  const file = writer.file({ kind: 'sent' });
  return [{ kind: 'bytes', row, type, path: [], file, values }];
}

/** Steps for PUT and DELETE of a stream, whose ETag is that of its content. */
export function streamSteps(
  writer: Writer,
  row: Register,
  { rows, property, action, values }: BoundWrite & { readonly kind: 'stream' },
  negotiated: Negotiated,
): Steps {
  const path = property === undefined ? [] : [property];
  const { type } = rows.row;
  const file = action === 'put' ? { file: writer.file({ kind: 'sent' }) } : {};
  const members = new Set(path.map(({ name }) => name));
  return [
    ...requireAttach(writer, rows, row),
    ...concealStored(writer, { row, type, members }),
    ...matchBytes(row, path, negotiated),
    { kind: 'bytes', row, type, path, ...file, values },
  ];
}

/** RFC 9110, "If-Match" (strong comparison), "If-None-Match" (weak). */
function matchBytes(
  row: Register,
  path: readonly Property[],
  { ifMatch, ifNoneMatch }: Negotiated,
): Steps {
  const step = (tags: EntityTags, negated: boolean, fault: PlannedFault): WriteStep => ({
    kind: 'match-file',
    row,
    path,
    digests: tags.kind === 'any' ? 'any' : digestsIn(tags, negated),
    negated,
    fault,
  });
  return [
    ...(ifMatch === undefined ? [] : [step(ifMatch, false, CHANGED)]),
    ...(ifNoneMatch === undefined ? [] : [step(ifNoneMatch, true, EXISTS)]),
  ];
}

function digestsIn(
  { tags }: EntityTags & { readonly kind: 'list' },
  takesWeak: boolean,
): readonly string[] {
  return tags.filter(({ weak }) => takesWeak || !weak).map(({ value }) => value);
}
