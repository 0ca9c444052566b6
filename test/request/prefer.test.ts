// This file tests the Prefer header: every preference in both spellings, and that what is unknown counts as absent.

import { describe, expect, test } from 'vitest';
import {
  appliedPreference,
  NO_PREFERENCES,
  readPreferences,
} from '../../src/request/headers/parse-prefer.ts';

describe('RFC 7240, "The Prefer Request Header Field"', () => {
  test.each([
    ['return=minimal', { return: 'minimal' }],
    ['return = representation', { return: 'representation' }],
    ['return="minimal"', { return: 'minimal' }],
    ['maxpagesize=50', { maxpagesize: 50 }],
    ['odata.maxpagesize=50', { maxpagesize: 50 }],
    ['odata.track-changes', { trackChanges: true }],
    ['track-changes', { trackChanges: true }],
    ['odata.continue-on-error', { continueOnError: true }],
    ['continue-on-error=false', { continueOnError: false }],
    ['odata.include-annotations="*,-NS.*"', { includeAnnotations: ['*', '-NS.*'] }],
    ['include-annotations=display.*', { includeAnnotations: ['display.*'] }],
    ['include-annotations="NS.Term#Q"', { includeAnnotations: ['NS.Term#Q'] }],
    ['omit-values=nulls', { omitValues: 'nulls' }],
    ['omit-values=defaults', { omitValues: 'defaults' }],
    ['respond-async, wait=10', { respondAsync: true, wait: 10 }],
    ['odata.allow-entityreferences', { allowEntityReferences: true }],
    ['odata.callback;url="http://x/y,z"', { callback: 'http://x/y,z' }],
    ['callback ; url = "http://x"', { callback: 'http://x' }],
    ['conflict-resolution=rename', { conflictResolution: 'rename' }],
    ['Return=Minimal;foo=bar , MaxPageSize=3', { return: 'minimal', maxpagesize: 3 }],
    ['return=minimal, return=representation', { return: 'minimal' }],
    ['odata.maxpagesize=1, maxpagesize=2', { maxpagesize: 1 }],
    ['dry-run', { dryRun: true }],
  ])('%s', (header, expected) => {
    const { spellings, ...read } = readPreferences(header);
    expect({ ...NO_PREFERENCES, ...read }).toEqual({ ...NO_PREFERENCES, ...expected });
    expect(spellings.size).toBeGreaterThan(0);
  });

  test.each([
    '',
    'foo',
    'foo=bar;baz="a,b"',
    'return=all',
    'return',
    'maxpagesize=0',
    'maxpagesize=-1',
    'maxpagesize=ten',
    'maxpagesize',
    'include-annotations="Namespace"',
    'include-annotations=""',
    'conflict-resolution=fail',
    'odata.return=minimal',
    'odata.wait=5',
    'callback',
    '__proto__=1',
  ])('%s counts as absent', (header) => {
    expect({ ...readPreferences(header), spellings: new Map() }).toEqual(NO_PREFERENCES);
  });
});

describe('RFC 7240, "The Preference-Applied Response Header Field"', () => {
  test.each([
    ['maxpagesize=3', 'maxpagesize', 2, 'maxpagesize=2'],
    ['odata.maxpagesize=3', 'maxpagesize', 2, 'odata.maxpagesize=2'],
    ['OData.MaxPageSize = 3', 'maxpagesize', 3, 'OData.MaxPageSize=3'],
    ['maxpagesize=3, odata.maxpagesize=4', 'maxpagesize', 3, 'maxpagesize=3'],
    ['continue-on-error', 'continue-on-error', true, 'continue-on-error'],
    ['odata.continue-on-error=false', 'continue-on-error', false, 'odata.continue-on-error=false'],
    ['Track-Changes', 'track-changes', undefined, 'Track-Changes'],
    ['', 'respond-async', undefined, 'respond-async'],
  ])('%s', (header, name, value, expected) => {
    expect(appliedPreference(readPreferences(header), name, value)).toBe(expected);
  });
});
