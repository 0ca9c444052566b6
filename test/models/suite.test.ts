// This file checks the model of the suite against the service contract: its sets and their order, the properties with their types,
// what is required, how things are related, and that everything has a name in every language.
import { describe, expect, test } from 'vitest';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import {
  entitySet,
  entityType,
  isStructured,
  type Member,
  type Navigation,
  simpleName,
  structuredType,
} from '../../src/edm/model.ts';
import { navigationPaths } from '../../src/edm/navigation-bindings.ts';
import { suiteDefinition, suiteModel } from '../service-desk.ts';

const model = suiteModel();
const namespace = 'Service.Web.OData.Model';

function memberOf(type: string, path: string): Member | undefined {
  const [first = '', ...rest] = path.split('/');
  const member = model.members(structuredType(model, `${namespace}.${type}`)).get(first);
  if (rest.length === 0 || member === undefined) return member;
  const next = member.kind === 'navigation' ? member.target : member.type;
  return memberOf(simpleName(next), rest.join('/'));
}

/** `Int64`, `Code`, `Collection(String)`; `→Person`, `→→Workorder`, `⊂Attachment` for navigations. */
function shown(member: Member | undefined): string | undefined {
  if (member === undefined) return undefined;
  if (member.kind === 'property') {
    const type = simpleName(member.type);
    const length = member.facets.maxLength === undefined ? '' : `(${member.facets.maxLength})`;
    return member.collection ? `Collection(${type})` : type === 'String' ? type + length : type;
  }
  const target = simpleName(member.target);
  if (member.contained) return `⊂${target}`;
  return member.collection ? `→→${target}` : `→${target}`;
}

describe('the definition as a whole', () => {
  test('has no mistakes, and warns of nothing but navigations that lead to all kinds of work', () => {
    const mistakes = lintModel(suiteDefinition);
    expect(hasMistakes(mistakes)).toBe(false);
    expect(
      mistakes.filter(
        ({ message }) => !/has no binding and may refer to any of ServiceRequests/.test(message),
      ),
    ).toEqual([]);
  });

  test('namespace, container and languages are those of the contract', () => {
    expect(suiteDefinition.namespaces).toEqual([{ name: namespace }]);
    expect(suiteDefinition.container).toBe('Service.Web.OData.Model.Container');
    expect(suiteDefinition.languages).toEqual(['en', 'nl', 'de', 'fr']);
    expect(suiteDefinition).toMatchObject({ people: 'Persons', history: 'HistoryLines' });
  });

  test('the service document lists the fifteen sets in their order, then levels, schedules and calendars', () => {
    const listed = suiteDefinition.sets.filter((set) => set.listed).map((set) => set.name);
    expect(listed).toEqual([
      'ServiceRequests',
      'Problems',
      'Changes',
      'Incidents',
      'ConfigurationItems',
      'Workorders',
      'EmailServiceRequests',
      'Services',
      'MaintenanceContracts',
      'Projects',
      'ServiceLevelAgreements',
      'Workgroups',
      'Persons',
      'Locations',
      'Organizations',
      'ServiceLevels',
      'Schedules',
      'Calendars',
    ]);
  });

  test('templates and the supporting sets are addressable without being listed', () => {
    const hidden = suiteDefinition.sets.filter((set) => !set.listed).map((set) => set.name);
    expect(hidden.toSorted()).toEqual(
      [
        ...['Accounts', 'ApproverVotes', 'Attributes', 'CodeLists', 'Codes', 'Entities'],
        ...['KnowledgeLinks', 'RecordRelations', 'Roles', 'Subscriptions', 'Templates'],
        ...['TimeEntries', 'Transitions'],
      ].toSorted(),
    );
    const reserved = suiteDefinition.sets.filter((set) => set.administrative === true);
    expect(reserved.map((set) => set.name)).toEqual(['Accounts', 'Roles']);
  });

  test('one entity of every set can be addressed by the singular name', () => {
    for (const set of suiteDefinition.sets) expect(set.singular).toBe(simpleName(set.type));
  });

  test('every entity is addressed by a Uid that the server gives', () => {
    for (const type of suiteDefinition.types) {
      if (type.kind !== 'entity' || type.abstract === true) continue;
      expect(model.key(type), type.name).toEqual([{ path: 'Uid' }]);
      expect(model.members(type).get('Uid')).toMatchObject({
        type: 'Edm.Int64',
        nullable: false,
        computed: true,
        generated: { by: 'key' },
      });
    }
  });

  test('Me takes no parameters, returns a person or nothing, and passes over four options', () => {
    expect(model.imports.get('Me')).toMatchObject({
      kind: 'function-import',
      set: 'Persons',
      listed: false,
      ignoredOptions: ['$filter', '$orderby', '$top', '$skip'],
    });
    expect(model.operations.get(`${namespace}.Me`)).toMatchObject([
      {
        bound: false,
        parameters: [],
        returns: { type: `${namespace}.Person`, nullable: true },
        expression: '$root/Persons(@me)',
      },
    ]);
  });
});

