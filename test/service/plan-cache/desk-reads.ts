// This file lists templates of reads of the service desk: every way in which a literal of a URL or header can matter to a response. It is long
// because it is one list.
import {
  between,
  date,
  duration,
  either,
  limit,
  listOf,
  moment,
  nothing,
  oneOf,
  plainText,
  smallNumber,
  text,
  textOf,
  time,
  truth,
} from './random.ts';
import { batchOf, get, multipartOf, type Template, url } from './template.ts';

/** Keys of requests, and some of other records and of none. */
const key = either(
  between(4000, 4060),
  oneOf(1001, 1002, 1001, 31, 127, 128, 40000, 4026, '4026L', 0),
);
const person = oneOf(31, 32, 31, 32, 33, 1001);
const line = oneOf(3001, 3002, 3003, 3001, 9);
const number = either(between(2000, 2060), oneOf(1001, 1002, 5, 0));
const code = oneOf(101001, 101003, 101009, 101004, 110001, 110002, 0);
const priority = oneOf(110001, 110002, 110003, 110004, 110005, 1);
const codeText = textOf([
  'Critical',
  'High',
  'critical',
  'Kritiek',
  'In progress',
  'Closed',
  'x',
  '',
]);
const count = oneOf(0, 1, 2, 3, 5, 20, 21, 250, 251, -1, 'x', 1.5, '', '1e1', '010', 99999999999);
const skip = oneOf(
  0,
  1,
  2,
  3,
  7,
  19,
  20,
  61,
  1000,
  -1,
  'x',
  '1.0',
  '',
  '00',
  999999999,
  9999999999,
);
const word = oneOf(
  'printer',
  'fire',
  'Zoë',
  'İstanbul',
  'a',
  'on',
  '健',
  'AND',
  'NOT',
  'O',
  'x1',
  "O'Neil",
);
const phrase = oneOf(
  ...[
    '"on fire"',
    '"fire on"',
    '"x"',
    'printer fire',
    'printer OR laser',
    'NOT printer',
    'a*',
    '""',
  ],
  ...['printer AND NOT laser', '(printer OR fire) laser', '"', 'printer AND', '"Laser 4"'],
);
const letter = textOf([
  'a',
  'e',
  'k',
  'p',
  'r',
  'P',
  'Z',
  'ri',
  'pri',
  'prin',
  'fire',
  'i',
  'ii',
  'ë',
  'ü',
  '',
]);
const language = oneOf('nl', 'en', 'de', 'fr', 'nl-BE', 'xx', '*', 'nl;q=0.5, de', 'de, en');
const level = oneOf('none', 'minimal', 'full', 'other');

const languages: Template['headers'] = (random) => ({ 'accept-language': language(random) });
const levels: Template['headers'] = (random) => ({
  accept: `application/json;odata.metadata=${level(random)}`,
});
const pages: Template['headers'] = (random) => ({ prefer: `maxpagesize=${count(random)}` });
const tags: Template['headers'] = (random) => ({
  'if-none-match': random.pick([random.etag, 'W/"1"', 'W/"2"', '*', 'x']),
});
const newer = () => ({ 'odata-maxversion': '4.01' });
const tracked = () => ({ prefer: 'odata.track-changes' });

