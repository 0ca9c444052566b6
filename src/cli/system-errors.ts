// Turns errors of the operating system and of the database into sentences with a remedy, so that administrators see neither error codes nor
// stack traces.
import { join } from 'node:path';
import { unreachable } from '../base/fault.ts';
import type { DatabaseProblem } from '../store/installation-database.ts';

/** The part of the configuration that messages refer to. */
interface Location {
  readonly data: string;
  readonly host: string;
  readonly port: number;
}

/** Descriptions of error codes. POSIX, "Error Numbers". */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the user running this command lacks permission',
  EPERM: 'the user running this command lacks permission',
  EROFS: 'it is on a read-only file system',
  ENOENT: 'it does not exist',
  ENOTDIR: 'part of its path is a file, not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'a file of that name already exists',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system does not allow files that large',
  EIO: 'the disk reported an I/O error',
  EMFILE: 'too many files are open',
};

/** Why a file cannot be used. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

/** The problem and its remedy; undefined for a bug in the program. */
export function describeSystemError(error: unknown, location: Location): string | undefined {
  const code = codeOf(error);
  return listenProblem(error, code, location) ?? fileProblem(error, code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A problem of the database and its remedy. */
export function describeDatabaseProblem(
  problem: DatabaseProblem,
  { data }: Pick<Location, 'data'>,
): string {
  const file = join(data, 'docket.db');
  switch (problem) {
    case 'not-writable':
      return `The database ${file} cannot be opened for writing. Give the user running this command write permission on the directory and every file in it.`;
    case 'damaged':
      return `The database ${file} is damaged. Stop the service, keep a copy of the directory, and restore the latest backup with "docket restore" (see "Backup" in docs/administration.md).`;
    case 'disk':
      return `The disk that holds ${data} is full or failing; nothing was changed. Free some disk space and try again.`;
    case 'locked':
      return `The database ${file} is locked by another program. Try again, or stop that program first.`;
    default:
      return unreachable(problem);
  }
}

function listenProblem(error: unknown, code: string, { host, port }: Location): string | undefined {
  const syscall = error instanceof Error && 'syscall' in error ? String(error.syscall) : '';
  if (!/^(listen|bind|getaddrinfo)$/.test(syscall)) return undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use, perhaps by a running Docket service. Stop that program, or choose another port with --port.`;
    case 'EACCES':
      return `The user running this command may not listen on port ${port}. Choose a port from 1024 on with --port.`;
    default:
      return `${host} is not an address of this machine. Use --host 127.0.0.1 (this machine only), or 0.0.0.0 or :: (all networks).`;
  }
}

function fileProblem(error: unknown, code: string): string | undefined {
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const path = error instanceof Error && 'path' in error ? String(error.path) : 'A file';
  return `${path} cannot be used: ${reason}.`;
}
