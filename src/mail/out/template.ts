// This file parses the texts of templates and fills them with values. A placeholder is a path of names in braces; everything else is text,
// so that neither a template nor a value can contain anything to evaluate.
//     Dear {Caller/FirstName}, {{this}} is text
import { Fault } from '../../base/fault.ts';

/** A piece of text, or the path of a value. */
type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: string };

/** The texts of a template in one language. */
export interface TemplateTexts {
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
}

/** Values of an entity by path, as readable text. */
export type TemplateValues = ReadonlyMap<string, string>;

/** Characters of a subject, as in the queue. */
const LINE_LENGTH = 255;

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
const PATH = /^[\p{L}_][\p{L}\p{Nd}_]*(?:\/[\p{L}_][\p{L}\p{Nd}_]*)*$/u;

/** Throws mail.template with the position of an invalid brace or path. */
function parseTemplate(source: string, target: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    parts.push({ kind: 'text', text: source.slice(end, match.index) });
    parts.push(partOf(match[0], match[1], match.index, target));
    end = match.index + match[0].length;
  }
  parts.push({ kind: 'text', text: source.slice(end) });
  return parts.filter((part) => part.kind === 'value' || part.text !== '');
}

function partOf(
  token: string,
  inner: string | undefined,
  index: number,
  target: string,
): TemplatePart {
  if (token === '{{' || token === '}}') return { kind: 'text', text: token.slice(0, 1) };
  const path = inner?.trim();
  if (path !== undefined && PATH.test(path)) return { kind: 'value', path };
  const reason =
    path === undefined
      ? `the brace at position ${index} has no partner; write {{ or }} for a brace`
      : `"${token}" at position ${index} is not a path of names such as {Caller/Name}; write {{ or }} for a brace`;
  throw new Fault('mail.template', { reason }, { target });
}

/** The paths in the texts of a template. Throws mail.template. */
export function templatePaths({ subject, text, html }: TemplateTexts): readonly string[] {
  const texts = [
    [subject, 'Subject'],
    [text, 'Text'],
    [html ?? '', 'Html'],
  ] as const;
  const parts = texts.flatMap(([source, target]) => parseTemplate(source, target));
  return [...new Set(parts.flatMap((part) => (part.kind === 'value' ? [part.path] : [])))];
}

/**
 * Fills the texts with values. Values without an entry are empty. Between a space and a comma, an empty one takes the space away:
 * `Hello {Caller/FirstName},` becomes `Hello,`.
 */
export function fillTemplate(
  { subject, text, html }: TemplateTexts,
  values: TemplateValues,
): TemplateTexts {
  return {
    subject: oneLine(fill(subject, 'Subject', values, (value) => value)).slice(0, LINE_LENGTH),
    text: fill(text, 'Text', values, (value) => value),
    html: html === undefined ? undefined : fill(html, 'Html', values, escapeHtml),
  };
}

function fill(
  source: string,
  target: string,
  values: TemplateValues,
  write: (value: string) => string,
): string {
  const texts = parseTemplate(source, target).map((part) =>
    part.kind === 'text' ? part.text : write(values.get(part.path) ?? ''),
  );
  const isOmitted = (index: number) => texts[index] === '' && texts[index + 1]?.startsWith(',');
  return texts
    .map((text, index) => (isOmitted(index + 1) ? text.replace(/ $/, '') : text))
    .join('');
}

/** A text that can be the value of a header: without line breaks and other control characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML, with its line breaks. */
function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/\r\n?|\n/g, '<br>');
}
