// This file renders refusals in JSON and XML.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { renderError } from '../../src/response/error.ts';
import { ask } from '../plan/readings.ts';

const fault = new Fault(
  'not-built',
  { feature: '<x>' },
  {
    target: '$filter',
    details: [{ code: 'a', message: 'b', target: 'c' }],
    headers: { 'Retry-After': '5' },
  },
);

describe('A refusal', () => {
  it('has code, message, target and details, in JSON', () => {
    const { status, headers, body } = renderError(fault, ask('Keepers').negotiated);
    expect(status).toBe(501);
    expect(JSON.parse(String(body))).toEqual({
      error: {
        code: 'not-built',
        message: 'The feature <x> is not implemented.',
        target: '$filter',
        details: [{ code: 'a', message: 'b', target: 'c' }],
      },
    });
    expect(headers).toMatchObject({
      'OData-Version': '4.0',
      'Content-Type': 'application/json; odata.metadata=minimal',
      'Content-Language': 'en',
      'Retry-After': '5',
    });
  });

  it('in XML where XML was asked for', () => {
    const { headers, body } = renderError(
      fault,
      ask('Keepers', { accept: 'application/atom+xml', 'odata-maxversion': '4.01' }).negotiated,
    );
    expect(headers).toMatchObject({
      'Content-Type': 'application/atom+xml',
      'OData-Version': '4.01',
    });
    expect(body).toContain(
      '<m:error xmlns:m="http://docs.oasis-open.org/odata/ns/metadata"><m:code>not-built</m:code>' +
        '<m:message>The feature &lt;x&gt; is not implemented.</m:message><m:target>$filter</m:target>' +
        '<m:details><m:detail><m:code>a</m:code><m:message>b</m:message><m:target>c</m:target></m:detail></m:details></m:error>',
    );
  });

  it('is JSON of 4.0 where the request could not be read', () => {
    const { headers } = renderError(new Fault('not-built', { feature: 'x' }));
    expect(headers['Content-Type']).toBe('application/json; odata.metadata=minimal');
  });

  it('of a count is JSON too', () => {
    const { headers } = renderError(fault, ask('Keepers/$count').negotiated);
    expect(headers['Content-Type']).toMatch(/^application\/json/);
  });

  it('that is a failure of ours tells nothing of itself', () => {
    const { status, body } = renderError(new TypeError('secret of SELECT'));
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(JSON.parse(String(body)).error.code).toBe('internal');
  });
});
