// This file checks the machine: the version of Node, time zones, disk space and the certificate.

import { X509Certificate } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { counted } from '../../base/counted.ts';
import type { Config } from '../config/config.ts';
import { reasonOf } from '../system-errors.ts';
import { sizeText } from '../terminal.ts';
import { readPair } from '../tls-certificate.ts';
import { packageVersion } from '../version.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The oldest version, as in package.json. */
const OLDEST_NODE = [20, 19] as const;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const explanation = `Docket ${packageVersion()} runs on Node ${version}.`;
  return isOld
    ? problem('program', explanation, `Install Node ${OLDEST_NODE.join('.')} or later.`)
    : ok('program', explanation);
}

/** Governments announce changes of time zones a few months ahead. @param now milliseconds since 1970 */
export function checkTimeZones(now: number, version = process.versions.tz ?? ''): Finding {
  const age = new Date(now).getUTCFullYear() - Number.parseInt(version, 10);
  if (Number.isNaN(age))
    return warning(
      'time zones',
      'This build of Node does not name the version of its time zones.',
      'Use a build of Node with full ICU data.',
    );
  const explanation = `Time zones are those of ${version}.`;
  return age > 1
    ? warning('time zones', explanation, 'Update Node: deadlines of some zones may be wrong.')
    : ok('time zones', explanation);
}

/** Bytes below which the service may fail soon, and below which space should be freed. */
const FULL = 100 * 1024 * 1024;
const SCARCE = 1024 * 1024 * 1024;

export function checkDisk(
  { data }: Pick<Config, 'data'>,
  freeOf: (directory: string) => number = freeBytes,
): Finding {
  const free = freeOf(data);
  const explanation = `${sizeText(free)} are free on the disk of ${data}.`;
  const remedy = 'Free space, or move the installation to a larger disk.';
  if (free < FULL) return problem('disk', explanation, remedy);
  return free < SCARCE ? warning('disk', explanation, remedy) : ok('disk', explanation);
}

/** Free space on the disk of a directory. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Days before its expiry at which a certificate should have been renewed. */
const RENEWAL_DAYS = 21;
const DAY = 86_400_000;

/** Undefined without HTTPS. @param now milliseconds since 1970 */
export function checkCertificate(config: Config, now: number): Finding | undefined {
  const { tls } = config;
  if (tls === undefined) return undefined;
  const remedy = `Renew ${tls.certificate} and its key; a running service uses new files within a second.`;
  try {
    const pair = readPair(config);
    const { validFrom, validTo } = new X509Certificate(pair?.certificate ?? '');
    const days = Math.floor((Date.parse(validTo) - now) / DAY);
    if (days < 0) return problem('certificate', `The certificate expired on ${validTo}.`, remedy);
    if (Date.parse(validFrom) > now)
      return problem('certificate', `The certificate is valid from ${validFrom} only.`, remedy);
    const explanation = `The certificate expires in ${counted(days, 'day')}, on ${validTo}.`;
    return days < RENEWAL_DAYS
      ? warning('certificate', explanation, remedy)
      : ok('certificate', explanation);
  } catch (error) {
    return problem('certificate', reasonOf(error), remedy);
  }
}
