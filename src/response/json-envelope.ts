// This file writes the JSON envelope around records. The database has written them as JSON text, so this only joins strings.
// OData JSON Format 4.01, "Collection of Entities", "Entity", "Individual Property or Operation Response".
import { ofLast } from '../base/memo.ts';
import type { JsonFormat, Version } from '../request/tree.ts';
import { withoutEtag } from './links.ts';

export interface JsonForm {
  readonly metadata: JsonFormat['metadata'];
  readonly ieee754Compatible: boolean;
  readonly prefix: '@odata.' | '@';
}

export function jsonForm(format: JsonFormat, version: Version): JsonForm {
  const { metadata, ieee754Compatible } = format;
  return { metadata, ieee754Compatible, prefix: version === '4.01' ? '@' : '@odata.' };
}

/** Annotations of a collection. */
export interface CollectionFacts {
  readonly context: string;
  readonly count?: bigint | undefined;
  readonly nextLink?: string | undefined;
  readonly deltaLink?: string | undefined;
}

/** `{"@odata.context":…,"@odata.count":…,"value":[…],"@odata.nextLink":…}` */
export function jsonCollection(
  form: JsonForm,
  records: readonly string[],
  { context, count, nextLink, deltaLink }: CollectionFacts,
): string {
  const digits = form.ieee754Compatible ? `"${count}"` : `${count}`;
  const counted = count === undefined ? '' : `"${form.prefix}count":${digits},`;
  const links = linkMember(form, 'nextLink', nextLink) + linkMember(form, 'deltaLink', deltaLink);
  return `{${contextMember(form, context)}${counted}"value":[${listed(records)}]${links}}`;
}

/** Unlike with `join`, the texts are copied only once, when the response is sent. */
function listed(records: readonly string[]): string {
  let text = '';
  for (const record of records) text += text === '' ? record : `,${record}`;
  return text;
}

function linkMember({ prefix }: JsonForm, name: string, link: string | undefined): string {
  return link === undefined ? '' : `,"${prefix}${name}":${JSON.stringify(link)}`;
}

/** Adds the context to a record or complex value. */
export function jsonObject(form: JsonForm, record: string, context: string): string {
  if (form.metadata === 'none') return withoutEtag(record);
  const head = contextMember(form, context);
  return record === '{}' ? `{${head.slice(0, -1)}}` : `{${head}${record.slice(1)}`;
}

/** Wraps a value that is not an object in the member `value`. */
export function jsonValue(form: JsonForm, value: string, context: string): string {
  return `{${contextMember(form, context)}"value":${value}}`;
}

function contextMember({ metadata, prefix }: JsonForm, context: string): string {
  return metadata === 'none' ? '' : `"${prefix}context":${quotedContext(context)},`;
}

const quotedContext = ofLast((context: string) => JSON.stringify(context));
