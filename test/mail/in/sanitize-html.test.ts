// This file removes from HTML whatever could run, load or lead astray, and keeps what is to be read.
import { describe, expect, it } from 'vitest';
import { sanitizeHtml } from '../../../src/mail/in/sanitize-html.ts';

const FILES = new Map([['a@b', "Attachments(Name='logo.png')/$value"]]);
const clean = (html: string) => sanitizeHtml(html, (id) => FILES.get(id));

describe('HTML', () => {
  it.each([
    '<script>evil()</script>',
    '<p onclick="evil()">x</p>',
    '<a href="javascript:evil()">x</a>',
    '<a href=" java\nscript:evil()">x</a>',
    '<a href="data:text/html,evil">x</a>',
    '<svg><script>evil()</script></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=evil()>',
    '<style>p{background:url(https://evil.example)}</style>',
    '<p style="background:url(https://evil.example)">x</p>',
    '<link rel=stylesheet href="https://evil.example">',
    '<iframe src="https://evil.example"></iframe>',
    '<form action="https://evil.example"><input name=evil></form>',
    '<img src="https://evil.example/pixel.png">',
    '<img src="//evil.example/pixel.png">',
    '<img srcset="https://evil.example/pixel.png 2x">',
    '<table background="https://evil.example"><tr><td>x</td></tr></table>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<base href="https://evil.example">',
    '<object data="evil.swf"></object>',
    '<!--[if mso]><p>evil</p><![endif]-->',
    '<noscript><p title="</noscript><img src=x onerror=evil()>"></noscript>',
  ])('%s is made harmless', (html) => {
    expect(clean(html)).not.toMatch(
      /evil|<(?:script|style|svg|iframe|form|input|link|meta|base|object)/i,
    );
  });

  it.each([
    ['<p>a <b>b</b></p>', '<p>a <b>b</b></p>'],
    [
      '<a href="https://example.com/?a=1&amp;b=2">x</a>',
      '<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer">x</a>',
    ],
    ['<td colspan="2">x</td>', '<td colspan="2">x</td>'],
    ['<blockquote>quoted</blockquote>', '<blockquote>quoted</blockquote>'],
    [
      '<img src="cid:a%40b" alt="Logo">',
      `<img src="Attachments(Name='logo.png')/$value" alt="Logo" />`,
    ],
  ])('%s is kept', (html, expected) => {
    expect(clean(html)).toBe(expected);
  });
});
