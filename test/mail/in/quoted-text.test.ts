// This file splits texts of replies, as programs for mail write them, into what is new and what is quoted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markQuotedText, splitQuotedText } from '../../../src/mail/in/quoted-text.ts';

const ISLA = 'Isla Walker <isla@example.com>';
const LONG = 'Isla Margaret Walker-Featherstonehaugh <isla.walker@city.example.com>';

/** Attributions, each with the lines that a program has wrapped. */
const ATTRIBUTIONS = {
  'Gmail, en': `On Mon, May 4, 2026 at 10:12 AM ${ISLA} wrote:`,
  'Gmail, en, wrapped': `On Mon, May 4, 2026 at 10:12 AM ${LONG}\nwrote:`,
  'Gmail, en, in three lines': `On Mon, May 4, 2026 at 10:12 AM Isla Walker\n<isla@example.com>\nwrote:`,
  'Gmail, nl': `Op ma 4 mei 2026 om 10:12 schreef ${ISLA}:`,
  'Gmail, nl, wrapped': `Op ma 4 mei 2026 om 10:12 schreef Isla Walker\n<isla@example.com>:`,
  'Gmail, de': `Am Mo., 4. Mai 2026 um 10:12 Uhr schrieb ${ISLA}:`,
  'Gmail on phones, de': `${ISLA} schrieb am Mo., 4. Mai 2026, 10:12:`,
  'Gmail, fr': `Le lun. 4 mai 2026 à 10:12, ${ISLA} a écrit :`,
  'Gmail, fr, wrapped, with narrow spaces': `Le lun. 4 mai 2026 à 10:12, ${LONG} a\nécrit\u202f:`,
  'Apple Mail, en': `On 4 May 2026, at 10:12, ${ISLA} wrote:`,
  'Apple Mail, nl': `Op 4 mei 2026, om 10:12 heeft ${ISLA} het volgende geschreven:`,
  'Apple Mail, de': `Am 04.05.2026 um 10:12 schrieb ${ISLA}:`,
  'Apple Mail, fr': `Le 4 mai 2026 à 10:12, ${ISLA} a écrit\u00a0:`,
  'Thunderbird, en': 'On 04/05/2026 10:12, Isla Walker wrote:',
  'Thunderbird, nl': 'Op 04-05-2026 om 10:12 schreef Isla Walker:',
  'Thunderbird, de': 'Am 04.05.26 um 10:12 schrieb Isla Walker:',
  'Thunderbird, fr': 'Le 04/05/2026 à 10:12, Isla Walker a écrit :',
};

const HEADERS = {
  en: `From: ${ISLA}\nSent: Monday, May 4, 2026 10:12 AM\nTo: Desk <desk@example.com>\nSubject: Lamp`,
  nl: `Van: ${ISLA}\nVerzonden: maandag 4 mei 2026 10:12\nAan: Desk <desk@example.com>\nOnderwerp: Lamp`,
  de: `Von: ${ISLA}\nGesendet: Montag, 4. Mai 2026 10:12\nAn: Desk <desk@example.com>\nBetreff: Lampe`,
  fr: `De : ${ISLA}\nEnvoyé : lundi 4 mai 2026 10:12\nÀ : Desk <desk@example.com>\nObjet : Lampe`,
  'en, bold': `*From:* ${ISLA}\n*Sent:* Monday, May 4, 2026 10:12 AM\n*To:* Desk\n*Cc:* A;\n B\n*Subject:* Lamp`,
  'en, from HTML': `From: ${ISLA}\n\nSent: Monday, May 4, 2026 10:12 AM\n\nTo: Desk\n\nSubject: Lamp`,
  'fr, Mac': `De : ${ISLA}\nDate : lundi 4 mai 2026 à 10:12\nÀ : Desk\nObjet : Lampe`,
  'de, Mac': `Von: ${ISLA}\nDatum: Montag, 4. Mai 2026 um 10:12\nAn: Desk\nBetreff: Lampe`,
  'with a long subject': `From: ${ISLA}\nSent: Monday, May 4, 2026 10:12 AM\nTo: Desk\nSubject: ${'x'.repeat(900)}`,
};

const SEPARATORS = [
  '-----Original Message-----',
  '-----Oorspronkelijk bericht-----',
  '-----Ursprüngliche Nachricht-----',
  "-----Message d'origine-----",
  '-----Message d’origine-----',
  '-------- Original Message --------',
  '-------- Message original --------',
  '-------- Message transféré --------',
  '-------- Weitergeleitete Nachricht --------',
  '---------- Forwarded message ---------',
  '---------- Doorgestuurd bericht ---------',
];

const NEW = 'It works again, thank you.\n\nIsla\n\n';
const expectQuoted = (own: string, quotation: string) => {
  const parts = splitQuotedText(own + quotation);
  expect([parts.own, parts.introduction + parts.quoted]).toEqual([own, quotation]);
};
const expectWhole = (text: string) => {
  expect(splitQuotedText(text)).toEqual({ own: text, introduction: '', quoted: '' });
  expect(markQuotedText(text)).toBe(text);
};

