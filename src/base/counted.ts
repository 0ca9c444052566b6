// This file writes numbers of things in messages.

/**
 * A number with its noun: `1 step`, `1,384 steps`.
 * @param plural for nouns that do not take an s
 */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