const byKey: readonly Template[] = [
  get(url`ServiceRequests(${key})`),
  get(url`ServiceRequests(${key})`, levels),
  get(url`ServiceRequests(${key})`, languages),
  get(url`ServiceRequests(${key})`, tags),
  get(url`ServiceRequest(${key})?$select=Uid,Description`),
  get(url`ServiceRequests(Uid=${key})?$select=Uid,ID`),
  get(url`ServiceRequests(ID=${number})?$select=Uid,ID`),
  get(url`ServiceRequests(${limit})?$select=Uid`),
  get(url`ServiceRequests(ID=${limit})?$select=Uid`),
  get(url`ServiceRequests(@k)?@k=${key}&$select=Uid`),
  get(url`ServiceRequests/${key}?$select=Uid`, newer),
  get(url`Persons(${person})/Name`),
  get(url`Persons(${person})/Name/$value`),
  get(url`ServiceRequests(${key})/Status`, languages),
  get(url`ServiceRequests(${key})/Status/Value/$value`),
  get(url`ServiceRequests(${key})/Caller`),
  get(url`ServiceRequests(${key})/Caller`, levels),
  get(url`ServiceRequests(${key})/Caller/$ref`),
  get(url`ServiceRequests(${key})/Caller/Organization?$select=Uid,Name1`),
  get(url`ServiceRequests(${key})/Assignment/AssigneePerson?$select=Uid,Name`),
  get(url`ServiceRequests(${key})/HistoryLines`),
  get(url`ServiceRequests(${key})/HistoryLines(${line})`),
  get(url`ServiceRequests(${key})/HistoryLines(${line})/Subject`),
  get(url`ServiceRequests(${limit})/HistoryLines(${limit})`),
  get(url`ServiceRequests(${key})/Workorders(${limit})/Description`),
  get(url`ServiceRequests(${key})/HistoryLines(${line})/Attachments?$filter=Uid gt ${key}`),
  get(url`ServiceRequests(${key})/Workorders?$filter=ID ge ${smallNumber}&$select=Uid,ID`),
  get(url`ServiceRequests(${key})/Workorders/$count`),
  get(url`ServiceRequests(${key})/Workorders/$ref`),
  get(url`ServiceRequests(${key})/Workorders(${oneOf(2001, 2002, 9)})?$select=Uid,Description`),
  get(url`$entity?$id=ServiceRequests(${key})&$select=Uid`),
  get(
    url`ServiceRequests(${key})?$expand=HistoryLines($filter=Uid ge ${line};$select=Subject),Caller($select=Name)&$select=Uid`,
  ),
  get(
    url`ServiceRequests(${key})?$expand=Workorders($filter=contains(Description,${text});$top=${count};$orderby=ID desc)&$select=Uid`,
  ),
  get(url`ServiceRequests(${key})?$compute=ID add ${smallNumber} as More&$select=Uid,More`),
  get(url`ServiceRequests(${key})/EffectiveRights()`),
  { method: 'HEAD', url: url`ServiceRequests(${key})` },
];

