// This file holds the keys of the configuration below `files`: which store gets new files, and the settings of each. Several stores may
// stand side by side, since a file is read from the store that it was written to.
import { z } from 'zod';
import { STORE_NAMES } from '../../attachments/store.ts';

/** Texts that become part of a command to an FTP server. */
const line = z.string().regex(/^[^\r\n\0]*$/, 'must be one line');

const ftp = z.strictObject({
  host: line.min(1),
  port: z.int().min(1).max(65_535).optional(),
  user: line.min(1),
  password: line,
  directory: line.min(1).default('docket'),
  tls: z.enum(['off', 'explicit', 'implicit']).default('off'),
  verify: z.boolean().default(true),
  ca: z.string().min(1).optional(),
  passive: z.boolean().default(true),
  connections: z.int().min(1).max(100).default(8),
  timeoutSeconds: z.number().positive().max(600).default(30),
});

const s3 = z.strictObject({
  endpoint: z.url({
    protocol: /^https?$/,
    error: 'expected an address such as https://storage.example.com:9000',
  }),
  region: z.string().min(1).default('us-east-1'),
  bucket: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{1,62}$/, 'must be the name of a bucket'),
  accessKey: z.string().min(1),
  secretKey: z.string().min(1),
  prefix: z
    .string()
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*$/, 'must be names with "/" behind each')
    .default('docket/'),
  pathStyle: z.boolean().default(true),
  uploads: z.int().min(1).max(100).default(4),
  timeoutSeconds: z.number().positive().max(600).default(60),
});

const mediaType = z
  .string()
  .regex(
    /^[!#$&^_.+*0-9A-Za-z-]+\/[!#$&^_.+*0-9A-Za-z-]+$/,
    'must be a media type, such as image/png or image/*',
  );

/** What files may be. */
const limits = z.strictObject({
  bytes: z.int().min(1).default(104_857_600),
  accountBytes: z.int().min(1).optional(),
  permitted: z.array(mediaType).default([]),
  refused: z.array(mediaType).default([]),
});

export const filesSchema = z.strictObject({
  store: z.enum(STORE_NAMES).default('local'),
  strayHours: z.number().min(1).max(8760).default(24),
  limits: limits.prefault({}),
  local: z.strictObject({ directory: z.string().min(1).optional() }).prefault({}),
  ftp: ftp.optional(),
  s3: s3.optional(),
});

export type FilesConfig = z.infer<typeof filesSchema>;

/** Why the files cannot go where they shall; undefined when all is well. */
export function missingSection({ store, ...sections }: FilesConfig): string | undefined {
  if (sections[store] !== undefined) return undefined;
  return `files.store: the store "${store}" needs its settings below "files.${store}"; docs/files.md shows them.`;
}