describe('the properties that the contract shows', () => {
  const contract: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    Code: { Text: 'String(255)', Value: 'Int64' },
    Registration: { DateCreated: 'DateTimeOffset', DateModified: 'DateTimeOffset' },
    ServiceRequest: {
      Uid: 'Int64',
      ID: 'Int64',
      Status: 'Code',
      ClosureCode: 'Code',
      Medium: 'Code',
      Priority: 'Code',
      Impact: 'Code',
      Solution: 'String',
      Description: 'String(255)',
      Information: 'String',
      SourceID: 'String(80)',
      Deadline: 'DateTimeOffset',
      'Assignment/AssigneeWorkgroup': '→Workgroup',
      'Assignment/AssigneePerson': '→Person',
      Caller: '→Person',
      'Caller/Organization': '→Organization',
      Workorders: '→→Workorder',
      Attachments: '⊂Attachment',
      HistoryLines: '⊂HistoryLine',
      'HistoryLines/Attachments': '⊂Attachment',
      ServicecallCode1: 'Code',
      Template: '→Template',
      Registration: 'Registration',
      Folder: 'Code',
    },
    Person: {
      Uid: 'Int64',
      FirstName: 'String(80)',
      LastName: 'String(80)',
      Name: 'String(255)',
      Jobtitle: 'String(128)',
      Email: 'String(320)',
      EmailLowerCase: 'String(320)',
      Searchcode: 'String(128)',
      Blocked: 'Boolean',
      Birthdate: 'DateTimeOffset',
      Category: 'Code',
      Status: 'Code',
      Folder: 'Code',
      'Registration/DateCreated': 'DateTimeOffset',
      'Registration/DateModified': 'DateTimeOffset',
      Account: '⊂Account',
      Organization: '→Organization',
    },
    Attachment: {
      Uid: 'Int64',
      Name: 'String(1024)',
      FileName: 'String(1024)',
      DateCreated: 'DateTimeOffset',
    },
    ConfigurationItem: { Searchcode: 'String(128)', Name1: 'String(128)', IPAddress: 'String(45)' },
    Workgroup: { Members: '→→Person' },
    Template: { Uid: 'Int64', Name: 'String(128)', 'Entity/Name': 'String(128)' },
  };
  for (const [type, properties] of Object.entries(contract)) {
    test.each(Object.entries(properties))(`${type} has %s as %s`, (path, expected) => {
      expect(shown(memberOf(type, path))).toBe(expected);
    });
  }
});

