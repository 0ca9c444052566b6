// This file checks the code lists of the suite: values by list and ordinal, texts in every language, symbols and trees.
import { describe, expect, test } from 'vitest';
import { suiteDefinition } from '../service-desk.ts';

function listOf(name: string) {
  const list = suiteDefinition.codeLists.find((one) => one.name === name);
  if (list === undefined) throw new Error(`no code list ${name}`);
  return list;
}

/** English texts by ordinal in a list of that number. */
function english(name: string, number: number): Readonly<Record<number, string | undefined>> {
  return Object.fromEntries(
    listOf(name).codes.map(({ value, texts }) => [Number(value) - number * 1000, texts.en]),
  );
}

const inOrder = (...texts: readonly string[]) =>
  Object.fromEntries(texts.map((text, index) => [index + 1, text]));

describe('values and texts', () => {
  test.each([
    [
      'ServiceRequestStatus',
      101,
      inOrder(
        'Registered',
        'Assigned',
        'In progress',
        'Waiting for caller',
        'Waiting for supplier',
        'Awaiting approval',
        'Rejected',
        'Resolved',
        'Closed',
        'Cancelled',
      ),
    ],
    [
      'IncidentStatus',
      102,
      inOrder(
        'Registered',
        'Assigned',
        'In progress',
        'On hold',
        'Restored',
        'Closed',
        'Cancelled',
      ),
    ],
    [
      'ProblemStatus',
      103,
      inOrder(
        'Registered',
        'Under investigation',
        'Root cause known',
        'Known error',
        'Change pending',
        'Resolved',
        'Closed',
        'Cancelled',
      ),
    ],
    [
      'ChangeStatus',
      104,
      inOrder(
        'Registered',
        'Assessment',
        'Awaiting approval',
        'Approved',
        'Scheduled',
        'Implementation',
        'Review',
        'Closed',
        'Rejected',
        'Cancelled',
        'Backed out',
      ),
    ],
    [
      'WorkorderStatus',
      105,
      inOrder(
        'Registered',
        'Assigned',
        'Accepted',
        'In progress',
        'On hold',
        'Completed',
        'Closed',
        'Refused',
        'Cancelled',
      ),
    ],
    [
      'ProjectStatus',
      106,
      inOrder(
        'Proposed',
        'Approved',
        'In execution',
        'Suspended',
        'Completed',
        'Closed',
        'Cancelled',
      ),
    ],
    ['Priority', 110, inOrder('Critical', 'High', 'Medium', 'Low', 'Planning')],
    [
      'Impact',
      111,
      inOrder('Whole organisation', 'Department', 'Several people', 'One person', 'None'),
    ],
    ['Urgency', 112, inOrder('Now', 'Today', 'This week', 'Can wait')],
    ['Severity', 113, inOrder('Service down', 'Degraded', 'Reduced redundancy', 'Cosmetic')],
    [
      'Medium',
      120,
      inOrder(
        'Telephone',
        'E-mail',
        'Self-service portal',
        'Walk-in',
        'Chat',
        'Monitoring event',
        'Web service',
        'Letter',
      ),
    ],
    [
      'ServiceRequestClosure',
      130,
      inOrder(
        'Solved first line',
        'Solved second line',
        'Solved by supplier',
        'Workaround given',
        'Information given',
        'Duplicate',
        'Not reproducible',
        'Withdrawn by caller',
        'Not authorised',
        'Out of scope',
      ),
    ],
    [
      'IncidentClosure',
      131,
      inOrder(
        'Repaired',
        'Restarted',
        'Replaced',
        'Configuration corrected',
        'Self-recovered',
        'User error',
        'External cause',
        'False alarm',
      ),
    ],
    [
      'ProblemClosure',
      132,
      inOrder('Cause removed', 'Accepted as known error', 'Cause not found', 'Merged'),
    ],
    [
      'ChangeClosure',
      133,
      inOrder('Successful', 'Successful with issues', 'Backed out', 'Failed', 'Not implemented'),
    ],
    ['WorkorderClosure', 134, inOrder('Done', 'Partly done', 'Not needed', 'Failed')],
    [
      'ServiceRequestCategory',
      140,
      inOrder(
        'Question',
        'Request for service',
        'Request for information',
        'Access request',
        'Order',
        'Complaint',
        'Compliment',
      ),
    ],
    ['ChangeCategory', 141, inOrder('Standard', 'Normal', 'Emergency')],
    [
      'ConfigurationItemCategory',
      142,
      {
        1: 'Hardware',
        11: 'Server',
        12: 'Workstation',
        13: 'Laptop',
        14: 'Printer',
        15: 'Network device',
        16: 'Mobile',
        2: 'Software',
        21: 'Application',
        22: 'Operating system',
        23: 'Database',
        24: 'Licence',
        3: 'Virtual machine',
        4: 'Cloud resource',
        5: 'Document',
        6: 'Facility',
      },
    ],
    ['PersonStatus', 150, inOrder('Active', 'Leave', 'Left', 'External')],
    [
      'PersonCategory',
      151,
      inOrder('Employee', 'Contractor', 'Customer contact', 'Supplier contact', 'VIP'),
    ],
    [
      'ConfigurationItemStatus',
      160,
      inOrder('Ordered', 'In stock', 'In operation', 'In repair', 'Retired', 'Disposed'),
    ],
    ['ApprovalStatus', 170, inOrder('Not started', 'Waiting', 'Approved', 'Rejected', 'Expired')],
    [
      'HoldReason',
      180,
      inOrder(
        'Information from caller',
        'Part on order',
        'Supplier',
        'Planned date',
        'Change window',
      ),
    ],
    ['Folder', 190, inOrder('Corporate', 'Region North', 'Region South', 'Security (restricted)')],
    ['SlaClockState', 200, inOrder('Running', 'Paused', 'Stopped', 'Met', 'Breached', 'Cancelled')],
    [
      'HistoryKind',
      202,
      inOrder(
        'System change',
        'Note internal',
        'Note public',
        'E-mail in',
        'E-mail out',
        'Approval',
        'Time',
        'Integration',
      ),
    ],
    ['AccountType', 204, inOrder('Named', 'Concurrent', 'Integration')],
    ['LocationType', 205, inOrder('Country', 'City', 'Site', 'Building', 'Floor', 'Room')],
    ['OrganizationCategory', 206, inOrder('Internal', 'Customer', 'Supplier', 'Manufacturer')],
    ['ServiceStatus', 207, inOrder('Pipeline', 'In design', 'Live', 'Suspended', 'Retired')],
    ['ContractType', 209, inOrder('Maintenance', 'Lease', 'Licence', 'Support')],
    ['ContractStatus', 210, inOrder('Draft', 'Active', 'Expiring', 'Expired', 'Terminated')],
    ['EmailServiceRequestStatus', 212, inOrder('New', 'Converted', 'Linked', 'Rejected', 'Error')],
    ['Autoassign', 213, inOrder('None', 'Round robin', 'Least load')],
  ])('%s is list %i', (name, number, texts) => {
    expect(english(name, number)).toEqual(texts);
  });

  test('every code has a text in all four languages and a symbol', () => {
    for (const list of suiteDefinition.codeLists) {
      expect(list.codes.length, list.name).toBeGreaterThan(0);
      for (const { value, texts, meaning } of list.codes) {
        expect(Object.keys(texts), `${value}`).toEqual(['en', 'nl', 'de', 'fr']);
        expect(
          Object.values(texts).every((text) => text.trim() !== ''),
          `${value}`,
        ).toBe(true);
        expect(meaning, `${value}`).toMatch(/^[A-Z][A-Z0-9_]*$/);
      }
    }
  });

  test('no value is in two lists, and no list is there that no property uses', () => {
    const values = suiteDefinition.codeLists.flatMap((list) =>
      list.codes.map(({ value }) => value),
    );
    expect(new Set(values).size).toBe(values.length);
    const used = new Set(
      suiteDefinition.types.flatMap((type) =>
        type.kind === 'complex' || type.kind === 'entity'
          ? type.members.map((member) => (member.kind === 'property' ? member.codeList : undefined))
          : [],
      ),
    );
    expect(
      suiteDefinition.codeLists.map(({ name }) => name).filter((name) => !used.has(name)),
    ).toEqual([]);
  });

  test('within a list, no two codes have the same text in one language', () => {
    for (const { name, codes } of suiteDefinition.codeLists) {
      for (const language of ['en', 'nl', 'de', 'fr']) {
        const texts = codes.map(
          (code) => `${code.parent ?? ''} ${code.texts[language]?.toLowerCase()}`,
        );
        expect(new Set(texts).size, `${name} ${language}`).toBe(texts.length);
      }
    }
  });
});

