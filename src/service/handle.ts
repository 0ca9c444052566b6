// This file is the corridor: a call is turned into an answer by six verbs, each the door of one room, and one catch. Every stage hands
// on one value; what each of them cost is told to `see`.
import type { Principal } from '../access/principal.ts';
import { resolveRights } from '../access/policy.ts';
import { Fault, type FaultDetail } from '../base/fault.ts';
import { bind } from '../bind/bind.ts';
import { decide } from '../plan/decide.ts';
import type { Plan } from '../plan/plan.ts';
import { parse } from '../request/parse.ts';
import type { Tree } from '../request/tree.ts';
import type { Answer } from '../response/answer.ts';
import { renderError } from '../response/error.ts';
import { render } from '../response/render.ts';
import { compile } from '../sql/compile.ts';
import type { Script } from '../sql/script.ts';
import type { Context } from '../store/database.ts';
import { runRead } from '../store/run.ts';
import type { Call, Service } from './service.ts';

/** Answers a call; never throws. */
export async function handle(call: Call, service: Service): Promise<Answer> {
  const start = service.world.elapsed();
  const answer = await answerOrFault(call, service);
  service.see({ kind: 'request', id: call.id, method: call.method, path: call.path, status: answer.status, milliseconds: service.world.elapsed() - start, stages: {} });
  return answer;
}
