// This file recognizes references to rows whose URL contains nothing variable but the identity of the row, so that the URL of a row
// that has just been inserted is known without reading it.
import type { Expression } from '../../bind/bound.ts';
import type { LinkPart, ReadPlan } from '../../plan/read-plan.ts';
import { columnName, type Layout, type TableUse, tableOf } from '../schema/layout.ts';

/** A URL relative to the service root: the texts around the identity of a row. */
export interface IdentityUrl {
  readonly kind: 'url';
  readonly before: string;
  readonly after: string;
}

/** The URL in the reference that a plan selects; undefined if it contains more of the row, or if the row may not be visible. */
export function identityUrl({ output, select }: ReadPlan, layout: Layout): IdentityUrl | undefined {
  const { rows, filter, apply } = select;
  const isAnyRow = rows.origin.kind === 'source' && rows.where.length === 0;
  if (!isAnyRow || filter !== undefined || apply.length > 0) return undefined;
  const [link, ...others] = output.kind === 'reference' ? output.shape.members : [];
  if (link?.kind !== 'link' || others.length > 0) return undefined;
  if (link.when !== undefined || link.onType !== undefined) return undefined;
  return urlOf(link.parts, tableOf(layout, rows.row.source));
}

function urlOf(parts: readonly LinkPart[], use: TableUse): IdentityUrl | undefined {
  const [root, before, key, after, ...others] = parts;
  if (root?.kind !== 'root' || others.length > 0) return undefined;
  if (before?.kind !== 'text' || key?.kind !== 'key' || after?.kind !== 'text') return undefined;
  if (!isIdentity(key.value, use)) return undefined;
  return { kind: 'url', before: before.text, after: after.text };
}

function isIdentity(value: Expression, use: TableUse): boolean {
  return value.kind === 'property' && columnName(use, value.path) === use.table.identity;
}
