// This file completes the page of the console for one response: a fresh nonce, the paths as the browser knows them, and the headers that
// allow nothing but the files of the console itself.
import type { Answer } from '../../response/response.ts';

/** The paths as the browser knows them: `/console` and `/odata`; the latter is empty for the root of the server. */
export interface ConsolePaths {
  readonly console: string;
  readonly odata: string;
}

/** Returns the response with the page. */
export function pageAnswer(html: string, paths: ConsolePaths, nonce: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...pageHeaders(`style-src 'self' 'nonce-${nonce}'`),
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
    body: completePage(html, paths, nonce),
  };
}

/** Headers of the page and of its scripts. Workers take their policy from their own script. */
export function pageHeaders(styles = "style-src 'self'"): Readonly<Record<string, string>> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      styles,
      "style-src-attr 'none'",
      "img-src 'self' blob: data:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "manifest-src 'self'",
      "frame-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/**
 * Puts the nonce in place of `__NONCE__`, and the paths into the element html. The page is served at any depth below its root, so its relative
 * references (`./assets/…`) become absolute.
 */
function completePage(html: string, { console, odata }: ConsolePaths, nonce: string): string {
  return html
    .replaceAll('__NONCE__', nonce)
    .replace(/(?<=\s(?:src|href)=")\.(?=\/)/g, () => console)
    .replace(/<html\b([^>]*)>/i, (_tag, attributes: string) => {
      const others = attributes.replace(/\s+data-(?:console|odata)-root="[^"]*"/g, '');
      return `<html${others} data-console-root="${console}" data-odata-root="${odata}">`;
    });
}

/** The response while the console has not been built. */
export function unbuiltAnswer(): Answer {
  return {
    status: 503,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The console has not been built</title></head>
<body>
<h1>The console has not been built</h1>
<p>Run <code>npm run build</code> in the directory of Docket, and reload this page. <code>npm start</code> builds it as well.</p>
<p>The service itself is running.</p>
</body>
</html>
`,
  };
}