const comparisons: readonly Template[] = [
  get(url`ServiceRequests?$filter=ID eq ${number}&$select=Uid,ID`),
  get(url`ServiceRequests?$filter=ID eq ${limit}&$select=Uid,ID`),
  get(url`ServiceRequests?$filter=ID ge ${number} and ID lt ${number}&$select=Uid,ID`),
  get(url`ServiceRequests?$filter=${number} le ID and ${number} gt ID&$select=Uid,ID&$count=true`),
  get(url`ServiceRequests/$count?$filter=ID gt ${number} or ID eq ${number}`),
  get(url`ServiceRequests/$count?$filter=not (ID gt ${number})`),
  get(url`ServiceRequests?$filter=ID in ${listOf(number)}&$select=Uid,ID`),
  get(url`ServiceRequests?$filter=ID in (${number},${number},${number})&$select=Uid,ID`),
  get(url`ServiceRequests?$filter=Description in ${listOf(text)}&$select=Uid,Description`),
  get(url`ServiceRequests?$filter=Description eq ${text}&$select=Uid,Description`),
  get(url`ServiceRequests?$filter=Description ne ${text} and Description gt ${text}&$select=Uid`),
  get(
    url`Persons?$filter=Name eq ${textOf(["O'Neil, Zoë", '山田, 健', 'x', "O'Neil", ''])}&$select=Uid,Name`,
  ),
  get(
    url`Persons?$filter=Email eq ${textOf(['Zoe@Example.org', 'zoe@example.org', ''])}&$select=Uid`,
  ),
  get(url`Persons?$filter=Blocked eq ${truth}&$select=Uid,Blocked`),
  get(url`Persons?$filter=Blocked eq ${either(truth, nothing)} and Uid ge ${person}&$select=Uid`),
  get(url`Persons?$filter=Birthdate lt ${moment}&$select=Uid`),
  get(url`ServiceRequests?$filter=SourceID eq ${either(text, nothing)}&$select=Uid,SourceID`),
  get(url`ServiceRequests?$filter=Status/Value eq ${code}&$select=Uid,Status&$top=3`, languages),
  get(
    url`ServiceRequests?$filter=Status/Value eq ${code} and Priority/Value eq ${priority}&$orderby=Deadline&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=Priority/Text eq ${codeText}&$select=Uid,Priority`, languages),
  get(
    url`ServiceRequests?$filter=Priority/Value in ${listOf(priority)} and ID lt ${number}&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=Priority/Value eq ${either(priority, nothing)}&$select=Uid`),
  get(url`ServiceRequests?$filter=Deadline lt ${moment}&$select=Uid,Deadline`),
  get(
    url`ServiceRequests?$filter=Deadline ge ${moment} and Deadline lt ${moment}&$select=Uid,Deadline`,
  ),
  get(url`ServiceRequests?$filter=date(Deadline) eq ${date}&$select=Uid`),
  get(url`ServiceRequests?$filter=time(Deadline) gt ${time}&$select=Uid`),
  get(url`ServiceRequests?$filter=PlanDuration gt ${duration}&$select=Uid,PlanDuration`),
  get(url`ServiceRequests?$filter=Deadline add ${duration} gt ${moment}&$select=Uid`),
  get(url`ServiceRequests?$filter=Caller/Uid eq ${either(person, nothing)}&$select=Uid&$top=4`),
  get(
    url`ServiceRequests?$filter=Caller/Name eq ${textOf(["O'Neil, Zoë", 'x'])} and ID gt ${number}&$select=Uid&$top=4`,
  ),
  get(url`ServiceRequests?$filter=Uid eq ${key}&$select=Uid`),
  get(url`ServiceRequests?$filter=${plainText} eq Description or ID eq ${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=${truth} and ID lt ${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=${truth}&$select=Uid&$top=2`),
  get(url`ServiceRequests?$filter=${smallNumber} eq ${smallNumber}&$select=Uid&$top=2`),
];

