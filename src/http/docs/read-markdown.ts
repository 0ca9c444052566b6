// This file translates a page from Markdown to HTML. Links are decided by the caller, and HTML in the text is shown as it is written, so
// that a page cannot contain more than Markdown can say.
import { Marked, type Token, type Tokens } from 'marked';

/** A part of a page that can be linked to. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  /** The anchor, as code hosting sites form it: `#changing-the-model`. */
  readonly id: string;
}

/** A page as HTML. */
export interface MarkdownPage {
  readonly html: string;
  /** In the order of the page; the first one is its title. */
  readonly headings: readonly Heading[];
}

/** A heading of level 2 with the links below it. */
export interface LinkSection {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly target: string }[];
}

/** Returns the URL of a link's target; undefined if the text of the link is shown without a link. */
export type Resolve = (target: string) => string | undefined;

/** Translates a page. Raw HTML is escaped, apart from line breaks. */
export function readMarkdown(text: string, resolve: Resolve): MarkdownPage {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text: written }: Tokens.Heading) {
        const heading = { level: depth, text: plainText(written), id: anchorOf(written) };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens);
        const target = resolve(href);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      html: ({ text: written }: Tokens.HTML | Tokens.Tag) =>
        /^<br ?\/?>$/.test(written) ? '<br>' : escapeHtml(written),
      table(token: Tokens.Table) {
        // Wide tables scroll by themselves, by keyboard too.
        return `<div class="table" tabindex="0">${tableOf(this.parser, token)}</div>\n`;
      },
    },
  });
  return { html: marked.parse(text, { async: false }), headings };
}

/** Returns the sections of a page that lists others. */
export function linkSections(text: string): readonly LinkSection[] {
  const marked = new Marked({ gfm: true });
  const sections: { title: string; links: { text: string; target: string }[] }[] = [];
  marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type === 'heading' && token.depth === 2)
      sections.push({ title: plainText(token.text), links: [] });
    if (token.type === 'link')
      sections.at(-1)?.links.push({ text: plainText(token.text), target: token.href });
  });
  return sections;
}

/** The anchor of a heading: small letters and digits, joined by hyphens. */
function anchorOf(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

/** Escapes what has a meaning in HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The text of a heading or link without the marks of code and links. */
function plainText(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

interface InlineParser {
  parseInline(tokens: Token[]): string;
}

function tableOf(parser: InlineParser, { header, rows }: Tokens.Table): string {
  const cell = (name: string) => (one: Tokens.TableCell) => {
    const align = one.align === null ? '' : ` class="${one.align}"`;
    return `<${name}${align}>${parser.parseInline(one.tokens)}</${name}>`;
  };
  const row = (name: string, cells: readonly Tokens.TableCell[]) =>
    `<tr>${cells.map(cell(name)).join('')}</tr>`;
  const body = rows.map((cells) => row('td', cells)).join('\n');
  return `<table><thead>${row('th', header)}</thead><tbody>\n${body}\n</tbody></table>`;
}