describe('the properties of the domain', () => {
  const work =
    'Workaround String, Category Code, Classification Code, Urgency Code, DeadlineIsManual Boolean, ActualStart DateTimeOffset, ActualFinish DateTimeOffset, PlanStart DateTimeOffset, PlanFinish DateTimeOffset, LateFinish DateTimeOffset, ClosedAt DateTimeOffset, PlanDuration Duration, ActualDuration Duration, Assignment Assignment, Requestor →Person, ConfigurationItem →ConfigurationItem, Service →Service, ConfigurationItems →→ConfigurationItem, Relations →→RecordRelation, ExternalReferences Collection(ExternalReference)';
  const domain: Readonly<Record<string, string>> = {
    Assignment:
      'Status Code, Priority Code, AssignedAt DateTimeOffset, ReferenceNumber String(80), AssignedBy →Person',
    Approval:
      'Status Code, Description String(80), Deadline DateTimeOffset, NrOfApprovers Int32, NrOfApproversRequired Int32, NrOfApproversApproved Int32, Workgroup →Workgroup',
    Money: 'Amount Decimal, Currency String(3)',
    Address:
      'Street String(128), PostalCode String(20), City String(80), Region String(80), Country String(80)',
    SlaClock:
      'State Code, ResponseDeadline DateTimeOffset, ResolveDeadline DateTimeOffset, RespondedAt DateTimeOffset, ResolvedAt DateTimeOffset, PausedTotal Duration, Elapsed Duration, Remaining Duration, ServiceLevel →ServiceLevel',
    ExternalReference:
      'System String(50), Id String(200), Url String(2000), LastSync DateTimeOffset',
    ServiceRequest: `${work}, Approval Approval, Sla SlaClock, CallerOrganization →Organization, ServiceLevelAgreement →ServiceLevelAgreement, Incidents →→Incident, Problems →→Problem, Changes →→Change, EmailServiceRequest →EmailServiceRequest, FrequentlyAskedQuestion Boolean, OnHoldReason Code, OnHoldUntil DateTimeOffset, FeedbackRating Int32, FeedbackText String`,
    Incident: `${work}, Sla SlaClock, Severity Code, Medium Code, Caller →Person, DetectedAt DateTimeOffset, RestoredAt DateTimeOffset, MajorIncident Boolean, SourceEvent String, Problem →Problem, ServiceRequests →→ServiceRequest, Workorders →→Workorder, Changes →→Change, DowntimeDuration Duration`,
    Problem: `${work}, KnownError Boolean, RootCause String, RootCauseCode Code, ProblemManager →Person, Incidents →→Incident, ServiceRequests →→ServiceRequest, Changes →→Change, Workorders →→Workorder, ReviewDate DateTimeOffset`,
    Change: `${work}, Approval Approval, ChangeType Code, Reason String, ImplementationPlan String, BackoutPlan String, TestPlan String, Risk Code, OutageExpected Boolean, Manager →Person, Workorders →→Workorder, ApproverVotes →→ApproverVote, Project →Project, Problems →→Problem, Incidents →→Incident, ServiceRequests →→ServiceRequest, ScheduledWindow/Start DateTimeOffset, ScheduledWindow/End DateTimeOffset`,
    ConfigurationItem:
      'ID Int64, Name2 String(128), MacAddress String(23), HostName String(253), SerialNumber String(80), OrderNr String(80), Remark String, Status Code, Category Code, Brand Code, Price Money, PurchaseDate DateTimeOffset, WarrantyDate DateTimeOffset, InstallDate DateTimeOffset, EndOfLife DateTimeOffset, MaxInstallations Int32, Criticality Code, Location →Location, Owner →Person, OwnerOrganization →Organization, Administrator →Person, Supplier →Organization, MaintenanceContract →MaintenanceContract, ParentItem →ConfigurationItem, ChildItems →→ConfigurationItem, Users →→Person, Services →→Service, ItemRelations ⊂ItemRelation, ItemRelations/Target →ConfigurationItem, ItemRelations/RelationType Code, ItemRelations/Direction Code, ServiceRequests →→ServiceRequest, Incidents →→Incident, Problems →→Problem, Changes →→Change',
    Workorder: `${work}, Approval Approval, ServiceRequest →ServiceRequest, Incident →Incident, Problem →Problem, Change →Change, Project →Project, Sequence Int32, Predecessors →→Workorder, Successors →→Workorder, LaborTime Duration, Cost Money, Location →Location`,
    EmailServiceRequest:
      'ID Int64, Subject String(998), Body String, BodyHtml String, FromAddress String(320), FromName String(255), ToAddresses Collection(String), CcAddresses Collection(String), MessageId String(255), InReplyTo String(255), ReceivedAt DateTimeOffset, Status Code, Language String(10), Sender →Person, ServiceRequest →ServiceRequest',
    Service:
      'ID Int64, Name String(128), Searchcode String(128), Description String, Status Code, Category Code, Criticality Code, ServiceOwner →Person, Provider →Organization, ParentService →Service, ChildServices →→Service, ConfigurationItems →→ConfigurationItem, ServiceLevelAgreements →→ServiceLevelAgreement, SupportWorkgroup →Workgroup, DefaultServiceLevel →ServiceLevel',
    MaintenanceContract:
      'ID Int64, ContractNumber String(80), Name String(128), Type Code, Status Code, StartDate DateTimeOffset, EndDate DateTimeOffset, NoticePeriod Duration, AutoRenew Boolean, Price Money, BillingPeriod Code, ResponseTime Duration, RepairTime Duration, Supplier →Organization, Contact →Person, Owner →Person, ConfigurationItems →→ConfigurationItem, Services →→Service, Schedule →Schedule',
    Project: `${work}, Name String(128), Description String(255), ProjectManager →Person, Sponsor →Person, Budget Money, ActualCost Money, PercentComplete Int32, Phase Code, Workorders →→Workorder, Changes →→Change, Members →→Person, ParentProject →Project, SubProjects →→Project`,
    ServiceLevelAgreement:
      'ID Int64, Name String(128), Status Code, ActualStart DateTimeOffset, ActualFinish DateTimeOffset, Service →Service, ServiceLevel →ServiceLevel, Provider →Organization, ReceiverOrganizations →→Organization, ReceiverPersons →→Person, Blocked Boolean, Priority Int32',
    ServiceLevel:
      'Name String(128), Description String, IsDefault Boolean, Blocked Boolean, Schedule →Schedule, PriorityImpactSettings/Impact Code, PriorityImpactSettings/Priority Code, PriorityImpactSettings/ResponseDuration Duration, PriorityImpactSettings/ResolveDuration Duration',
    Schedule:
      'Name String(128), TimeZone String(64), Windows/Weekday Int32, Windows/From TimeOfDay, Windows/To TimeOfDay, Calendars →→Calendar',
    Calendar:
      'Name String(128), Holidays ⊂Holiday, Holidays/Date Date, Holidays/Name String(128), Holidays/From TimeOfDay, Holidays/To TimeOfDay, Holidays/Open Boolean',
    Workgroup:
      'Name String(128), Searchcode String(128), Status Code, Email String(320), Manager →Person, ParentWorkgroup →Workgroup, ChildWorkgroups →→Workgroup, Organization →Organization, Autoassign Code',
    Person:
      'MiddleName String(80), Gender Code, Initials String(20), Title String(40), Phone String(40), MobilePhone String(40), Language String(10), TimeZone String(64), EmployeeNumber String(40), Location →Location, Manager →Person, DirectReports →→Person, Workgroups →→Workgroup, OwnedItems →→ConfigurationItem, OutOfOfficeUntil DateTimeOffset, Deputy →Person',
    Location:
      'Searchcode String(128), Name String(128), Type Code, Address Address, Phone String(40), ParentLocation →Location, ChildLocations →→Location, Persons →→Person, ConfigurationItems →→ConfigurationItem, TimeZone String(64)',
    Organization:
      'Name1 String(128), Name2 String(128), Searchcode String(128), Email String(320), Phone String(40), Website String(255), Category Code, Status Code, Address Address, ParentOrganization →Organization, ChildOrganizations →→Organization, Contact →Person, Persons →→Person, ServiceLevelAgreements →→ServiceLevelAgreement, MaintenanceContracts →→MaintenanceContract, VatNumber String(40)',
    Template:
      'Entity →Entity, Category Code, Description String, Blocked Boolean, Values ⊂TemplateValue, Values/AttributeName String(255), Values/Value String, Values/AggregationAttribute →Attribute, Roles →→Role',
    HistoryLine:
      'Subject String(255), Kind Code, Information String, Attribute String(255), OldValue String, NewValue String, CreatedAt DateTimeOffset, CreatedBy →Account, Visibility Code, TimeSpent Duration',
    Attachment: 'MediaType String(255), Size Int64, Sha256 String(64), CreatedBy →Account',
    Account:
      'LoginName String(128), Name String(128), Blocked Boolean, Language String(10), Type Code, LastLogin DateTimeOffset, Roles →→Role, Person →Person',
    Role: 'Name String(128), Description String(255), UpdateAllAllowed Boolean, EntityAccess ⊂EntityAccess, AttributeAccess ⊂AttributeAccess',
    Entity:
      'Name String(128), EntitySet String(128), Label Collection(Translation), HasWorkflow Boolean, HasAttachments Boolean, Attributes →→Attribute, Templates →→Template, Transitions →→Transition',
    Attribute:
      'Name String(255), Label Collection(Translation), EdmType String(255), MaxLength Int32, Required Boolean, RequiredFromStatus Int64, CodeList →CodeList, IsCustom Boolean, Searchable Boolean',
    CodeList:
      'Name String(128), Entity →Entity, Property String(255), Ordered Boolean, Hierarchical Boolean, Codes →→CodeEntry',
    CodeEntry:
      'List →CodeList, Texts Collection(Translation), Ordering Int32, Disabled Boolean, Parent →CodeEntry, Folder Code, Meaning String(80)',
    RecordRelation: 'Source →WorkItem, Target →WorkItem, Type Code, Remark String(255)',
    ApproverVote:
      'Record →WorkItem, Person →Person, Approved Boolean, Reason String(255), VotedAt DateTimeOffset',
    Transition:
      'Entity →Entity, From →CodeEntry, To →CodeEntry, Symbol String(80), RequiredProperties Collection(String), AllowedRoles →→Role, ClockEffect Code, Guard String',
  };
  test.each(Object.entries(domain))('%s has them all', (type, listed) => {
    const expected = listed.split(', ');
    const found = expected.map((item) => {
      const [path = ''] = item.split(' ');
      return `${path} ${shown(memberOf(type, path))}`;
    });
    expect(found).toEqual(expected);
  });

  test('all records have what the base has', () => {
    for (const name of suiteDefinition.sets.slice(0, 18)) {
      const members = model.members(entityType(model, name.type));
      expect(
        members.has('Registration') && members.has('Folder') && members.has('Attachments'),
        name.name,
      ).toBe(true);
    }
  });
});

