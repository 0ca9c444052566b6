// This file recognizes messages that machines send, and those that people send.
import { describe, expect, it } from 'vitest';
import { automaticReason } from '../../../src/mail/in/automatic-mail.ts';
import { parseMessage } from '../../../src/mail/in/parse-message.ts';
import { eml, parsed } from './eml.ts';

const OWN = new Set(['desk@desk.example']);
const PERSON = { From: 'Isla <isla@example.com>' };
const reason = async (headers: Readonly<Record<string, string>>, sender?: string) =>
  automaticReason(await parsed({ ...PERSON, ...headers }), { sender }, OWN);

describe('A message is automatic', () => {
  it.each([
    ['an automatic reply', { 'Auto-Submitted': 'auto-replied' }],
    ['a generated message', { 'auto-submitted': 'AUTO-GENERATED; owner-email="a@b"' }],
    ['a mailing list', { 'List-Id': '<news.example.com>' }],
    ['a mailing list by its commands', { 'List-Unsubscribe': '<https://example.com>' }],
    ['bulk mail', { Precedence: 'bulk' }],
    ['an old automatic reply', { Precedence: 'auto_reply' }],
    ['Exchange', { 'X-Auto-Response-Suppress': 'DR, OOF' }],
    // zammad/zammad#1131 and frappe/helpdesk#3628: the bounce of a notice caused another notice.
    ['a bounce', { 'Return-Path': '<>' }],
    ['a delivery report', { 'Content-Type': 'multipart/report; boundary=x' }],
    ['a mail system', { From: 'MAILER-DAEMON@example.com' }],
    ['an address that takes no replies', { From: 'No-Reply@example.com' }],
    ['a bounce address', { From: 'bounces+12=a.b@example.com' }],
    // zammad/zammad#731 and #2923: own notices were imported.
    ['this service', { From: 'Desk <DESK@desk.example>' }],
    ['a detail of an address of this service', { From: 'Desk <desk+12.ab@desk.example>' }],
    ['this service in test mode', { 'X-Docket-Recipient': 'a@example.com' }],
    ['a loop', { 'X-Loop': 'yes' }],
  ])('if it comes from %s', async (_, headers) => {
    expect(await reason(headers)).toEqual(expect.any(String));
  });

  it('if its envelope has no sender', async () => {
    expect(await reason({}, '')).toBe('empty return path');
  });

  it('if it has been passed on a hundred times', async () => {
    const received = (count: number) => {
      const lines = Array.from({ length: count }, () => 'Received: from a by b\r\n').join('');
      return parseMessage(Buffer.concat([Buffer.from(lines), eml(PERSON)]));
    };
    expect(automaticReason(await received(100), {}, OWN)).toBe('too many Received headers');
    expect(automaticReason(await received(99), {}, OWN)).toBeUndefined();
  });
});

describe('A message is not automatic', () => {
  it.each([
    ['plainly', {}],
    ['explicitly', { 'Auto-Submitted': 'no' }],
    ['urgently', { Precedence: 'first-class' }],
    ['without suppression', { 'X-Auto-Response-Suppress': 'None' }],
    ['as somebody whose name is similar', { From: 'norepley.jones@example.com' }],
    ['through a relay', { 'Return-Path': '<isla@example.com>' }],
  ])('if a person sends it %s', async (_, headers) => {
    expect(await reason(headers, 'isla@example.com')).toBeUndefined();
  });
});
