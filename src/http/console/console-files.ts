// This file reads the files of the built console. Requests name files of a list, so that nothing outside of the directory can be reached.
// Another build replaces the list without a restart.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file in memory. */
export interface ConsoleFile {
  readonly type: string;
  readonly content: Uint8Array;
  /** Compressed copies that the build has written. */
  readonly br: Uint8Array | undefined;
  readonly gzip: Uint8Array | undefined;
  /** Hash of the content. */
  readonly digest: string;
}

/** The files of one build by their paths, such as `assets/index-1a2b.js`. */
interface Build {
  /** Changes with each build. */
  readonly version: string;
  readonly names: ReadonlySet<string>;
  readonly files: Map<string, ConsoleFile>;
}

const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

const COMPRESSED = /\.(?:br|gz)$/;

/** The files in a directory. */
export class ConsoleFiles {
  readonly #directory: string;
  #build: Build | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The page as it was built; undefined if the console has not been built. */
  async page(): Promise<string | undefined> {
    const build = await this.#current();
    const page = build === undefined ? undefined : await this.#read(build, PAGE);
    return page === undefined ? undefined : Buffer.from(page.content).toString('utf8');
  }

  /** A file other than the page by its path; undefined if there is none. */
  async file(path: string): Promise<ConsoleFile | undefined> {
    if (path === PAGE) return undefined;
    const build = await this.#current();
    return build === undefined ? undefined : await this.#read(build, path);
  }

  /** The list of the present build. Each build writes the page again. */
  async #current(): Promise<Build | undefined> {
    const found = await stat(join(this.#directory, PAGE)).catch(() => undefined);
    if (found === undefined) return undefined;
    const version = `${found.mtimeMs} ${found.ino} ${found.size}`;
    if (this.#build?.version === version) return this.#build;
    const build = { version, names: await namesIn(this.#directory), files: new Map() };
    this.#build = build;
    return build;
  }

  async #read({ names, files }: Build, name: string): Promise<ConsoleFile | undefined> {
    if (COMPRESSED.test(name)) return undefined;
    const known = files.get(name);
    if (known !== undefined) return known;
    const contentOf = async (path: string) =>
      names.has(path) ? await readFile(join(this.#directory, path)) : undefined;
    const content = await contentOf(name);
    if (content === undefined) return undefined;
    const file = {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      content,
      br: await contentOf(`${name}.br`),
      gzip: await contentOf(`${name}.gz`),
      digest: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    };
    files.set(name, file);
    return file;
  }
}

async function namesIn(directory: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(
    files.map((entry) =>
      relative(directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'),
    ),
  );
}
