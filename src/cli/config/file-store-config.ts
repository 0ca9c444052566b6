// The configuration keys under `files`: the store of new files, and the settings of each store. Several stores may be configured at the
// same time, because a file is read from the store that it was written to.
import { z } from 'zod';
import { STORE_NAMES } from '../../attachments/store.ts';
import { NO_LIMIT, numberFrom, positiveNumber, wholeNumber } from './number-keys.ts';

/** Strings that become part of an FTP command. */
const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');

const ftp = z.strictObject({
  host: line.min(1).describe('name or address of the FTP server'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('port of the FTP server; 21, or 990 with tls: implicit'),
  user: line.min(1).describe('user name on the FTP server'),
  password: line.describe('password of that user; preferably set by the environment variable'),
  directory: line.min(1).default('docket').describe('directory on the FTP server for the files'),
  tls: z
    .enum(['off', 'explicit', 'implicit'])
    .default('off')
    .describe('encryption of the connection: none, TLS after AUTH TLS, or TLS from the start'),
  verify: z
    .boolean()
    .default(true)
    .describe('whether the certificate of the FTP server is verified'),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file with the certificate authorities to trust instead of the default ones'),
  passive: z
    .boolean()
    .default(true)
    .describe('true for passive mode; false lets the server open the data connections'),
  connections: wholeNumber(1, 100, 8).describe('maximum number of FTP connections'),
  timeoutSeconds: positiveNumber(600, 30).describe(
    'seconds without a reply after which the FTP server counts as unreachable',
  ),
});

const s3 = z.strictObject({
  endpoint: z
    .url({
      protocol: /^https?$/,
      error: 'expected a URL such as https://storage.example.com:9000',
    })
    .describe('URL of the object storage'),
  region: z.string().min(1).default('us-east-1').describe('region of the object storage'),
  bucket: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{1,62}$/, 'must be the name of a bucket')
    .describe('bucket for the files'),
  accessKey: z.string().min(1).describe('access key ID'),
  secretKey: z
    .string()
    .min(1)
    .describe('secret access key; preferably set by the environment variable'),
  prefix: z
    .string()
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*$/, 'must consist of names that each end with "/"')
    .default('docket/')
    .describe('prefix of all object names'),
  pathStyle: z
    .boolean()
    .default(true)
    .describe('whether the bucket is part of the path instead of the host name'),
  uploads: wholeNumber(1, 100, 4).describe('maximum number of files uploaded at the same time'),
  timeoutSeconds: positiveNumber(600, 60).describe(
    'seconds without a reply after which the object storage counts as unreachable',
  ),
});

const mediaType = z
  .string()
  .regex(
    /^[!#$&^_.+*0-9A-Za-z-]+\/[!#$&^_.+*0-9A-Za-z-]+$/,
    'must be a media type, such as image/png or image/*',
  );

const limits = z.strictObject({
  bytes: wholeNumber(1, NO_LIMIT, 104_857_600).describe('maximum size of a file in bytes'),
  accountBytes: z
    .int()
    .min(1)
    .optional()
    .describe('maximum total size of the files of an account in bytes; no limit by default'),
  permitted: z
    .array(mediaType)
    .default([])
    .describe('media types that files may have; an empty list permits any'),
  refused: z.array(mediaType).default([]).describe('media types that files must not have'),
});

export const filesSchema = z.strictObject({
  store: z.enum(STORE_NAMES).default('local').describe('store of new files'),
  strayHours: numberFrom(1, 8760, 24).describe(
    'hours after which files that belong to no record are removed from the stores',
  ),
  limits: limits.prefault({}),
  local: z
    .strictObject({
      directory: z
        .string()
        .min(1)
        .optional()
        .describe('directory of the files; by default "files" in the data directory'),
    })
    .prefault({}),
  ftp: ftp.optional(),
  s3: s3.optional(),
});

export type FilesConfig = z.infer<typeof filesSchema>;

/** An error message if the store of new files has no settings. */
export function missingSection({ store, ...sections }: FilesConfig): string | undefined {
  if (sections[store] !== undefined) return undefined;
  return `files.store: the store "${store}" has no settings. Add a section "files.${store}"; see docs/files.md.`;
}