const functions: readonly Template[] = [
  get(url`ServiceRequests?$filter=contains(Description,${text})&$select=Uid,Description`),
  get(url`ServiceRequests?$filter=contains(Description,${plainText})&$select=Uid`),
  get(url`ServiceRequests?$filter=contains(tolower(Description),${text})&$select=Uid`),
  get(
    url`ServiceRequests?$filter=startswith(Description,${text}) or endswith(Description,${text})&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=contains(Description,${text}) and contains(Information,${text})&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=contains(${text},Description)&$select=Uid`),
  get(
    url`ServiceRequests?$filter=not contains(Description,${text})&$select=Uid&$count=true&$top=1`,
  ),
  get(url`ServiceRequests?$filter=indexof(Description,${text}) eq ${smallNumber}&$select=Uid`),
  get(url`ServiceRequests?$filter=substring(Description,${smallNumber}) eq ${text}&$select=Uid`),
  get(
    url`ServiceRequests?$filter=substring(Description,${oneOf(0, 1, 2, -1, 1.5)},${smallNumber}) ne ${text}&$select=Uid&$top=3`,
  ),
  get(url`ServiceRequests?$filter=concat(Description,${text}) eq ${text}&$select=Uid`),
  get(url`ServiceRequests?$filter=tolower(Description) eq ${text}&$select=Uid`),
  get(url`ServiceRequests?$filter=toupper(${text}) eq Description&$select=Uid`),
  get(url`ServiceRequests?$filter=trim(Description) eq trim(${text})&$select=Uid`),
  get(
    url`ServiceRequests?$filter=length(Description) gt ${oneOf(5, 10, 20, 60, -1)}&$select=Uid&$top=3`,
  ),
  get(url`ServiceRequests?$filter=length(Description) gt length(${text})&$select=Uid&$top=3`),
  get(
    url`ServiceRequests?$filter=matchesPattern(Description,${textOf(['^P', 'fire$', '.*', '[', 'r.q', '(a|b)', ''])})&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=round(ID div ${between(1, 9)}) eq ${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID add ${smallNumber} eq ${number}&$select=Uid`),
  get(
    url`ServiceRequests?$filter=ID mod ${oneOf(2, 3, 7, 0, -3, 2.5)} eq ${smallNumber}&$select=Uid&$top=4`,
  ),
  get(
    url`ServiceRequests?$filter=ID mul ${smallNumber} sub ${limit} lt ${number}&$select=Uid&$top=4`,
  ),
  get(
    url`ServiceRequests?$filter=ID div ${oneOf(2, 3, 0)} lt ${oneOf(1000, 1010.5)} and ID divby ${oneOf(2, 4, 0)} gt ${number}&$select=Uid&$top=4`,
  ),
  get(url`ServiceRequests?$filter=-${smallNumber} lt ID sub ${number}&$select=Uid&$top=4`),
  get(
    url`ServiceRequests?$filter=year(Deadline) eq ${oneOf(2026, 2025, 0)} and month(Deadline) eq ${smallNumber}&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=hour(Deadline) lt ${oneOf(5, 14, 15, 23, -1)}&$select=Uid`),
  get(
    url`ServiceRequests?$filter=cast(ID,Edm.String) eq ${oneOf("'2001'", "'1001'", 2001)}&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=cast(${oneOf("'2001'", 2001, "'x'")},Edm.Int64) eq ID&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=case(ID lt ${number}:${text},true:${text}) eq ${text}&$select=Uid&$top=4`,
  ),
  get(
    url`ServiceRequests?$filter=Workorders/any(w:w/ID eq ${smallNumber} and contains(w/Description,${text}))&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=Workorders/all(w:w/ID lt ${smallNumber}) and ID lt ${number}&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=HistoryLines/any(h:h/Subject eq ${text} or h/Uid eq ${line})&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$filter=Workorders/$count eq ${oneOf(0, 1, 2)} and ID gt ${number}&$select=Uid&$top=4`,
  ),
  get(
    url`ServiceRequests?$filter=Workorders/$count($filter=ID gt ${smallNumber}) ge ${oneOf(0, 1, 2)}&$select=Uid&$top=4`,
  ),
  get(url`ServiceRequests?$filter=$root/Persons(${person})/Name eq Caller/Name&$select=Uid&$top=4`),
  get(url`Persons?$filter=isof(${text},Edm.String) and Uid lt ${key}&$select=Uid`),
];

