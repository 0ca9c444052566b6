// This file joins the compiled modules of dist into the few files of dist/program, which start in about half the time: a command
// needs some 750 modules. Packages stay outside. What is not TypeScript lies beside them.
//     node scripts/bundle.mjs DIST
import { copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** What starts by itself: the command, the library and the threads. Threads are found beside the file that starts them. */
const ENTRIES = [
  'cli/main.js',
  'cli/embedded-service.js',
  'store/sqlite/reader-thread.js',
  'attachments/local/writer-thread.js',
  'cli/apply-model/model-thread.js',
];
const sources = path.resolve(import.meta.dirname, '../src');

async function bundle(dist) {
  const target = path.join(dist, 'program');
  const build = await rolldown({
    input: Object.fromEntries(
      ENTRIES.map((entry) => [path.basename(entry, '.js'), path.join(dist, entry)]),
    ),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  });
  await build.write({ dir: target, sourcemap: true, chunkFileNames: '[name]-part.js' });
  await build.close();
  for (const file of readdirSync(sources, { recursive: true }))
    if (isCopied(file))
      copyFileSync(path.join(sources, file), path.join(target, path.basename(file)));
}

function isCopied(file) {
  return /\.(?:css|html|js)$/.test(file);
}

await bundle(path.resolve(process.argv[2]));
