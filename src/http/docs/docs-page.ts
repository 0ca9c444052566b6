// This file makes a page of the documentation: the text between the list of contents, the headings of the page, and links to the pages
// before and after it.
import type { DocsSet } from './docs-set.ts';
import { escapeHtml, type Heading, type Resolve, readMarkdown } from './read-markdown.ts';

interface PageLink {
  readonly text: string;
  /** Below `/docs/`. */
  readonly target: string;
}

/** Returns the HTML of a page by its path below `/docs/`; undefined if there is none. */
export async function docsPage(set: DocsSet, path: string): Promise<string | undefined> {
  const text = await set.page(path);
  if (text === undefined) return undefined;
  const { html, headings } = readMarkdown(text, linksOf(set, path));
  return wholePage({
    title: headings[0]?.text ?? 'Documentation',
    base: '../'.repeat(path.split('/').length - 1),
    contents: contentsOf(set, path),
    outline: outlineOf(headings),
    neighbours: neighboursOf(set, path),
    html,
  });
}

/** Links to pages are relative, because a proxy may have removed a prefix from the path; those to other files are left out. */
function linksOf(set: DocsSet, path: string): Resolve {
  return (target) => {
    if (target.startsWith('#') || /^(?:https?|mailto):/.test(target)) return target;
    const found = set.pathOf(target, path);
    return found === undefined ? undefined : relativeTo(path, found);
  };
}

function relativeTo(path: string, target: string): string {
  const url = '../'.repeat(path.split('/').length - 1) + target;
  return url === '' || url.startsWith('#') ? `./${url}` : url;
}

function contentsOf(set: DocsSet, path: string): string {
  const item = ({ text, target }: PageLink) => {
    const current = target === path ? ' aria-current="page"' : '';
    return `<li><a href="${escapeHtml(relativeTo(path, target))}"${current}>${escapeHtml(text)}</a></li>`;
  };
  return set.sections
    .map(
      ({ title, links }) => `<h2>${escapeHtml(title)}</h2>\n<ul>${links.map(item).join('\n')}</ul>`,
    )
    .join('\n');
}

function outlineOf(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('\n')}</ul></nav>`;
}

/** Links to the pages before and after this one in the list of contents. */
function neighboursOf(set: DocsSet, path: string): string {
  const links = set.sections.flatMap((section) => section.links);
  const index = links.findIndex(({ target }) => target === path);
  const link = (relation: 'prev' | 'next', one: PageLink | undefined) =>
    one === undefined
      ? ''
      : `<a rel="${relation}" href="${escapeHtml(relativeTo(path, one.target))}">${escapeHtml(one.text)}</a>`;
  const next = links[index + 1];
  return link('prev', index > 0 ? links[index - 1] : undefined) + link('next', next);
}

interface PageParts {
  readonly title: string;
  /** Leads from the page to `/docs/`. */
  readonly base: string;
  readonly contents: string;
  readonly outline: string;
  readonly neighbours: string;
  readonly html: string;
}

function wholePage({ title, base, contents, outline, neighbours, html }: PageParts): string {
  const start = base === '' ? './' : base;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} · Docket</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${base}page.css">
  </head>
  <body>
    <a class="skip" href="#text">Skip to the text</a>
    <header>
      <a href="${start}">Docket documentation</a>
      <a class="to-contents" href="#contents">Contents</a>
      <a href="${base}api">API reference</a>
    </header>
    <div class="columns">
      <main id="text">
${html}
        <nav class="neighbours" aria-label="Next and previous page">${neighbours}</nav>
      </main>
      <nav class="contents" id="contents" aria-label="Contents">
${contents}
      </nav>
      ${outline}
    </div>
  </body>
</html>
`;
}