/** Conditions that many records meet, whatever the literals: each literal changes the response. */
const inequalities: readonly Template[] = [
  get(
    url`ServiceRequests?$filter=substring(Description,${smallNumber}) ge ${plainText}&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=substring(Description,${smallNumber},${smallNumber}) lt ${letter}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=indexof(Description,${letter}) gt ${smallNumber}&$select=ID`),
  get(
    url`ServiceRequests?$filter=length(concat(Description,${text})) gt ${between(10, 40)}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=length(${text}) ge ID mod ${between(2, 30)}&$select=ID`),
  get(
    url`ServiceRequests?$filter=ID sub 2000 gt length(trim(${text})) mul ${smallNumber}&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=toupper(${letter}) lt Description and tolower(${letter}) ge substring(Description,0,1)&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=concat(${letter},Description) gt concat(${letter},${letter})&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=matchesPattern(Description,${textOf(['^[a-f]', '^p', 'i', 'R.*1', '[0-9]$', 'e$', '.'])})&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=not matchesPattern(tolower(Description),${textOf(['r', 'a.*e', '^.', 'x'])}) and ID gt ${number}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=ID mod ${between(2, 9)} gt ${smallNumber}&$select=ID`),
  get(
    url`ServiceRequests?$filter=round(ID div ${between(2, 9)}) gt ${between(200, 1000)}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=ID add ${between(-50, 50)} gt ${number}&$select=ID`),
  get(url`ServiceRequests?$filter=${number} sub ID gt ${smallNumber}&$select=ID`),
  get(url`ServiceRequests?$filter=ID gt -${smallNumber} add ${number}&$select=ID`),
  get(url`ServiceRequests?$filter=ID gt ${smallNumber} mul ${between(200, 300)}&$select=ID`),
  get(
    url`ServiceRequests?$filter=ID sub 2000 gt day(${moment}) or ID sub 2000 lt hour(${moment})&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=Deadline gt ${moment} or ID gt ${number}&$select=ID`),
  get(url`ServiceRequests?$filter=Deadline sub ${duration} gt ${moment}&$select=ID`),
  get(
    url`ServiceRequests?$filter=case(contains(Description,${letter}):${smallNumber},true:${smallNumber}) gt ${smallNumber}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=cast(${number},Edm.String) gt cast(ID,Edm.String)&$select=ID`),
  get(url`ServiceRequests?$filter=contains(Description,${letter}) ne ${truth}&$select=ID`),
  get(
    url`ServiceRequests?$filter=startswith(Description,${letter}) or endswith(Description,${letter})&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=contains(Description,${letter}) and not contains(Information,${letter})&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=ID ge ${number} and Uid le ${key}&$select=ID`),
  get(
    url`ServiceRequests?$filter=ID ge ${number} and Description lt ${letter} and Uid le ${key}&$select=ID`,
  ),
  get(url`ServiceRequests?$filter=(ID in ${listOf(number)}) eq ${truth}&$select=ID`),
  get(
    url`ServiceRequests?$filter=Caller/Uid eq ${either(person, nothing)} and SourceID ne ${either(text, nothing)}&$select=ID`,
  ),
  get(
    url`ServiceRequests?$filter=HistoryLines/$count lt ${smallNumber} and not Workorders/any(w:w/ID gt ${smallNumber})&$select=ID`,
  ),
  get(
    url`ServiceRequests?$expand=HistoryLines($filter=substring(Subject,${smallNumber}) lt ${letter};$select=Subject)&$select=Uid&$filter=Uid lt ${key}`,
  ),
  get(
    url`ServiceRequests?$compute=substring(Description,${smallNumber}) as Rest,ID mod ${between(2, 9)} as Part&$select=Rest,Part`,
  ),
  get(
    url`ServiceRequests?$orderby=substring(Description,${smallNumber}) desc,ID mod ${between(2, 9)},ID&$select=ID`,
  ),
  get(
    url`ServiceRequests?$apply=filter(ID gt ${number})/compute(substring(Description,${smallNumber},1) as Letter)/groupby((Letter),aggregate($count as N))`,
  ),
];

const searches: readonly Template[] = [
  get(url`ServiceRequests?$search=${word}&$select=Uid`),
  get(url`ServiceRequests?$search=${phrase}&$select=Uid`),
  get(url`ServiceRequests?$search=${word}&$filter=ID gt ${number}&$select=Uid&$count=true`),
  get(url`ServiceRequests/$count?$search=${word} OR ${word}`),
  get(url`Persons?$search="${oneOf('Zoë', 'Neil', '健', 'x y')}"&$select=Uid`),
  get(url`ServiceRequests?$expand=Workorders($search=${word};$select=Uid)&$select=Uid&$top=2`),
];

const aliases: readonly Template[] = [
  get(url`ServiceRequests?$filter=ID eq @a&@a=${either(number, nothing)}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID gt @a and ID lt @b&@b=${number}&@a=${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID eq @a or Uid eq @a&@a=${either(number, key)}&$select=Uid`),
  get(
    url`ServiceRequests?$filter=contains(Description,@t)&@t=${text}&@unused=${number}&$select=Uid`,
  ),
  get(url`ServiceRequests?$filter=Description eq @t&@t=${either(text, nothing)}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID in @list&@list=[${number},${number}]&$select=Uid`),
  get(url`ServiceRequests?$filter=ID eq @a&@a=@b&@b=${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID eq @a&@a=${number}&@a=${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=Deadline gt @d&@d=${moment}&$select=Uid`),
  get(
    url`ServiceRequests?$expand=Workorders($filter=ID eq @n;$select=ID)&@n=${smallNumber}&$select=Uid&$top=2`,
  ),
  get(url`ServiceRequests/$filter(@f)?@f=ID eq ${number}&$select=Uid`),
  get(url`ServiceRequests?$filter=ID eq @a&$select=Uid`),
];

