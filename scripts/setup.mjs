// This file makes a fresh checkout ready to run: it installs the locked packages and then, beside each other, compiles the SQLite driver
// where Node has no SQLite, with --build compiles src into dist and builds the console, and with --console builds the console only, which
// tests in a browser need. With --packages it only installs, which is enough for types and lint. Each step is skipped while a hash of its inputs equals the stamp that the last successful run left behind; file times are
// never compared. It uses only what Node brings along, since it runs before anything is installed.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasSqlite } from './has-sqlite.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);
const installStamp = at('node_modules', '.docket-stamp');
const driverStamp = at('node_modules', '.docket-driver-stamp');
const buildStamp = at('dist', '.docket-stamp');
const consoleStamp = at('console', 'dist', '.docket-stamp');
const bundler = path.join('scripts', 'bundle.mjs');
const lock = at('.docket-setup.lock');

function say(text) {
  process.stderr.write(`docket: ${text}\n`);
}

/** The hash of everything that decides what an installation puts into node_modules. */
function hashOfInstall() {
  // A change of the npm scripts installs nothing, so they do not count.
  const { scripts: _, ...manifest } = JSON.parse(fs.readFileSync(at('package.json'), 'utf8'));
  return createHash('sha256')
    .update(fs.readFileSync(at('package-lock.json')))
    .update(JSON.stringify(manifest))
    .update(`${process.version} ${process.platform} ${process.arch}`)
    .update(process.env.DOCKET_SQLITE_DRIVER ?? '')
    .digest('hex');
}

function filesUnder(folder) {
  if (!fs.existsSync(at(folder))) return [];
  return fs
    .readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** The hash of everything that decides what a build puts into dist. */
function hashOfBuild(installHash) {
  const settings = fs.readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  return hashOfFiles(installHash, [bundler, ...settings.sort(), ...filesUnder('src')]);
}

/** The hash of everything that decides what a build puts into console/dist. */
function hashOfConsole(installHash) {
  const settings = ['index.html', 'vite.config.mjs', 'package.json'];
  const files = settings.map((name) => path.join('console', name));
  return hashOfFiles(installHash, [...files, ...filesUnder(path.join('console', 'src'))]);
}

function hashOfFiles(installHash, files) {
  const hash = createHash('sha256').update(installHash);
  for (const file of files) {
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(fs.readFileSync(at(file)))
        .digest(),
    );
  }
  return hash.digest('hex');
}

function holds(stamp, hash) {
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash;
}

/** What is going on, with the moment at which it began. */
const running = new Map();

/** Shows on a terminal what is going on and for how many seconds. */
function showRunning() {
  const steps = [...running].map(([text, began]) => `${text} ... ${secondsSince(began)} s`);
  process.stderr.write(`\r\x1b[K${steps.length === 0 ? '' : `docket: ${steps.join(', ')}`}`);
}

const secondsSince = (began) => Math.round((Date.now() - began) / 1000);

/** Says what is going on: a running count of seconds on a terminal, plain lines elsewhere. Returns the way to end it. */
function progress(text) {
  const began = Date.now();
  const ended = (ending) => say(`${text}: ${ending} after ${secondsSince(began)} s`);
  if (!process.stderr.isTTY) {
    say(`${text} ...`);
    return ended;
  }
  running.set(text, began);
  showRunning();
  const timer = setInterval(showRunning, 1000);
  return (ending) => {
    clearInterval(timer);
    running.delete(text);
    process.stderr.write('\r\x1b[K');
    ended(ending);
    showRunning();
  };
}

