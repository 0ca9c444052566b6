// This file says in plain words what the machine or the database refuses, and what to do about it: whoever runs a command sees no code
// of an operating system and no line of a program.
import { join } from 'node:path';

/** What is needed of the configuration to name the place. */
interface Where {
  readonly data: string;
  readonly host: string;
  readonly port: number;
}

/** Error numbers in words. POSIX, "Error Numbers". */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the account that runs this command has no right to it',
  EPERM: 'the account that runs this command has no right to it',
  EROFS: 'it is on a disk that can only be read',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of its path is a file, not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'a file of that name is in the way',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the account has used up its share of the disk',
  EFBIG: 'files may not become that large here',
  EIO: 'the disk fails',
  EMFILE: 'too many files are open',
};

/** Why a file cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

/** The trouble with its remedy; undefined for what is a mistake of the program. */
export function troubleOf(error: unknown, where: Where): string | undefined {
  const code = codeOf(error);
  if (code.startsWith('SQLITE_')) return databaseTrouble(code, where);
  return listenTrouble(error, code, where) ?? fileTrouble(error, code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** SQLite, "Result and Error Codes". */
function databaseTrouble(code: string, { data }: Where): string | undefined {
  const file = join(data, 'docket.db');
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code))
    return `The database ${file} cannot be opened for writing: the account that runs this command needs the right to write the directory and every file in it.`;
  if (/^SQLITE_(NOTADB|CORRUPT|FORMAT)/.test(code))
    return `The database ${file} is damaged. Stop the service, keep a copy of the directory as it is, and put the newest backup in its place with "docket restore" ("Backup" in docs/administration.md).`;
  if (/^SQLITE_(FULL|IOERR)/.test(code))
    return `The disk of ${data} is full or fails; nothing was changed. Make room and try again.`;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return `Another program holds the database ${file}; try again, or end that program first.`;
  return undefined;
}

function listenTrouble(error: unknown, code: string, { host, port }: Where): string | undefined {
  const syscall = error instanceof Error && 'syscall' in error ? String(error.syscall) : '';
  if (!/^(listen|bind|getaddrinfo)$/.test(syscall)) return undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use by another program, perhaps by a service that runs already; end that one, or choose another port with --port.`;
    case 'EACCES':
      return `Port ${port} may not be taken by the account that runs this command; ports from 1024 on may, with --port.`;
    default:
      return `${host} is no address of this machine; write with --host 127.0.0.1 (this machine alone), 0.0.0.0 or :: (whoever can reach it).`;
  }
}

function fileTrouble(error: unknown, code: string): string | undefined {
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const path = error instanceof Error && 'path' in error ? String(error.path) : 'A file';
  return `${path} cannot be used: ${reason}.`;
}
