// This file edits a code list at random over HTTP, with writes of records between the edits, and compares the service with a model of the
// list in memory: what it accepts, what records show, and in which order it names the permitted codes.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../service/plan-cache/random.ts';
import { type Desk, openDesk } from './desk.ts';
import { RECORDS } from './records.ts';

/** SEED=7 STEPS=1000 searches longer, with other values. */
const SEED = Number(process.env.SEED ?? 1);
const STEPS = Number(process.env.STEPS ?? 150);
const TEXTS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'];
const FIRST = 120_300;
/** The medium of requests that name none, which can be neither disabled nor deleted. */
const DEFAULT = 120_007;

interface Code {
  text: string;
  disabled: boolean;
  ordering: number | null;
  parent: number | undefined;
}

let desk: Desk;
/** Another process, which must reject the same writes. */
let other: Desk;
beforeAll(async () => {
  desk = await openDesk({ records: RECORDS });
  other = await desk.another();
});
afterAll(async () => {
  await other.close();
  await desk.close();
});

/** The list Medium and the requests that have its codes. */
class Expected {
  readonly codes = new Map<number, Code>();
  readonly records = new Map<number, number>();
  next = FIRST;

  /** Whether another enabled code with the parent has the text. */
  isTaken(value: number, { text, parent, disabled }: Code): boolean {
    return (
      !disabled &&
      [...this.codes].some(
        ([one, code]) =>
          one !== value && !code.disabled && code.parent === parent && code.text === text,
      )
    );
  }

  isUsed(value: number): boolean {
    const isParent = [...this.codes.values()].some(({ parent }) => parent === value);
    return isParent || [...this.records.values()].includes(value);
  }

  /** Whether `ancestor` is the code or above it. */
  isBelow(value: number | undefined, ancestor: number): boolean {
    if (value === undefined) return false;
    return value === ancestor || this.isBelow(this.codes.get(value)?.parent, ancestor);
  }

  /** `120300 "Alpha", 120301 "Beta"`: the enabled codes in the order of the list. */
  permitted(): string {
    const place = ({ ordering }: Code) => ordering ?? Number.POSITIVE_INFINITY;
    return [...this.codes]
      .filter(([, { disabled }]) => !disabled)
      .sort(([one, left], [two, right]) => Math.sign(place(left) - place(right)) || one - two)
      .map(([value, { text }]) => `${value} ${JSON.stringify(text)}`)
      .join(', ');
  }
}

const textsOf = (text: string) => [{ Language: 'en', Text: text }];

/** Reads the codes that the model has. */
async function begin(): Promise<Expected> {
  const expected = new Expected();
  const list = { body: { Hierarchical: true } };
  const changed = await desk.send('PATCH', "/CodeLists(Name='Medium')", list);
  expect(changed.status, changed.text).toBe(204);
  const { json } = await desk.get(
    "/Codes?$filter=List/Name eq 'Medium'&$select=Value,Texts,Disabled,Ordering",
  );
  for (const { Value, Texts, Disabled, Ordering } of json.value) {
    const text = Texts.find(({ Language }: { Language: string }) => Language === 'en').Text;
    const code = { text, disabled: Disabled ?? false, ordering: Ordering, parent: undefined };
    expected.codes.set(Value, code);
  }
  for (const { Uid, Medium } of await shown()) expected.records.set(Uid, Medium.Value);
  return expected;
}

const shown = async () =>
  (await desk.get('/ServiceRequests?$filter=Medium/Value ne null&$select=Uid,Medium&$top=500')).json
    .value;

type Step = (expected: Expected, random: Random) => Promise<void>;

async function add(expected: Expected, random: Random): Promise<void> {
  const value = expected.next++;
  const code = { text: random.pick(TEXTS), disabled: false, ordering: null, parent: undefined };
  const body = {
    Value: value,
    Texts: textsOf(code.text),
    'List@odata.bind': "CodeLists(Name='Medium')",
  };
  const { status, text } = await desk.send('POST', '/Codes', { body });
  expect(status, text).toBe(expected.isTaken(value, code) ? 409 : 201);
  if (status === 201) expected.codes.set(value, code);
}

