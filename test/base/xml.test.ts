// This file checks that written XML is read back as what was meant, whatever the text holds.
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import {
  element,
  escapeAttribute,
  escapeText,
  writeElement,
  writeXml,
} from '../../src/base/xml.ts';

describe('elements', () => {
  test('nest, take attributes and close themselves when empty', () => {
    const root = element('a:Root', { 'xmlns:a': 'urn:x', Flag: true, Size: 3, Left: undefined }, [
      element('Empty'),
      'text',
      element('Inner', {}, ['1 < 2']),
    ]);
    expect(writeXml(root)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>' +
        '<a:Root xmlns:a="urn:x" Flag="true" Size="3"><Empty/>text<Inner>1 &lt; 2</Inner></a:Root>',
    );
  });
});

describe('text', () => {
  test('markup, quotes and line ends are escaped where a reader would change them', () => {
    expect(escapeText('a & b < c > "d"\r\n')).toBe('a &amp; b &lt; c &gt; "d"&#13;\n');
    expect(escapeAttribute('a "b"\n\t')).toBe('a &quot;b&quot;&#10;&#9;');
  });

  test('a character that XML cannot hold becomes the replacement character', () => {
    expect(escapeText('a\u0000\u0008\ud800\uffff😀')).toBe('a\ufffd\ufffd\ufffd\ufffd😀');
  });

  test('any text comes back from a reader', () => {
    const text = fc
      .string({ unit: 'binary' })
      .map((value) =>
        value.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, ''),
      );
    fc.assert(
      fc.property(text, text, (attribute, content) => {
        const read = { attribute: '', content: '' };
        const parser = new SaxesParser();
        parser.on('opentag', (tag) => {
          read.attribute = String(tag.attributes.b ?? '');
        });
        parser.on('text', (part) => {
          read.content += part;
        });
        parser.write(writeElement(element('a', { b: attribute }, [content]))).close();
        expect(read).toEqual({ attribute, content });
      }),
    );
  });
});
