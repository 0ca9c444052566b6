// This file holds the code lists of what work is and how urgent it is: priority and impact, categories, approval, risk, clocks.
import type { CodeList } from '../edm/model.ts';
import { flatList, orderedList } from './code-list.ts';

export const urgencyLists: readonly CodeList[] = [
  orderedList(
    110,
    'Priority',
    ['Priority', 'Prioriteit', 'Priorität', 'Priorité'],
    [
      ['CRITICAL', 'Critical', 'Kritiek', 'Kritisch', 'Critique'],
      ['HIGH', 'High', 'Hoog', 'Hoch', 'Haute'],
      ['MEDIUM', 'Medium', 'Gemiddeld', 'Mittel', 'Moyenne'],
      ['LOW', 'Low', 'Laag', 'Niedrig', 'Basse'],
      ['PLANNING', 'Planning', 'Planning', 'Planung', 'Planification'],
    ],
  ),
  orderedList(
    111,
    'Impact',
    ['Impact', 'Impact', 'Auswirkung', 'Impact'],
    [
      [
        'ORGANISATION',
        'Whole organisation',
        'Hele organisatie',
        'Gesamte Organisation',
        "Toute l'organisation",
      ],
      ['DEPARTMENT', 'Department', 'Afdeling', 'Abteilung', 'Service'],
      ['SEVERAL', 'Several people', 'Meerdere personen', 'Mehrere Personen', 'Plusieurs personnes'],
      ['ONE', 'One person', 'Eén persoon', 'Eine Person', 'Une personne'],
      ['NONE', 'None', 'Geen', 'Keine', 'Aucun'],
    ],
  ),
  orderedList(
    112,
    'Urgency',
    ['Urgency', 'Urgentie', 'Dringlichkeit', 'Urgence'],
    [
      ['NOW', 'Now', 'Nu', 'Sofort', 'Maintenant'],
      ['TODAY', 'Today', 'Vandaag', 'Heute', "Aujourd'hui"],
      ['THIS_WEEK', 'This week', 'Deze week', 'Diese Woche', 'Cette semaine'],
      ['CAN_WAIT', 'Can wait', 'Kan wachten', 'Kann warten', 'Peut attendre'],
    ],
  ),
  orderedList(
    113,
    'Severity',
    ['Severity', 'Ernst', 'Schweregrad', 'Gravité'],
    [
      ['DOWN', 'Service down', 'Dienst uitgevallen', 'Dienst ausgefallen', 'Service interrompu'],
      ['DEGRADED', 'Degraded', 'Verminderd', 'Eingeschränkt', 'Dégradé'],
      [
        'REDUNDANCY',
        'Reduced redundancy',
        'Verminderde redundantie',
        'Verringerte Redundanz',
        'Redondance réduite',
      ],
      ['COSMETIC', 'Cosmetic', 'Cosmetisch', 'Kosmetisch', 'Cosmétique'],
    ],
  ),
  flatList(
    120,
    'Medium',
    ['Medium', 'Kanaal', 'Meldeweg', 'Canal'],
    [
      ['TELEPHONE', 'Telephone', 'Telefoon', 'Telefon', 'Téléphone'],
      ['EMAIL', 'E-mail', 'E-mail', 'E-Mail', 'Courriel'],
      [
        'PORTAL',
        'Self-service portal',
        'Zelfbedieningsportaal',
        'Self-Service-Portal',
        'Portail libre-service',
      ],
      ['WALK_IN', 'Walk-in', 'Balie', 'Persönlich', 'Au guichet'],
      ['CHAT', 'Chat', 'Chat', 'Chat', 'Messagerie instantanée'],
      [
        'MONITORING',
        'Monitoring event',
        'Monitoringgebeurtenis',
        'Überwachungsereignis',
        'Événement de supervision',
      ],
      ['WEB_SERVICE', 'Web service', 'Webservice', 'Webdienst', 'Service web'],
      ['LETTER', 'Letter', 'Brief', 'Brief', 'Courrier'],
    ],
  ),
];

