// This file writes docs/errors.md from FAULTS, every refusal in src/base/fault.ts. It compiles that one room
// by itself, so that the page can be made while the rest of src is in pieces.

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

/** The codes of each room together, in the order of the table; codes without a room stand under "Anywhere". */
function byRoom(faults) {
  const rooms = new Map();
  for (const [code, row] of Object.entries(faults)) {
    const room = code.includes('.') ? code.slice(0, code.indexOf('.')) : 'Anywhere';
    rooms.set(room, [...(rooms.get(room) ?? []), [code, row]]);
  }
  return rooms;
}

function tableOf(rows) {
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const lines = rows.map(([code, row]) => `| \`${code}\` | ${row.status} | ${cell(row.message)} |`);
  return ['| code | status | message |', '|---|---|---|', ...lines].join('\n');
}

const opening = `# Errors

Every refusal of the service is an object \`error\` with a \`code\` and a \`message\`, often with a \`target\` (the option, header or
property that is wrong) and with \`details\` where one answer names several mistakes. A code keeps its meaning for ever; the
words of a message may change. \`{name}\` stands for what the request in question had there.

This page is made from the table \`FAULTS\` in [src/base/fault.ts](../src/base/fault.ts) by \`npm run docs\`.
`;

const sections = [...byRoom(await readFaults())].map(
  ([room, rows]) => `## ${room}\n\n${tableOf(rows)}\n`,
);
fs.writeFileSync(path.join(root, 'docs/errors.md'), [opening, ...sections].join('\n'));
