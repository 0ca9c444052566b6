// Modification times of files in FTP listings. MLSD returns exact times. LIST returns them in the format of `ls`: in the server's time
// zone, without the year or without the time of day. That is precise enough for files that are days old; for others MDTM is used.
// Source: RFC 3659 "Extensions to FTP", "File Modification Time (MDTM)".
import { type Client, type FileInfo, FTPError } from 'basic-ftp';

const DAY = 24 * 3600 * 1000;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * The modification time of a listed file.
 * @param now milliseconds since 1970; returned if the server does not know the time, so that no file of unknown age counts as old
 */
export async function modifiedOf(
  client: Client,
  file: FileInfo,
  path: string,
  now: number,
): Promise<Date> {
  const listed = file.modifiedAt ?? readListedDate(file.rawModifiedAt, now);
  if (listed !== undefined) return listed;
  try {
    return await client.lastMod(path);
  } catch (error) {
    if (error instanceof FTPError) return new Date(now);
    throw error;
  }
}

/** `Nov 21 2025` or `Nov 21 12:40` as the end of that day; undefined for the last two days and for other formats. */
export function readListedDate(text: string, now: number): Date | undefined {
  const [, name = '', day = '', last = ''] =
    /^(\w{3})\s+(\d{1,2})\s+(\d{4}|\d{1,2}:\d{2})$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name);
  if (month < 0) return undefined;
  const inYear = (year: number) => Date.UTC(year, month, Number(day) + 1);
  const thisYear = new Date(now).getUTCFullYear();
  const ends = last.includes(':')
    ? [inYear(thisYear), inYear(thisYear - 1)].find((end) => end <= now + 2 * DAY)
    : inYear(Number(last));
  return ends !== undefined && ends < now - 2 * DAY ? new Date(ends) : undefined;
}