export const workCategoryLists: readonly CodeList[] = [
  flatList(
    140,
    'ServiceRequestCategory',
    ['Category of request', 'Categorie van melding', 'Anfragekategorie', 'Catégorie de demande'],
    [
      ['QUESTION', 'Question', 'Vraag', 'Frage', 'Question'],
      [
        'SERVICE',
        'Request for service',
        'Serviceaanvraag',
        'Serviceanforderung',
        'Demande de service',
      ],
      [
        'INFORMATION',
        'Request for information',
        'Informatieaanvraag',
        'Informationsanfrage',
        "Demande d'information",
      ],
      ['ACCESS', 'Access request', 'Toegangsaanvraag', 'Zugriffsanforderung', "Demande d'accès"],
      ['ORDER', 'Order', 'Bestelling', 'Bestellung', 'Commande'],
      ['COMPLAINT', 'Complaint', 'Klacht', 'Beschwerde', 'Réclamation'],
      ['COMPLIMENT', 'Compliment', 'Compliment', 'Lob', 'Compliment'],
    ],
  ),
  flatList(
    141,
    'ChangeCategory',
    [
      'Category of change',
      'Categorie van wijziging',
      'Änderungskategorie',
      'Catégorie de changement',
    ],
    [
      ['STANDARD', 'Standard', 'Standaard', 'Standard', 'Standard'],
      ['NORMAL', 'Normal', 'Normaal', 'Normal', 'Normal'],
      ['EMERGENCY', 'Emergency', 'Spoed', 'Notfall', 'Urgent'],
    ],
  ),
  flatList(
    222,
    'IncidentCategory',
    ['Category of incident', 'Categorie van incident', 'Störungskategorie', "Catégorie d'incident"],
    [
      ['FAILURE', 'Failure', 'Uitval', 'Ausfall', 'Panne'],
      ['PERFORMANCE', 'Performance', 'Prestaties', 'Leistung', 'Performance'],
      [
        'SECURITY',
        'Security incident',
        'Beveiligingsincident',
        'Sicherheitsvorfall',
        'Incident de sécurité',
      ],
      ['DATA', 'Data error', 'Gegevensfout', 'Datenfehler', 'Erreur de données'],
    ],
  ),
  flatList(
    223,
    'ProblemCategory',
    ['Category of problem', 'Categorie van probleem', 'Problemkategorie', 'Catégorie de problème'],
    [
      ['REACTIVE', 'Reactive', 'Reactief', 'Reaktiv', 'Réactif'],
      ['PROACTIVE', 'Proactive', 'Proactief', 'Proaktiv', 'Proactif'],
    ],
  ),
  flatList(
    224,
    'WorkorderCategory',
    [
      'Category of work order',
      'Categorie van werkopdracht',
      'Auftragskategorie',
      "Catégorie d'ordre de travail",
    ],
    [
      ['INSTALLATION', 'Installation', 'Installatie', 'Installation', 'Installation'],
      ['REPAIR', 'Repair', 'Reparatie', 'Reparatur', 'Réparation'],
      ['DELIVERY', 'Delivery', 'Levering', 'Lieferung', 'Livraison'],
      ['MOVE', 'Move', 'Verhuizing', 'Umzug', 'Déménagement'],
      ['REMOVAL', 'Removal', 'Verwijdering', 'Abbau', 'Enlèvement'],
      ['INSPECTION', 'Inspection', 'Controle', 'Prüfung', 'Contrôle'],
      ['ADMINISTRATION', 'Administration', 'Administratie', 'Verwaltung', 'Administration'],
    ],
  ),
  flatList(
    225,
    'ProjectCategory',
    ['Category of project', 'Categorie van project', 'Projektkategorie', 'Catégorie de projet'],
    [
      ['RENEWAL', 'Renewal', 'Vernieuwing', 'Erneuerung', 'Renouvellement'],
      ['MIGRATION', 'Migration', 'Migratie', 'Migration', 'Migration'],
      ['INNOVATION', 'Innovation', 'Innovatie', 'Innovation', 'Innovation'],
      [
        'LEGAL',
        'Legal obligation',
        'Wettelijke verplichting',
        'Gesetzliche Pflicht',
        'Obligation légale',
      ],
    ],
  ),
];

