// This file holds the statements of the floor, written by hand for this one database: SQLite writes the JSON, and nothing is decided at
// run time. They give the same bytes as the service does, which run.mjs checks before it measures.
import { STATUSES } from './workloads.mjs';

const quoted = (column) => `coalesce('"' || ${column} || '"', 'null')`;
const code = (column) =>
  `CASE WHEN ${column} IS NULL THEN 'null' ELSE (SELECT '{' || json || '}' FROM docket_code_text WHERE language = 'en' AND value = ${column}) END`;
const boolean = (column) => `CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
const number = (column) => `coalesce(${column}, 'null')`;
const text = (column) => `json_quote(${column})`;
const json = (column) => column;

/** `PT6H15M` of nanoseconds; parts of seconds without zeros at the end. */
const duration = (column) => {
  const seconds = `${column} / 1000000000`;
  const part = (amount, letter) =>
    `CASE WHEN ${amount} THEN (${amount}) || '${letter}' ELSE '' END`;
  const days = part(`${seconds} / 86400`, 'D');
  const times = [
    part(`${seconds} / 3600 % 24`, 'H'),
    part(`${seconds} / 60 % 60`, 'M'),
    `CASE WHEN ${column} % 1000000000 THEN rtrim(printf('%d.%09d', ${seconds} % 60, ${column} % 1000000000), '0') || 'S' WHEN ${seconds} % 60 THEN (${seconds} % 60) || 'S' ELSE '' END`,
  ];
  return `CASE WHEN ${column} IS NULL THEN 'null' WHEN ${column} = 0 THEN '"PT0S"' ELSE concat('"P', ${days}, CASE WHEN ${column} % 86400000000000 THEN 'T' ELSE '' END, ${times.join(', ')}, '"') END`;
};

const dynamicCode = (column) =>
  `CASE WHEN ${column} IS NULL THEN 'null' ELSE (SELECT '{"@odata.type":"#Service.Web.OData.Model.Code",' || json || '}' FROM docket_code_text WHERE language = 'en' AND value = ${column}) END`;

/** What writes each kind of value. */
export const kinds = { quoted, code, boolean, number, text, json, duration, dynamicCode };

const CLOCK = { State: code, Outcome: code, Mark: number };

export const REQUEST = {
  Uid: json,
  Registration: { DateCreated: quoted, DateModified: quoted, CreatedBy: text, ModifiedBy: text },
  Folder: code,
  ExternalReferences: json,
  Blocked: boolean,
  ID: json,
  Information: text,
  Solution: text,
  Workaround: text,
  SourceID: text,
  Priority: code,
  Urgency: code,
  Classification: code,
  Deadline: quoted,
  DeadlineIsManual: boolean,
  PriorityIsManual: boolean,
  ActualStart: quoted,
  ActualFinish: quoted,
  PlanStart: quoted,
  PlanFinish: quoted,
  LateFinish: quoted,
  ClosedAt: quoted,
  PlanDuration: duration,
  ActualDuration: duration,
  Assignment: { Status: code, Priority: code, AssignedAt: quoted, ReferenceNumber: text },
  Description: text,
  Status: code,
  ClosureCode: code,
  Category: code,
  Impact: code,
  Medium: code,
  FrequentlyAskedQuestion: boolean,
  OnHoldReason: code,
  OnHoldUntil: quoted,
  AutoCloseAt: quoted,
  FeedbackRating: number,
  FeedbackText: text,
  Approval: {
    Status: code,
    Description: text,
    Deadline: quoted,
    NrOfApprovers: number,
    NrOfApproversRequired: number,
    NrOfApproversApproved: number,
    Round: number,
    StatusBefore: number,
  },
  Sla: {
    State: code,
    ResponseDeadline: quoted,
    ResolveDeadline: quoted,
    RespondedAt: quoted,
    ResolvedAt: quoted,
    PausedTotal: duration,
    Response: CLOCK,
    Resolution: CLOCK,
    NextMark: quoted,
    OutdatedSince: quoted,
  },
  ServicecallCode1: dynamicCode,
};

const PERSON = {
  Uid: json,
  Registration: { DateCreated: quoted, DateModified: quoted, CreatedBy: text, ModifiedBy: text },
  Folder: code,
  ExternalReferences: json,
  Blocked: boolean,
  FirstName: text,
  LastName: text,
  MiddleName: text,
  Name: text,
  Initials: text,
  Title: text,
  Searchcode: text,
  Gender: code,
  Jobtitle: text,
  Email: text,
  EmailLowerCase: text,
  Phone: text,
  MobilePhone: text,
  Birthdate: quoted,
  Category: code,
  Status: code,
  Language: text,
  TimeZone: text,
  EmployeeNumber: text,
  OutOfOfficeUntil: quoted,
};

const ETAG = `'"@odata.etag":"W/\\"', "$version", '\\"",'`;

function members(shape, prefix = '') {
  const pieces = Object.entries(shape).flatMap(([name, write], index) => {
    const head = `${index === 0 ? '' : ','}"${name}":`;
    if (typeof write === 'object')
      return [`'${head}{'`, ...members(write, `${prefix}${name}/`), `'}'`];
    return [`'${head}'`, write(`"${prefix}${name}"`)];
  });
  return pieces;
}

const record = (shape, ...more) =>
  `concat('{', ${[ETAG, ...members(shape), ...more].join(', ')}, '}')`;

const SET = 'FROM ServiceRequests';
/** A page as one text, and the key behind which the next one goes on. */
const page = (json, rows) =>
  `SELECT concat('[', group_concat(j, ','), ']'), max(k) FROM (SELECT ${json} AS j, Uid AS k ${rows})`;
const pageWithoutKey = (json, rows) =>
  `SELECT concat('[', group_concat(j, ','), ']') FROM (SELECT ${json} AS j ${rows})`;

const twoCodes = (status) => `"Status" = ${status} AND "Priority" = 110002`;
const filtered = (status) =>
  `SELECT concat('[', group_concat(j, ','), ']'), k, i, max(k || i) FROM (SELECT ${record(REQUEST)} AS j, "Deadline" AS k, "Uid" AS i ${SET} WHERE ${twoCodes(status)} ORDER BY "Deadline", "Uid" LIMIT 20)`;
const count = (status) => `SELECT count(*) ${SET} WHERE ${twoCodes(status)}`;
const small = (members) => `concat('{', ${ETAG}, ${members}, '}')`;

const CALLER = `coalesce((SELECT ${small(`'"Uid":', p."Uid", ',"Name":', json_quote(p."Name")`).replaceAll('"$version"', 'p."$version"')} FROM Persons p WHERE p."Uid" = "Caller"), 'null')`;
const WORKORDERS = `(SELECT concat('[', group_concat(${small(`'"Uid":', w."Uid", ',"Description":', json_quote(w."Description")`).replaceAll('"$version"', 'w."$version"')}, ','), ']') FROM Workorders w WHERE w."ServiceRequest" = ServiceRequests."Uid")`;

export const statements = {
  one: `SELECT ${record(REQUEST)} ${SET} WHERE "Uid" = ?`,
  caller: `SELECT ${record(PERSON)} FROM Persons WHERE "Uid" = (SELECT "Caller" ${SET} WHERE "Uid" = ?)`,
  first: page(record(REQUEST), `${SET} ORDER BY "Uid" LIMIT 20`),
  many: page(record(REQUEST), `${SET} ORDER BY "Uid" LIMIT 250`),
  deep: page(record(REQUEST), `${SET} ORDER BY "Uid" LIMIT 20 OFFSET 99980`),
  behind: page(record(REQUEST), `${SET} WHERE "Uid" > ? ORDER BY "Uid" LIMIT 20`),
  filteredRare: filtered(STATUSES.rare),
  filteredFrequent: filtered(STATUSES.frequent),
  countRare: count(STATUSES.rare),
  countFrequent: count(STATUSES.frequent),
  expanded: page(
    record(REQUEST, `',"Caller":'`, CALLER, `',"Workorders":'`, WORKORDERS),
    `${SET} ORDER BY "Uid" LIMIT 20`,
  ),
  grouped: `SELECT concat('[', group_concat(j, ','), ']') FROM (SELECT concat('{"@odata.id":null,"Status":{"Text":', json_quote(text), '},"N@odata.type":"#Decimal","N":', n, '}') AS j FROM (SELECT "Status" AS s, count(*) AS n ${SET} GROUP BY "Status") JOIN docket_code_text ON language = 'en' AND value = s ORDER BY text)`,
  scanRare: pageWithoutKey(
    small(`'"Uid":', "Uid"`),
    `${SET} WHERE instr("Description", 'heliotrope') > 0 ORDER BY "Uid" LIMIT 20`,
  ),
  scanFrequent: page(
    small(`'"Uid":', "Uid"`),
    `${SET} WHERE instr("Description", 'quarterly') > 0 ORDER BY "Uid" LIMIT 20`,
  ),
};
