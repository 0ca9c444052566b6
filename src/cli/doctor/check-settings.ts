// This file checks for settings that are valid but risky. Unknown keys and invalid values are rejected before any command runs.
import { statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/monitoring-config.ts';
import { type Finding, ok, warning } from './finding.ts';

/** @param file the configuration file, if there is one */
export function checkSettings(config: Config, file: string | undefined): readonly Finding[] {
  const risks = [...risksOf(config), ...(file === undefined ? [] : risksOfFile(config, file))];
  if (risks.length === 0) return [ok('settings', 'No setting is risky.')];
  return risks.map(([explanation, remedy]) => warning('settings', explanation, remedy));
}

type Risk = readonly [explanation: string, remedy: string];

function risksOf(config: Config): readonly Risk[] {
  const { host, tls, trustedProxies, corsOrigins, logLevel, limits } = config;
  const isOpen = !isLoopback(host);
  const risks: readonly (readonly [isRisky: boolean, ...Risk])[] = [
    [
      config.allowInsecureTokens,
      'allowInsecureTokens: passwords and tokens may cross the network unencrypted.',
      'Set tls, or put a proxy with HTTPS in front and list it in trustedProxies; then remove the setting.',
    ],
    [
      isOpen && tls === undefined && trustedProxies.length === 0,
      `host: the service listens on ${host} without HTTPS, and trusts no proxy.`,
      'Set tls, or listen on 127.0.0.1 behind a proxy with HTTPS.',
    ],
    [
      trustedProxies.some((range) => /\/0$/.test(range)),
      'trustedProxies: every client may claim any address and scheme.',
      'List the addresses of your proxies only.',
    ],
    [
      corsOrigins.includes('*'),
      'corsOrigins: pages of every origin may call the service.',
      'List the origins of your pages.',
    ],
    [
      config.tokenBinding === 'off',
      'tokenBinding: a stolen token works on every machine.',
      'Set tokenBinding to address, unless clients change their addresses.',
    ],
    [
      config.anonymousRole !== undefined,
      `anonymousRole: requests without a token have the rights of the role ${config.anonymousRole}.`,
      'Remove the setting, unless this is intended.',
    ],
    [
      logLevel === 'error' || logLevel === 'silent',
      `logLevel: ${logLevel} hides failed requests and slow statements.`,
      'Set logLevel to info or warn.',
    ],
    [
      limits.slowMilliseconds === 0,
      'limits.slowMilliseconds: slow statements are not recorded.',
      'Remove the setting; 500 is the default.',
    ],
  ];
  return risks.flatMap(([isRisky, ...risk]) => (isRisky ? [risk] : []));
}

/** Passwords in a file that other users of the machine can read. */
function risksOfFile({ mail, files, database, metrics }: Config, file: string): readonly Risk[] {
  const secrets = [mail.smtp?.password, mail.imap?.password, files.ftp?.password];
  const more = [files.s3?.secretKey, metrics.token, passwordOf(database)];
  const hasSecret = [...secrets, ...more].some((secret) => secret !== undefined);
  const isReadable = (statSync(file).mode & 0o077) !== 0;
  if (!hasSecret || !isReadable || process.platform === 'win32') return [];
  return [
    [
      `${file} can be read by other users of this machine, and there are passwords in the configuration.`,
      `chmod 600 ${file}, or set the passwords by environment variables.`,
    ],
  ];
}

function passwordOf(url: string | undefined): string | undefined {
  const password = url === undefined ? '' : new URL(url).password;
  return password === '' ? undefined : password;
}