describe('what the server puts in', () => {
  test.each([
    ['ServiceRequest', 'ID', { by: 'sequence' }],
    ['Registration', 'DateCreated', { by: 'created' }],
    ['Registration', 'DateModified', { by: 'modified' }],
    ['Registration', 'CreatedBy', { by: 'creator' }],
    ['Registration', 'ModifiedBy', { by: 'modifier' }],
    ['Person', 'EmailLowerCase', { by: 'expression', expression: 'tolower(Email)' }],
    ['Attachment', 'DateCreated', { by: 'created' }],
    ['HistoryLine', 'CreatedAt', { by: 'created' }],
  ])('%s/%s', (type, path, generated) => {
    expect(memberOf(type, path)).toMatchObject({ generated, computed: true });
  });

  test('a name and search code of a person can be given, and are made where they are not', () => {
    for (const path of ['Name', 'Searchcode']) {
      const member = memberOf('Person', path);
      expect(member).toMatchObject({ generated: { by: 'initial' } });
      expect(member?.computed).toBeUndefined();
    }
  });

  test.each([
    ['ServiceRequest', 'Status', 101001],
    ['ServiceRequest', 'Impact', 111003],
    ['ServiceRequest', 'Medium', 120007],
    ['Incident', 'Status', 102001],
    ['Problem', 'Status', 103001],
    ['Change', 'Status', 104001],
    ['Workorder', 'Status', 105001],
    ['Project', 'Status', 106001],
    ['EmailServiceRequest', 'Status', 212001],
  ])('%s/%s begins as %i', (type, path, value) => {
    expect(memberOf(type, path)).toMatchObject({ defaultValue: { Value: value } });
  });

  test('what the server keeps is ignored in bodies', () => {
    for (const path of [
      'Registration',
      'Sla',
      'ClosedAt',
      'DeadlineIsManual',
      'ServiceLevelAgreement',
    ]) {
      expect(memberOf('ServiceRequest', path)?.computed, path).toBe(true);
    }
    for (const path of ['MediaType', 'Size', 'Sha256', 'CreatedBy']) {
      expect(memberOf('Attachment', path)?.computed, path).toBe(true);
    }
    expect(memberOf('EmailServiceRequest', 'Sender')?.computed).toBe(true);
  });
});

