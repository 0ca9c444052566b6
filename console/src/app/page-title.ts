// This file names the page in the title of the window, by which people find it among tabs and in the history, and screen readers announce it.
import { useEffect } from 'react';

/** @param parts from the page itself to what it belongs to; nothing changes while one is undefined */
export function usePageTitle(...parts: readonly (string | undefined)[]): void {
  const title = parts.includes(undefined) ? undefined : [...parts, 'Docket'].join(' · ');
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
}
