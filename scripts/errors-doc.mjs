// Writes docs/errors.md from FAULTS, the table of all errors in src/base/fault.ts. It compiles that module alone, so that the page can
// be updated while the rest of src does not compile.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

async function readFaults() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'docket-faults-'));
  try {
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = '--ignoreConfig --module nodenext --target es2023 --types node --skipLibCheck';
    const imports = '--rewriteRelativeImportExtensions --rootDir src --outDir';
    const args = [
      compiler,
      ...options.split(' '),
      ...imports.split(' '),
      folder,
      'src/base/fault.ts',
    ];
    execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const { FAULTS } = await import(pathToFileURL(path.join(folder, 'base/fault.js')).href);
    return FAULTS;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The codes by module, in the order of the table; codes without a module are under "Anywhere". */
function byModule(faults) {
  const modules = new Map();
  for (const [code, row] of Object.entries(faults)) {
    const module = code.includes('.') ? code.slice(0, code.indexOf('.')) : 'Anywhere';
    modules.set(module, [...(modules.get(module) ?? []), [code, row]]);
  }
  return modules;
}

function tableOf(rows) {
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const lines = rows.map(([code, row]) => `| \`${code}\` | ${row.status} | ${cell(row.message)} |`);
  return ['| code | status | message |', '|---|---|---|', ...lines].join('\n');
}

const opening = `# Errors

An error response contains an object \`error\` with a \`code\` and a \`message\`, often with a \`target\` (the option, header or property with
the error), and with \`details\` if one response reports several errors. A code never changes its meaning; messages may be reworded.
\`{name}\` is a placeholder for a value of the request.

This page is generated from the table \`FAULTS\` in [src/base/fault.ts](../src/base/fault.ts) by \`npm run docs\`.
`;

const sections = [...byModule(await readFaults())].map(
  ([module, rows]) => `## ${module}\n\n${tableOf(rows)}\n`,
);
fs.writeFileSync(path.join(root, 'docs/errors.md'), [opening, ...sections].join('\n'));
