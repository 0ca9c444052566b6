// This file believes what the organization's own mail server has found out about a sender, and nothing else. RFC 8601.
import { describe, expect, it } from 'vitest';
import { authenticationMistake } from '../../../src/mail/in/authentication-results.ts';
import { parseMessage } from '../../../src/mail/in/parse-message.ts';

const SERVERS = { servers: ['mx.example.org', 'backup.example.org'] };
const FROM = 'From: Isla <isla@mail.example.com>';

/** The reason against the sender of a message with these header lines. */
async function mistakeIn(...lines: readonly string[]): Promise<string | undefined> {
  const message = await parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\nx`));
  return authenticationMistake(message, SERVERS);
}
const results = (text: string) => `Authentication-Results: ${text}`;

describe('A sender is authenticated', () => {
  it.each([
    ['DMARC', 'mx.example.org; dmarc=pass header.from=mail.example.com'],
    ['DKIM', 'mx.example.org; dkim=pass header.d=mail.example.com header.s=a'],
    ['DKIM of the parent domain', 'mx.example.org; dkim=pass header.i=@example.com'],
    ['SPF', 'mx.example.org; spf=pass smtp.mailfrom=bounces@mail.example.com'],
    ['a login', 'mx.example.org; auth=pass (cram-md5) smtp.auth=isla@mail.example.com'],
    ['one of several methods', 'mx.example.org; spf=fail; dkim=pass header.d=example.com'],
    [
      'one of several signatures',
      'mx.example.org; dkim=fail header.d=a.com; dkim=pass header.d=example.com',
    ],
    ['another server of the organization', 'BACKUP.example.org 1; dkim=pass header.d=EXAMPLE.com'],
    [
      'a folded field with comments',
      'mx.example.org\r\n (a; b) 1;\r\n dkim = pass (good; really) header.d=example.com',
    ],
    [
      'words in quotation marks',
      '"mx.example.org"; dkim=pass reason="a; b" header.d="example.com"',
    ],
    ['a version of the method', 'mx.example.org; dkim/1=pass header.d=example.com'],
  ])('by %s', async (_, text) => {
    expect(await mistakeIn(results(text), FROM)).toBeUndefined();
  });

  it('by the first field, above what other servers have received', async () => {
    const own = results('mx.example.org; dkim=pass header.d=example.com');
    expect(await mistakeIn('Received: from b by c', own, 'Received: from a', FROM)).toBeUndefined();
  });

  it('by another of the fields of its server', async () => {
    const fields = [
      results('mx.example.org; spf=none'),
      results('mx.example.org; dmarc=pass header.from=mail.example.com'),
    ];
    expect(await mistakeIn(...fields, 'Received: from a', FROM)).toBeUndefined();
  });
});

describe('A sender is not authenticated', () => {
  it.each([
    ['another server', 'mx.attacker.net; dmarc=pass header.from=mail.example.com'],
    ['a server with a similar name', 'mx.example.org.attacker.net; dkim=pass header.d=example.com'],
    ['another domain', 'mx.example.org; dkim=pass header.d=attacker.net'],
    ['a domain with a similar name', 'mx.example.org; dkim=pass header.d=ample.com'],
    ['a top-level domain', 'mx.example.org; dkim=pass header.d=com'],
    ['a domain below', 'mx.example.org; dkim=pass header.d=x.mail.example.com'],
    ['DMARC of another domain', 'mx.example.org; dmarc=pass header.from=attacker.net'],
    ['SPF of another sender', 'mx.example.org; spf=pass smtp.mailfrom=x@attacker.net'],
    ['the login of somebody else', 'mx.example.org; auth=pass smtp.auth=bob@mail.example.com'],
    ['a failure', 'mx.example.org; dkim=fail header.d=example.com'],
    ['no result', 'mx.example.org; none'],
    ['an unknown method', 'mx.example.org; iprev=pass policy.iprev=192.0.2.1'],
    ['a comment', 'mx.example.org; dkim=fail (; dkim=pass header.d=example.com)'],
    ['a reason', 'mx.example.org; dkim=fail reason="; dkim=pass header.d=example.com"'],
    [
      'DMARC that fails in spite of SPF',
      'mx.example.org; spf=pass smtp.mailfrom=a@example.com; dmarc=fail',
    ],
  ])('by %s', async (_, text) => {
    expect(await mistakeIn(results(text), FROM)).toContain('not authenticated');
  });

  it('by a field that was there before the server received the message', async () => {
    const forged = results('mx.example.org; dkim=pass header.d=example.com');
    const own = results('mx.example.org; dkim=none');
    expect(await mistakeIn(own, 'Received: from a', forged, FROM)).toBe(
      'isla@mail.example.com is not authenticated: dkim=none.',
    );
  });

  it('by a field that is longer than any server writes, and soon', async () => {
    const start = performance.now();
    const quoted = `mx.example.org; dkim=pass header.d=example.com "${'\\"'.repeat(100_000)}`;
    expect(await mistakeIn(results(quoted), FROM)).toContain('there are no');
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('if there is no field, no sender, or more than one', async () => {
    const own = results('mx.example.org; dkim=pass header.d=example.com');
    expect(await mistakeIn(FROM)).toBe(
      'isla@mail.example.com is not authenticated: there are no Authentication-Results of mx.example.org or backup.example.org.',
    );
    for (const lines of [[own], [own, FROM, 'From: eve@example.net']])
      expect(await mistakeIn(...lines)).toContain('does not name exactly one');
    expect(await mistakeIn(own, 'From: isla@mail.example.com, eve@example.net')).toContain(
      'exactly one',
    );
  });
});
