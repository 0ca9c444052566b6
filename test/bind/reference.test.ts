// This file checks the forms in which clients write the URL of an entity, and which are refused.
import { describe, expect, test } from 'vitest';
import { relativePath } from '../../src/bind/path/entity-url.ts';

const contentIds = new Map([['1', 'http://zoo.example:5181/odata/Animals(9)']]);

function pathOf(text: string, root = 'http://zoo.example:5181/odata/'): string {
  const path = relativePath({ root, contentIds }, text);
  return 'relative' in path ? path.relative : `! ${path.reason}`;
}

describe('the URL of an entity', () => {
  test.each([
    ['relative', 'Keepers(7)'],
    ['with a slash', '/Keepers(7)'],
    ['with the path of the root', '/odata/Keepers(7)'],
    ['absolute', 'http://zoo.example:5181/odata/Keepers(7)'],
    ['absolute with another case of the host', 'HTTP://Zoo.Example:5181/odata/Keepers(7)'],
    ['relative to a longer path', '../../Keepers(7)'],
    ['relative to here', './Keepers(7)'],
    ['with a slash at the end', 'Keepers(7)/'],
    ['with blanks around', ' Keepers(7) '],
  ])('%s', (_, text) => {
    expect(pathOf(text)).toBe('Keepers(7)');
  });

  test('a port that goes without saying may be written', () => {
    expect(pathOf('https://zoo.example:443/odata/Keepers(7)', 'https://zoo.example/odata/')).toBe(
      'Keepers(7)',
    );
    expect(pathOf('http://zoo.example/odata/Keepers(7)', 'http://zoo.example:80/odata/')).toBe(
      'Keepers(7)',
    );
  });

  test('a Content-ID stands for what was made under it', () => {
    expect(pathOf('$1')).toBe('Animals(9)');
    expect(pathOf('$1/Mother')).toBe('Animals(9)/Mother');
  });

  test.each([
    ['of another host', 'http://evil.example/odata/Keepers(7)'],
    ['of another port', 'http://zoo.example/odata/Keepers(7)'],
    ['outside the root', 'http://zoo.example:5181/other/Keepers(7)'],
    ['of another scheme', 'file:///etc/passwd'],
    ['that is a script', 'javascript:alert(1)'],
    ['with a query', 'Keepers(7)?$select=Id'],
    ['with a fragment', 'Keepers(7)#x'],
    ['that is empty', ''],
    ['that is the root', '/odata/'],
  ])('%s is refused', (_, text) => {
    expect(pathOf(text)).toMatch(/^! /);
  });

  test('another host is named', () => {
    expect(pathOf('http://evil.example/odata/Keepers(7)')).toContain('evil.example');
  });
});
