// This file sends a URL through all rooms from request/ to response/, on the zoo in a database in memory.
import type { Rights } from '../../src/access/policy.ts';
import { Fault } from '../../src/base/fault.ts';
import { bind } from '../../src/bind/bind-read.ts';
import { decide } from '../../src/plan/decide-read.ts';
import type { Outcome, ReadOutcome } from '../../src/plan/outcome.ts';
import { renderError } from '../../src/response/error.ts';
import { render } from '../../src/response/render.ts';
import type { Answer } from '../../src/response/response.ts';
import { compile } from '../../src/sql/compile.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import type { ReadScript, Script } from '../../src/sql/script.ts';
import type { Row } from '../../src/store/database.ts';
import { outcomeOf } from '../../src/store/run-read-script.ts';
import { ask, everything, scope, setting } from '../plan/readings.ts';
import { CONTEXT, layout, openZoo, run } from '../sql/zoo.ts';
import { site } from './answers.ts';

export const ROOT = String(CONTEXT.root);

/** Answers GET requests on one zoo. */
export interface Gate {
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Answer;
  readonly json: (url: string, headers?: Readonly<Record<string, string>>) => Json;
}

export interface Json {
  readonly [name: string]: unknown;
  readonly value?: readonly Json[];
}

type Zoo = ReturnType<typeof openZoo>;

export function openGate(rights: Rights = everything, zoo: Zoo = openZoo()): Gate {
  const get: Gate['get'] = (url, headers = {}) => {
    const local = url.startsWith(ROOT) ? url.slice(ROOT.length) : url;
    try {
      const tree = ask(local, headers);
      const bound = bind(tree, { ...scope, root: ROOT });
      const plan = decide(bound, tree, setting(rights));
      const outcome = runScript(zoo, compile(plan, layout, SQLITE));
      return render(outcome, plan, tree, { ...site, root: ROOT });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return renderError(error);
    }
  };
  return { get, json: (url, headers) => JSON.parse(String(get(url, headers).body)) };
}

function runScript(zoo: Zoo, script: Script): Outcome {
  switch (script.kind) {
    case 'read':
      return runRead(zoo, script);
    case 'chain':
      return { kind: 'chain', parts: script.parts.map((part) => runRead(zoo, part)) };
    case 'empty':
      return { kind: 'empty' };
    default:
      throw new Error(`the script ${script.kind} is not run here`);
  }
}

function runRead(zoo: Zoo, script: ReadScript): ReadOutcome {
  const outcome = outcomeOf(script, run(zoo, script.statement) as readonly Row[], CONTEXT);
  const hasFound = outcome.rows.some((row) => row.json !== '0');
  if (script.parent === undefined || hasFound) return outcome;
  return { ...outcome, parentExists: run(zoo, script.parent).length > 0 };
}
