// This file turns HTML, as programs for mail write it, into text that distinguishes answers from what they answer.
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/mail/in/html-text.ts';
import { markQuotedText, splitQuotedText } from '../../../src/mail/in/quoted-text.ts';

const ANSWERED = [
  '> Which lamp is it?',
  '',
  'The one at the door.',
  '',
  '> Since when?',
  '',
  'Since Monday, as I said.',
];

/** Replies with answers between quoted paragraphs and a rest of the quotation below, and the text that becomes the history line. */
const REPLIES: readonly (readonly [client: string, html: string, expected: readonly string[]])[] = [
  [
    'Gmail',
    `<div dir="ltr"><div>Hello,</div><div><br></div><div>see below.</div><br>
<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, May 4, 2026 at 10:12 AM Desk &lt;<a
href="mailto:desk@example.com">desk@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote"
style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div>Which lamp
is it?</div></blockquote><div><br></div><div>The one at the door.</div><div> </div>
<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div>Since
when?</div></blockquote><div><br></div><div>Since Monday, as I said.</div><div><br></div><blockquote class="gmail_quote"
style="border-left:1px solid #ccc"><div>Kind regards<br>Desk</div><blockquote class="gmail_quote">No light.</blockquote></blockquote></div></div>`,
    [
      ...['Hello,', '', 'see below.', ''],
      'On Mon, May 4, 2026 at 10:12 AM Desk <desk@example.com> wrote:',
      ...['', ...ANSWERED, ''],
      ...['> Kind regards', '> Desk', '>> No light.'],
    ],
  ],
  [
    'Apple Mail',
    `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body style="overflow-wrap: break-word;"
class="">Hello, see below.<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>On 4 May 2026, at 10:12, Desk
&lt;desk@example.com&gt; wrote:</div><br class="Apple-interchange-newline"><div><div>Which lamp is it?</div></div></blockquote><div><br></div>The
one at the door.<br><blockquote type="cite"><div>Since when?</div></blockquote><div><br></div>Since Monday, as I said.<br><br><blockquote
type="cite"><div><div>Kind regards</div><div>Desk</div></div></blockquote></div><br></body></html>`,
    [
      'Hello, see below.',
      ...['', '> On 4 May 2026, at 10:12, Desk <desk@example.com> wrote:', ''],
      ...[...ANSWERED, '', '> Kind regards', '> Desk'],
    ],
  ],
  [
    'Outlook, which prefixes lines',
    `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!--
p.MsoNormal {margin:0cm;} --></style><!--[if gte mso 9]><xml><o:shapedefaults v:ext="edit" spidmax="1026" /></xml><![endif]--></head>
<body lang=EN-GB link="#0563C1"><div class=WordSection1><p class=MsoNormal>Hello, see below.<o:p></o:p></p><p
class=MsoNormal><o:p>&nbsp;</o:p></p><div style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><div><div
style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b><span lang=EN-US>From:</span></b><span
lang=EN-US> Desk &lt;desk@example.com&gt; <br><b>Sent:</b> Monday, 4 May 2026 10:12<br><b>To:</b> Isla<br><b>Subject:</b> Lamp<o:p></o:p></span></p></div></div><p
class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>Which lamp
is it?<o:p></o:p></p></div><p class=MsoNormal><span style='color:#1F497D'>The one at the door.<o:p></o:p></span></p><div
style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><p class=MsoNormal>Since when?<o:p></o:p></p></div><p
class=MsoNormal><span style='color:#1F497D'>Since Monday, as I said.<o:p></o:p></span></p><div
style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><p class=MsoNormal>Kind regards<br>Desk<o:p></o:p></p></div></div></body></html>`,
    [
      ...['Hello, see below.', ''],
      ...['> From: Desk <desk@example.com>', '> Sent: Monday, 4 May 2026 10:12'],
      ...['> To: Isla', '> Subject: Lamp', ''],
      ...[...ANSWERED, '', '> Kind regards', '> Desk'],
    ],
  ],
  [
    'Thunderbird',
    `<!DOCTYPE html>\r\n<html>\r\n  <head>\r\n    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\r\n  </head>
  <body>\r\n    <p>Hello, see below.<br>\r\n    </p>\r\n    <div class="moz-cite-prefix">On 04/05/2026 10:12, Desk wrote:<br>\r\n    </div>
    <blockquote type="cite" cite="mid:1@example.com">\r\n      <pre wrap="" class="moz-quote-pre">Which lamp is it?\r\n</pre>\r\n    </blockquote>
    <br>\r\n    The one at the door.<br>\r\n    <blockquote type="cite" cite="mid:1@example.com">\r\n      <pre class="moz-quote-pre">Since when?</pre>
    </blockquote>\r\n    <p>Since Monday,\r\n      as I said.</p>\r\n    <blockquote type="cite" cite="mid:1@example.com">
      <pre class="moz-quote-pre">Kind regards\r\nDesk</pre>\r\n    </blockquote>\r\n  </body>\r\n</html>`,
    [
      ...['Hello, see below.', 'On 04/05/2026 10:12, Desk wrote:', ''],
      ...[...ANSWERED, '', '> Kind regards', '> Desk'],
    ],
  ],
];

