// This file writes XML text: elements, attributes, character data, with everything escaped that has to be. An element is a value,
// so that a document is built up like any other data and written once.

/** What an element holds: other elements and text. */
export type Content = XmlElement | string;

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: readonly Content[];
}

/** What may be given for an attribute; undefined leaves it out. */
export type AttributeValue = string | number | bigint | boolean | undefined;

/** @param name with its prefix, such as `edmx:Edmx`; a name is written as it is */
export function element(
  name: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  content: readonly Content[] = [],
): XmlElement {
  const given = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [[attribute, String(value)] as const],
  );
  return { name, attributes: Object.fromEntries(given), content };
}

/** The document with its declaration, in UTF-8. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${writeElement(root)}`;
}

/** One element without a declaration. */
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
 * Character data. XML 1.0, "Characters": U+0000 to U+001F cannot stand in a document, save tab, line feed and carriage return;
 * neither can U+FFFE, U+FFFF and half a surrogate pair. They become U+FFFD. A carriage return is written as a reference, because
 * a reader turns it into a line feed otherwise.
 */
export function escapeText(text: string): string {
  return /[&<>\r]|[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text)
    ? text.replace(
        /[&<>\r]|[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu,
        reference,
      )
    : text;
}

/** The value of an attribute; a reader turns line feeds and tabs into blanks unless they are references. */
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
