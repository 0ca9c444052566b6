// This file finds binaries of PostgreSQL that the user of a server can start: those of the package, or a copy of them.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The links among libraries; npm packs none, and the script of the package that makes them may not have run. */
function linksOf(native) {
  const file = path.join(native, 'pg-symlinks.json');
  const links = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
  return links.map(({ source, target }) => ({
    file: path.join(native, '..', target),
    to: path.relative(path.dirname(target), source),
  }));
}

/** Whether the user can start the server from the folder. */
function isUsable(native, surroundings) {
  if (linksOf(native).some(({ file }) => !fs.existsSync(file))) return false;
  const program = path.join(native, 'bin', 'postgres');
  return spawnSync(program, ['--version'], surroundings).status === 0;
}

/** Copies the binaries into the directory, where the user can start them. */
function copyOf(native, directory) {
  const copy = path.join(directory, 'native');
  fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const { file, to } of linksOf(copy)) {
    if (!fs.existsSync(file)) fs.symlinkSync(to, file);
  }
  const programs = path.join(copy, 'bin');
  for (const name of fs.readdirSync(programs)) fs.chmodSync(path.join(programs, name), 0o755);
  return copy;
}

/**
 * The folder with the programs of PostgreSQL.
 *
 * @param {string} native the folder of the package, with bin, lib and share
 * @param {string} directory where a copy goes if one is needed
 * @param {import('node:child_process').SpawnSyncOptions} surroundings user, directory and environment of the programs
 * @returns {string}
 */
export function programsIn(native, directory, surroundings) {
  return path.join(isUsable(native, surroundings) ? native : copyOf(native, directory), 'bin');
}
