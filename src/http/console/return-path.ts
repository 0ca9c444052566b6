// This file checks where a browser goes after it has signed in: to a page of the console, and nowhere else.

/** The parameter of the page that names why a sign-in has failed. */
const OBSTACLE = 'sign-in';

/**
 * Returns the path of a page of the console with its query, and its start page in place of anything else: other servers, the session endpoints,
 * and texts that browsers and servers may understand differently.
 * @param root path of the console as the browser knows it: `/console`
 */
export function returnPath(text: string | null, root: string): string {
  const start = `${root}/`;
  if (text === null || text.length > MAXIMUM || !PLAIN.test(text)) return start;
  if (!URL.canParse(text, SELF)) return start;
  const { origin, pathname, search } = new URL(text, SELF);
  const isPage = pathname === root || pathname.startsWith(start);
  const isSession = `${pathname}/`.startsWith(`${root}/session/`);
  return origin === SELF && isPage && !isSession ? `${pathname}${search}` : start;
}

/** Lists keep filters of this length in their URLs; the cookie has 4,096 bytes. */
const MAXIMUM = 2200;
/** Printable ASCII, as browsers write URLs, that starts as a path. No backslash, which browsers treat as a slash. */
const PLAIN = /^\/[!-[\]-~]*$/;
/** Any origin; a text that names another one is no path. */
const SELF = 'http://console.invalid';

/** The page, which shows why the sign-in has failed. */
export function withObstacle(path: string, obstacle: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${OBSTACLE}=${obstacle}`;
}
