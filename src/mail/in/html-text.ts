// This file turns the HTML of a message into text. What the HTML quotes gets the marks of RFC 3676, section 4.5, so that answers between quoted
// paragraphs can be distinguished from them.
//
//   <blockquote><p>Which lamp?</p></blockquote><p>The one at the door.</p>
//
// becomes `> Which lamp?`, an empty line and `The one at the door.`
import sanitize from 'sanitize-html';

/** Elements whose text is not shown. */
export const DROPPED = ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template'];

/** Elements that begin and end lines. */
const BLOCKS =
  'p div blockquote pre center address ul ol li dl dt dd table caption tr h1 h2 h3 h4 h5 h6 hr'.split(
    ' ',
  );
const CELLS = ['td', 'th'];

/** A hostile message may have thousands of nested quotations. */
const DEEPEST = 20;

interface Line {
  readonly depth: number;
  readonly text: string;
}

/** The text of an HTML document, a line for each of its blocks. */
export function textOf(html: string): string {
  const marked = linesOf(html).map(({ depth, text }) =>
    text === '' ? '' : `${'>'.repeat(depth)}${depth > 0 ? ' ' : ''}${text}`,
  );
  return marked
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function linesOf(html: string): readonly Line[] {
  const lines: Line[] = [];
  let depth = 0;
  let text = '';
  const endLine = (isBreak: boolean) => {
    // White space between blocks is no line, but a block that holds a no-break space is an empty one.
    if (isBreak || !/^ *$/.test(text))
      lines.push({ depth: Math.min(depth, DEEPEST), text: readable(text) });
    text = '';
  };
  for (const part of simplified(html).split(/(<[^>]*>)/)) {
    const [, slash, name = ''] = /^<(\/?)(\w+)/.exec(part) ?? [];
    if (name === '') text += part;
    else if (CELLS.includes(name)) text += ' ';
    else endLine(name === 'br');
    if (name === 'blockquote') {
      // A quotation is a paragraph of its own, which text below it is not to be taken for.
      if (depth === (slash === '' ? 0 : 1) && lines.length > 0) lines.push({ depth: 0, text: '' });
      depth += slash === '' ? 1 : -1;
    }
  }
  endLine(false);
  return lines;
}

/** The blocks without attributes, in which `blockquote` is a quotation and nothing else, and escaped text. */
function simplified(html: string): string {
  const rename = (isQuotation: boolean) => ({
    tagName: isQuotation ? 'blockquote' : 'div',
    attribs: {},
  });
  return sanitize(html, {
    allowedTags: [...BLOCKS, ...CELLS, 'br'],
    allowedAttributes: {},
    nonTextTags: DROPPED,
    transformTags: {
      blockquote: (_, attributes) => rename(!isIndentation(attributes)),
      div: (_, { style }) => rename(hasBarOnLeft(style)),
    },
    textFilter: (text, tag) =>
      tag === 'pre' ? text.replace(/\r?\n/g, '<br />') : text.replace(/[ \t\r\n\f]+/g, ' '),
  });
}

/** Outlook draws a line on the left of what it quotes. */
function hasBarOnLeft(style = ''): boolean {
  return /(?:^|;)\s*border-left\s*:(?!\s*(?:none|0))/i.test(style);
}

/** Gmail and Apple Mail indent with the same element, but without a border. */
function isIndentation({ type, style = '' }: sanitize.Attributes): boolean {
  const isBorderless = /(?:^|;)\s*border\s*:\s*(?:none|0)/i.test(style);
  return isBorderless && type !== 'cite' && !hasBarOnLeft(style);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
};

/** The package escapes these characters only. */
function readable(text: string): string {
  return text
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/[ \t\u00a0]+/g, ' ')
    .trim();
}
