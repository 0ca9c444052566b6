// This file groups the lines of a history: what one transaction has changed is one entry.
import type { Entity } from '../../model/entity.ts';

export interface HistoryEntry {
  readonly key: string;
  /** A note, a mail, or the changes of one transaction. */
  readonly lines: readonly Entity[];
  readonly isChange: boolean;
}

const isChange = (line: Entity): boolean =>
  typeof line.Attribute === 'string' && line.Attribute !== '';

/**
 * Changes of the same instant by the same account belong together.
 *
 * @param keyOfLine the key of a line
 * @param authorOfLine the name of the account that has written it, if known
 */
export function groupLines(
  lines: readonly Entity[],
  keyOfLine: (line: Entity) => string,
  authorOfLine: (line: Entity) => string | undefined,
): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    const before = last?.lines[0];
    const belongs =
      last?.isChange === true &&
      before !== undefined &&
      isChange(line) &&
      before.CreatedAt === line.CreatedAt &&
      authorOfLine(before) === authorOfLine(line);
    if (belongs) entries[entries.length - 1] = { ...last, lines: [...last.lines, line] };
    else entries.push({ key: keyOfLine(line), lines: [line], isChange: isChange(line) });
  }
  return entries;
}

/**
 * A text in two parts: what was written, and what it quotes below. The service marks all quoted lines of incoming mail with `>`, so that no
 * attributions need to be recognized here. Quotations that are answered in between belong to what was written.
 */
export function quotedParts(text: string): { readonly own: string; readonly quoted: string } {
  const lines = text.split('\n');
  const isMarked = (line: string) => line.startsWith('>');
  const last = lines.findLastIndex((line) => !isMarked(line) && line.trim() !== '');
  const below = lines.slice(last + 1);
  if (last < 0 || !below.some(isMarked)) return { own: text, quoted: '' };
  return { own: lines.slice(0, last + 1).join('\n'), quoted: below.join('\n').trim() };
}
