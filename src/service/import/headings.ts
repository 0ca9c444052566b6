// This file finds out what the headings of a table name: properties by their paths, by their labels in the language of the request, or
// what the request maps them to.
import type { EntityType, Model, StructuredType } from '../../edm/model.ts';
import { memberType } from '../../edm/model.ts';
import { membersOf } from './columns.ts';

/** A path for a heading; undefined if the column is to be omitted. */
export type Heading = { readonly path: string | undefined } | { readonly reason: string };

export interface HeadingOptions {
  readonly mapping: ReadonlyMap<string, string>;
  readonly headings: 'names' | 'labels' | undefined;
  readonly language: string;
}

/** Unless the request states which, headings are paths, and those that are none are labels. */
export function pathOfHeading(
  model: Model,
  type: EntityType,
  text: string,
  { mapping, headings, language }: HeadingOptions,
): Heading {
  const heading = text.trim();
  const mapped = mapping.get(heading);
  if (mapped !== undefined) return { path: mapped === '' ? undefined : mapped };
  if (headings === 'names') return { path: heading };
  if (headings !== 'labels' && isPath(model, type, heading)) return { path: heading };
  const found = pathsOfLabel(model, type, heading.toLowerCase(), language);
  const [path, ...others] = found;
  if (others.length > 0) {
    const names = found.join(', ');
    return { reason: `Several properties have this label: ${names}. Map the column with map=….` };
  }
  return { path: path ?? heading };
}

function isPath(model: Model, type: StructuredType, heading: string): boolean {
  const [first = ''] = heading.replace(/@.*$/, '').split('/');
  return first === '' || (membersOf(model, type).has(first) && !heading.includes(SEPARATOR));
}

const SEPARATOR = ' / ';

/** The paths whose labels the text consists of: `Assignment / Workgroup / Name`. */
function pathsOfLabel(
  model: Model,
  type: StructuredType,
  text: string,
  language: string,
): readonly string[] {
  return [...membersOf(model, type).values()].flatMap((member) => {
    const label = (member.labels?.[language] ?? member.name).toLowerCase();
    if (text === label) return [member.name];
    if (!text.startsWith(`${label}${SEPARATOR}`)) return [];
    const inner = memberType(model, member);
    if (inner === undefined) return [];
    const rest = text.slice(label.length + SEPARATOR.length);
    return pathsOfLabel(model, inner, rest, language).map((path) => `${member.name}/${path}`);
  });
}
