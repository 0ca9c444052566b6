// This file holds the keys of the configuration below `files`: which store gets new files, and the settings of each. Several stores may
// stand side by side, since a file is read from the store that it was written to.
import { z } from 'zod';
import { STORE_NAMES } from '../../attachments/store.ts';

/** Texts that become part of a command to an FTP server. */
const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');

const ftp = z.strictObject({
  host: line.min(1).describe('name or address of the FTP server'),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('port of the FTP server; 21, or 990 with tls: implicit'),
  user: line.min(1).describe('account on the FTP server'),
  password: line.describe('password of the account; better given as a variable'),
  directory: line
    .min(1)
    .default('docket')
    .describe('directory on the FTP server that holds the files'),
  tls: z
    .enum(['off', 'explicit', 'implicit'])
    .default('off')
    .describe('whether the connection is encrypted: not at all, after AUTH TLS, or from its start'),
  verify: z
    .boolean()
    .default(true)
    .describe('whether the certificate of the FTP server is checked'),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe('file in PEM with authorities that are trusted in place of the usual ones'),
  passive: z
    .boolean()
    .default(true)
    .describe('whether the service opens data connections, rather than the server'),
  connections: z.int().min(1).max(100).default(8).describe('connections to the FTP server at most'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(600)
    .default(30)
    .describe('seconds after which an FTP server that does not answer is given up'),
});

const s3 = z.strictObject({
  endpoint: z
    .url({
      protocol: /^https?$/,
      error: 'expected an address such as https://storage.example.com:9000',
    })
    .describe('address of the object storage'),
  region: z.string().min(1).default('us-east-1').describe('region of the object storage'),
  bucket: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{1,62}$/, 'must be the name of a bucket')
    .describe('bucket that holds the files'),
  accessKey: z.string().min(1).describe('name of the access key'),
  secretKey: z.string().min(1).describe('secret of the access key; better given as a variable'),
  prefix: z
    .string()
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*$/, 'must be names with "/" behind each')
    .default('docket/')
    .describe('what the names of all objects begin with'),
  pathStyle: z
    .boolean()
    .default(true)
    .describe('whether the bucket is part of the path, rather than of the host name'),
  uploads: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('parts of a file that are sent at the same time at most'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(600)
    .default(60)
    .describe('seconds after which object storage that does not answer is given up'),
});

const mediaType = z
  .string()
  .regex(
    /^[!#$&^_.+*0-9A-Za-z-]+\/[!#$&^_.+*0-9A-Za-z-]+$/,
    'must be a media type, such as image/png or image/*',
  );

/** What files may be. */
const limits = z.strictObject({
  bytes: z.int().min(1).default(104_857_600).describe('bytes of a file at most'),
  accountBytes: z
    .int()
    .min(1)
    .optional()
    .describe('bytes of all files of an account at most; any number where it is left out'),
  permitted: z
    .array(mediaType)
    .default([])
    .describe('media types that files may have; any where the list is empty'),
  refused: z.array(mediaType).default([]).describe('media types that files may not have'),
});

export const filesSchema = z.strictObject({
  store: z.enum(STORE_NAMES).default('local').describe('store of new files'),
  strayHours: z
    .number()
    .min(1)
    .max(8760)
    .default(24)
    .describe('hours after which bytes that belong to no record are removed'),
  limits: limits.prefault({}),
  local: z
    .strictObject({
      directory: z
        .string()
        .min(1)
        .optional()
        .describe('directory of the files; "files" below the data directory where it is left out'),
    })
    .prefault({}),
  ftp: ftp.optional(),
  s3: s3.optional(),
});

export type FilesConfig = z.infer<typeof filesSchema>;

/** Why the files cannot go where they shall; undefined when all is well. */
export function missingSection({ store, ...sections }: FilesConfig): string | undefined {
  if (sections[store] !== undefined) return undefined;
  return `files.store: the store "${store}" needs its settings below "files.${store}"; docs/files.md shows them.`;
}
