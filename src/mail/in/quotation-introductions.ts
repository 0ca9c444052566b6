// This file recognizes what programs for mail write above a quotation, in English, Dutch, German and French: attributions of Gmail,
// Apple Mail and Thunderbird, and separators and headers of Outlook.

/** Characters of a line that are read. */
const LINE_LENGTH = 500;
/** Programs wrap attributions with long names and addresses. Longer texts are prose. */
const ATTRIBUTION_LINES = 3;
const ATTRIBUTION_LENGTH = 400;

const ATTRIBUTIONS: readonly RegExp[] = [
  /^On\s.+\swrote:$/,
  /^Op\s.+\s(?:schreef\s.+|schreef|heeft\s.+\sgeschreven):$/,
  /^Am\s.+\sschrieb(?:\s.+)?:$/,
  /^Le\s.+\sa\sécrit\s?:$/,
  /^[^<>]+<[^<>@\s]+@[^<>@\s]+>\s(?:wrote on|schreef op|schrieb am|a écrit le)\s.+:$/,
];

const SEPARATOR =
  /^-{2,}\s*(?:(?:Original|Forwarded) Message|(?:Oorspronkelijk|Doorgestuurd) bericht|(?:Ursprüngliche|Weitergeleitete) Nachricht|Message (?:d['’]origine|original|transféré))\s*-{2,}$/i;
const RULE = /^_{10,}$/;

/** Names of headers: the sender, the date and the subject, which all programs write. */
const HEADERS: readonly (readonly [RegExp, RegExp, RegExp])[] = [
  [/^From:\s/, /^(?:Sent|Date):\s/, /^Subject:(?:\s|$)/],
  [/^Van:\s/, /^(?:Verzonden|Datum):\s/, /^Onderwerp:(?:\s|$)/],
  [/^Von:\s/, /^(?:Gesendet|Datum):\s/, /^Betreff:(?:\s|$)/],
  [/^De\s?:\s/, /^(?:Envoyé(?: le)?|Date)\s?:\s/, /^Objet\s?:(?:\s|$)/],
];
/** Recipients may take several lines, and text that was made of HTML has empty lines between headers. */
const HEADER_LINES = 8;
const SPACED_HEADER_LINES = 2 * HEADER_LINES;

/** Without the asterisks that bold text becomes. */
const plain = (line = '') =>
  line
    .slice(0, LINE_LENGTH)
    .trim()
    .replace(/^\*([^*]+)\*/, '$1');

/** The line after the introduction that begins at a line; undefined if none does. */
export function introductionEnd(lines: readonly string[], start: number): number | undefined {
  const first = plain(lines[start]);
  if (SEPARATOR.test(first)) return headersEnd(lines, nextLine(lines, start + 1)) ?? start + 1;
  if (RULE.test(first)) return headersEnd(lines, nextLine(lines, start + 1));
  return headersEnd(lines, start) ?? attributionEnd(lines, start);
}

/** The next line that is not empty, at most two lines further. */
function nextLine(lines: readonly string[], start: number): number {
  const offset = lines.slice(start, start + 3).findIndex((line) => line.trim() !== '');
  return start + Math.max(offset, 0);
}

function headersEnd(lines: readonly string[], start: number): number | undefined {
  const first = plain(lines[start]);
  const names = HEADERS.find(([sender]) => sender.test(first));
  if (names === undefined) return undefined;
  const below = lines.slice(start + 1, start + SPACED_HEADER_LINES).map((line) => plain(line));
  const last = names.slice(1).map((name) => below.findIndex((line) => name.test(line)));
  const end = Math.max(...last) + 1;
  const count = below.slice(0, end).filter((line) => line !== '').length;
  return last.includes(-1) || count >= HEADER_LINES ? undefined : start + 1 + end;
}

function attributionEnd(lines: readonly string[], start: number): number | undefined {
  let text = '';
  for (let index = start; index < start + ATTRIBUTION_LINES; index++) {
    const line = plain(lines[index]);
    if (line === '' || line.startsWith('>')) return undefined;
    text = `${text} ${line}`.trim();
    if (text.length > ATTRIBUTION_LENGTH) return undefined;
    if (line.endsWith(':') && ATTRIBUTIONS.some((one) => one.test(text))) return index + 1;
  }
  return undefined;
}

/** Whether an introduction needs no marks below it to be one. People write "On Monday, she wrote:", but rarely with a time or an address. */
export function isConclusive(introduction: readonly string[]): boolean {
  const text = introduction.map((line) => plain(line)).join(' ');
  const isAttribution = ATTRIBUTIONS.some((one) => one.test(text.trim()));
  return !isAttribution || /\d{1,2}[:.h]\d{2}|<[^<>@\s]+@[^<>@\s]+>/.test(text);
}
