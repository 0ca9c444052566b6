// This file checks that the layout of the built-in model for user interfaces leads to members that exist, in forms, lists and filters.
import { describe, expect, test } from 'vitest';
import {
  type Annotations,
  type Json,
  type Member,
  simpleName,
  structuredType,
} from '../../src/edm/model.ts';
import { suiteDefinition, suiteModel } from '../service-desk.ts';

const model = suiteModel();
const main = suiteDefinition.sets.filter(
  ({ listed, name }) => listed && !['ServiceLevels', 'Schedules', 'Calendars'].includes(name),
);

function memberAt(type: string, path: string): Member | undefined {
  const [first = '', ...rest] = path.split('/');
  const member = model.members(structuredType(model, type)).get(first);
  if (member === undefined || rest.length === 0) return member;
  return memberAt(member.kind === 'navigation' ? member.target : member.type, rest.join('/'));
}

/** The paths in a value: `{"$Path": "Name"}`. */
function pathsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$Path' ? [String(inner)] : pathsIn(inner),
  );
}

const annotationsOf = (type: string): Annotations => structuredType(model, type).annotations ?? {};

describe.each(main.map(({ name, type }) => [name, type]))('the layout of %s', (_, type) => {
  const annotations = annotationsOf(type);

  test('has a title, columns, filters and groups', () => {
    for (const term of ['HeaderInfo', 'LineItem', 'SelectionFields', 'Facets'])
      expect(annotations, term).toHaveProperty([`UI.${term}#Docket`]);
  });

  test('leads to members of the type', () => {
    const filters = annotations['UI.SelectionFields#Docket'] as readonly string[];
    const paths = [...filters, ...Object.values(annotations).flatMap(pathsIn)];
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => memberAt(type, path) === undefined)).toEqual([]);
  });

  test('shows each group of fields once, with a name in every language', () => {
    const facets = annotations['UI.Facets#Docket'] as readonly Record<string, string>[];
    const groups = Object.keys(annotations).filter((name) => name.startsWith('UI.FieldGroup#'));
    expect(facets.map(({ Target }) => Target).toSorted()).toEqual(
      groups.map((name) => `@${name}`).toSorted(),
    );
    const names = ['Label', ...['nl', 'de', 'fr'].map((tag) => `@Core.Description#${tag}`)];
    for (const facet of facets) expect(Object.keys(facet)).toEqual(expect.arrayContaining(names));
  });
});

test('the clocks of requests and incidents, and the part of requests that the portal shows, are marked', () => {
  const marked = (term: string) =>
    suiteDefinition.types.flatMap((type) =>
      'members' in type
        ? type.members
            .filter((member) => 'annotations' in member && member.annotations?.[term] !== undefined)
            .map(({ name }) => `${simpleName(type.name)}/${name}`)
        : [],
    );
  expect(marked('Docket.Console.V1.Clock').toSorted()).toEqual([
    'Incident/Sla',
    'ServiceRequest/Sla',
  ]);
  expect(marked('Docket.Console.V1.Portal')).toEqual(
    expect.arrayContaining(['WorkItem/ID', 'ServiceRequest/FeedbackRating']),
  );
  const portal = suiteDefinition.sets.filter(
    ({ annotations }) => annotations?.['Docket.Console.V1.Portal'] !== undefined,
  );
  expect(portal.map(({ name }) => name)).toEqual(['ServiceRequests']);
  for (const { name, annotations } of main)
    expect(annotations?.['Docket.Console.V1.Icon'], name).toEqual(expect.any(String));
});
