// This file holds the code lists of people, organisations and places, and of what belongs to all records: history lines, accounts,
// e-mails, templates.
import type { CodeList } from '../edm/model.ts';
import { flatList } from './code-list.ts';

export const peopleLists: readonly CodeList[] = [
  flatList(
    150,
    'PersonStatus',
    ['Person status', 'Status van persoon', 'Personenstatus', 'Statut de la personne'],
    [
      ['ACTIVE', 'Active', 'Actief', 'Aktiv', 'Actif'],
      ['LEAVE', 'Leave', 'Verlof', 'Beurlaubt', 'En congé'],
      ['LEFT', 'Left', 'Vertrokken', 'Ausgeschieden', 'Parti'],
      ['EXTERNAL', 'External', 'Extern', 'Extern', 'Externe'],
    ],
  ),
  flatList(
    151,
    'PersonCategory',
    ['Category of person', 'Categorie van persoon', 'Personenkategorie', 'Catégorie de personne'],
    [
      ['EMPLOYEE', 'Employee', 'Medewerker', 'Mitarbeiter', 'Employé'],
      ['CONTRACTOR', 'Contractor', 'Inhuurkracht', 'Auftragnehmer', 'Prestataire'],
      ['CUSTOMER_CONTACT', 'Customer contact', 'Klantcontact', 'Kundenkontakt', 'Contact client'],
      [
        'SUPPLIER_CONTACT',
        'Supplier contact',
        'Leverancierscontact',
        'Lieferantenkontakt',
        'Contact fournisseur',
      ],
      ['VIP', 'VIP', 'VIP', 'VIP', 'VIP'],
    ],
  ),
  flatList(
    205,
    'LocationType',
    ['Type of location', 'Soort locatie', 'Standorttyp', 'Type de lieu'],
    [
      ['COUNTRY', 'Country', 'Land', 'Land', 'Pays'],
      ['CITY', 'City', 'Plaats', 'Stadt', 'Ville'],
      ['SITE', 'Site', 'Terrein', 'Gelände', 'Site'],
      ['BUILDING', 'Building', 'Gebouw', 'Gebäude', 'Bâtiment'],
      ['FLOOR', 'Floor', 'Verdieping', 'Etage', 'Étage'],
      ['ROOM', 'Room', 'Ruimte', 'Raum', 'Salle'],
    ],
  ),
  flatList(
    206,
    'OrganizationCategory',
    [
      'Category of organisation',
      'Categorie van organisatie',
      'Organisationskategorie',
      "Catégorie d'organisation",
    ],
    [
      ['INTERNAL', 'Internal', 'Intern', 'Intern', 'Interne'],
      ['CUSTOMER', 'Customer', 'Klant', 'Kunde', 'Client'],
      ['SUPPLIER', 'Supplier', 'Leverancier', 'Lieferant', 'Fournisseur'],
      ['MANUFACTURER', 'Manufacturer', 'Fabrikant', 'Hersteller', 'Fabricant'],
    ],
  ),
  flatList(
    213,
    'Autoassign',
    [
      'Automatic assignment',
      'Automatische toewijzing',
      'Automatische Zuweisung',
      'Affectation automatique',
    ],
    [
      ['NONE', 'None', 'Geen', 'Keine', 'Aucune'],
      ['ROUND_ROBIN', 'Round robin', 'Om de beurt', 'Reihum', 'À tour de rôle'],
      ['LEAST_LOAD', 'Least load', 'Minste werk', 'Geringste Last', 'Moindre charge'],
    ],
  ),
  flatList(
    214,
    'Gender',
    ['Gender', 'Geslacht', 'Geschlecht', 'Genre'],
    [
      ['FEMALE', 'Female', 'Vrouw', 'Weiblich', 'Féminin'],
      ['MALE', 'Male', 'Man', 'Männlich', 'Masculin'],
      ['DIVERSE', 'Non-binary', 'Non-binair', 'Divers', 'Non binaire'],
      ['NOT_STATED', 'Not stated', 'Niet opgegeven', 'Keine Angabe', 'Non précisé'],
    ],
  ),
  flatList(
    220,
    'WorkgroupStatus',
    ['Workgroup status', 'Status van werkgroep', 'Gruppenstatus', 'Statut du groupe'],
    [
      ['ACTIVE', 'Active', 'Actief', 'Aktiv', 'Actif'],
      ['INACTIVE', 'Inactive', 'Inactief', 'Inaktiv', 'Inactif'],
    ],
  ),
  flatList(
    227,
    'OrganizationStatus',
    [
      'Organisation status',
      'Status van organisatie',
      'Organisationsstatus',
      "Statut de l'organisation",
    ],
    [
      ['ACTIVE', 'Active', 'Actief', 'Aktiv', 'Active'],
      ['PROSPECT', 'Prospect', 'Prospect', 'Interessent', 'Prospect'],
      ['INACTIVE', 'Inactive', 'Inactief', 'Inaktiv', 'Inactive'],
    ],
  ),
];

