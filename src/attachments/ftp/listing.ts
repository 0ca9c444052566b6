// This file reads the times of files from listings of an FTP server. MLSD tells them exactly; LIST tells them like `ls`, in the server's
// own time zone, without the year or without the time of day. That is good enough for what is days old; for the rest the server is asked.
// Source: RFC 3659 "Extensions to FTP", "File Modification Time (MDTM)".
import { type Client, type FileInfo, FTPError } from 'basic-ftp';

const DAY = 24 * 3600 * 1000;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * When a listed file was changed last.
 * @param now milliseconds since 1970; given back where the server does not tell, so that nothing of unknown age counts as old
 */
export async function modifiedOf(
  client: Client,
  file: FileInfo,
  path: string,
  now: number,
): Promise<Date> {
  const told = file.modifiedAt ?? readListedDate(file.rawModifiedAt, now);
  if (told !== undefined) return told;
  try {
    return await client.lastMod(path);
  } catch (error) {
    if (error instanceof FTPError) return new Date(now);
    throw error;
  }
}

/** `Nov 21 2025` or `Nov 21 12:40` as the end of that day; undefined for the last two days, and for other forms. */
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
