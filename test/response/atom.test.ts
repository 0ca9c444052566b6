// This file writes answers in the OData Atom Format 4.0.
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import type { BoundReadRequest } from '../../src/bind/bound.ts';
import { bindText, expand, one, property, read, set } from '../plan/readings.ts';
import { answer, found, ROOT, rows } from './answers.ts';

const ATOM = { accept: 'application/atom+xml' };

/** The body, once it has been read as well-formed XML with all its prefixes declared. */
function xml(bound: BoundReadRequest, outcome: ReturnType<typeof found>, url: string): string {
  const { body, headers } = answer(bound, outcome, url, ATOM);
  expect(headers['Content-Type']).toBe('application/atom+xml');
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(String(body)).close();
  return String(body);
}

const keeper =
  `{"@odata.type":"#Odd.Zoo.Keeper","@odata.id":"${ROOT}Keepers(1)","@odata.etag":"W/\\"3\\"",` +
  `"@odata.editLink":"${ROOT}Keepers(1)","Id@odata.type":"#Int64","Id":"9223372036854775807",` +
  '"Name":"<Ann & Bob>","Email":null,"Badge@odata.type":"#Int32","Badge":5,' +
  `"Portrait@odata.mediaContentType":"image/png","Portrait@odata.mediaReadLink":"${ROOT}Keepers(1)/Portrait",` +
  `"Boss@odata.navigationLink":"${ROOT}Keepers(1)/Boss","Boss@odata.associationLink":"${ROOT}Keepers(1)/Boss/$ref",` +
  `"Animals@odata.navigationLink":"${ROOT}Keepers(1)/Animals"`;

const NAMESPACES =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://docs.oasis-open.org/odata/ns/data" ' +
  'xmlns:m="http://docs.oasis-open.org/odata/ns/metadata"';

describe('An entry', () => {
  const single = read(one('Keepers', 1n), {
    wanted: { kind: 'entity' },
    address: [{ name: 'Keepers', kind: 'set', key: '1', many: false }],
  });
  const text = xml(single, found(rows(`${keeper}}`)), 'Keepers(1)');

  it('has context, ETag, id and type', () => {
    expect(text).toContain(
      `<entry xml:base="${ROOT}" m:context="${ROOT}$metadata#Keepers/$entity" ${NAMESPACES} m:etag="W/&quot;3&quot;">` +
        `<id>${ROOT}Keepers(1)</id><category scheme="http://docs.oasis-open.org/odata/ns/scheme" term="#Odd.Zoo.Keeper"/>` +
        '<title/><updated>2026-03-30T14:30:00.000Z</updated><author><name/></author>',
    );
  });

  it('has values with their types; strings have none, null is said', () => {
    expect(text).toContain(
      '<content type="application/xml"><m:properties><d:Id m:type="Int64">9223372036854775807</d:Id>' +
        '<d:Name>&lt;Ann &amp; Bob&gt;</d:Name><d:Email m:null="true"/><d:Badge m:type="Int32">5</d:Badge></m:properties></content>',
    );
  });

  it('has links to itself, to what is related, and to streams', () => {
    expect(text).toContain(`<link rel="edit" href="${ROOT}Keepers(1)"/>`);
    expect(text).toContain(
      '<link rel="http://docs.oasis-open.org/odata/ns/related/Boss" type="application/atom+xml;type=entry" ' +
        `title="Boss" href="${ROOT}Keepers(1)/Boss"/>` +
        '<link rel="http://docs.oasis-open.org/odata/ns/relatedlinks/Boss" type="application/xml" ' +
        `title="Boss" href="${ROOT}Keepers(1)/Boss/$ref"/>`,
    );
    expect(text).toContain(
      '<link rel="http://docs.oasis-open.org/odata/ns/mediaresource/Portrait" type="image/png" ' +
        `title="Portrait" href="${ROOT}Keepers(1)/Portrait"/>`,
    );
  });

  it('holds what is expanded, with the next link of a long collection', () => {
    const from = one('Keepers', 1n);
    const expansions = [expand(from, 'Boss'), expand(from, 'Animals', { form: 'references' })];
    const record =
      `${keeper},"Boss":{"@odata.id":"${ROOT}Keepers(2)","Name":"Eve"},"Animals@odata.count":"7",` +
      `"Animals":[{"@odata.id":"${ROOT}Animals(5)"}],"Animals@odata.nextLink":"${ROOT}Keepers(1)/Animals/$ref?$skiptoken=1"}`;
    const bound = read(from, { wanted: { kind: 'entity' }, query: { expansions } });
    const body = xml(bound, found(rows(record)), 'Keepers(1)?$expand=Boss,Animals/$ref');
    expect(body).toContain(`<m:inline><entry><id>${ROOT}Keepers(2)</id>`);
    expect(body).toContain('<d:Name>Eve</d:Name>');
    expect(body).toContain(
      `<m:count>7</m:count><m:ref id="${ROOT}Animals(5)"/>` +
        `<link rel="next" href="${ROOT}Keepers(1)/Animals/$ref?$skiptoken=1"/></feed></m:inline>`,
    );
  });

  it('of a media entity points to its bytes', () => {
    const record =
      `{"@odata.id":"${ROOT}Pictures(1)","@odata.mediaContentType":"image/png","@odata.mediaReadLink":"${ROOT}Pictures(1)/$value",` +
      `"@odata.mediaEditLink":"${ROOT}Pictures(1)/$value","Title":"x"}`;
    const bound = read(set('Pictures'), { wanted: { kind: 'entity' } });
    const body = xml(bound, found(rows(record)), 'Pictures(1)');
    expect(body).toContain(
      `<content type="image/png" src="${ROOT}Pictures(1)/$value"/><m:properties><d:Title>x</d:Title></m:properties>`,
    );
    expect(body).toContain(`<link rel="edit-media" href="${ROOT}Pictures(1)/$value"/>`);
  });

  it('writes complex values, collections and codes with their types', () => {
    const record =
      '{"Mood":{"@odata.type":"#Odd.Zoo.Code","Text":"Calm","Value":"1001"},"Nicknames":["a",""],' +
      '"Care":null,"Habits":[{"Name":"eats","TimesADay":2}]}';
    const bound = read(set('Animals'), { wanted: { kind: 'entity' } });
    expect(xml(bound, found(rows(record)), 'Animals(1)')).toContain(
      '<d:Mood m:type="#Odd.Zoo.Code"><d:Text>Calm</d:Text><d:Value m:type="Int64">1001</d:Value></d:Mood>' +
        '<d:Nicknames m:type="#Collection(String)"><m:element>a</m:element><m:element></m:element></d:Nicknames>' +
        '<d:Care m:null="true"/>' +
        '<d:Habits m:type="#Collection(Odd.Zoo.Habit)"><m:element><d:Name>eats</d:Name><d:TimesADay m:type="Int32">2</d:TimesADay></m:element></d:Habits>',
    );
  });

  it('offers what can be done', () => {
    const target = `${ROOT}Animals(1)/Odd.Zoo.Feed`;
    const record = `{"#Odd.Zoo.Feed":{"title":"Feed","target":"${target}"}}`;
    const bound = read(set('Animals'), { wanted: { kind: 'entity' } });
    expect(xml(bound, found(rows(record)), 'Animals(1)')).toContain(
      `<m:action metadata="#Odd.Zoo.Feed" title="Feed" target="${target}"/>`,
    );
  });

  it('with a place on earth as GML', () => {
    const bound = read(set('Enclosures'), { wanted: { kind: 'entity' } });
    const record = '{"Place":{"type":"Point","coordinates":[4.9,52.4]}}';
    expect(xml(bound, found(rows(record)), 'Enclosures(1)')).toContain(
      '<gml:pos>52.4 4.9</gml:pos></gml:Point></d:Place>',
    );
  });
});

