// This file lists what the bench asks: each workload names the request it sends. Searches have a scan beside them, the statement that a
// server without a text index would have to run.

export const workloads = [
  { name: 'one by key', path: 'ServiceRequests({uid})', times: 200 },
  { name: 'first page', path: 'ServiceRequests', times: 100 },
  {
    name: 'filter and order',
    path: 'ServiceRequests?$filter=Status/Value%20eq%20101003%20and%20Priority/Value%20eq%20110002&$orderby=Deadline',
  },
  {
    name: 'two expands',
    path: 'ServiceRequests?$expand=Caller($select=Uid,Name),Workorders($select=Uid,Description)',
  },
  { name: '250 records', path: 'ServiceRequests?$top=250', times: 20 },
  {
    name: 'group by status',
    path: 'ServiceRequests?$apply=groupby((Status/Text),aggregate($count%20as%20N))',
    times: 5,
  },
];

const scanOf = (condition) =>
  `SELECT "Uid" FROM "ServiceRequests" WHERE ${condition} ORDER BY "Uid"`;

export const searches = [
  {
    name: 'contains, rare word',
    path: "ServiceRequests?$select=Uid&$filter=contains(Description,'heliotrope')",
    scan: scanOf('instr("Description", ?) > 0'),
    parameter: 'heliotrope',
  },
  {
    name: 'contains, frequent word',
    path: "ServiceRequests?$select=Uid&$filter=contains(Description,'quarterly')",
    scan: `${scanOf('instr("Description", ?) > 0')} LIMIT 21`,
    parameter: 'quarterly',
  },
  {
    name: '$search, rare word',
    path: 'ServiceRequests?$select=Uid&$search=heliotrope',
    scan: scanOf('instr("Description", ?) > 0'),
    parameter: 'heliotrope',
  },
];
