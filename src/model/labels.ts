// This file gives every entity type, set and member of the suite its names in the four languages. A member goes by its own row in
// member-labels.ts, or else by the row of the type or set that it is called after.
import {
  isStructured,
  type Member,
  type ModelDefinition,
  type NamedType,
  simpleName,
  type Texts,
} from '../edm/model.ts';
import { type Translated, textsOf } from './code-list.ts';
import { memberLabels } from './member-labels.ts';

type Labels = Readonly<Record<string, Translated>>;

const typeLabels: Labels = {
  Account: ['Account', 'Account', 'Konto', 'Compte'],
  Address: ['Address', 'Adres', 'Adresse', 'Adresse'],
  Approval: ['Approval', 'Goedkeuring', 'Genehmigung', 'Approbation'],
  ApproverVote: ['Approver vote', 'Stem van goedkeurder', 'Genehmigerstimme', "Vote d'approbateur"],
  Assignment: ['Assignment', 'Toewijzing', 'Zuweisung', 'Affectation'],
  Attachment: ['Attachment', 'Bijlage', 'Anhang', 'Pièce jointe'],
  Attribute: ['Attribute', 'Attribuut', 'Attribut', 'Attribut'],
  AttributeAccess: ['Attribute access', 'Attribuutrecht', 'Attributrecht', "Droit sur l'attribut"],
  Calendar: ['Calendar', 'Kalender', 'Kalender', 'Calendrier'],
  Change: ['Change', 'Wijziging', 'Änderung', 'Changement'],
  Code: ['Code', 'Code', 'Code', 'Code'],
  CodeEntry: ['Code', 'Code', 'Code', 'Code'],
  CodeList: ['Code list', 'Codelijst', 'Codeliste', 'Liste de codes'],
  ConfigurationItem: [
    'Configuration item',
    'Configuratie-item',
    'Konfigurationselement',
    'Élément de configuration',
  ],
  EmailServiceRequest: [
    'E-mail request',
    'E-mailmelding',
    'E-Mail-Anfrage',
    'Demande par courriel',
  ],
  Entity: ['Entity', 'Entiteit', 'Entität', 'Entité'],
  EntityAccess: ['Entity access', 'Entiteitsrecht', 'Entitätsrecht', "Droit sur l'entité"],
  ExternalReference: [
    'External reference',
    'Externe referentie',
    'Externe Referenz',
    'Référence externe',
  ],
  HistoryLine: ['History line', 'Historieregel', 'Verlaufseintrag', "Ligne d'historique"],
  Holiday: ['Holiday', 'Feestdag', 'Feiertag', 'Jour férié'],
  Incident: ['Incident', 'Incident', 'Störung', 'Incident'],
  ItemRelation: ['Item relation', 'Itemrelatie', 'Elementbeziehung', "Relation d'élément"],
  KnowledgeLink: ['Knowledge link', 'Kennislink', 'Wissensverweis', 'Lien de connaissance'],
  Location: ['Location', 'Locatie', 'Standort', 'Lieu'],
  MaintenanceContract: [
    'Maintenance contract',
    'Onderhoudscontract',
    'Wartungsvertrag',
    'Contrat de maintenance',
  ],
  Money: ['Amount of money', 'Geldbedrag', 'Geldbetrag', "Somme d'argent"],
  Organization: ['Organisation', 'Organisatie', 'Organisation', 'Organisation'],
  Person: ['Person', 'Persoon', 'Person', 'Personne'],
  PriorityImpactSetting: [
    'Priority setting',
    'Prioriteitsinstelling',
    'Prioritätseinstellung',
    'Réglage de priorité',
  ],
  Problem: ['Problem', 'Probleem', 'Problem', 'Problème'],
  Project: ['Project', 'Project', 'Projekt', 'Projet'],
  Record: ['Record', 'Record', 'Datensatz', 'Enregistrement'],
  RecordRelation: ['Relation', 'Relatie', 'Beziehung', 'Relation'],
  Registration: ['Registration', 'Registratie', 'Erfassung', 'Enregistrement'],
  Role: ['Role', 'Rol', 'Rolle', 'Rôle'],
  Schedule: ['Schedule', 'Rooster', 'Servicezeit', 'Horaire'],
  ScheduleWindow: ['Schedule window', 'Roosterblok', 'Zeitfenster', 'Plage horaire'],
  Service: ['Service', 'Dienst', 'Dienst', 'Service'],
  ServiceLevel: ['Service level', 'Serviceniveau', 'Servicegrad', 'Niveau de service'],
  ServiceLevelAgreement: [
    'Service level agreement',
    'Dienstenniveauovereenkomst',
    'Dienstgütevereinbarung',
    'Accord de niveau de service',
  ],
  ServiceRequest: ['Service request', 'Melding', 'Serviceanfrage', 'Demande de service'],
  SlaClock: ['Service level clock', 'Serviceklok', 'Serviceuhr', 'Horloge de service'],
  Subscription: ['Subscription', 'Abonnement', 'Abonnement', 'Abonnement'],
  Template: ['Template', 'Sjabloon', 'Vorlage', 'Modèle'],
  TemplateValue: ['Template value', 'Sjabloonwaarde', 'Vorlagenwert', 'Valeur de modèle'],
  TimeEntry: ['Time entry', 'Tijdregistratie', 'Zeiteintrag', 'Saisie de temps'],
  TimeWindow: ['Period', 'Periode', 'Zeitraum', 'Période'],
  Transition: ['Transition', 'Overgang', 'Übergang', 'Transition'],
  Translation: ['Translation', 'Vertaling', 'Übersetzung', 'Traduction'],
  Workgroup: ['Workgroup', 'Werkgroep', 'Arbeitsgruppe', 'Groupe de travail'],
  WorkItem: ['Work item', 'Werkitem', 'Arbeitselement', 'Élément de travail'],
  Workorder: ['Work order', 'Werkopdracht', 'Arbeitsauftrag', 'Ordre de travail'],
};

