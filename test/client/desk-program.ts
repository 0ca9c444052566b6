// This program uses a client that the journey of typed clients generates beside it as desk.ts, without a cast. Lines after a
// directive must not compile. Each function returns what the journey expects of the service.
import {
  connect,
  type DocketClient,
  DocketError,
  Me,
  PasswordSignIn,
  Persons,
  Roles,
  ServiceRequestStatus,
  ServiceRequests,
  Sessions,
  tokenSignIn,
  upload,
  Workgroups,
  Workorders,
} from './desk.ts';

type Fetch = typeof fetch;

export const signIn = (root: string, password: string, send: Fetch) =>
  connect({
    root,
    fetch: send,
    signIn: new PasswordSignIn({ username: 'admin', password }),
  });

export const withToken = (root: string, token: () => string, send: Fetch, retries = 2) =>
  connect({ root, fetch: send, retries, signIn: tokenSignIn(token) });

/** Never called: the compiler checks it. */
export function mistakes(desk: DocketClient): unknown {
  const requests = desk.collection(ServiceRequests);
  return [
    // @ts-expect-error unknown property
    requests.where((r) => r.Descripton.eq('x')),
    // @ts-expect-error not a text of the code list
    requests.where((r) => r.Status.Text.eq('Regstered')),
    // @ts-expect-error not a value of the code list
    requests.where((r) => r.Status.Value.eq(1)),
    // @ts-expect-error a number has no contains
    requests.where((r) => r.Uid.contains('1')),
    // @ts-expect-error a text is not compared with a number
    requests.where((r) => r.Description.eq(5)),
    // @ts-expect-error a collection is filtered with any and all
    requests.where((r) => r.Workorders.Description.eq('x')),
    // @ts-expect-error unknown property
    requests.select('Descripton'),
    // @ts-expect-error a relation is expanded, not selected
    requests.select('Caller'),
    // @ts-expect-error a property is selected, not expanded
    requests.expand('Description'),
    // @ts-expect-error Description is required
    requests.create({ Priority: { Text: 'High' } }),
    // @ts-expect-error not a text of the code list
    requests.create({ Description: 'x', Priority: { Text: 'Hihg' } }),
    // @ts-expect-error a code of another list
    requests.create({ Description: 'x', Priority: ServiceRequestStatus.REGISTERED }),
    // @ts-expect-error the service assigns keys
    requests.create({ Description: 'x', Uid: 1 }),
    // @ts-expect-error computed
    requests.key(1).update({ Registration: {} }),
    // @ts-expect-error the target is a person
    requests.key(1).link('Caller', desk.collection(Workgroups).key(1)),
    // @ts-expect-error one of the related entities
    desk.collection(Workgroups).key(1).unlink('Members'),
    // @ts-expect-error the key is a number
    requests.key('one'),
    // @ts-expect-error the set is read-only
    desk.collection(Sessions).create({}),
    // @ts-expect-error persons are not media entities
    upload(desk.collection(Persons), new Blob([]), { fileName: 'x' }),
    // @ts-expect-error the function has no parameters
    desk.call(Me, { x: 1 }),
    // @ts-expect-error not bound to requests
    requests.key(1).call(Me),
    // @ts-expect-error a role has a name
    desk.collection(Roles).create({}),
  ];
}

/** Never called: properties that were not selected do not exist. */
export async function results(desk: DocketClient): Promise<unknown> {
  const query = desk.collection(ServiceRequests).select('Uid', 'Status').expand('Caller');
  const row = await query.first();
  const uid: number | undefined = row?.Uid;
  const text: string | undefined = row?.Status?.Text;
  const name: string | null | undefined = row?.Caller?.Name;
  // @ts-expect-error not selected
  const description = row?.Description;
  // @ts-expect-error not expanded
  const orders = row?.Workorders;
  return [uid, text, name, description, orders];
}

