// This file parses messages as mail programs write them, well and badly: whatever their encoding, no message is lost.
import { describe, expect, it } from 'vitest';
import { MessageError } from '../../../src/mail/in/message.ts';
import { parseMessage } from '../../../src/mail/in/parse-message.ts';
import { eml, multipart, parsed } from './eml.ts';

describe('The text of a message', () => {
  const text = (charset: string) => ({ 'Content-Type': `text/plain; charset=${charset}` });

  // zammad/zammad#2722, #3115, #3951, #2227 and #6141: an encoding that is wrong, unknown or invalid drops the message.
  it.each([
    ['an unknown encoding', text('foo-8'), 'caf\xe9', 'café'],
    ['iso-8859-1, which means windows-1252', text('iso-8859-1'), '\x80 5', '€ 5'],
    ['gb2312, which means gb18030', text('gb2312'), '\x81\x30\x84\x36', '¥'],
    ['iso-2022-jp', text('iso-2022-jp'), '\x1b$BF|K\\\x1b(B', '日本'],
    ['ASCII with other bytes', text('us-ascii'), 'caf\xe9', 'café'],
    ['UTF-8 with invalid bytes', text('utf-8'), 'caf\xe9', 'café'],
    ['an encoding in quotation marks', text('"utf-8"'), 'caf\xe9', 'café'],
    ['no encoding', { 'Content-Type': 'text/plain' }, 'caf\xe9', 'café'],
    ['no content type', { Subject: 'x' }, 'caf\xe9', 'café'],
    ['UTF-8 and U+FFFD as a character', text('utf-8'), '\xc3\xa9 \xef\xbf\xbd', 'é \ufffd'],
  ] as const)('in %s is read', async (_, headers, body, expected) => {
    expect((await parsed(headers, body)).text?.trim()).toBe(expected);
  });

  it.each([
    ['=?iso-8859-1?Q?caf=E9?=', 'café'],
    ['=?utf-8?Q?caf=E9?=', 'café'],
    ['=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['caf\xe9', 'café'],
    ['caf\xc3\xa9', 'café'],
    ['=?utf-8?B?w6k=?= =?utf-8?B?w6k=?=', 'éé'],
  ])('of the subject %j is %s', async (Subject, expected) => {
    expect((await parsed({ Subject })).subject).toBe(expected);
  });

  it('with invalid bytes keeps the raw message', async () => {
    expect((await parsed(text('utf-8'), 'caf\xe9')).keepsRaw).toBe(true);
    expect((await parsed(text('utf-8'), 'caf\xc3\xa9')).keepsRaw).toBe(false);
  });

  it('has no NUL, which no database stores', async () => {
    const headers = {
      'Content-Transfer-Encoding': 'quoted-printable',
      Subject: '=?utf-8?Q?a=00b?=',
    };
    const message = await parsed(headers, 'c=00d');
    expect([message.subject, message.text?.trim()]).toEqual(['a\ufffdb', 'c\ufffdd']);
    await expect(parsed({ Subject: 'a\0b' })).rejects.toThrow(MessageError);
  });
});

// RFC 3676, sections 4.1 to 4.6 and 7.
describe('Text with format=flowed', () => {
  const flowed = async (lines: readonly string[], more = '') => {
    const headers = { 'Content-Type': `text/plain; charset=utf-8; format=flowed${more}` };
    return (await parsed(headers, lines.join('\r\n'))).text?.trimEnd().split('\n');
  };

  it.each([
    [
      'joins quoted lines, but not those of different depths',
      [
        '> Could you please restart the printer and tell us whether it ',
        '> works again?',
        '>> deeper ',
        '> back',
      ],
      [
        '> Could you please restart the printer and tell us whether it works again?',
        '>> deeper ',
        '> back',
      ],
    ],
    [
      'joins flowed lines',
      ['`Take some more ', 'tea,', "' said"],
      ['`Take some more tea,', "' said"],
    ],
    ['ends paragraphs with empty lines', ['a ', '', '', 'b'], ['a ', '', 'b']],
    ['unstuffs lines', [' From x ', '  y', '>  z'], ['From x  y', '>  z']],
    [
      'keeps a stuffed mark apart',
      [' > is greater', '> is quoted'],
      [' > is greater', '> is quoted'],
    ],
    ['keeps the signature', ['text ', '-- ', 'Isla'], ['text ', '-- ', 'Isla']],
    ['keeps a quoted signature', ['> text ', '> -- ', '> Isla'], ['> text ', '> -- ', '> Isla']],
    ['reads marks with and without a space', ['>a ', '> b', '>'], ['> a b', '>']],
  ] as const)('%s', async (_, lines, expected) => {
    expect(await flowed(lines)).toEqual(expected);
  });

  it('with DelSp=yes loses the spaces of flowed lines only', async () => {
    const lines = ['>quoted ', '>more', 'text ', '-- ', 'sig', 'a  ', 'b'];
    const expected = ['> quotedmore', 'text', '-- ', 'sig', 'a b'];
    expect(await flowed(lines, '; DelSp=yes')).toEqual(expected);
  });

  it('is decoded in each part of a message by itself', async () => {
    const parts = [
      'Content-Type: text/plain; format=flowed\r\n\r\n> a \r\n> b',
      'Content-Type: text/plain\r\n\r\n> a \r\n> b',
      'Content-Type: text/plain; format=flowed\r\nContent-Transfer-Encoding: base64\r\n\r\nPiBjIAo+IGQ=',
    ];
    const { text } = await parseMessage(multipart('multipart/mixed', {}, parts));
    expect(text?.split(/\n+/)).toEqual(['> a b', '> a ', '> b', '> c d']);
  });
});

describe('The headers of a message', () => {
  it('are read with folded lines, groups and comments', async () => {
    const message = await parsed({
      From: '"Walker, Isla" <Isla@example.com>',
      To: 'Desk: a@example.com, B <b@example.com>;, c@example.com',
      'In-Reply-To': 'Your message of Monday <one@example.com>',
      References: '<root@example.com>\r\n <two@example.com>',
      'Message-ID': '<three@example.com>',
      'Content-Language': 'nl-NL',
    });
    expect(message).toMatchObject({
      from: { address: 'Isla@example.com', name: 'Walker, Isla' },
      to: ['a@example.com', 'b@example.com', 'c@example.com'],
      inReplyTo: ['<one@example.com>'],
      references: ['<root@example.com>', '<two@example.com>'],
      messageId: '<three@example.com>',
      language: 'nl-NL',
    });
  });

  it.each([
    ['nothing at all', Buffer.alloc(0)],
    ['no header', Buffer.from('\r\nHello')],
    ['no body', Buffer.from('Subject: x')],
    ['a broken multipart', eml({ 'Content-Type': 'multipart/mixed' }, 'x')],
    ['an address without a domain', eml({ From: 'root' })],
  ])('may be missing: %s', async (_, raw) => {
    expect((await parseMessage(raw)).messageId).toBeUndefined();
  });

  it('are limited', async () => {
    await expect(parsed({ 'X-Long': 'x'.repeat(300_000) })).rejects.toThrow(MessageError);
  });
});

describe('The parts of a message', () => {
  it('are files, calendar entries and forwarded messages included', async () => {
    const raw = multipart('multipart/mixed', {}, [
      'Content-Type: text/plain\r\n\r\nHello',
      'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR',
      'Content-Type: application/ms-tnef; name="winmail.dat"\r\n\r\nx',
      'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\ninner text',
      "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''caf%C3%A9.pdf\r\n\r\nx",
    ]);
    const { text, files } = await parseMessage(raw);
    expect(text?.trim()).toBe('Hello');
    expect(files.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      [undefined, 'text/calendar'],
      ['winmail.dat', 'application/ms-tnef'],
      [undefined, 'message/rfc822'],
      ['café.pdf', 'application/pdf'],
    ]);
  });

  it('are limited in number and depth', async () => {
    const parts = Array.from({ length: 501 }, () => 'Content-Type: image/png\r\n\r\nx');
    const mixed = (some: readonly string[]) => parseMessage(multipart('multipart/mixed', {}, some));
    await expect(mixed(parts)).rejects.toThrow('500 parts');
    expect((await mixed(parts.slice(1))).files).toHaveLength(500);
    const texts = Array.from({ length: 501 }, () => 'Content-Type: text/plain\r\n\r\nx');
    await expect(mixed(texts)).rejects.toThrow('500 parts');
    const nested = (length: number) =>
      Array.from(
        { length },
        (_, depth) =>
          `Content-Type: multipart/mixed; boundary="b ${depth}"\r\n\r\n--b ${depth}\r\n`,
      ).join('');
    await expect(parseMessage(Buffer.from(nested(21)))).rejects.toThrow(MessageError);
    const { files } = await parseMessage(Buffer.from(`${nested(20)}Content-Type: a/b\r\n\r\nx`));
    expect(files).toHaveLength(1);
  });

  it.each([
    ['a line of spaces', `--${' '.repeat(500_000)}x`],
    ['many declarations', 'boundary='.repeat(50_000)],
    ['many quotation marks', 'boundary="'.repeat(50_000)],
  ])('are counted in no time: %s', async (_, body) => {
    const start = performance.now();
    await parsed({ 'Content-Type': 'multipart/mixed; boundary=x' }, body);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('have names in several pieces and encodings', async () => {
    const name = 'name*0*=iso-8859-1\'\'caf%E9;\r\n name*1*=%20noir;\r\n name*2=".pdf"';
    const raw = multipart('multipart/mixed', {}, [
      `Content-Type: application/pdf; ${name}\r\n\r\nx`,
      'Content-Type: a/b\r\nContent-Disposition: attachment; filename="=?utf-8?B?w6kucGRm?="\r\n\r\nx',
    ]);
    const names = (await parseMessage(raw)).files.map((file) => file.name);
    expect(names).toEqual(['café noir.pdf', 'é.pdf']);
  });

  it('that are signatures are files, and the raw message is kept', async () => {
    const raw = multipart('multipart/signed; protocol="application/pkcs7-signature"', {}, [
      'Content-Type: text/plain\r\n\r\nHello',
      'Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx',
    ]);
    const { keepsRaw, files, text } = await parseMessage(raw);
    expect([keepsRaw, text?.trim(), files.map((file) => file.name)]).toEqual([
      true,
      'Hello',
      ['smime.p7s'],
    ]);
  });

  it('that are signed or encrypted keep the raw message', async () => {
    for (const type of ['multipart/signed', 'multipart/encrypted', 'application/pkcs7-mime'])
      expect((await parsed({ 'Content-Type': `${type}; boundary=x` }, '--x--')).keepsRaw).toBe(
        true,
      );
  });

  it('that are not found in a message of parts keep the raw message', async () => {
    const body = '--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n';
    const keepsRaw = async (type: string) =>
      (await parsed({ 'Content-Type': `multipart/mixed${type}` }, body)).keepsRaw;
    expect(await keepsRaw('')).toBe(true);
    expect(await keepsRaw('; boundary=other')).toBe(true);
    expect(await keepsRaw('; boundary=b')).toBe(false);
  });

  it('of a delivery report name the message that was not delivered', async () => {
    const raw = multipart('multipart/report; report-type=delivery-status', {}, [
      'Content-Type: text/plain\r\n\r\nNo such user',
      'Content-Type: message/delivery-status\r\n\r\nStatus: 5.1.1',
      'Content-Type: text/rfc822-headers\r\n\r\nSubject: x\r\nMessage-ID:\r\n <sent@desk.example>\r\nX-Docket-Message: 12.ab\r\n',
    ]);
    expect((await parseMessage(raw)).reported).toEqual({
      messageIds: ['<sent@desk.example>'],
      tokens: ['12.ab'],
    });
  });
});
