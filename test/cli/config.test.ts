// This file reads configurations of files, variables and flags: which goes first, and what is complained of.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/cli/config/config.ts';

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'docket-config-')), 'docket.yaml');
  writeFileSync(file, text);
  return file;
}

describe('the configuration', () => {
  it('has defaults for everything', () => {
    const config = readConfig({}, {});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 5181,
      maximumUsers: 100,
      limits: { pageSize: 20, maximumPageSize: 250 },
    });
  });

  it('takes the file, over it the variables, over them the flags', () => {
    const file = fileWith('port: 6001\nhost: 0.0.0.0\nmaximumUsers: 7\nlimits:\n  pageSize: 5\n');
    const config = readConfig(
      { config: file, port: '6003' },
      { DOCKET_PORT: '6002', DOCKET_MAXIMUM_USERS: '8', DOCKET_LIMITS_EXPAND_DEPTH: '3' },
    );
    expect(config).toMatchObject({
      port: 6003,
      host: '0.0.0.0',
      maximumUsers: 8,
      limits: { pageSize: 5, expandDepth: 3 },
    });
  });

  it('rejects a URL as the directory, without showing its password', () => {
    const message =
      '--data: expected a directory; the URL of a database belongs in the setting database (DOCKET_DATABASE), not "postgres:/';
    for (const data of ['postgres://u:SECRET@h/x', 'postgres:/u:SECRET@h/x']) {
      const read = () => readConfig({ data }, {});
      expect(read).toThrow(message);
      expect(read).not.toThrow('SECRET');
    }
    expect(readConfig({ data: 'C:/docket' }, {}).data).toContain('docket');
  });

  it('reads lists from variables', () => {
    expect(readConfig({}, { DOCKET_ANONYMOUS: 'ping, metadata' }).anonymous).toEqual([
      'ping',
      'metadata',
    ]);
  });

  it('reads issuers from the file, and as JSON from the variable', () => {
    const file = fileWith('issuers:\n  - url: https://login.example.com\n    audience: desk\n');
    const expected = [
      {
        url: 'https://login.example.com',
        audience: ['desk'],
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        clockSkew: 60,
        claim: 'preferred_username',
        createAccounts: false,
        roles: { claim: 'roles', map: {}, default: [] },
      },
    ];
    expect(readConfig({ config: file }, {}).issuers).toEqual(expected);
    const text = '[{"url": "https://login.example.com", "audience": ["desk"]}]';
    expect(readConfig({}, { DOCKET_ISSUERS: text }).issuers).toEqual(expected);
    expect(readConfig({}, {}).issuers).toEqual([]);
  });

  it.each([
    [{ url: 'http://login.example.com' }, 'expected an HTTPS URL'],
    [{ jwksUri: 'http://10.0.0.1/keys' }, 'expected an HTTPS URL'],
    [
      { audience: [] },
      'DOCKET_ISSUERS: issuers.0.audience: expected a text or a list of texts, not []',
    ],
    [{ algorithms: ['HS256'] }, 'expected one of "RS256"'],
    [{ algorithms: ['none'] }, 'expected one of "RS256"'],
    [{ roles: { default: ['administrator'] } }, 'expected roles with fewer rights'],
    [{ console: { name: 'Login' } }, 'issuers.0.console.clientId: is missing.'],
    [
      { console: { name: 'Login', clientId: 'x', scopes: ['email'] } },
      'expected a list that contains openid',
    ],
    [{ clockSkw: 5 }, 'the key "clockSkw" is unknown. Did you mean "clockSkew"?'],
  ])('refuses an issuer with %j', (wrong, message) => {
    const issuer = { url: 'https://login.example.com', audience: 'desk', ...wrong };
    expect(() => readConfig({}, { DOCKET_ISSUERS: JSON.stringify([issuer]) })).toThrow(message);
  });

  it('does not repeat the secret of a client in a message', () => {
    const console = { name: 'Login', clientId: 'x', clientSecret: { of: 'the client' } };
    const issuer = { url: 'https://login.example.com', audience: 'desk', console };
    const read = () => readConfig({}, { DOCKET_ISSUERS: JSON.stringify([issuer]) });
    expect(read).toThrow('issuers.0.console.clientSecret');
    expect(read).not.toThrow('the client');
  });

  it('refuses issuers that are no list of sections, or named twice', () => {
    const issuer = { url: 'http://127.0.0.1:8080', audience: 'desk' };
    const read = (text: string) => () => readConfig({}, { DOCKET_ISSUERS: text });
    expect(read('https://login.example.com')).toThrow(
      'DOCKET_ISSUERS: expected a list of sections',
    );
    expect(read(JSON.stringify([issuer]))).not.toThrow();
    expect(read(JSON.stringify([issuer, issuer]))).toThrow('expected each issuer once');
    expect(read('[{"url": "https://login.example.com"}]')).toThrow(
      'issuers.0.audience: is missing.',
    );
  });

  it('refuses an unknown key with its line and the nearest name', () => {
    const file = fileWith('host: 127.0.0.1\nprot: 80\n');
    expect(() => readConfig({ config: file }, {})).toThrow(
      `${file}:2:1: the key "prot" is unknown. Did you mean "port"?`,
    );
  });

  it('refuses bad values of all sources at once', () => {
    const file = fileWith('limits:\n  pageSize: 0\n');
    const read = () => readConfig({ config: file, port: 'eighty' }, { DOCKET_RULES: 'mine' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/docket\.yaml:2:3: limits\.pageSize/);
    expect(read).toThrow(/DOCKET_RULES: expected one of "service", "odata", not "mine"/);
    expect(read).toThrow(/--port: expected a whole number from 0 to 65535, not "eighty"/);
  });

  it.each([
    ['idleMinutes: 0', '1:1: idleMinutes: expected a number above 0, not 0.'],
    ['anonymous: [pong]', '1:1: anonymous.0: expected one of "ping", "metadata", not "pong".'],
    ['limits: 5', '1:1: limits: expected a section with keys of its own, not 5.'],
    ['tls:\n  key: a', 'tls.certificate: is missing.'],
    ['files:\n  ftp:\n    password: 7', '3:5: files.ftp.password: expected a string.'],
    ['metrics:\n  token: short', 'metrics.token: expected a string of at least 16 characters.'],
    ['trustedProxies: ["10.0.0.0/33"]', '10.0.0.0/8 or fd00::/8, not "10.0.0.0/33".'],
    ['trustedProxies: [proxy]', 'an IP address or a range such as 10.0.0.7, 10.0.0.0/8'],
    ['corsOrigins: ["https://a/"]', 'without a path, or *, not "https://a/".'],
    ['allowInsecureTokens: maybe', 'expected true or false, not "maybe".'],
  ])('tells what a key takes: %s', (text, expected) => {
    expect(() => readConfig({ config: fileWith(text) }, {})).toThrow(expected);
  });

  it('names flags as they are written', () => {
    expect(() => readConfig({ logLevel: 'loud' }, {})).toThrow(/^--log-level: expected one of/);
  });

  it('accepts the variable that chooses the SQLite driver, and no other driver', () => {
    expect(readConfig({}, { DOCKET_SQLITE_DRIVER: 'better-sqlite3' })).toEqual(readConfig({}, {}));
    expect(() => readConfig({}, { DOCKET_SQLITE_DRIVER: 'foo' })).toThrow(
      'DOCKET_SQLITE_DRIVER: expected "better-sqlite3", not "foo".',
    );
  });

  it('rejects a file of two documents', () => {
    expect(() => readConfig({ config: fileWith('port: 1\n---\nport: 2\n') }, {})).toThrow(
      /docket\.yaml: the file contains more than one document\. Remove the lines "---" between them\.$/,
    );
  });

  it('refuses an unknown variable with the nearest name', () => {
    expect(() => readConfig({}, { DOCKET_PROT: '1' })).toThrow(
      'The environment variable DOCKET_PROT is unknown. Did you mean "DOCKET_PORT"?',
    );
  });

  it('refuses a file that is not YAML, and one that is missing', () => {
    expect(() => readConfig({ config: fileWith('a: [') }, {})).toThrow(ConfigError);
    expect(() => readConfig({ config: '/nowhere/docket.yaml' }, {})).toThrow(
      'The configuration file /nowhere/docket.yaml does not exist.',
    );
  });

  describe('of the files', () => {
    const read = (text: string, environment: NodeJS.ProcessEnv = {}) =>
      readConfig({ config: fileWith(text) }, environment);

    it('is a directory below the data where nothing is said', () => {
      const { files } = readConfig({ data: '/srv/docket' }, {});
      expect(files).toEqual({
        store: 'local',
        strayHours: 24,
        limits: { bytes: 104_857_600, permitted: [], refused: [] },
        local: { directory: '/srv/docket/files' },
      });
    });

    it('takes the settings from the file, and a password from a variable', () => {
      const text =
        'files:\n  store: ftp\n  ftp:\n    host: ftp.example.com\n    user: desk\n    tls: explicit\n';
      const { files } = read(text, {
        DOCKET_FILES_FTP_PASSWORD: '007',
        DOCKET_FILES_FTP_PASSIVE: 'false',
        DOCKET_FILES_FTP_CONNECTIONS: '3',
      });
      expect(files.ftp).toMatchObject({
        host: 'ftp.example.com',
        user: 'desk',
        password: '007',
        tls: 'explicit',
        passive: false,
        connections: 3,
        directory: 'docket',
      });
    });

    it('is refused where a store has no settings, or lacks some', () => {
      expect(() => readConfig({}, { DOCKET_FILES_STORE: 's3' })).toThrow(/files\.s3/);
      expect(() => read('files:\n  ftp:\n    host: a\n    user: b\n')).toThrow(
        /files\.ftp\.password/,
      );
    });

    it('is refused where a value is wrong, with its place', () => {
      expect(() => read('files:\n  stroe: local\n')).toThrow(/docket\.yaml:2:3: .*"store"/);
      expect(() => read('files:\n  ftp:\n    hots: a\n')).toThrow(/docket\.yaml:3:5: .*"host"/);
      expect(() => read('files:\n  ftp:\n    host: "a\\r\\nDELE x"\n')).toThrow(/one line/);
      expect(() => read('files:\n  s3:\n    endpoint: ftp://x\n')).toThrow(/files\.s3\.endpoint/);
      expect(() => read('files:\n  s3:\n    prefix: ../\n')).toThrow(/files\.s3\.prefix/);
      expect(() => readConfig({}, { DOCKET_FILES_STORE: 'tape' })).toThrow(/FILES_STORE: .*"tape"/);
    });
  });
});
