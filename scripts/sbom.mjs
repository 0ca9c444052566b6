// This file writes the software bill of materials of a release to standard output, as CycloneDX in JSON: the packages that Docket is
// installed with, and those whose code the built console contains. It reads package-lock.json only, so that the same commit has the same
// bill. `npm sbom --omit=dev` leaves out packages that development needs as well, such as pg and zod.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text);
const { name, version, description, license } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
);

const MODULES = 'node_modules/';

/** Whether a release contains the package in a folder. */
const isReleased = (folder) => {
  const { dev, devOptional, link } = packages[folder];
  return folder.includes(MODULES) && !dev && !devOptional && !link;
};

const nameOf = (folder) => folder.slice(folder.lastIndexOf(MODULES) + MODULES.length);

const urlOf = (packageName, packageVersion) =>
  `pkg:npm/${packageName.replace('@', '%40')}@${packageVersion}`;

const referenceOf = (folder) => urlOf(nameOf(folder), packages[folder].version);

/** The folder that an import from another folder finds: the closest one on the way to the root. */
function resolveFrom(folder, dependency) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const found = `${at === '' ? '' : `${at}/`}${MODULES}${dependency}`;
    if (packages[found] !== undefined) return found;
    if (at === '') return undefined;
  }
}

/** The references of everything that a package needs, as far as a release contains it. */
function needsOf(folder) {
  const { dependencies, optionalDependencies, peerDependencies } = packages[folder];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const found = names.map((one) => resolveFrom(folder, one));
  return found.filter((one) => one !== undefined && isReleased(one)).map(referenceOf);
}

function licencesOf(expression) {
  if (expression === undefined) return {};
  if (/ (?:OR|AND) /.test(expression)) return { licenses: [{ expression }] };
  const isId = /^[\w.+-]+$/.test(expression);
  return { licenses: [{ license: isId ? { id: expression } : { name: expression } }] };
}

function componentOf(folder) {
  const { version: locked, integrity, license: expression, optional } = packages[folder];
  const [last, group] = nameOf(folder).split('/').reverse();
  return {
    type: 'library',
    'bom-ref': referenceOf(folder),
    ...(group === undefined ? {} : { group }),
    name: last,
    version: locked,
    scope: optional ? 'optional' : 'required',
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
      },
    ],
    ...licencesOf(expression),
    purl: referenceOf(folder),
  };
}

/** A package may be in several folders, with different versions of what it needs. */
function merged(entries) {
  const all = new Map();
  for (const [ref, needs] of entries) all.set(ref, [...(all.get(ref) ?? []), ...needs]);
  return [...all].sort().map(([ref, needs]) => ({ ref, dependsOn: [...new Set(needs)].sort() }));
}

const folders = Object.keys(packages).filter(isReleased).sort();
const own = urlOf(name, version);
const hash = createHash('sha256').update(`${own}\n${text}`).digest('hex');
const uuid = [
  hash.slice(0, 8),
  hash.slice(8, 12),
  `8${hash.slice(13, 16)}`,
  `8${hash.slice(17, 20)}`,
];

const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${[...uuid, hash.slice(20, 32)].join('-')}`,
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': own,
      name,
      version,
      description,
      ...licencesOf(license),
      purl: own,
    },
  },
  components: [...new Map(folders.map((one) => [referenceOf(one), componentOf(one)])).values()],
  dependencies: merged([
    [own, [...needsOf(''), ...needsOf('console')]],
    ...folders.map((one) => [referenceOf(one), needsOf(one)]),
  ]),
};
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
