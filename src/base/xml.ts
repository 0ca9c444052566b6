// This file builds XML documents as plain values and serializes them with the required escaping.

export type Content = XmlElement | string;

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: readonly Content[];
}

/** Attributes with the value undefined are omitted. */
export type AttributeValue = string | number | bigint | boolean | undefined;

/** @param name including its prefix, such as `edmx:Edmx`; it is not escaped */
export function element(
  name: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  content: readonly Content[] = [],
): XmlElement {
  const entries = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [[attribute, String(value)] as const],
  );
  return { name, attributes: Object.fromEntries(entries), content };
}

/** Serializes the document with an XML declaration for UTF-8. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${writeElement(root)}`;
}

/** Serializes one element without a declaration. */
export function writeElement({ name, attributes, content }: XmlElement): string {
  let text = `<${name}`;
  for (const [attribute, value] of Object.entries(attributes)) {
    text += ` ${attribute}="${escapeAttribute(value)}"`;
  }
  if (content.length === 0) return `${text}/>`;
  text += '>';
  for (const item of content)
    text += typeof item === 'string' ? escapeText(item) : writeElement(item);
  return `${text}</${name}>`;
}

/**
 * Escapes character data. Characters that XML 1.0, "Characters" does not allow (control characters other than tab, line feed and
 * carriage return; U+FFFE, U+FFFF, lone surrogates) become U+FFFD. A carriage return becomes a character reference, because
 * parsers would normalize it to a line feed.
 */
export function escapeText(text: string): string {
  return /[&<>\r]|[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text)
    ? text.replace(
        /[&<>\r]|[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu,
        reference,
      )
    : text;
}

/** Escapes an attribute value. Parsers normalize line feeds and tabs to spaces unless they are character references. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replace(/["\t\n]/g, reference);
}

const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
]);

function reference(character: string): string {
  return REFERENCES.get(character) ?? '\u{fffd}';
}
