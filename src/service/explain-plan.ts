// This file explains reads to administrators: the statements of a read without values, how the database executes them, and which index
// would help. A response contains this as the annotation Docket.Plan if the request asks for it; the log contains it for slow statements.
import type { Principal } from '../access/principal.ts';
import type { Negotiated } from '../request/tree.ts';
import type { Answer } from '../response/response.ts';
import { adviseIndexes, commandFor } from '../store/tuning/index-advice.ts';
import type { SlowStatement, StatementIdentity } from '../store/tuning/slow-statements.ts';
import { type PreparedRead, planAgain } from './read-plans.ts';
import type { Call, Service } from './service.ts';
import { identityOf } from './slow-statements.ts';

const TERM = 'Docket.Plan';

/** Whether the request names the annotation. Patterns such as `*` do not include it, because it takes further statements. */
export function wantsPlan(
  { format, prefer }: Negotiated,
  { administrator }: Pick<Principal, 'administrator'>,
): boolean {
  const isNamed = prefer.includeAnnotations?.includes(TERM) === true;
  return isNamed && administrator && format.kind === 'json';
}

/** Adds the annotation to a response whose body is a JSON object. */
export async function withPlan(
  answer: Answer,
  prepared: PreparedRead,
  call: Call,
  service: Service,
  milliseconds: number | undefined,
): Promise<Answer> {
  const { body } = answer;
  if (answer.status !== 200 || typeof body !== 'string' || !body.startsWith('{')) return answer;
  const identity = identityOf(planAgain(prepared, call, service), prepared.script, service);
  const plan = {
    Template: identity.template,
    Milliseconds: milliseconds,
    ...(await explain(identity, service)),
  };
  return { ...answer, body: `{"@${TERM}":${JSON.stringify(plan)},${body.slice(1)}` };
}

interface Explanation {
  readonly Statements: readonly { readonly Sql: string; readonly Plan: readonly string[] }[];
  /** Commands that would help. */
  readonly Advice: readonly string[];
}

/** Explains the statements of a read. Throws: the faults of the store. */
async function explain(
  identity: StatementIdentity,
  { database, layout, dialect }: Pick<Service, 'database' | 'layout' | 'dialect'>,
): Promise<Explanation> {
  const statements = [];
  for (const statement of identity.executed)
    statements.push({ Sql: statement.text, Plan: await database.explain(statement) });
  // Only a connection of its own can ask the planner about an index that does not exist.
  const once = { ...identity, count: 1, microseconds: 0, longest: 0, rows: 0, at: '' };
  const advice = adviseIndexes([once], layout, dialect, () => undefined);
  return { Statements: statements, Advice: advice.map((one) => commandFor(one, layout)) };
}

/** Plans that are reported each time, since each takes a statement. */
const MOST_PLANS = 5;

/** Reports slow statements, the slowest with their plans. Throws: the faults of the store. */
export async function reportSlow(slow: readonly SlowStatement[], service: Service): Promise<void> {
  const order = slow.toSorted((a, b) => b.longest - a.longest);
  for (const [index, statement] of order.entries()) {
    const { template, count, microseconds, longest } = statement;
    const times = { milliseconds: microseconds / 1000, longest: longest / 1000 };
    const found = index < MOST_PLANS ? await explain(statement, service) : undefined;
    const plan = found && { statements: found.Statements, advice: found.Advice };
    service.observe({ kind: 'slow statement', template, count, ...times, ...plan });
  }
}