const paging: readonly Template[] = [
  get(url`ServiceRequests?$top=${count}&$select=Uid`),
  get(url`ServiceRequests?$skip=${skip}&$select=Uid`),
  get(url`ServiceRequests?$top=${count}&$skip=${skip}&$select=Uid&$count=true`),
  get(url`ServiceRequests?$select=Uid`, pages),
  get(
    url`ServiceRequests?$filter=ID gt ${number}&$orderby=Priority/Value,ID desc&$select=Uid`,
    pages,
  ),
  get(url`ServiceRequests?$orderby=Deadline desc,Description&$top=${count}&$select=Uid`, pages),
  get(
    url`ServiceRequests?$filter=contains(Description,${plainText})&$orderby=Description&$top=30&$select=Uid`,
    pages,
  ),
  get(url`ServiceRequests?$skip=${skip}&$orderby=SourceID&$select=Uid`, pages),
  get(url`ServiceRequests?$skiptoken=${textOf(['x'])}&$select=Uid`),
  get(url`ServiceRequests(${key})/HistoryLines?$skip=${skip}&$top=${count}`),
  get(url`ServiceRequests?$count=${truth}&$top=${count}&$select=Uid`),
  get(url`Workorders?$filter=ID lt ${number}&$select=ID`, tracked),
];

const orders: readonly Template[] = [
  get(url`ServiceRequests?$orderby=ID add ${smallNumber} desc&$top=${count}&$select=ID`),
  get(url`ServiceRequests?$orderby=ID mod ${between(1, 9)},ID&$top=5&$select=ID`, pages),
  get(url`ServiceRequests?$orderby=indexof(Description,${text}) desc,ID&$top=4&$select=ID`),
  get(
    url`ServiceRequests?$orderby=case(ID lt ${number}:${smallNumber},true:${smallNumber}),ID&$top=4&$select=ID`,
  ),
  get(url`ServiceRequests?$orderby=${smallNumber},ID&$top=4&$select=ID`),
];