describe('what must be given at creation', () => {
  /** Properties that are never null, are not put in by the server and have no default. */
  function required(set: string): readonly string[] {
    const members = [...model.members(entityType(model, entitySet(model, set).type)).values()];
    return members
      .filter((member) =>
        member.kind === 'navigation'
          ? !member.collection && !member.nullable
          : !member.nullable &&
            !member.collection &&
            member.computed !== true &&
            member.defaultValue === undefined &&
            member.generated === undefined &&
            member.type.startsWith('Edm.'),
      )
      .map(({ name }) => name);
  }

  test.each([
    ['ServiceRequests', ['Description']],
    ['Problems', ['Description']],
    ['Changes', ['Description']],
    ['Incidents', ['Description']],
    ['Workorders', ['Description']],
    ['ConfigurationItems', ['Name1']],
    ['EmailServiceRequests', ['Subject']],
    ['Services', ['Name']],
    ['MaintenanceContracts', ['Name']],
    ['Projects', ['Name']],
    ['ServiceLevelAgreements', ['Name']],
    ['Workgroups', ['Name']],
    ['Persons', []],
    ['Locations', ['Name']],
    ['Organizations', ['Name1']],
    ['ServiceLevels', ['Name']],
    ['Schedules', ['Name']],
    ['Calendars', ['Name']],
    ['Templates', ['Name']],
  ])('of %s: %j', (set, names) => {
    expect(required(set)).toEqual(names);
  });

  test('a person needs a name or a last name: the name is never null and made of the last name', () => {
    expect(memberOf('Person', 'Name')).toMatchObject({
      nullable: false,
      generated: {
        by: 'initial',
        expression: "case(FirstName eq null:LastName,true:concat(concat(LastName,', '),FirstName))",
      },
    });
  });
});

