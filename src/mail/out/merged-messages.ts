// This file merges the messages that are written after the service has not run for a while: changes for which it was too late in the meantime are
// made together, and nobody gets more than one message about a record. Its parts are in the order of the changes.
import type { Draft } from './queue.ts';

/** Characters of names and subjects, as in the queue. */
const RULE_LENGTH = 128;

/** Messages by entity and address. */
export class MergedMessages {
  readonly #drafts = new Map<string, Draft>();
  readonly #others: Draft[] = [];
  readonly #counts = new Map<string, number>();

  /** What must not be sent stays as it is. */
  add(drafts: readonly Draft[]): void {
    for (const draft of drafts) {
      if (draft.suppressed !== undefined || draft.address === undefined) {
        this.#others.push(draft);
        continue;
      }
      const address = draft.address.toLowerCase();
      const key = `${draft.entity}\n${address}`;
      const before = this.#drafts.get(key);
      this.#drafts.set(key, before === undefined ? draft : merged(before, draft));
      if (before === undefined) this.#counts.set(address, this.countTo(address) + 1);
    }
  }

  /** How many of the messages are for an address. */
  countTo(address: string): number {
    return this.#counts.get(address.toLowerCase()) ?? 0;
  }

  drafts(): readonly Draft[] {
    return [...this.#others, ...this.#drafts.values()];
  }
}

/** The subject is that of the later message; a text that both have is there once. */
function merged(before: Draft, next: Draft): Draft {
  return {
    ...before,
    rule: joined(before.rule, next.rule, ', ')?.slice(0, RULE_LENGTH) ?? '',
    subject: next.subject,
    text: joined(before.text, next.text, '\n\n---\n\n'),
    html: joined(before.html, next.html, '<hr>'),
    isReceipt: before.isReceipt && next.isReceipt,
  };
}

/** Undefined if one is: HTML without all parts would hide some. */
function joined(
  before: string | undefined,
  next: string | undefined,
  separator: string,
): string | undefined {
  if (before === undefined || next === undefined) return undefined;
  return before.split(separator).includes(next) ? before : `${before}${separator}${next}`;
}