const setLabels: Labels = {
  Accounts: ['Accounts', 'Accounts', 'Konten', 'Comptes'],
  ApproverVotes: [
    'Approver votes',
    'Stemmen van goedkeurders',
    'Genehmigerstimmen',
    "Votes d'approbateurs",
  ],
  Attributes: ['Attributes', 'Attributen', 'Attribute', 'Attributs'],
  Calendars: ['Calendars', 'Kalenders', 'Kalender', 'Calendriers'],
  Changes: ['Changes', 'Wijzigingen', 'Änderungen', 'Changements'],
  CodeLists: ['Code lists', 'Codelijsten', 'Codelisten', 'Listes de codes'],
  Codes: ['Codes', 'Codes', 'Codes', 'Codes'],
  ConfigurationItems: [
    'Configuration items',
    'Configuratie-items',
    'Konfigurationselemente',
    'Éléments de configuration',
  ],
  EmailServiceRequests: [
    'E-mail requests',
    'E-mailmeldingen',
    'E-Mail-Anfragen',
    'Demandes par courriel',
  ],
  Entities: ['Entities', 'Entiteiten', 'Entitäten', 'Entités'],
  Incidents: ['Incidents', 'Incidenten', 'Störungen', 'Incidents'],
  KnowledgeLinks: ['Knowledge links', 'Kennislinks', 'Wissensverweise', 'Liens de connaissance'],
  Locations: ['Locations', 'Locaties', 'Standorte', 'Lieux'],
  MaintenanceContracts: [
    'Maintenance contracts',
    'Onderhoudscontracten',
    'Wartungsverträge',
    'Contrats de maintenance',
  ],
  Organizations: ['Organisations', 'Organisaties', 'Organisationen', 'Organisations'],
  Persons: ['Persons', 'Personen', 'Personen', 'Personnes'],
  Problems: ['Problems', 'Problemen', 'Probleme', 'Problèmes'],
  Projects: ['Projects', 'Projecten', 'Projekte', 'Projets'],
  RecordRelations: ['Relations', 'Relaties', 'Beziehungen', 'Relations'],
  Roles: ['Roles', 'Rollen', 'Rollen', 'Rôles'],
  Schedules: ['Schedules', 'Roosters', 'Servicezeiten', 'Horaires'],
  ServiceLevelAgreements: [
    'Service level agreements',
    'Dienstenniveauovereenkomsten',
    'Dienstgütevereinbarungen',
    'Accords de niveau de service',
  ],
  ServiceLevels: ['Service levels', 'Serviceniveaus', 'Servicegrade', 'Niveaux de service'],
  ServiceRequests: ['Service requests', 'Meldingen', 'Serviceanfragen', 'Demandes de service'],
  Services: ['Services', 'Diensten', 'Dienste', 'Services'],
  Subscriptions: ['Subscriptions', 'Abonnementen', 'Abonnements', 'Abonnements'],
  Templates: ['Templates', 'Sjablonen', 'Vorlagen', 'Modèles'],
  TimeEntries: ['Time entries', 'Tijdregistraties', 'Zeiteinträge', 'Saisies de temps'],
  Transitions: ['Transitions', 'Overgangen', 'Übergänge', 'Transitions'],
  Workgroups: ['Workgroups', 'Werkgroepen', 'Arbeitsgruppen', 'Groupes de travail'],
  Workorders: ['Work orders', 'Werkopdrachten', 'Arbeitsaufträge', 'Ordres de travail'],
};

/** The definition with a label for whatever has none yet. */
export function labelled(definition: ModelDefinition): ModelDefinition {
  return {
    ...definition,
    types: definition.types.map(labelType),
    sets: definition.sets.map((set) => ({ ...labelsOf(set.name, [setLabels]), ...set })),
  };
}

function labelType(type: NamedType): NamedType {
  const labels = labelsOf(simpleName(type.name), [typeLabels]);
  return isStructured(type)
    ? { ...labels, ...type, members: type.members.map(labelMember) }
    : { ...labels, ...type };
}

function labelMember(member: Member): Member {
  return { ...labelsOf(member.name, [memberLabels, typeLabels, setLabels]), ...member };
}

/** The texts of the first table that has a row of the name. */
function labelsOf(name: string, tables: readonly Labels[]): { readonly labels?: Texts } {
  const row = tables.map((table) => table[name]).find((found) => found !== undefined);
  return row === undefined ? {} : { labels: textsOf(row) };
}