/** Runs a program to its end; its output is kept back and shown only when it fails. */
function run(text, command, args, env = process.env) {
  const end = progress(text);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => {
      end('failed');
      reject(new Error(`${command} cannot be started: ${error.message}`));
    });
    // Ended from outside, this script does not leave an installation or a compiler running behind it.
    const stop = () => child.kill();
    process.once('exit', stop);
    child.on('close', (code, signal) => {
      process.off('exit', stop);
      end(code === 0 ? 'done' : 'failed');
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      reject(new Error(`${text} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

/**
 * Installs exactly what package-lock.json names, development packages included. Only the SQLite driver for a Node without SQLite needs the
 * scripts of its package.
 */
async function install(hash) {
  fs.rmSync(installStamp, { force: true });
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--ignore-scripts'];
  await runNpm('installing the packages of package-lock.json', args);
  fs.writeFileSync(installStamp, hash);
}

async function installDriver(hash) {
  await runNpm('compiling the SQLite driver, or downloading it', ['rebuild', 'better-sqlite3']);
  fs.writeFileSync(driverStamp, hash);
}

async function runNpm(text, args) {
  const { NODE_ENV: _, ...env } = process.env;
  // npm names itself in the environment of its scripts; run by hand or by another manager, it is looked up by name.
  const npm = process.env.npm_execpath ?? '';
  const isNpm = path.basename(npm) === 'npm-cli.js';
  const [command, before] = isNpm ? [process.execPath, [npm]] : ['npm', []];
  await run(text, command, [...before, ...args], env);
}

/** Compiles into a folder of its own and swaps it in when complete, so that dist is never half a build. */
async function build(hash) {
  const fresh = at('dist.new');
  fs.rmSync(fresh, { recursive: true, force: true });
  const compiler = at('node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh];
  await run('compiling src into dist', process.execPath, args);
  await run('joining the modules in dist/program', process.execPath, [at(bundler), fresh]);
  fs.writeFileSync(path.join(fresh, '.docket-stamp'), hash);
  fs.rmSync(at('dist'), { recursive: true, force: true });
  fs.renameSync(fresh, at('dist'));
}

/** Builds the console. A build that fails leaves no stamp, so that the next run builds again. */
async function buildConsole(hash) {
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  const config = at('console', 'vite.config.mjs');
  const args = [vite, 'build', '--config', config, '--logLevel', 'warn'];
  await run('building the console', process.execPath, args);
  fs.writeFileSync(consoleStamp, hash);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function takeLock() {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Waits until no other run is installing or building in this checkout; a lock whose owner is gone is taken over. */
async function alone(work) {
  for (let waited = 0; !takeLock(); waited += 1) {
    if (waited === 0) say(`waiting for another run of this script (none? then delete ${lock})`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const owner = fs.existsSync(lock) ? Number(fs.readFileSync(lock, 'utf8')) : 0;
    if (owner > 0 && !isRunning(owner)) fs.rmSync(lock, { force: true });
  }
  const release = () => fs.rmSync(lock, { force: true });
  process.on('exit', release);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  await work();
}

const isWanted = (option) => process.argv.includes(option);
const wantsBuild = isWanted('--build');
const wantsConsole = wantsBuild || isWanted('--console');
const needsDriver = !isWanted('--packages') && !(await hasSqlite());
const isInstalled = () => holds(installStamp, hashOfInstall());
const hasDriver = () => !needsDriver || holds(driverStamp, hashOfInstall());
const isBuilt = () => !wantsBuild || holds(buildStamp, hashOfBuild(hashOfInstall()));
const hasConsole = () => !wantsConsole || holds(consoleStamp, hashOfConsole(hashOfInstall()));

async function setUp() {
  if (!isInstalled()) await install(hashOfInstall());
  await Promise.all([addDriver(), buildAll()]);
}

async function addDriver() {
  if (!hasDriver()) await installDriver(hashOfInstall());
}

async function buildAll() {
  if (!isBuilt()) await build(hashOfBuild(hashOfInstall()));
  if (!hasConsole()) await buildConsole(hashOfConsole(hashOfInstall()));
}

try {
  if (!isInstalled() || !hasDriver() || !isBuilt() || !hasConsole()) await alone(setUp);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
