// This file decodes text of the format "flowed", in which a space at the end of a line continues the paragraph. RFC 3676, section 4.

/** "-- ", which separates the signature. Section 4.3. */
const SIGNATURE = '-- ';

interface Line {
  /** The number of quotation marks. */
  readonly depth: number;
  readonly text: string;
}

/** The text with one line for each paragraph. Quoted paragraphs begin with one `>` for each level, and a space. */
export function decodeFlowedText(text: string, deletesSpaces: boolean): string {
  const paragraphs: Line[] = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/).map(readLine)) {
    const last = paragraphs.at(-1);
    if (isOpen && last !== undefined && continues(last, line))
      paragraphs[paragraphs.length - 1] = { ...last, text: last.text + kept(line, deletesSpaces) };
    else paragraphs.push({ ...line, text: kept(line, deletesSpaces) });
    isOpen = isFlowed(line);
  }
  return paragraphs.map(writeLine).join('\n');
}

/** Before: `>> text`. After: depth 2, `text`. Quotation marks are removed first, then the space of space-stuffing: sections 4.4 and 4.5. */
function readLine(line: string): Line {
  const [marks = ''] = /^>*/.exec(line) ?? [];
  return { depth: marks.length, text: line.slice(marks.length).replace(/^ /, '') };
}

function isFlowed({ text }: Line): boolean {
  return text.endsWith(' ') && text !== SIGNATURE;
}

/** A paragraph ends where the depth changes, even after a space. Section 4.5. */
function continues(paragraph: Line, { depth, text }: Line): boolean {
  return paragraph.depth === depth && text !== SIGNATURE;
}

/** The space that only marks a flowed line is deleted with DelSp=yes. Section 4.1. */
function kept(line: Line, deletesSpaces: boolean): string {
  return deletesSpaces && isFlowed(line) ? line.text.slice(0, -1) : line.text;
}

/** A space before a literal `>` keeps it apart from a quotation mark. */
function writeLine({ depth, text }: Line): string {
  const hasSpace = depth === 0 ? text.startsWith('>') : text !== '';
  return `${'>'.repeat(depth)}${hasSpace ? ' ' : ''}${text}`;
}
