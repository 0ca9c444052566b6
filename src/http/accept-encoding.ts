// This file reads which compression a client accepts. RFC 9110, "Accept-Encoding".

/** Other names of a coding. */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** Whether the header lists the coding or `*`, with a weight other than 0. */
export function acceptsCoding(
  header: string | string[] | undefined,
  coding: 'br' | 'gzip',
): boolean {
  if (header === undefined) return false;
  const codings = String(header)
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()));
  const listed =
    codings.find(([name = '']) => (ALIASES[name] ?? name) === coding) ??
    codings.find(([name]) => name === '*');
  if (listed === undefined) return false;
  return !listed.slice(1).some((part) => /^q=0(?:\.0{0,3})?$/.test(part));
}