describe('relations', () => {
  test('a navigation and its partner name each other', () => {
    for (const type of suiteDefinition.types.filter(isStructured)) {
      for (const member of type.members) {
        if (member.kind !== 'navigation' || member.partner === undefined) continue;
        const back = memberOf(simpleName(member.target), member.partner);
        expect(back, `${type.name}/${member.name}`).toMatchObject({
          kind: 'navigation',
          partner: member.name,
        });
      }
    }
  });

  test('the account of a person is contained, and the relation is kept by the account', () => {
    expect(memberOf('Person', 'Account')).toMatchObject({
      contained: true,
      collection: false,
      inverse: true,
      partner: 'Person',
    });
    expect(memberOf('Account', 'Person')).toMatchObject({
      contained: false,
      collection: false,
      partner: 'Account',
    });
  });

  test.each([
    ['Workgroup', 'Members', 'Workgroups'],
    ['ServiceRequest', 'Workorders', 'ServiceRequest'],
    ['MaintenanceContract', 'ConfigurationItems', 'MaintenanceContracts'],
    ['Service', 'ConfigurationItems', 'Services'],
    ['Workorder', 'Predecessors', 'Successors'],
    ['ServiceRequest', 'ConfigurationItem', 'ServiceRequests'],
  ])('%s/%s has the partner %s', (type, path, partner) => {
    expect(memberOf(type, path)).toMatchObject({ partner });
  });

  test('every navigation of every set is bound, but for those to all kinds of work', () => {
    for (const set of suiteDefinition.sets) {
      const open = navigationPaths(model, set).filter(
        ({ path }) => set.bindings[path] === undefined,
      );
      expect(
        open
          .filter(({ navigation }) => simpleName(navigation.target) !== 'WorkItem')
          .map(({ path }) => path),
        set.name,
      ).toEqual([]);
    }
    expect(entitySet(model, 'ServiceRequests').bindings).toMatchObject({
      Caller: 'Persons',
      'Assignment/AssigneePerson': 'Persons',
      'Assignment/AssigneeWorkgroup': 'Workgroups',
      'HistoryLines/CreatedBy': 'Accounts',
    });
  });

  test('what people, groups, places, items and services are referred to by keeps them from being deleted', () => {
    const kept = [
      'Person',
      'Workgroup',
      'Organization',
      'Location',
      'ConfigurationItem',
      'Service',
    ];
    const loose: string[] = [];
    for (const type of suiteDefinition.types.filter(isStructured)) {
      const navigations = type.members.filter(
        (member): member is Navigation => member.kind === 'navigation',
      );
      for (const { name, target, onDelete = 'restrict' } of navigations) {
        if (kept.includes(simpleName(target)) && onDelete !== 'restrict')
          loose.push(`${type.name}/${name}`);
      }
    }
    expect(loose).toEqual([]);
  });

  test('work orders and records outlive what they were part of or made from', () => {
    for (const path of ['ServiceRequest', 'Incident', 'Problem', 'Change', 'Project', 'Template']) {
      expect(memberOf('Workorder', path), path).toMatchObject({ onDelete: 'set-null' });
    }
    expect(memberOf('RecordRelation', 'Source')).toMatchObject({ onDelete: 'cascade' });
  });
});

