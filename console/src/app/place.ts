// This file reads where the page is served from attributes that the service writes into the HTML element.

const { consoleRoot, odataRoot } = document.documentElement.dataset;

/** The path of the console, such as `/console`, without a slash at the end. */
export const CONSOLE_ROOT = consoleRoot ?? '/console';

/** The path of the OData service, such as `/odata`, without a slash at the end. */
export const ODATA_ROOT = (odataRoot ?? '/odata').replace(/\/$/, '');

/** The nonce that style elements need under the Content-Security-Policy of the page. */
export function styleNonce(): string {
  return document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
