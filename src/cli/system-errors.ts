// Turns errors of the operating system and of the database into sentences with a remedy, so that administrators see neither error codes nor
// stack traces.
import { certificateProblem } from '../base/certificate-problem.ts';
import { unreachable } from '../base/fault.ts';
import type { DatabaseProblem } from '../store/installation-database.ts';

/** The part of the configuration that messages refer to. */
interface Location {
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
  ELOOP: 'its symbolic links form a loop',
  EEXIST: 'a file of that name already exists',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system does not allow files that large',
  EIO: 'the disk reported an I/O error',
  // bin/docket has the same text, for a limit that is too low to load this file.
  EMFILE:
    'too many files are open. Raise the limit of open files: "ulimit -n 4096" in a shell, LimitNOFILE= in a systemd unit',
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

/**
 * A problem of the database at `place` and its remedy.
 * @param key where the database is named
 */
export function describeDatabaseProblem(
  problem: DatabaseProblem,
  place: string,
  error: unknown,
  key = 'the setting "database"',
): string {
  const name = `The database ${place}`;
  switch (problem) {
    case 'not-writable':
      return `${name} cannot be opened for writing. Give the user running this command write permission on the directory and every file in it.`;
    case 'damaged':
      return `${name} is damaged. Stop the service, keep a copy of the directory, and restore the latest backup with "docket restore" (see "Backup" in docs/administration.md).`;
    case 'not-a-file':
      return `${name} is a directory, not a file. Rename or remove it, or specify another data directory.`;
    case 'disk':
      return `The disk that holds ${place} is full or failing; nothing was changed. Free some disk space and try again.`;
    case 'locked':
      return `${name} is locked by another program. Try again, or stop that program first.`;
    case 'login':
      return `${name} rejects the login: ${reasonOf(error)}. Correct the user and the password in ${key}, or pg_hba.conf of the server.`;
    case 'no-database':
      return `${name} does not exist. Create it with CREATE DATABASE … ENCODING 'UTF8', or correct the name in ${key}.`;
    case 'no-rights':
      return `${name} denies access: ${reasonOf(error)}. Grant the user USAGE and CREATE on the schema; superuser rights are not needed.`;
    case 'no-encryption':
      return `The server of the database ${place} does not support encryption. Enable ssl in postgresql.conf of the server, or change sslmode in ${key}.`;
    case 'connection-lost':
      return `The connection to the database ${place} was lost: ${connectProblem(error)}. Check the log of the server, and run the same command again.`;
    case 'too-many-connections':
      return `${name} accepts no more connections: ${reasonOf(error)}. Close some, lower limits.databaseConnections of the nodes, or raise max_connections of the server.`;
    case 'unreachable': {
      const certificate = certificateProblem(error, `sslrootcert in ${key}`);
      if (certificate !== undefined) return `${name} cannot be reached: ${certificate}.`;
      return `${name} cannot be reached: ${connectProblem(error)}. Start the server, or correct the host and the port in ${key}.`;
    }
    default:
      return unreachable(problem);
  }
}

/** Descriptions of errors that end an attempt to connect. */
const CONNECT_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ECONNRESET: 'the server has closed the connection',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ENOTFOUND: 'the name of the host is unknown',
  EAI_AGAIN: 'the name of the host cannot be resolved',
  ETIMEDOUT: 'the host does not respond',
};

function connectProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return CONNECT_REASONS[codeOf(cause)] ?? reasonOf(cause);
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
