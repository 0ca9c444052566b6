// This file starts the S3 server of a package on a free port, with a fresh directory and one bucket.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { S3Settings } from '../../src/attachments/s3/request.ts';

export interface S3Server {
  readonly settings: S3Settings;
  readonly end: () => Promise<void>;
}

/** Keys that the server of the package knows. */
const ACCESS_KEY = 'S3RVER';
export const SECRET_KEY = 'S3RVER';

export function s3Settings(port: number, over: Partial<S3Settings> = {}): S3Settings {
  return {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'docket-files',
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    prefix: 'desk/',
    pathStyle: true,
    uploads: 4,
    timeoutSeconds: 10,
    ...over,
  };
}

export async function startS3(over: Partial<S3Settings> = {}): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'docket-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'docket-files', configs: [] }],
  });
  const { port } = await server.run();
  return {
    settings: s3Settings(port, over),
    end: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