export const filtered = async (desk: DocketClient) => {
  const persons = desk.collection(Persons).select('Uid');
  const requests = desk.collection(ServiceRequests);
  const uids = async (rows: AsyncIterable<{ readonly Uid: number }>) => {
    const all: number[] = [];
    for await (const { Uid } of rows) all.push(Uid);
    return all;
  };
  return {
    quotes: await uids(persons.where((p) => p.LastName.eq("O'Neil"))),
    unicode: await uids(persons.where((p) => p.FirstName.in(['健', 'a&b=c#d']))),
    injection: await uids(persons.where((p) => p.LastName.eq("x' or 1 eq 1 or 'x' eq 'x"))),
    none: await uids(persons.where((p) => p.Uid.in([]))),
    nested: await uids(persons.where((p) => p.Organization.Name1.toLower().startsWith('hill'))),
    boolean: await uids(persons.where((p) => p.Blocked.eq(false))),
    precedence: await uids(
      persons.where((p) => p.Uid.eq(31).or(p.Uid.eq(32)).and(p.Blocked.eq(false))),
    ),
    negated: await uids(persons.where((p) => p.Uid.in([31, 32]).and(p.Uid.eq(31).not()))),
    code: await uids(requests.where((r) => r.Status.Text.eq('In progress')).select('Uid')),
    value: await uids(
      requests.where((r) => r.Status.Value.eq(ServiceRequestStatus.IN_PROGRESS.Value)),
    ),
    date: await uids(requests.where((r) => r.Deadline.lt(new Date('2026-04-01')))),
    year: await uids(requests.where((r) => r.Deadline.year().eq(2026))),
    any: await uids(
      requests.where((r) =>
        r.Workorders.any((w) => w.Description.contains('fire').and(w.Attachments.any().not())),
      ),
    ),
    counted: await uids(requests.where((r) => r.Workorders.count().ge(2))),
    complex: await uids(requests.where((r) => r.Assignment.AssigneePerson.Uid.eq(32))),
    long: await uids(
      persons.where((p) => p.Uid.in([...Array.from({ length: 2000 }, (_, at) => 9000 + at), 31])),
    ),
    search: await uids(requests.search('Laser').select('Uid')),
  };
};

export const rejectedLiterals = (desk: DocketClient) => {
  const values = ['2026-01-01T00:00:00Z or true', 'tomorrow', '2026-01-01'];
  return values.map((value) => {
    try {
      desk.collection(ServiceRequests).where((r) => r.Deadline.lt(value));
      return 'taken';
    } catch (error) {
      return String(error);
    }
  });
};

export const paged = async (desk: DocketClient) => {
  const query = desk
    .collection(ServiceRequests)
    .where((r) => r.Uid.ge(4000))
    .orderBy((r) => r.Uid.desc())
    .select('Uid');
  const all = await query.top(60).toArray();
  const sizes: number[] = [];
  for await (const { value } of query.top(60).pageSize(25).pages()) sizes.push(value.length);
  const counted = await query.counted().top(1).page();
  return {
    uids: all.map(({ Uid }) => Uid),
    sizes,
    count: counted.count,
    total: await query.count(),
  };
};

export const expanded = async (desk: DocketClient) => {
  const request = desk.collection(ServiceRequests).key(1001);
  const row = await request.get((r) =>
    r
      .select('Description', 'Assignment')
      .expand('Caller', (caller) => caller.select('Name').expand('Organization'))
      .expand('Workorders', (w) => w.where((one) => one.ID.eq(2)).select('Uid'))
      .expand('Assignment/AssigneePerson', (person) => person.select('Name')),
  );
  const caller = await request.relation('Caller').get((p) => p.select('Name'));
  const orders = await request.relation('Workorders').select('Uid').toArray();
  const person = await request.relation('Assignment/AssigneePerson').get();
  const me = await desk.call(Me);
  return {
    uid: 'Uid' in row,
    organization: row.Caller?.Organization?.Name1,
    orders: row.Workorders.map(({ Uid }) => Uid),
    assignee: row.Assignment?.AssigneePerson?.Name,
    caller: caller.Name,
    related: orders.length,
    person: person.Uid,
    me: me?.Uid,
  };
};

export const made = async (desk: DocketClient) =>
  await desk.collection(ServiceRequests).create({
    Description: 'By the typed client',
    Status: ServiceRequestStatus.REGISTERED,
    Priority: { Text: 'High' },
    Deadline: new Date('2026-05-01T08:00:00Z'),
    'Caller@odata.bind': desk.collection(Persons).key(31).reference,
  });

export const changed = async (desk: DocketClient) => {
  const created = await made(desk);
  const request = desk.collection(ServiceRequests).key(created.Uid);
  const ifMatch = created['@odata.etag'];
  const updated = await request.update({ Solution: 'One' }, { ifMatch });
  const stale = await caught(request.update({ Solution: 'Two' }, { ifMatch }));
  const caller = (await request.relation('Caller').get()).Uid;
  await request.link('Caller', desk.collection(Persons).key(32));
  const other = (await request.relation('Caller').get()).Uid;
  await request.unlink('Caller');
  const group = desk.collection(Workgroups).key(21);
  await group.link('Members', desk.collection(Persons).key(32));
  const members = await group.relation('Members').count();
  await group.unlink('Members', desk.collection(Persons).key(32));
  const left = await group.relation('Members').count();
  await request.delete({ ifMatch: (await request.get())['@odata.etag'] });
  const gone = await caught(request.get());
  return { solution: updated.Solution, stale, caller, other, members, left, gone };
};