export const workDetailLists: readonly CodeList[] = [
  flatList(
    170,
    'ApprovalStatus',
    ['Approval status', 'Goedkeuringsstatus', 'Genehmigungsstatus', "Statut d'approbation"],
    [
      ['NOT_STARTED', 'Not started', 'Niet gestart', 'Nicht begonnen', 'Non commencée'],
      ['WAITING', 'Waiting', 'Wachtend', 'Wartend', 'En attente'],
      ['APPROVED', 'Approved', 'Goedgekeurd', 'Genehmigt', 'Approuvée'],
      ['REJECTED', 'Rejected', 'Afgewezen', 'Abgelehnt', 'Rejetée'],
      ['EXPIRED', 'Expired', 'Verlopen', 'Abgelaufen', 'Expirée'],
    ],
  ),
  flatList(
    180,
    'HoldReason',
    ['Hold reason', 'Reden van aanhouden', 'Grund der Zurückstellung', 'Motif de suspension'],
    [
      [
        'CALLER_INFORMATION',
        'Information from caller',
        'Informatie van melder',
        'Angaben des Melders',
        'Information du demandeur',
      ],
      ['PART_ON_ORDER', 'Part on order', 'Onderdeel besteld', 'Teil bestellt', 'Pièce commandée'],
      ['SUPPLIER', 'Supplier', 'Leverancier', 'Lieferant', 'Fournisseur'],
      ['PLANNED_DATE', 'Planned date', 'Geplande datum', 'Geplanter Termin', 'Date planifiée'],
      [
        'CHANGE_WINDOW',
        'Change window',
        'Wijzigingsvenster',
        'Änderungsfenster',
        'Fenêtre de changement',
      ],
    ],
  ),
  flatList(
    200,
    'SlaClockState',
    ['Clock state', 'Stand van de klok', 'Uhrenstand', "État de l'horloge"],
    [
      ['RUNNING', 'Running', 'Loopt', 'Läuft', 'En marche'],
      ['PAUSED', 'Paused', 'Gepauzeerd', 'Angehalten', 'En pause'],
      ['STOPPED', 'Stopped', 'Gestopt', 'Gestoppt', 'Arrêtée'],
      ['MET', 'Met', 'Gehaald', 'Eingehalten', 'Respectée'],
      ['BREACHED', 'Breached', 'Overschreden', 'Verletzt', 'Dépassée'],
    ],
  ),
  flatList(
    201,
    'RelationType',
    ['Relation type', 'Soort relatie', 'Beziehungsart', 'Type de relation'],
    [
      ['CAUSES', 'Causes', 'Veroorzaakt', 'Verursacht', 'Cause'],
      ['CAUSED_BY', 'Caused by', 'Veroorzaakt door', 'Verursacht durch', 'Causé par'],
      ['DUPLICATES', 'Duplicates', 'Is duplicaat van', 'Ist Duplikat von', 'Duplique'],
      ['BLOCKS', 'Blocks', 'Blokkeert', 'Blockiert', 'Bloque'],
      ['PARENT_OF', 'Parent of', 'Is hoofd van', 'Ist übergeordnet', 'Parent de'],
      ['RESOLVES', 'Resolves', 'Lost op', 'Löst', 'Résout'],
      ['RELATED', 'Related', 'Verwant', 'Verwandt', 'Lié'],
    ],
  ),
  flatList(
    215,
    'Risk',
    ['Risk', 'Risico', 'Risiko', 'Risque'],
    [
      ['LOW', 'Low', 'Laag', 'Niedrig', 'Faible'],
      ['MEDIUM', 'Medium', 'Gemiddeld', 'Mittel', 'Moyen'],
      ['HIGH', 'High', 'Hoog', 'Hoch', 'Élevé'],
      ['VERY_HIGH', 'Very high', 'Zeer hoog', 'Sehr hoch', 'Très élevé'],
    ],
  ),
  orderedList(
    218,
    'ProjectPhase',
    ['Project phase', 'Projectfase', 'Projektphase', 'Phase du projet'],
    [
      ['INITIATION', 'Initiation', 'Initiatie', 'Initiierung', 'Lancement'],
      ['PLANNING', 'Planning', 'Planning', 'Planung', 'Planification'],
      ['EXECUTION', 'Execution', 'Uitvoering', 'Durchführung', 'Exécution'],
      ['HANDOVER', 'Handover', 'Overdracht', 'Übergabe', 'Transfert'],
      ['CLOSING', 'Closing', 'Afronding', 'Abschluss', 'Clôture'],
    ],
  ),
  flatList(
    221,
    'RootCauseCode',
    ['Root cause', 'Grondoorzaak', 'Grundursache', 'Cause première'],
    [
      ['HUMAN_ERROR', 'Human error', 'Menselijke fout', 'Menschlicher Fehler', 'Erreur humaine'],
      ['SOFTWARE', 'Software defect', 'Softwarefout', 'Softwarefehler', 'Défaut logiciel'],
      ['HARDWARE', 'Hardware failure', 'Hardwarestoring', 'Hardwaredefekt', 'Panne matérielle'],
      ['CONFIGURATION', 'Configuration', 'Configuratie', 'Konfiguration', 'Configuration'],
      ['CAPACITY', 'Capacity', 'Capaciteit', 'Kapazität', 'Capacité'],
      ['PROCESS', 'Process', 'Proces', 'Prozess', 'Processus'],
      ['EXTERNAL', 'External', 'Extern', 'Extern', 'Externe'],
      ['UNKNOWN', 'Unknown', 'Onbekend', 'Unbekannt', 'Inconnue'],
    ],
  ),
  flatList(
    228,
    'AssignmentStatus',
    ['Assignment status', 'Status van toewijzing', 'Zuweisungsstatus', "Statut d'affectation"],
    [
      ['OFFERED', 'Offered', 'Aangeboden', 'Angeboten', 'Proposée'],
      ['ACCEPTED', 'Accepted', 'Aanvaard', 'Angenommen', 'Acceptée'],
      ['REFUSED', 'Refused', 'Geweigerd', 'Abgelehnt', 'Refusée'],
    ],
  ),
  flatList(
    231,
    'ClockEffect',
    ['Effect on the clock', 'Effect op de klok', 'Wirkung auf die Uhr', "Effet sur l'horloge"],
    [
      ['RUN', 'Run', 'Laten lopen', 'Laufen lassen', 'Démarrer'],
      ['PAUSE', 'Pause', 'Pauzeren', 'Anhalten', 'Suspendre'],
      ['STOP', 'Stop', 'Stoppen', 'Stoppen', 'Arrêter'],
    ],
  ),
  flatList(
    233,
    'TimeEntryKind',
    ['Kind of time', 'Soort tijd', 'Zeitart', 'Type de temps'],
    [
      ['REGULAR', 'Regular', 'Regulier', 'Regulär', 'Normal'],
      ['OVERTIME', 'Overtime', 'Overwerk', 'Überstunden', 'Heures supplémentaires'],
      ['TRAVEL', 'Travel', 'Reistijd', 'Reisezeit', 'Déplacement'],
    ],
  ),
];
