// This file removes passwords from URLs of databases, so that messages and logs can name the database.

/** `postgres://docket@db.example.com/docket`. Also for text that is not a valid URL. */
export function withoutPassword(url: string): string {
  return url
    .replace(/((?::\/|\/\/)\/?[^:@/]*):.*@/, '$1@')
    .replace(/([?&](?:ssl)?password=)[^&#]*/gi, '$1');
}

/** `docket on db.example.com:5432`, as messages name a database. */
export function databasePlace(url: string): string {
  if (!URL.canParse(url)) return withoutPassword(url);
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username) || 'postgres';
  const host = hostname || searchParams.get('host') || 'localhost';
  return `${name} on ${host}:${port || searchParams.get('port') || '5432'}`;
}