describe('A feed', () => {
  it('has its own address, the count, the entries and the next link', () => {
    const bound = read(set('Keepers'), { query: { count: true } });
    const records = Array.from({ length: 21 }, () => `${keeper}}`);
    const body = xml(bound, found(rows(...records), { count: 30n }), 'Keepers?$count=true');
    expect(body).toContain(
      `<feed xml:base="${ROOT}" m:context="${ROOT}$metadata#Keepers" ${NAMESPACES}><id>${ROOT}Keepers?$count=true</id><title/>`,
    );
    expect(body).toContain(
      `<link rel="self" href="${ROOT}Keepers?$count=true"/><m:count>30</m:count><entry`,
    );
    expect(body.match(/<entry/g)).toHaveLength(20);
    expect(body).toMatch(/<link rel="next" href="[^"]*\$skiptoken=1\.[^"]*"\/><\/feed>$/);
  });

  it('of references has their ids', () => {
    const bound = read(set('Keepers'), { wanted: { kind: 'references' } });
    const body = xml(bound, found(rows(`{"@odata.id":"${ROOT}Keepers(1)"}`)), 'Keepers/$ref');
    expect(body).toContain(`<m:ref id="${ROOT}Keepers(1)"/></feed>`);
    expect(body).toContain(`m:context="${ROOT}$metadata#Collection($ref)"`);
  });
});

describe('A value', () => {
  const propertyOf = (set: string, path: string) => {
    const from = one(set, 1n);
    const type = from.row.type.name.replace('Odd.Zoo.', '');
    const wanted = {
      kind: 'property',
      value: bindText(from, path),
      path: [property(type, path)],
    } as const;
    const address = [
      { name: set, kind: 'set', key: '1', many: false } as const,
      { name: path, kind: 'property', many: false } as const,
    ];
    return read(from, { wanted, address });
  };

  it.each([
    ['Keepers', 'Badge', '5', ' m:type="Int32">5</m:value>'],
    ['Keepers', 'Name', '"A&B"', '>A&amp;B</m:value>'],
    [
      'Animals',
      'Nicknames',
      '["a"]',
      ' m:type="#Collection(String)"><m:element>a</m:element></m:value>',
    ],
    [
      'Animals',
      'Mood',
      '{"Text":"Calm"}',
      ' m:type="#Odd.Zoo.Code"><d:Text>Calm</d:Text></m:value>',
    ],
  ])('%s/%s', (set, path, json, expected) => {
    const body = xml(propertyOf(set, path), found(rows(json)), `${set}(1)/${path}`);
    expect(body).toContain(
      `<m:value xml:base="${ROOT}" m:context="${ROOT}$metadata#${set}(1)/${path}" ${NAMESPACES}${expected}`,
    );
  });
});
