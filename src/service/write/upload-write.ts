// This file answers writes that upload files. The bytes are stored before the transaction that refers to them, and rights are checked
// again in between, since an upload may take long.

import type { Answer } from '../../response/response.ts';
import type { Work, WorkResult } from '../../store/database.ts';
import { runQueries } from '../../store/work.ts';
import { repeatOf } from '../deferred/repeatable-requests.ts';
import { type Staging, writeWithFiles } from '../files/uploads.ts';
import type { Service } from '../service.ts';
import { rightsOf } from '../stage-inputs.ts';
import { performOnce } from './perform-write.ts';
import type { PreparedWrite, WriteEnvironment } from './prepare-uncached-write.ts';
import { prepareWrite } from './prepare-write.ts';

/** Files up to this size are stored without a rehearsal: deleting one that is not needed after all costs less. Bytes. */
const SMALL = 2 ** 21;

/** Answers a write with files. Throws: the faults of preparing and performing it, and of storing files. */
export async function answerUpload(
  prepared: PreparedWrite,
  service: Service,
  environment: WriteEnvironment,
): Promise<Answer> {
  const { principal } = environment;
  const rights = rightsOf(service, principal);
  let confirmed = { prepared, principal };
  const confirm = async () => {
    const current = await service.sessions.current(principal);
    if (rightsOf(service, current) === rights) return;
    const again = prepareWrite(prepared.call, service, { ...environment, principal: current });
    confirmed = { prepared: await runQueries(again, service.database), principal: current };
  };
  const start = (staging: Staging): Work<WorkResult<Answer>> => {
    const files = staging.filesOf(prepared.call, confirmed.prepared.plan);
    const digests = [...files.values()].map(({ sha256 }) => sha256).join();
    const repeat = repeatOf(withDigests(prepared, digests), confirmed.principal, service);
    return performOnce({ ...confirmed.prepared, files }, repeat, service);
  };
  return await writeWithFiles(service, start, {
    known: knownFiles(prepared, service, environment),
    confirm,
  });
}

/** A streamed body is fingerprinted by the digests of its files. */
function withDigests({ call }: PreparedWrite, digests: string) {
  return call.upload === undefined ? call : { ...call, body: Buffer.from(digests) };
}

/**
 * The streamed file of a small or repeatable request, which is stored without a rehearsal. Repeatable requests cannot be rehearsed, as
 * their fingerprint needs the digest of the stored file.
 */
function knownFiles(
  { call, plan }: PreparedWrite,
  service: Service,
  { principal }: WriteEnvironment,
) {
  const isRepeatable = repeatOf(call, principal, service) !== undefined;
  if (call.upload === undefined) return undefined;
  const { 'content-length': length, 'content-encoding': coding } = call.headers;
  const isSmall = coding === undefined && Number(length ?? Number.NaN) <= SMALL;
  if (!isRepeatable && !isSmall) return undefined;
  const request = (staging: Staging) => staging.filesOf(call, plan);
  return { request, mayRehearse: !isRepeatable };
}
