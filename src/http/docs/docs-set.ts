// This file reads the documentation set: the Markdown pages and images in the directory docs of the installation, and the pages about the
// project beside it. Requests name pages of a list, so that nothing else can be reached. The list of contents is docs/README.md.
import { readdir, readFile } from 'node:fs/promises';
import { extname, posix } from 'node:path';
import { type LinkSection, linkSections } from './read-markdown.ts';

const CONTENTS = 'docs/README.md';
const DOCS = 'docs/';
/** The path of pages that are not in the directory docs, such as the changelog. */
const PROJECT = 'project/';

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** An image of a page. */
export interface DocsImage {
  readonly type: string;
  readonly content: Uint8Array;
}

/** The pages and images of an installation. */
export class DocsSet {
  readonly #root: URL;
  /** Files by their paths below `/docs/`: `reading` for `docs/reading.md`. */
  readonly #files: ReadonlyMap<string, string>;
  /** The contents, with paths below `/docs/` as targets. */
  readonly sections: readonly LinkSection[];

  private constructor(root: URL, names: readonly string[], contents: string) {
    this.#root = root;
    this.#files = new Map(names.map((file) => [pathOfFile(file), file]));
    this.sections = linkSections(contents).map(({ title, links }) => ({
      title,
      links: links.flatMap(({ text, target }) => {
        const path = this.pathOf(target, '');
        return path === undefined ? [] : [{ text, target: path }];
      }),
    }));
  }

  /** Opens the set of an installation. Returns undefined if the installation contains no documentation. */
  static async open(root: URL): Promise<DocsSet | undefined> {
    const names = await Promise.all([filesIn(root, DOCS), filesIn(root, `${DOCS}decisions/`)]);
    const images = await filesIn(root, `${DOCS}images/`);
    const project = await filesIn(root, '');
    const pages = [...names.flat(), ...project.filter((name) => name.endsWith('.md')), ...images];
    if (!pages.includes(CONTENTS)) return undefined;
    return new DocsSet(root, pages, await readFile(new URL(CONTENTS, root), 'utf8'));
  }

  /** The paths of all pages below `/docs/`; that of the contents is empty. */
  get pages(): readonly string[] {
    return [...this.#files].filter(([, file]) => file.endsWith('.md')).map(([path]) => path);
  }

  /** The Markdown of a page; undefined if there is none with the path. */
  async page(path: string): Promise<string | undefined> {
    const file = this.#files.get(path);
    if (file === undefined || !file.endsWith('.md')) return undefined;
    return await readFile(new URL(file, this.#root), 'utf8');
  }

  /** An image; undefined if there is none with the path. */
  async image(path: string): Promise<DocsImage | undefined> {
    const file = this.#files.get(path);
    const type = IMAGES[extname(path)];
    if (file === undefined || type === undefined) return undefined;
    return { type, content: await readFile(new URL(file, this.#root)) };
  }

  /** The path below `/docs/` of a relative link on a page; undefined if the set has no such page or image. */
  pathOf(target: string, page: string): string | undefined {
    const [name = '', anchor] = target.split('#');
    const from = this.#files.get(page) ?? CONTENTS;
    const file = name === '' ? from : posix.normalize(posix.join(posix.dirname(from), name));
    const path = pathOfFile(file);
    if (this.#files.get(path) !== file) return undefined;
    return anchor === undefined ? path : `${path}#${anchor}`;
  }
}

function pathOfFile(file: string): string {
  if (file === CONTENTS) return '';
  const path = file.startsWith(DOCS) ? file.slice(DOCS.length) : `${PROJECT}${file}`;
  return path.replace(/\.md$/, '');
}

/** The pages and images of a directory below the root of the installation, without those of its directories. */
async function filesIn(root: URL, directory: string): Promise<readonly string[]> {
  const url = new URL(directory === '' ? '.' : directory, root);
  const entries = await readdir(url, { withFileTypes: true }).catch(() => []);
  const isServed = (name: string) => name.endsWith('.md') || IMAGES[extname(name)] !== undefined;
  return entries
    .filter((entry) => entry.isFile() && isServed(entry.name))
    .map((entry) => `${directory}${entry.name}`)
    .sort();
}