const shapes: readonly Template[] = [
  get(
    url`ServiceRequests?$expand=Caller($select=Name),Workorders($filter=ID gt ${smallNumber};$skip=${skip};$count=true;$select=ID)&$filter=ID lt ${number}&$select=Uid,ID&$top=3`,
  ),
  get(
    url`ServiceRequests?$expand=Workorders($expand=ServiceRequest($select=ID;$expand=Caller($select=Name));$filter=contains(Description,${text});$select=Uid)&$filter=Uid eq ${key}&$select=Uid`,
  ),
  get(
    url`ServiceRequests?$expand=HistoryLines/$count($filter=Uid gt ${line})&$select=Uid&$filter=ID eq ${number}`,
  ),
  get(
    url`ServiceRequests?$expand=Workorders($levels=${oneOf(1, 2, 'max')};$select=ID)&$select=Uid&$top=1`,
  ),
  get(
    url`ServiceRequests?$compute=concat(Description,${text}) as Both,ID mul ${smallNumber} as Much&$select=Both,Much&$filter=Much gt ${number}&$top=3`,
  ),
  get(
    url`ServiceRequests?$compute=ID sub ${number} as Rest&$orderby=Rest desc&$select=Rest&$top=3`,
  ),
  get(url`ServiceRequests?$apply=filter(ID gt ${number})/aggregate($count as N)`),
  get(
    url`ServiceRequests?$apply=filter(contains(Description,${text}))/groupby((Status/Value),aggregate($count as N,ID with max as Last))`,
  ),
  get(
    url`ServiceRequests?$apply=filter(ID ge ${number} and Priority/Value eq ${priority})/groupby((Priority/Text),aggregate(ID with sum as Sum))`,
    languages,
  ),
  get(
    url`ServiceRequests?$apply=compute(ID mod ${between(1, 9)} as Part)/groupby((Part),aggregate($count as N))&$orderby=Part&$filter=N gt ${smallNumber}`,
  ),
  get(url`ServiceRequests?$apply=aggregate(ID mul ${smallNumber} with sum as Sum)`),
  get(url`ServiceRequests?$apply=topcount(${count},ID)/aggregate(ID with min as Least)`),
  get(
    url`ServiceRequests?$apply=filter(ID lt ${number})/concat(aggregate($count as N),filter(Uid gt ${key})/aggregate(Uid with max as M))`,
  ),
  get(
    url`ServiceRequests?$apply=groupby((Priority/Value),aggregate($count as N))/filter(N ge ${smallNumber})&$orderby=N desc,Priority/Value&$top=${count}`,
  ),
  get(url`ServiceRequests?$apply=search(${word})/aggregate($count as N)`),
  get(url`ServiceRequests?$apply=skip(${skip})/top(${count})/aggregate($count as N)`),
  get(
    url`$crossjoin(Workorders,Persons)?$filter=Workorders/ID eq ${smallNumber} and Persons/Uid gt ${person}`,
  ),
  get(url`Codes?$filter=Uid eq ${priority}`, languages),
  get(url`Me?$select=Uid,Name&$filter=${text}`),
  get(
    url`ServiceRequests?$filter=ID eq ${number}&$format=${oneOf('json', 'xml', 'atom', 'application/json', 'x')}&$select=Uid,ID`,
  ),
  get(url`ServiceRequests?$filter=ID eq ${number}&$select=Uid,ID`, levels),
  get(url`ServiceRequests?$filter=Description eq ${text}&$select=Uid`, () => ({
    accept: 'application/xml',
  })),
  get(url`ServiceRequests?$filter=ID gt ${number}&$select=Uid&$top=3`, newer),
  get(url`ServiceRequests?filter=ID gt ${number}&select=Uid&top=${count}`, newer),
  get(url`ServiceRequests?%24filter=ID gt ${number}&%24select=Uid&%24top=${count}`),
  get(url`ServiceRequests?$filter=ID gt ${number}&$unknown=${number}`),
  get(url`ServiceRequests?$filter=ID gt ${number}&custom=${text}&$select=Uid&$top=2`),
  get(url`ServiceRequests?$filter=ID gt ${number}&$filter=ID lt ${number}&$select=Uid`),
  {
    method: 'POST',
    url: url`ServiceRequests/$query?$top=${count}`,
    headers: () => ({ 'content-type': 'text/plain' }),
    body: (random) => `$filter=ID gt ${number(random)}&$select=Uid`,
  },
];

const batches: readonly Template[] = [
  batchOf(
    get(url`ServiceRequests(${key})?$select=Uid`),
    get(url`ServiceRequests?$filter=ID eq ${number}&$select=Uid`),
  ),
  batchOf(
    get(url`Persons(${person})`),
    get(url`ServiceRequests?$filter=contains(Description,${text})&$select=Uid`, languages),
    get(url`/ServiceRequests(${key})/Caller?$select=Name`),
    get(url`http://desk.example/odata/ServiceRequests(${key})/HistoryLines(${line})`),
  ),
  multipartOf(
    get(url`ServiceRequests(${key})?$select=Uid`),
    get(url`/odata/Persons?$filter=Uid ge ${person}&$select=Uid`),
  ),
];

export const DESK_READS: readonly Template[] = [
  ...[
    byKey,
    comparisons,
    functions,
    inequalities,
    searches,
    aliases,
    paging,
    orders,
    shapes,
    batches,
  ].flat(),
];
