// This file reads the result of the function ModelInForce: the version of the model with its files, and the last application of a model.
import type { Principal } from '../../access/principal.ts';
import { Fault } from '../../base/fault.ts';
import { currentModel } from '../../store/model/stored-models.ts';
import { runQueries } from '../../store/work.ts';
import type { Service } from '../service.ts';
import { requireModelRight } from './model-actions.ts';
import { applicationJson, readApplication } from './stored-application.ts';

/** The members of `Docket.System.ModelVersion`. Throws: access.models, store.migration-due. */
export async function readModelInForce(service: Service, principal: Principal) {
  requireModelRight(service, principal);
  const { database, world } = service;
  const stored = await currentModel(database);
  if (stored === undefined) throw new Fault('store.migration-due');
  const last = await runQueries(readApplication(world.now()), database);
  const { version, applied, author, origin, docket, checksum, files } = stored;
  return {
    Version: version,
    Applied: applied,
    Author: author,
    Origin: origin,
    Program: docket,
    Checksum: checksum,
    Files: files.map(({ name, text }) => ({ Name: name, Content: text })),
    LastApplication: last === undefined ? null : applicationJson(last),
  };
}