describe('A reply above a quotation', () => {
  it.each(Object.entries(ATTRIBUTIONS))('has an attribution of %s', (_, attribution) => {
    for (const space of ['\n', '\n\n']) {
      const quotation = `${attribution}${space}> Have you changed the lamp?\n>\n>> No light.\n`;
      expectQuoted(NEW, quotation);
      expectQuoted(NEW.replaceAll('\n', '\r\n'), quotation.replaceAll('\n', '\r\n'));
    }
    expectQuoted(NEW, `${attribution}\n\nHave you changed the lamp?\n`);
  });

  it.each(Object.entries(HEADERS))('has headers of Outlook: %s', (_, headers) => {
    expectQuoted(NEW, `${headers}\n\nHave you changed the lamp?\n\n> No light.\n`);
    expectQuoted(NEW, `________________________________\n${headers}\n\nHave you?\n`);
    expectQuoted(NEW, `-----Original Message-----\n${headers}\n\nHave you?\n`);
  });

  it.each(SEPARATORS)('has the separator %s', (separator) => {
    expectQuoted(NEW, `${separator}\nHave you changed the lamp?\n`);
  });

  it('has marks without an introduction', () => {
    expectQuoted('Yes.\n\n', '> Have you changed the lamp?\n>\n> Desk');
  });

  it('quotes the whole conversation from the first introduction', () => {
    const earlier = `${ATTRIBUTIONS['Gmail, en']}\n> No light.\n`;
    expectQuoted(NEW, `${HEADERS.de}\n\nHave you?\n\n${HEADERS.nl}\n\nHelp!\n\n${earlier}`);
  });
});

describe('What is written between or below quoted lines', () => {
  const first = `${ATTRIBUTIONS['Thunderbird, en']}\n> Which lamp?\n`;

  it('is not quoted', () => {
    expectQuoted(`${first}The one at the door.\n> Since when?\nMonday.\n\n`, '> Kind regards\n');
    expectWhole(`Hello,\n\n${first}\nThe one at the door.\n`);
    expectWhole(`Hello,\n\n${HEADERS.en}\n\n> Which lamp?\nThe one at the door.\n`);
    expectWhole(`${first}The one at the door.\n-- \nIsla\n`);
  });

  it('ends where another quotation begins', () => {
    expectQuoted(`${first}The one at the door.\n\n`, `${HEADERS.en}\n\nNo light.\n`);
  });
});

describe('A text is whole', () => {
  it.each([
    ['with a quotation only', `${ATTRIBUTIONS['Gmail, en']}\n> No light.\n`],
    ['with marks only', '\n> No light.\n'],
    ['that is forwarded without a word', `${HEADERS.en}\n\nNo light.\n\n${HEADERS.de}\n\nHelp\n`],
    ['without a quotation', 'From here, I see 5 > 4.\nTo: nobody\n'],
    ['with an attribution in prose', 'Hello,\n\nOn Monday, she wrote:\nNo light.\n'],
    ['with other headers', 'The form says:\nFrom: Berlin\nTo: Paris\nSubject: Journey\nThanks\n'],
    ['with headers in two languages', 'Fields:\nFrom: a\nGesendet: b\nBetreff: c\nThanks\n'],
    ['with dashes', 'Hello\n-----\nOriginal Message\n-----\nThanks\n'],
    ['that is empty', ''],
  ])('%s', (_, text) => expectWhole(text));
});

describe('Marks', () => {
  it('are added to lines without them, also to the introduction', () => {
    const text = `Yes.\n\n${ATTRIBUTIONS['Gmail, en, wrapped']}\n\n> Have you?\n>> No light.\n\n> Desk\n`;
    const [above, below] = ATTRIBUTIONS['Gmail, en, wrapped'].split('\n');
    expect(markQuotedText(text)).toBe(
      `Yes.\n\n> ${above}\n> ${below}\n\n> Have you?\n>> No light.\n\n> Desk\n`,
    );
  });

  it('keep the depth of what is quoted in a quotation', () => {
    expect(markQuotedText('Yes.\n-----Original Message-----\nHave you?\n> No light.\nDesk')).toBe(
      'Yes.\n> -----Original Message-----\n> Have you?\n> > No light.\n> Desk',
    );
  });
});

describe('Any text', () => {
  const line = fc.oneof(
    fc.constantFrom('', '> a', '>> b', 'Yes.', '  ', '>', '________________', 'wrote:', '\r'),
    fc.constantFrom(...Object.values(ATTRIBUTIONS), ...Object.values(HEADERS), ...SEPARATORS),
    fc.string({ unit: 'grapheme' }),
  );
  const text = fc
    .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'))
    .map(([all, end]) => all.join(end));
  const withoutMarks = (marked: string) => marked.replaceAll(/^[> ]+/gm, '');

  it('is the sum of its parts, and loses nothing by marks', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const { own, introduction, quoted } = splitQuotedText(whole);
        expect(own + introduction + quoted).toBe(whole);
        const marked = markQuotedText(whole);
        expect(marked.startsWith(own)).toBe(true);
        expect(withoutMarks(marked)).toBe(withoutMarks(whole));
        const added = marked.slice(own.length).split('\n');
        const unmarked = added.filter((one) => one.trim() !== '' && !one.startsWith('>'));
        expect(unmarked).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('is split in linear time', () => {
    const hostile = `On ${'Isla wrote: '.repeat(30)}:\n`.repeat(5_000);
    const separators = `x\n${'-----Original Message-----\n\n> a\n\n'.repeat(20_000)}b`;
    const started = performance.now();
    expectWhole(hostile);
    expectWhole(separators);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
