// This file asks the service to explain the clocks of demo records, which it has not written, and compares the explanations with what the
// records hold. Then it saves the records, which must not change what follows from the same past.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDemoDesk } from './desk.ts';

const MEMBERS =
  'Uid,Status,Priority,PriorityIsManual,Deadline,DeadlineIsManual,AutoCloseAt,Sla,Sla/Elapsed,Sla/Remaining';
const QUERY = `$select=${MEMBERS}&$expand=ServiceLevelAgreement($select=Uid)`;

// biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect
type Found = any;

let desk: Desk;
beforeAll(async () => {
  desk = await openDemoDesk({ requests: 300, seed: 5 });
}, 60_000);
afterAll(async () => await desk?.close());

const read = async (path: string): Promise<Found> => {
  const { status, json, text } = await desk.get(path);
  expect(status, text).toBe(200);
  return json;
};

/** Some of the latest records in each status, and those with a deadline that was set by hand. */
async function sample(set: string): Promise<readonly Found[]> {
  const { value } = await read(`/${set}?$top=200&$orderby=Uid desc&${QUERY}`);
  const statuses = new Set(value.map(({ Status }: Found) => Status.Value));
  const manual = value.filter(({ DeadlineIsManual }: Found) => DeadlineIsManual);
  return [...statuses]
    .flatMap((status) => value.filter(({ Status }: Found) => Status.Value === status).slice(0, 4))
    .concat(manual);
}

const symbol = (code: { readonly Text: string } | null) => code?.Text.toUpperCase() ?? null;

/** What the record holds of its clocks, as an explanation shows it. */
function held({ Deadline, DeadlineIsManual, Priority, Sla, ServiceLevelAgreement }: Found) {
  const { Response, Resolution } = Sla;
  return {
    Agreement: ServiceLevelAgreement && `ServiceLevelAgreements(${ServiceLevelAgreement.Uid})`,
    Priority: Priority?.Value ?? null,
    Response: {
      State: symbol(Response.State),
      Outcome: symbol(Response.Outcome),
      Deadline: Sla.ResponseDeadline,
      Mark: Response.Mark,
    },
    Resolution: {
      State: symbol(Resolution.State),
      Outcome: symbol(Resolution.Outcome),
      Deadline,
      DeadlineIsManual,
      Mark: Resolution.Mark,
      Elapsed: Sla.Elapsed,
      Remaining: Sla.Remaining,
    },
  };
}

/** The same in the words of an explanation. */
function explained({ Agreement, Priority, Clocks }: Found) {
  const clock = (name: string) => {
    const found = Clocks.find(({ Name }: Found) => Name === name);
    const { State, Outcome, Deadline, Marks } = found;
    const reached = Marks.filter(({ Reached }: Found) => Reached);
    const Mark =
      reached.length === 0 ? null : Math.max(...reached.map((one: Found) => one.Percent));
    return { found, State, Outcome, Deadline, Mark };
  };
  const { found: _, ...Response } = clock('Response');
  const { found, ...Resolution } = clock('Resolution');
  const { DeadlineIsManual, Elapsed, Remaining } = found;
  return {
    Agreement: Agreement?.slice(desk.root.length) ?? null,
    Priority,
    Response,
    Resolution: { ...Resolution, DeadlineIsManual, Elapsed, Remaining },
  };
}

describe('The clocks of demo requests', () => {
  it('are those that Explain finds, in every status', async () => {
    const records = await sample('ServiceRequests');
    expect(new Set(records.map(({ Status }) => Status.Value)).size).toBe(10);
    expect(records.filter(({ DeadlineIsManual }) => DeadlineIsManual).length).toBeGreaterThan(1);
    expect(records.some(({ PriorityIsManual }) => PriorityIsManual)).toBe(true);
    for (const record of records) {
      const explanation = await read(`/ServiceRequests(${record.Uid})/Explain()`);
      expect(held(record), `request ${record.Uid}`).toEqual(explained(explanation));
      const [first] = explanation.Candidates;
      const best = first?.Rank === 1 ? first.Agreement : null;
      expect(explanation.Agreement, `agreement of ${record.Uid}`).toBe(best);
      expect(explanation.Priority !== null || explanation.PriorityReason === null).toBe(true);
    }
  });

  it('pause while a request waits, and stop with the answer or the work', async () => {
    const { value } = await read(
      `/ServiceRequests?$top=200&$orderby=Uid desc&${QUERY},HistoryLines`,
    );
    const waiting = value.filter(({ Status }: Found) => [101004, 101005].includes(Status.Value));
    expect(waiting.length).toBeGreaterThan(0);
    for (const { Sla, HistoryLines } of waiting) {
      expect(Sla.Resolution.State.Text).toBe('Paused');
      const since = HistoryLines.filter(({ Attribute }: Found) => Attribute === 'Status').at(-1);
      expect(Sla.ResolvedAt).toBeNull();
      expect(Sla.Response.State.Text).toBe('Stopped');
      expect(Sla.RespondedAt <= since.CreatedAt).toBe(true);
    }
  });

  it('close resolved requests five working days later', async () => {
    const resolved = `$filter=Status/Value eq 101008&$select=AutoCloseAt,ActualFinish`;
    const { value } = await read(`/ServiceRequests?${resolved}`);
    expect(value.length).toBeGreaterThan(0);
    for (const { AutoCloseAt, ActualFinish } of value) {
      // At the same time of the day; weekends lie between.
      const days = (Date.parse(AutoCloseAt) - Date.parse(ActualFinish)) / 86_400_000;
      expect([5, 6, 7, 8]).toContain(days);
    }
    const others = 'AutoCloseAt ne null and Status/Value ne 101008';
    expect((await read(`/ServiceRequests?$filter=${others}&$select=Uid`)).value).toEqual([]);
  });

  it('stay as they are when a request is saved', async () => {
    for (const record of await sample('ServiceRequests')) {
      const path = `/ServiceRequests(${record.Uid})`;
      const { Impact, Urgency, Service } = await read(
        `${path}?$select=Uid,Impact,Urgency&$expand=Service($select=Uid)`,
      );
      const bound =
        Service === null ? {} : { Service: { '@odata.id': `Services(${Service.Uid})` } };
      const body = { Impact, Urgency, Information: 'Saved', ...bound };
      const { status, text } = await desk.send('PATCH', path, { body });
      expect(status, text).toBeLessThan(300);
      expect(held(await read(`${path}?${QUERY}`)), `request ${record.Uid}`).toEqual(held(record));
    }
  });
});