describe('trees', () => {
  test('classification has the seven branches with three to six children each', () => {
    const { codes } = listOf('Classification');
    const branches = codes.filter(({ parent }) => parent === undefined);
    expect(branches.map(({ texts }) => texts.en)).toEqual([
      'Hardware',
      'Software',
      'Network',
      'Access & security',
      'Telephony',
      'Data',
      'Facility',
    ]);
    for (const branch of branches) {
      const children = codes.filter(({ parent }) => parent === branch.value).length;
      expect(children >= 3 && children <= 6, branch.texts.en).toBe(true);
    }
  });

  test('a server is hardware, and the regions are folders of Corporate', () => {
    const server = listOf('ConfigurationItemCategory').codes.find(({ value }) => value === 142011n);
    expect(server).toMatchObject({ parent: 142001n, meaning: 'SERVER' });
    const [corporate, ...others] = listOf('Folder').codes;
    expect(corporate).toMatchObject({ value: 190001n, texts: { en: 'Corporate' } });
    expect(others.map(({ parent }) => parent)).toEqual([190001n, 190001n, 190001n]);
  });

  test('the symbol of a status outlives its text', () => {
    const meanings = listOf('ServiceRequestStatus').codes.map(({ meaning }) => meaning);
    expect(meanings.slice(7)).toEqual(['RESOLVED', 'CLOSED', 'CANCELLED']);
  });
});
