// This file keeps a draft of something stored, and takes what others store meanwhile into it.
import { useState } from 'react';

/** Members are compared by their JSON. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * A draft of something stored. If others have changed that when it is read again, the draft takes their values for the members that it has
 * not changed itself; `isMoved` is whether both have changed a member.
 */
export function useDraft<T extends { readonly etag: string | undefined }>(stored: T) {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(stored);
  const [isMoved, setMoved] = useState(false);
  if (base.etag !== stored.etag) {
    const names = Object.keys(stored) as (keyof T)[];
    const mine = names.filter((name) => !isSame(draft[name], base[name]));
    const theirs = names.filter((name) => !isSame(stored[name], base[name]));
    const kept = Object.fromEntries(mine.map((name) => [name, draft[name]])) as Partial<T>;
    setBase(stored);
    setDraft({ ...stored, ...kept });
    setMoved(mine.some((name) => theirs.includes(name) && !isSame(draft[name], stored[name])));
  }
  const change = (changes: Partial<T>) => {
    setMoved(false);
    setDraft((before) => ({ ...before, ...changes }));
  };
  return { draft, change, isMoved };
}