describe('A reply in HTML', () => {
  it.each(REPLIES)('of %s keeps answers between quoted paragraphs', (_, html, expected) => {
    const text = textOf(html);
    expect(text.split('\n')).toEqual(expected);
    expect(markQuotedText(text)).toBe(text);
    const { own, quoted } = splitQuotedText(text);
    expect(own.trimEnd().endsWith('Since Monday, as I said.')).toBe(true);
    expect(quoted.split('\n').slice(0, 2)).toEqual(['> Kind regards', '> Desk']);
  });

  it('of Outlook without such a border is marked from the headers on', () => {
    const text = textOf(
      `<div class=WordSection1><p class=MsoNormal>It works.</p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt'>
<p class=MsoNormal><b>From:</b> Desk<br><b>Sent:</b> Monday, 4 May 2026 10:12<br><b>To:</b> Isla<br><b>Subject:</b> Lamp</p></div></div>
<p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>Does it work?</p></div>`,
    );
    expect(markQuotedText(text).split('\n')).toEqual([
      ...['It works.', '> From: Desk', '> Sent: Monday, 4 May 2026 10:12', '> To: Isla'],
      ...['> Subject: Lamp', '', '> Does it work?'],
    ]);
  });
});

describe('The text of HTML', () => {
  it.each([
    [
      'characters',
      '<style>p{}</style><p>Price &lt; 5 &amp; more</p><p>Next<br>line&nbsp;2</p>',
      'Price < 5 & more\nNext\nline 2',
    ],
    ['white space that is not shown', '<p>One\r\n  line</p>\n\n<p>two</p>', 'One line\ntwo'],
    ['lines that are preformatted', '<pre>One\r\n  line\n</pre>two', 'One\nline\ntwo'],
    [
      'cells',
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
      'a b\nc d',
    ],
    ['empty lines', 'a<br><br><br><div>&nbsp;</div><div>b</div>', 'a\n\nb'],
    [
      'indented text, which is no quotation',
      '<blockquote style="margin: 0 0 0 40px; border: none; padding: 0px;"><div>a</div></blockquote>b',
      'a\nb',
    ],
    ['a quotation without an end', '<p>a</p><blockquote>b<div>c', 'a\n\n> b\n> c'],
    ['ends without a beginning', 'a</blockquote></div>b', 'ab'],
    ['what only looks like a quotation', '&lt;blockquote&gt;a', '<blockquote>a'],
  ])('has %s', (_, html, expected) => {
    expect(textOf(html)).toBe(expected);
  });

  it('of thousands of nested quotations is made in linear time and space', () => {
    const started = performance.now();
    const text = textOf('<blockquote>a'.repeat(20_000));
    expect(text.split('\n').at(-1)).toBe(`${'>'.repeat(20)} a`);
    expect(text.length).toBeLessThan(600_000);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