async function caught(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof DocketError)) throw error;
    const { status, code, message, target, details } = error;
    return { status, code, message, target, details: details.map((one) => one.target) };
  }
}

export const mistakesOfBody = async (desk: DocketClient) =>
  await caught(
    desk.collection(ServiceRequests).create({
      Description: 'x'.repeat(100_000),
      'Caller@odata.bind': 'Persons(99999)',
    }),
  );

export const tracked = async (desk: DocketClient) => {
  const query = desk
    .collection(Workorders)
    .where((w) => w.Description.startsWith('Tracked'))
    .select('Description');
  const kinds = async (link?: string) => {
    const found: string[] = [];
    const feed = query.changes(link);
    for await (const change of feed)
      found.push(change.kind === 'changed' ? (change.entity.Description ?? '') : change.kind);
    return { found, link: feed.deltaLink };
  };
  const orders = desk.collection(Workorders);
  const { Uid } = await orders.create({ Description: 'Tracked one' });
  const first = await kinds();
  await orders.create({ Description: 'Tracked two' });
  const second = await kinds(first.link);
  await orders.key(Uid).delete();
  const third = await kinds(second.link);
  return [first.found, second.found, third.found];
};

export const batched = async (desk: DocketClient) => {
  const [request, person, page] = await desk.batch((batch) => [
    batch.collection(ServiceRequests).create({ Description: 'Of a batch' }),
    batch
      .collection(Persons)
      .key(31)
      .get((p) => p.select('Name')),
    batch.collection(Persons).select('Uid').top(1).page(),
  ]);
  const failed = await caught(
    desk.batch(
      (batch) => [
        batch.collection(Workorders).create({ Description: 'Undone' }),
        batch.collection(Workorders).key(1).update({ Description: 'Missing' }),
      ],
      { atomic: true },
    ),
  );
  const undone = await desk
    .collection(Workorders)
    .where((w) => w.Description.eq('Undone'))
    .count();
  const mixed = await desk.batch(
    (batch) => [
      batch.collection(Workorders).create({ Description: 'Mixed 1' }),
      batch
        .collection(Workorders)
        .where((w) => w.Description.startsWith('Mixed'))
        .page(),
      batch.collection(Workorders).create({ Description: 'Mixed 2' }),
    ],
    { atomic: true },
  );
  const parts: Promise<unknown>[] = [];
  const some = await caught(
    desk.batch(
      (batch) => {
        parts.push(
          batch.collection(Workorders).key(1).update({ Description: 'Missing' }),
          batch.collection(Persons).key(31).get(),
        );
        return parts;
      },
      { continueOnError: true },
    ),
  );
  const settled = (await Promise.allSettled(parts)).map(({ status }) => status);
  return {
    some,
    settled,
    made: request.Description,
    name: person.Name,
    page: page.value.length,
    failed,
    undone,
    mixed: [mixed[0].Description, mixed[1].value.length, mixed[2].Description],
  };
};

export const uploaded = async (desk: DocketClient) => {
  const files = desk.collection(ServiceRequests).key(1001).relation('Attachments');
  const content = new Blob(['content '.repeat(50_000)], { type: 'text/plain' });
  const progress: number[] = [];
  const one = await upload(files, content, {
    fileName: 'näme "1".txt',
    onProgress: ({ sent, total }) => progress.push(sent / total),
  });
  const two = await upload(files, content, { name: 'two', fileName: 'b.txt' });
  const clash = await caught(upload(files, content, { name: 'two', fileName: 'b.txt' }));
  const renamed = await upload(files, content, {
    name: 'two',
    fileName: 'b.txt',
    conflict: 'rename',
  });
  const size = (await (await files.key(one.Uid).download()).arrayBuffer()).byteLength;
  return {
    one: one.FileName,
    two: two.Name,
    renamed: renamed.Name,
    clash,
    size,
    isRising: progress.length > 1 && progress.every((part, at) => part >= (progress[at - 1] ?? 0)),
    last: progress.at(-1),
  };
};
