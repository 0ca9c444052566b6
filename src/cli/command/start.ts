// This file holds the command `start`, for the first acquaintance: it makes the demo installation, serves it, and says how to ask.
import type { Config } from '../config/config.ts';
import type { Terminal } from '../terminal.ts';
import { hasInstallation } from '../wire.ts';
import {
  DEMO_NOW,
  keepDemoAccount,
  makeDemo,
  makeUpPassword,
  readDemoAccount,
} from './installation.ts';
import { addressOf, startListening, stopSignal, untilStopped } from './serve.ts';

const DEMO_ADMINISTRATOR = 'admin';

/** `docket start`: makes the demo installation where there is none, serves it, and says how to ask it something. */
export async function start(
  config: Config,
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  if (!hasInstallation(config)) {
    const account = { name: DEMO_ADMINISTRATOR, password: makeUpPassword() };
    terminal.say(`Making a demo installation in ${config.data}.`);
    await makeDemo(
      config,
      { requests: Number(flags.requests ?? 1500), seed: 1, now: DEMO_NOW },
      account,
      terminal,
    );
    keepDemoAccount(config, account);
  }
  const listening = await startListening(config);
  const address = addressOf(config, listening);
  const account = readDemoAccount(config);
  const stopped = stopSignal();
  terminal.print(`Docket serves ${address}/odata`);
  if (account !== undefined) {
    terminal.print(`Demo account: ${account.name}, password ${account.password}`);
    terminal.print('Try it:');
    terminal.print(`  ${curlLine(address, account.name, account.password)}`);
  }
  return await untilStopped(stopped, listening, terminal);
}

/** A line to paste: a token, then a query with it. */
function curlLine(address: string, name: string, password: string): string {
  const form = `-d grant_type=password -d username=${name} -d password=${password}`;
  const token = `$(curl -s ${address}/token ${form} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return `curl -s -H "Authorization: Bearer ${token}" "${address}/odata/ServiceRequests?\\$top=3&\\$select=Uid,Description,Status"`;
}