/** Sends the change, which must have the expected status, and remembers it. */
async function edit(
  expected: Expected,
  [value, code]: readonly [number, Code],
  body: object,
  change: Partial<Code>,
): Promise<void> {
  const changed = { ...code, ...change };
  const isCycle = expected.isBelow(change.parent, value);
  const { status, text } = await desk.send('PATCH', `/Codes(Value=${value})`, { body });
  const isRejected =
    isCycle || expected.isTaken(value, changed) || (value === DEFAULT && changed.disabled);
  expect(status, text).toBe(isRejected ? 409 : 204);
  if (status === 204) expected.codes.set(value, changed);
}

const pickCode = ({ codes }: Expected, random: Random) => random.pick([...codes]);

const rename: Step = async (expected, random) => {
  const text = random.pick(TEXTS);
  await edit(expected, pickCode(expected, random), { Texts: textsOf(text) }, { text });
};

const disable: Step = async (expected, random) => {
  const disabled = random.has(0.5);
  await edit(expected, pickCode(expected, random), { Disabled: disabled }, { disabled });
};

const reorder: Step = async (expected, random) => {
  const ordering = random.has(0.2) ? null : random.integer(0, 9);
  await edit(expected, pickCode(expected, random), { Ordering: ordering }, { ordering });
};

const move: Step = async (expected, random) => {
  const parent = random.has(0.3) ? undefined : pickCode(expected, random)[0];
  const bound = parent === undefined ? null : `Codes(Value=${parent})`;
  await edit(expected, pickCode(expected, random), { 'Parent@odata.bind': bound }, { parent });
};

const remove: Step = async (expected, random) => {
  const [value] = pickCode(expected, random);
  const { status, text } = await desk.send('DELETE', `/Codes(Value=${value})`);
  expect(status, text).toBe(value === DEFAULT || expected.isUsed(value) ? 409 : 204);
  if (status === 204) expected.codes.delete(value);
};

/** Creates a request with a code by its text. */
const create: Step = async (expected, random) => {
  const text = random.pick(TEXTS);
  const found = [...expected.codes].filter(([, code]) => code.text === text && !code.disabled);
  const [only] = found;
  const party = found.length === 1 ? desk : random.pick([desk, other]);
  const body = { Description: 'A request', Medium: { Text: text } };
  const made = await party.send('POST', '/ServiceRequests', { body });
  expect(made.status, made.text).toBe(found.length === 1 ? 201 : 400);
  if (made.status !== 201 || only === undefined) return;
  expect(made.json.Medium).toEqual({ Text: text, Value: only[0] });
  expected.records.set(made.json.Uid, only[0]);
};

/** Gives a request a code by its value, which may have been deleted or disabled. */
const assign: Step = async (expected, random) => {
  if (expected.records.size === 0) return;
  const [uid, current] = random.pick([...expected.records]);
  const values = [...expected.codes.keys()];
  for (let value = FIRST; value < expected.next; value++) values.push(value);
  const value = random.pick([...values, current]);
  const code = expected.codes.get(value);
  const isAccepted = code !== undefined && (!code.disabled || value === current);
  const party = isAccepted ? desk : random.pick([desk, other]);
  const body = { Medium: { Value: value } };
  const { status, text } = await party.send('PATCH', `/ServiceRequests(${uid})`, { body });
  expect(status, text).toBe(isAccepted ? 204 : 400);
  if (isAccepted) expected.records.set(uid, value);
};

const STEP_KINDS = [add, add, rename, disable, reorder, move, remove, create, create, assign];

/** All requests show the current texts, and a wrong text is answered with the permitted codes in order. */
async function check(expected: Expected): Promise<void> {
  const { codes, records } = expected;
  const requests = await shown();
  for (const { Uid, Medium } of requests)
    expect(Medium).toEqual({
      Text: codes.get(records.get(Uid) ?? 0)?.text,
      Value: records.get(Uid),
    });
  expect(requests).toHaveLength(records.size);
  const wrong = { Description: 'x', Medium: { Text: 'nothing' } };
  const { text } = await desk.send('POST', '/ServiceRequests', { body: wrong });
  expect(text).toContain(JSON.stringify(`permitted are ${expected.permitted()}.`).slice(1, -1));
}

it('random edits and writes have the same results as in a model', async () => {
  const random = new Random(SEED);
  const expected = await begin();
  for (let step = 0; step < STEPS; step++) {
    const kind = random.pick(STEP_KINDS);
    try {
      await kind(expected, random);
      if (step % 5 === 0) await check(expected);
    } catch (error) {
      throw new Error(`step ${step} (${kind.name}) with SEED=${SEED}`, { cause: error });
    }
  }
  expect(expected.records.size).toBeGreaterThan(3);
}, 120_000);