export const sharedLists: readonly CodeList[] = [
  flatList(
    202,
    'HistoryKind',
    [
      'Kind of history line',
      'Soort historieregel',
      'Art des Verlaufseintrags',
      "Type de ligne d'historique",
    ],
    [
      [
        'SYSTEM_CHANGE',
        'System change',
        'Systeemwijziging',
        'Systemänderung',
        'Modification système',
      ],
      ['NOTE_INTERNAL', 'Note internal', 'Interne notitie', 'Interne Notiz', 'Note interne'],
      ['NOTE_PUBLIC', 'Note public', 'Openbare notitie', 'Öffentliche Notiz', 'Note publique'],
      ['EMAIL_IN', 'E-mail in', 'E-mail in', 'E-Mail-Eingang', 'Courriel reçu'],
      ['EMAIL_OUT', 'E-mail out', 'E-mail uit', 'E-Mail-Ausgang', 'Courriel envoyé'],
      ['APPROVAL', 'Approval', 'Goedkeuring', 'Genehmigung', 'Approbation'],
      ['TIME', 'Time', 'Tijd', 'Zeit', 'Temps'],
      ['INTEGRATION', 'Integration', 'Koppeling', 'Schnittstelle', 'Intégration'],
    ],
  ),
  flatList(
    203,
    'Visibility',
    ['Visibility', 'Zichtbaarheid', 'Sichtbarkeit', 'Visibilité'],
    [
      ['INTERNAL', 'Internal', 'Intern', 'Intern', 'Interne'],
      [
        'CALLER',
        'Visible to the caller',
        'Zichtbaar voor de melder',
        'Für den Melder sichtbar',
        'Visible par le demandeur',
      ],
    ],
  ),
  flatList(
    204,
    'AccountType',
    ['Type of account', 'Soort account', 'Kontotyp', 'Type de compte'],
    [
      ['NAMED', 'Named', 'Op naam', 'Benannt', 'Nominatif'],
      ['CONCURRENT', 'Concurrent', 'Gelijktijdig', 'Gleichzeitig', 'Simultané'],
      ['INTEGRATION', 'Integration', 'Koppeling', 'Schnittstelle', 'Intégration'],
    ],
  ),
  flatList(
    212,
    'EmailServiceRequestStatus',
    ['E-mail status', 'Status van e-mail', 'E-Mail-Status', 'Statut du courriel'],
    [
      ['NEW', 'New', 'Nieuw', 'Neu', 'Nouveau'],
      ['CONVERTED', 'Converted', 'Omgezet', 'Umgewandelt', 'Converti'],
      ['LINKED', 'Linked', 'Gekoppeld', 'Verknüpft', 'Lié'],
      ['REJECTED', 'Rejected', 'Afgewezen', 'Abgelehnt', 'Rejeté'],
      ['ERROR', 'Error', 'Fout', 'Fehler', 'Erreur'],
    ],
  ),
  flatList(
    232,
    'TemplateCategory',
    ['Category of template', 'Categorie van sjabloon', 'Vorlagenkategorie', 'Catégorie de modèle'],
    [
      ['FREQUENT', 'Frequently used', 'Veelgebruikt', 'Häufig verwendet', 'Fréquent'],
      [
        'STANDARD_CHANGE',
        'Standard change',
        'Standaardwijziging',
        'Standardänderung',
        'Changement standard',
      ],
      [
        'ONBOARDING',
        'Joining and leaving',
        'In- en uitdienst',
        'Ein- und Austritt',
        'Arrivées et départs',
      ],
      ['OTHER', 'Other', 'Overig', 'Sonstige', 'Autre'],
    ],
  ),
];
