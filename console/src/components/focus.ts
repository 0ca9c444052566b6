// This file moves the focus where the next key is expected: to the content of a new page, and back when a layer closes. What has opened a
// layer may have gone by then: a button for a status that the record has left, or the item of a menu.

/** The id of the part of the frame that shows a page. */
export const CONTENT = 'content';

export function focusContent(): void {
  document.getElementById(CONTENT)?.focus({ preventScroll: true });
}

/** Whether the content has the focus, but no part of it. */
const isFocusOnContent = (): boolean => document.activeElement?.id === CONTENT;

/** Whether a page has the focus, but no part of it: after a change of page, or since the browser has loaded it. */
export const isFocusOnPage = (): boolean =>
  isFocusOnContent() || document.activeElement === document.body;

const FOCUSABLE =
  '[tabindex="0"], :is(a[href], button, input, select, textarea):not([tabindex="-1"], :disabled)';

const FIELD = ':is(input, select, textarea):not(:disabled, [type=hidden])';

/** The element if it is a field, or the first field in it. */
export const firstField = (element: HTMLElement | null): HTMLElement | null | undefined =>
  element?.matches(FIELD) ? element : element?.querySelector<HTMLElement>(FIELD);

/** An element with all that contain it, from the inside. The item of a menu has the button of the menu in its place. */
export function pathFrom(element: Element | null): readonly HTMLElement[] {
  const menu = element?.closest('[role=menu]');
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const path: HTMLElement[] = [];
  for (
    let one: Element | null = button ?? element;
    one instanceof HTMLElement && one !== document.body;
    one = one.parentElement
  )
    path.push(one);
  return path;
}

/** Gives the focus to the first element of the path that can take it, or contains one that can, unless something else has it. */
export function returnFocus(path: readonly HTMLElement[]): void {
  // The layer is removed, and what its closing changes is drawn, before this runs.
  setTimeout(() => {
    const { activeElement, body } = document;
    const isOnPage = isFocusOnContent() && path.some(({ id }) => id === CONTENT);
    if (activeElement !== null && activeElement !== body && !isOnPage) return;
    for (const element of path.filter(({ isConnected }) => isConnected))
      for (const target of [element, ...element.querySelectorAll<HTMLElement>(FOCUSABLE)]) {
        target.focus();
        if (document.activeElement === target) return;
      }
  });
}
