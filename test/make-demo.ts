// This file makes installations with the records of `docket demo`.
import { createDemo, DEMO_NOW } from '../src/cli/command/installation.ts';
import type { Config } from '../src/cli/config/config.ts';
import { digestOf, usesPostgres } from './database.ts';
import { copyFilled } from './filled-directory.ts';

/** The administrator of the demo. */
export const ADMIN = { name: 'admin', password: 'correct horse battery' };

type DemoOptions = Omit<Parameters<typeof createDemo>[1], 'now'>;

/** Makes a demo. With SQLite, those with the same options are copies of one directory. */
export async function makeDemo(config: Config, options: DemoOptions): Promise<void> {
  const create = async (data: string) =>
    await createDemo({ ...config, data }, { ...options, now: DEMO_NOW }, ADMIN, SILENT);
  if (usesPostgres) await create(config.data);
  else await copyFilled(digestOf(['demo', options]), config.data, create);
}

const ignore = () => undefined;
const SILENT = { print: ignore, say: ignore, progress: () => ({ update: ignore, finish: ignore }) };
