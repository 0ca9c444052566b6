// The command `docket start`, for a first look at Docket.
import type { Invocation } from '../invocation.ts';
import { addressOf } from '../running-service.ts';
import { hasInstallation } from '../wire.ts';
import { createDemo, generatePassword, readDemoAccount, storeDemoAccount } from './installation.ts';
import { serveAlone, serviceUrl } from './serve.ts';

const DEMO_ADMINISTRATOR = 'admin';

const HOUR = 3_600_000;

/**
 * `docket start`: creates a demo installation if there is none, whose records end at the present hour, serves it, and prints where the console is
 * and an example request.
 */
export async function start({ config, flags, terminal }: Invocation): Promise<void> {
  if (!(await hasInstallation(config))) {
    const account = { name: DEMO_ADMINISTRATOR, password: generatePassword() };
    terminal.say(`Creating a demo installation in ${config.data}.`);
    await createDemo(
      config,
      { requests: Number(flags.requests ?? 1500), seed: 1, now: presentHour() },
      account,
      terminal,
    );
    storeDemoAccount(config, account);
  }
  await serveAlone(config, terminal, (started) => {
    const address = addressOf(config, started);
    const root = serviceUrl(config, started);
    const account = readDemoAccount(config);
    terminal.print(`Docket serves ${root}`);
    if (config.console) terminal.print(`Console: ${address}/console`);
    if (account === undefined) return;
    terminal.print(`Demo account: ${account.name}, password ${account.password}`);
    terminal.print('Try it:');
    terminal.print(`  ${curlLine({ address, root }, account)}`);
  });
}

function presentHour(): number {
  return Math.floor(Date.now() / HOUR) * HOUR;
}

/** A command line that requests a token and sends a query with it. */
function curlLine(
  { address, root }: { readonly address: string; readonly root: string },
  { name, password }: { readonly name: string; readonly password: string },
): string {
  const form = `-d grant_type=password -d username=${name} -d password=${password}`;
  const token = `$(curl -s ${address}/token ${form} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return `curl -s -H "Authorization: Bearer ${token}" "${root}/ServiceRequests?\\$top=3&\\$select=Uid,Description,Status"`;
}