describe('texts', () => {
  const languages = ['en', 'nl', 'de', 'fr'];

  test('types, sets, members and code lists are named in every language', () => {
    const things = [
      ...suiteDefinition.types,
      ...suiteDefinition.types.filter(isStructured).flatMap((type) => type.members),
      ...suiteDefinition.sets,
      ...suiteDefinition.codeLists,
    ];
    const nameless = things.filter(
      ({ labels }) => !languages.every((language) => (labels?.[language] ?? '') !== ''),
    );
    expect(nameless.map(({ name }) => name)).toEqual([]);
  });

  test('entity types are described', () => {
    const silent = suiteDefinition.types.filter(
      (type) => type.kind === 'entity' && type.description === undefined,
    );
    expect(silent).toEqual([]);
  });

  test('long texts and names can be searched, indexed are the paths that lists are filtered by', () => {
    for (const path of ['Description', 'Information', 'Solution'])
      expect(memberOf('ServiceRequest', path)).toMatchObject({ searchable: true });
    for (const path of ['Status', 'Deadline', 'SourceID', 'Registration/DateModified'])
      expect(memberOf('ServiceRequest', path)).toMatchObject({ indexed: true });
    expect(memberOf('Person', 'Name')).toMatchObject({ searchable: true, indexed: true });
    expect(memberOf('Person', 'EmailLowerCase')).toMatchObject({ indexed: true });
    expect(memberOf('Person', 'Searchcode')).toMatchObject({ unique: true });
  });
});
