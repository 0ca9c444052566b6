// This file translates the descriptions of the engine's elements into German; it is long because each of them has its lines here.

export const GERMAN: Readonly<Record<string, string>> = {
  '"access" or "refresh"': '"access" oder "refresh"',
  '"active", "paused", or "disabled" by the service':
    '"active", "paused", oder "disabled" durch den Dienst',
  '"added", "removed" or "changed"': '"added", "removed" oder "changed"',
  '"applying", "applied", "failed" or "interrupted"':
    '"applying", "applied", "failed" oder "interrupted"',
  '"at once" or "at the next start"':
    'Ob eine Änderung sofort oder beim nächsten Start wirksam wird',
  '"created"; "changed": Member has changed; "assigned": Member has got a value, also at creation; "added": an entity in the contained collection Member':
    '"created"; "changed": Member ist geändert; "assigned": Member hat einen Wert erhalten, auch beim Anlegen; "added": eine Entität in der enthaltenen Sammlung Member',
  '"number", "choice" or "list"': '"number", "choice" oder "list"',
  '"queued", "delivered", "failed" or "cancelled"':
    '"queued", "delivered", "failed" oder "cancelled"',
  '"queued", "sending", "sent", "failed", "cancelled" or "suppressed"':
    '"queued", "sending", "sent", "failed", "cancelled" oder "suppressed"',
  '"structured": one event in each request; "batched": several':
    '"structured": ein Ereignis je Anfrage; "batched": mehrere',
  '"values", "digits", "rows" or "links"': '"values", "digits", "rows" oder "links"',
  'A chart or number of a dashboard': 'Ein Diagramm oder eine Zahl eines Dashboards',
  'A code of a code list; records store its Value':
    'Ein Code einer Codeliste; Datensätze speichern seinen Wert',
  'A code of the authenticator app': 'Ein Code der Authenticator-App',
  'A code of the authenticator app, or a recovery code':
    'Ein Code der Authenticator-App oder ein Wiederherstellungscode',
  'A description of the loss': 'Eine Beschreibung des Verlusts',
  'A due action that could not be performed; it is tried again after the row is deleted':
    'Eine fällige Aktion, die nicht ausgeführt werden konnte; nach dem Löschen der Zeile wird sie erneut versucht',
  'A file of a model': 'Eine Datei eines Modells',
  'A key by which a program uses the service as an account; CreateApiKey creates one':
    'Ein Schlüssel, mit dem ein Programm den Dienst als ein Konto verwendet; CreateApiKey legt einen an',
  'A list of codes': 'Eine Liste von Codes',
  'A list of the console that an account has saved':
    'Eine Liste der Konsole, die ein Konto gespeichert hat',
  'A login that has not ended; the session starts when it is first used':
    'Eine Anmeldung, die nicht beendet ist; die Sitzung beginnt mit der ersten Verwendung',
  'A message to a receiver: queued, delivered, or not delivered and why':
    'Eine Nachricht an einen Empfänger: eingereiht, zugestellt, oder nicht zugestellt und warum',
  'A message to one recipient: in the queue, sent, or not sent and why':
    'Eine Nachricht an einen Empfänger: eingereiht, gesendet, oder nicht gesendet und warum',
  'A note that is stored with the change': 'Eine Notiz, die mit der Änderung gespeichert wird',
  'A page of the console with charts that an account has made':
    'Eine Seite der Konsole mit Diagrammen, die ein Konto angelegt hat',
  'A part of an element that differs': 'Ein Teil eines Elements, der abweicht',
  'A security-relevant event': 'Ein sicherheitsrelevantes Ereignis',
  'A setting that can be changed while the service runs':
    'Eine Einstellung, die im laufenden Betrieb geändert werden kann',
  'A step of the change': 'Ein Schritt der Änderung',
  'A symbol that stays when the code is renamed':
    'Ein Symbol, das bleibt, wenn der Code umbenannt wird',
  'A transition, and what keeps the account from taking it':
    'Ein Übergang, und was das Konto an ihm hindert',
  'A version of the model': 'Eine Version des Modells',
  'A weakness of the model that does not prevent its use':
    'Eine Schwäche des Modells, die seine Verwendung nicht verhindert',
  'Accounts with the role may only add a second factor until they have one':
    'Konten mit der Rolle dürfen nur einen zweiten Faktor hinzufügen, bis sie einen haben',
  'Addresses, and paths to recipients or to properties with an address':
    'Adressen, und Pfade zu Empfängern oder zu Eigenschaften mit einer Adresse',
  'Adds the days of an iCalendar file, and updates those of the same events':
    'Fügt die Tage einer iCalendar-Datei hinzu und aktualisiert die derselben Ereignisse',
  'All agreements, the best first': 'Alle Vereinbarungen, die beste zuerst',
  'All files of the model; they replace those of the version in force':
    'Alle Dateien des Modells; sie ersetzen die der geltenden Version',
  'An address at which messages have failed; delete it to count its failures again':
    'Eine Adresse, an der Nachrichten fehlgeschlagen sind; löschen, um neu zu zählen',
  'An agreement that was considered': 'Eine Vereinbarung, die erwogen wurde',
  'An application of a model by ApplyModel': 'Eine Anwendung eines Modells durch ApplyModel',
  'An element that differs from the model in force':
    'Ein Element, das vom geltenden Modell abweicht',
  'An issued token': 'Ein ausgestelltes Token',
  'Applies a model in the background. Requests return 503 until it is in force':
    'Wendet ein Modell im Hintergrund an. Anfragen erhalten 503, bis es in Kraft ist',
  'Attempts end three days later': 'Versuche enden drei Tage später',
  'Attempts since the last retry': 'Versuche seit der letzten Wiederholung',
  'Body of the last request': 'Rumpf der letzten Anfrage',
  'Changes of a state on one day that an enforced workflow would have rejected':
    'Änderungen eines Zustands an einem Tag, die ein erzwungener Workflow abgelehnt hätte',
  'Changes the password of the current account and ends its other sessions':
    'Ändert das Passwort des aktuellen Kontos und beendet seine anderen Sitzungen',
  'Changes the state of the entity': 'Ändert den Zustand der Entität',
  'Checks the files of a model, and returns what applying it would change. Nothing is changed':
    'Prüft die Dateien eines Modells und gibt zurück, was seine Anwendung ändern würde. Es wird nichts geändert',
  'Codes of the errors, with the members that they concern':
    'Codes der Fehler, mit den betroffenen Bestandteilen',
  'Columns and what else the console keeps, as JSON':
    'Spalten und was die Konsole sonst speichert, als JSON',
  'Condition on the added entity, in $filter syntax':
    'Bedingung für die hinzugefügte Entität, in der Syntax von $filter',
  'Condition on the entities, in $filter syntax':
    'Bedingung für die Entitäten, in der Syntax von $filter',
  'Condition on the entity when the message is written, in $filter syntax':
    'Bedingung für die Entität beim Schreiben der Nachricht, in der Syntax von $filter',
  'Counted, Paused or Stopped': 'Counted (gezählt), Paused (angehalten) oder Stopped (gestoppt)',
  'Creates an API key and returns it. It cannot be read again':
    'Legt einen API-Schlüssel an und liefert ihn. Er kann nicht erneut gelesen werden',
  'Creates the secret that messages are signed with and returns it. It cannot be read again; the previous one remains valid for a while':
    'Legt das Geheimnis an, mit dem Nachrichten signiert werden, und liefert es. Es kann nicht erneut gelesen werden; das vorige bleibt eine Weile gültig',
  'Data that a step loses': 'Daten, die ein Schritt verliert',
  'E-mail address': 'E-Mail-Adresse',
  'Earlier changes cause no message': 'Frühere Änderungen lösen keine Nachricht aus',
  'Ends all sessions of the current account except that of the request':
    'Beendet alle Sitzungen des aktuellen Kontos außer der der Anfrage',
  'Events of the file, by UID': 'Ereignisse der Datei, nach UID',
  'Events of which a later version was imported before':
    'Ereignisse, von denen bereits eine spätere Version importiert ist',
  'Further details': 'Weitere Einzelheiten',
  'HTML, with values in braces, which are escaped':
    'HTML, mit Werten in geschweiften Klammern, die maskiert werden',
  'HTTP status of the last response': 'HTTP-Status der letzten Antwort',
  'Holidays that their event no longer has': 'Feiertage, die ihr Ereignis nicht mehr hat',
  'Holidays that were added': 'Feiertage, die hinzugefügt wurden',
  'Holidays that were there already': 'Feiertage, die es schon gab',
  'Holidays with another name or source': 'Feiertage mit anderem Namen oder anderer Quelle',
  'How it is shown, such as "number" or "bar"': 'Wie es dargestellt wird, etwa "number" oder "bar"',
  'How the account has proved who it is: "password" or "issuer"':
    'Wie sich das Konto ausgewiesen hat: "password" oder "issuer"',
  'How the service level of an entity follows from what the entity and the rules contain':
    'Wie der Servicegrad einer Entität aus dem folgt, was die Entität und die Regeln enthalten',
  'How they are aggregated, in $apply syntax':
    'Wie sie aggregiert werden, in der Syntax von $apply',
  'How user interfaces colour it: a value of UI.CriticalityType':
    'Farbe in Benutzeroberflächen: -1 sehr negativ, 0 neutral, 1 negativ, 2 kritisch, 3 positiv, 5 Information',
  'IP address of the client': 'IP-Adresse des Clients',
  'IP address of the login': 'IP-Adresse der Anmeldung',
  'Id of the request, as in X-Request-ID': 'Kennung der Anfrage, wie in X-Request-ID',
  'In UTC': 'In UTC',
  'In lower case': 'In Kleinbuchstaben',
  'Its place among those that match': 'Ihr Rang unter den passenden',
  'Its working time until now': 'Seine Arbeitszeit bis jetzt',
  'Kept by records, but can no longer be chosen':
    'Bleibt in Datensätzen, ist aber nicht mehr wählbar',
  'Kinds of events: created, updated, removed, deleted; empty for all':
    'Arten von Ereignissen: created, updated, removed, deleted; leer für alle',
  'Language of the text, such as "en"': 'Sprache des Textes, etwa "en"',
  'Language tag, such as nl': 'Sprachkennung, etwa nl',
  'Last response of the mail server, or why it was not sent':
    'Letzte Antwort des Mailservers, oder warum nicht gesendet wurde',
  'Limits the rights to records that match this $filter expression':
    'Beschränkt die Rechte auf Datensätze, die diesem $filter-Ausdruck entsprechen',
  'Login name of the account that has created it; it gets what this account may read':
    'Anmeldename des Kontos, das es angelegt hat; es erhält, was dieses Konto lesen darf',
  'Login name of the account that has made it': 'Anmeldename des Kontos, das es angelegt hat',
  'Makes log-ins by password require a code. Returns recovery codes, once':
    'Lässt Anmeldungen mit Passwort einen Code erfordern. Liefert einmalig Wiederherstellungscodes',
  'Makes the password sufficient again': 'Lässt das Passwort wieder genügen',
  'May change many records in one request': 'Darf viele Datensätze in einer Anfrage ändern',
  'Members that are readable in no entity; empty if Read is false':
    'Bestandteile, die in keiner Entität lesbar sind; leer, wenn Read false ist',
  'Members that cannot be changed in any entity; empty if Update is false':
    'Bestandteile, die in keiner Entität änderbar sind; leer, wenn Update false ist',
  'Members to change with it': 'Bestandteile, die dabei geändert werden',
  'Message-ID, the same for each attempt': 'Message-ID, bei jedem Versuch dieselbe',
  'Message-IDs of the thread, the root first': 'Message-IDs der Unterhaltung, die erste zuerst',
  'Messages that have failed for good': 'Nachrichten, die endgültig fehlgeschlagen sind',
  'Name of the account as the client sent it': 'Name des Kontos, wie ihn der Client gesendet hat',
  'Name of the entity type': 'Name des Entitätstyps',
  'Name of the entity type; also applies to derived types':
    'Name des Entitätstyps; gilt auch für abgeleitete Typen',
  'Name of the property or navigation property': 'Name der Eigenschaft oder Navigationseigenschaft',
  'Name of the recipient': 'Name des Empfängers',
  'Name of the rule': 'Name der Regel',
  'Name of the set or singleton': 'Name der Menge oder des Singletons',
  'Name of the template': 'Name der Vorlage',
  'Names of the roles that the key is limited to; by default all of the account':
    'Namen der Rollen, auf die der Schlüssel beschränkt ist; standardmäßig alle des Kontos',
  'Names of the roles that the key is limited to; empty for all of the account':
    'Namen der Rollen, auf die der Schlüssel beschränkt ist; leer für alle des Kontos',
  'Null before the first use': 'Leer vor der ersten Verwendung',
  'Null for a callback, which belongs to a request':
    'Leer für einen Callback, der zu einer Anfrage gehört',
  'Null for a view that only its URL refers to':
    'Leer für eine Ansicht, auf die nur eine URL verweist',
  'Null if it has not ended': 'Leer, wenn es nicht geendet hat',
  'Null if the key does not expire': 'Leer, wenn der Schlüssel nicht abläuft',
  'Null if the service has given up': 'Leer, wenn der Dienst aufgegeben hat',
  'Null if there is nothing to wait for': 'Leer, wenn nichts abzuwarten ist',
  'Number of changes': 'Anzahl der Änderungen',
  'Occurrences within a second': 'Vorkommen innerhalb einer Sekunde',
  'One of pause, resume, stop, cancel, reopen, recalculate':
    'Eines von pause, resume, stop, cancel, reopen, recalculate',
  'Path of the property or navigation property': 'Pfad der Eigenschaft oder Navigationseigenschaft',
  'Paths of optional members that forms offer with it':
    'Pfade optionaler Bestandteile, die Formulare dabei anbieten',
  'Paths of required members without a value': 'Pfade erforderlicher Bestandteile ohne Wert',
  'Plain text, with values in braces': 'Reiner Text, mit Werten in geschweiften Klammern',
  'Position of the last event in the change log, for Replay':
    'Position des letzten Ereignisses im Änderungsprotokoll, für Replay',
  'Position or id of an event, a delta link or its token, or a point in time':
    'Position oder Kennung eines Ereignisses, ein Delta-Link oder sein Token, oder ein Zeitpunkt',
  'Properties in the events, in $select syntax':
    'Eigenschaften in den Ereignissen, in der Syntax von $select',
  'Qualified name of the action': 'Qualifizierter Name der Aktion',
  'Queues a message without content, which is sent once':
    'Reiht eine Nachricht ohne Inhalt ein, die einmal gesendet wird',
  'Records per page of responses to requests with the key':
    'Datensätze je Seite von Antworten auf Anfragen mit dem Schlüssel',
  'Related entities in the events, in $expand syntax':
    'Verknüpfte Entitäten in den Ereignissen, in der Syntax von $expand',
  'Returns an otpauth URI for an authenticator app. It counts after ConfirmSecondFactor':
    'Liefert eine otpauth-URI für eine Authenticator-App. Sie gilt nach ConfirmSecondFactor',
  'Rights to a member of an entity': 'Rechte an einem Bestandteil einer Entität',
  'Rights to a set; each counts if the account has it for some entities':
    'Rechte an einer Menge; jedes zählt, wenn das Konto es für einige Entitäten hat',
  'Rights to an entity': 'Rechte an einer Entität',
  'Sends a message that was not sent, without further delay':
    'Sendet eine nicht gesendete Nachricht ohne weitere Wartezeit',
  'Sends a queued delivery without further delay':
    'Sendet eine eingereihte Zustellung ohne weitere Verzögerung',
  'Sends all events after a position again, and cancels what is queued':
    'Sendet alle Ereignisse nach einer Position erneut und verwirft, was eingereiht ist',
  'Sends events about the entities of a set to a URL, with the rights of its owner':
    'Sendet Ereignisse über die Entitäten einer Menge an eine URL, mit den Rechten des Eigentümers',
  'Size and what else the console keeps, as JSON':
    'Größe und was die Konsole sonst speichert, als JSON',
  'Start of the last response, or why there was none':
    'Anfang der letzten Antwort, oder warum es keine gab',
  'Status code of the last failure, such as "5.1.1"':
    'Statuscode des letzten Fehlschlags, etwa "5.1.1"',
  'Status code of the report, such as "5.1.1"': 'Statuscode des Berichts, etwa "5.1.1"',
  'Subject, with values in braces': 'Betreff, mit Werten in geschweiften Klammern',
  'Symbol of the state after': 'Symbol des Zustands danach',
  'Symbol of the state before; null for new entities':
    'Symbol des Zustands davor; leer für neue Entitäten',
  'System query options, as in a URL after the question mark':
    'Systemabfrageoptionen, wie in einer URL nach dem Fragezeichen',
  'Takes a delivery out of the queue, so that later ones about its entity are sent':
    'Nimmt eine Zustellung aus der Warteschlange, sodass spätere zu ihrer Entität gesendet werden',
  'Takes a message out of the queue': 'Nimmt eine Nachricht aus der Warteschlange',
  'Templates of one name differ in their language':
    'Vorlagen desselben Namens unterscheiden sich in der Sprache',
  'The SHA-256 of the files': 'Der SHA-256-Wert der Dateien',
  'The URL of the agreement': 'Die URL der Vereinbarung',
  'The URL of the entity': 'Die URL der Entität',
  'The URL of the level': 'Die URL des Servicegrads',
  'The URL of the schedule': 'Die URL der Servicezeit',
  'The account that applied the version, or the user of the operating system':
    'Das Konto, das die Version angewendet hat, oder der Benutzer des Betriebssystems',
  'The account that called ApplyModel': 'Das Konto, das ApplyModel aufgerufen hat',
  'The affected or requested resource': 'Die betroffene oder angefragte Ressource',
  'The agreement, the priority and the clocks, and what they follow from':
    'Die Vereinbarung, die Priorität und die Uhren, und woraus sie folgen',
  'The code of the current state': 'Der Code des aktuellen Zustands',
  'The code of the next state': 'Der Code des nächsten Zustands',
  'The code of the priority': 'Der Code der Priorität',
  'The column; null if whole rows are lost': 'Die Spalte; null, wenn ganze Zeilen verloren gehen',
  'The condition that is not true': 'Die Bedingung, die nicht erfüllt ist',
  'The current password': 'Das aktuelle Passwort',
  'The deadline after it, if it is taken now': 'Die Frist danach, wenn der Übergang jetzt erfolgt',
  'The entity of the recipient, relative to the service root':
    'Die Entität des Empfängers, relativ zur Dienstwurzel',
  'The entity with this item in ExternalReferences':
    'Die Entität mit diesem Eintrag in ExternalReferences',
  'The entity, relative to the service root': 'Die Entität, relativ zur Dienstwurzel',
  'The entity, status monitor or delta link, relative to the service root; null for a batch':
    'Die Entität, der Statusmonitor oder der Delta-Link, relativ zur Dienstwurzel; leer für einen Batch',
  'The file with a copy of the database before the change':
    'Die Datei mit einer Kopie der Datenbank vor der Änderung',
  'The file, and the path in it': 'Die Datei und der Pfad darin',
  'The first characters of the key': 'Die ersten Zeichen des Schlüssels',
  'The first day; by default that of this year': 'Der erste Tag; standardmäßig der dieses Jahres',
  'The header webhook-id, the same for each attempt':
    'Der Header webhook-id, bei jedem Versuch derselbe',
  'The kind of the element': 'Die Art des Elements',
  'The last day; by default that of the fifth year':
    'Der letzte Tag; standardmäßig der des fünften Jahres',
  'The login name of another account; for administrators':
    'Der Anmeldename eines anderen Kontos; für Administratoren',
  'The login name; for administrators': 'Der Anmeldename; für Administratoren',
  'The machine that the tokens are bound to; empty if they are not bound':
    'Der Rechner, an den die Token gebunden sind; leer, wenn sie nicht gebunden sind',
  'The members, as in a POST request': 'Die Bestandteile, wie in einer POST-Anfrage',
  'The message of the last attempt': 'Die Meldung des letzten Versuchs',
  'The model in force with its files, and the last application of a model':
    'Das geltende Modell mit seinen Dateien und die letzte Anwendung eines Modells',
  'The name of an icon for user interfaces': 'Der Name eines Symbols für Benutzeroberflächen',
  'The name of the clock': 'Der Name der Uhr',
  'The name of the element': 'Der Name des Elements',
  'The name of the file, without a directory': 'Der Name der Datei ohne Verzeichnis',
  'The name of the transition': 'Der Name des Übergangs',
  'The new password, at least 12 characters': 'Das neue Passwort, mindestens 12 Zeichen',
  'The next state: value, text or symbol': 'Der nächste Zustand: Wert, Text oder Symbol',
  'The number of a version of the model': 'Die Nummer einer Version des Modells',
  'The number of rows that lose data': 'Die Zahl der Zeilen, die Daten verlieren',
  'The path of the part within the element': 'Der Pfad des Teils innerhalb des Elements',
  'The permitted values': 'Die zulässigen Werte',
  'The process that sends it': 'Der Prozess, der es sendet',
  'The program of the log-in, as its header User-Agent names it':
    'Das Programm der Anmeldung, wie es der Header User-Agent nennt',
  'The reason in the report': 'Der Grund im Bericht',
  'The reason of the last failure': 'Der Grund des letzten Fehlschlags',
  'The rights of another account to the entity': 'Die Rechte eines anderen Kontos an der Entität',
  'The rights of the current account to the entity':
    'Die Rechte des aktuellen Kontos an der Entität',
  'The session of the request; null for requests with an API key':
    'Die Sitzung der Anfrage; leer für Anfragen mit einem API-Schlüssel',
  'The set that it counts': 'Die Menge, die gezählt wird',
  'The set whose entities are followed': 'Die Menge, deren Entitäten verfolgt werden',
  'The set whose entities the list shows': 'Die Menge, deren Entitäten die Liste zeigt',
  'The set whose entities the rule watches': 'Die Menge, deren Entitäten die Regel überwacht',
  'The symbol of the next state': 'Das Symbol des nächsten Zustands',
  'The symbol of the outcome': 'Das Symbol des Ergebnisses',
  'The symbol of the state': 'Das Symbol des Zustands',
  'The symbol of the state that began it; null if none did':
    'Das Symbol des Zustands, mit dem es begann; leer, wenn es keinen gab',
  'The table': 'Die Tabelle',
  'The text of an iCalendar file': 'Der Text einer iCalendar-Datei',
  'The text of messages in one language; {Path} is replaced by a value of the entity':
    'Der Text von Nachrichten in einer Sprache; {Path} wird durch einen Wert der Entität ersetzt',
  'The text of the file': 'Der Text der Datei',
  'The text of the next state': 'Der Text des nächsten Zustands',
  'The time for which elapsed and remaining time hold':
    'Der Zeitpunkt, für den verstrichene und verbleibende Zeit gelten',
  'The time that the level permits for the priority':
    'Die Zeit, die der Servicegrad für die Priorität erlaubt',
  'The time zone of the schedule': 'Die Zeitzone der Servicezeit',
  'The transitions that start in the current state of an entity':
    'Die Übergänge aus dem aktuellen Zustand einer Entität',
  'The transitions that start in the current state, and what they need':
    'Die Übergänge aus dem aktuellen Zustand, und was sie benötigen',
  'The type of the entities': 'Der Typ der Entitäten',
  'The value as JSON; null to use the configured value':
    'Der Wert als JSON; leer, um den konfigurierten Wert zu verwenden',
  'The value from the configuration file, as JSON':
    'Der Wert aus der Konfigurationsdatei, als JSON',
  'The value in the model in force': 'Der Wert im geltenden Modell',
  'The value in the other model': 'Der Wert im anderen Modell',
  'The value that records store, unique among all codes; the Uid if it is left out':
    'Der Wert, den Datensätze speichern, eindeutig unter allen Codes; die Uid, wenn er fehlt',
  'The version in force when the change was planned':
    'Die Version, die bei der Planung der Änderung galt',
  'The version in force; a parameter of ApplyModel':
    'Die geltende Version; ein Parameter von ApplyModel',
  'The version of Docket that applied the version':
    'Die Version von Docket, die die Version angewendet hat',
  'The working time that the clock has counted': 'Die Arbeitszeit, die die Uhr gezählt hat',
  'The working time until the deadline; negative after it':
    'Die Arbeitszeit bis zur Frist; danach negativ',
  'Type of the event; of the last one in a batch':
    'Typ des Ereignisses; des letzten in einem Batch',
  'Values that several records share although they must be unique, and keys that do not fit their new type':
    'Werte, die mehrere Datensätze teilen, obwohl sie eindeutig sein müssen, und Schlüssel, die nicht zu ihrem neuen Typ passen',
  'What Explain would return for an entity with these members; nothing is stored':
    'Was Explain für eine Entität mit diesen Bestandteilen liefern würde; es wird nichts gespeichert',
  'What a transition does to a clock': 'Was ein Übergang mit einer Uhr macht',
  'What an import of holidays has changed': 'Was ein Import von Feiertagen geändert hat',
  'What applying a model would change': 'Was die Anwendung eines Modells ändern würde',
  'What can be done about it': 'Was man dagegen tun kann',
  'What enforced workflows would have rejected in the last 30 days':
    'Was erzwungene Workflows in den letzten 30 Tagen abgelehnt hätten',
  'What happened': 'Was geschehen ist',
  'What it does to clocks of service levels': 'Was er mit Uhren von Servicegraden macht',
  'What other mail servers have reported: "failed", "delayed", "delivered", "relayed" or "expanded"':
    'Was andere Mailserver gemeldet haben: "failed", "delayed", "delivered", "relayed" oder "expanded"',
  'What the console keeps, as JSON': 'Was die Konsole speichert, als JSON',
  'What the console shows where, as JSON': 'Was die Konsole wo zeigt, als JSON',
  'What the current account may do with each set': 'Was das aktuelle Konto mit jeder Menge darf',
  'What the key is for': 'Wofür der Schlüssel ist',
  'What the rule is for': 'Wofür die Regel ist',
  'What the setting is for': 'Wofür die Einstellung ist',
  'What the step does': 'Was der Schritt tut',
  'What the subscription is for': 'Wofür das Abonnement ist',
  'When a refresh token was used': 'Wann ein Aktualisierungstoken verwendet wurde',
  'When it was delivered or given up': 'Wann zugestellt oder aufgegeben wurde',
  'When it was sent or given up': 'Wann gesendet oder aufgegeben wurde',
  'When the action was due': 'Wann die Aktion fällig war',
  'When the clock has counted so much of the target': 'Wann die Uhr so viel des Ziels gezählt hat',
  'When the clocks started': 'Wann die Uhren gestartet sind',
  'When the key expires; by default never': 'Wann der Schlüssel abläuft; standardmäßig nie',
  'When the last of them was made': 'Wann die letzte davon erfolgte',
  'When the report arrived': 'Wann der Bericht eintraf',
  'When which recipients get a message, and from which template':
    'Wann welche Empfänger eine Nachricht erhalten, und aus welcher Vorlage',
  'Where the events are sent by POST': 'Wohin die Ereignisse mit POST gesendet werden',
  'Where the files come from; empty for the built-in model':
    'Woher die Dateien stammen; leer beim eingebauten Modell',
  'Whether a condition has raised the priority': 'Ob eine Bedingung die Priorität erhöht hat',
  'Whether it needs a comment': 'Ob ein Kommentar nötig ist',
  'Whether log-ins by password need a code of an authenticator app':
    'Ob Anmeldungen mit Passwort einen Code einer Authenticator-App brauchen',
  'Whether steps lose data, which ApplyModel must permit':
    'Ob Schritte Daten verlieren, was ApplyModel erlauben muss',
  'Whether steps may lose data': 'Ob Schritte Daten verlieren dürfen',
  'Whether the account can take it now': 'Ob das Konto ihn jetzt ausführen kann',
  'Whether the address gets no more messages': 'Ob die Adresse keine Nachrichten mehr erhält',
  'Whether the console opens it unasked, for those who have no default of their own':
    'Ob die Konsole sie von selbst öffnet, für alle ohne eigenen Standard',
  'Whether the key may only read': 'Ob der Schlüssel nur lesen darf',
  'Whether the message confirms something received': 'Ob die Nachricht einen Empfang bestätigt',
  'Whether the message confirms something that the recipient has sent':
    'Ob die Nachricht etwas bestätigt, das der Empfänger gesendet hat',
  'Whether the model is in force already': 'Ob das Modell bereits gilt',
  'Whether the person who made the change gets no message':
    'Ob, wer die Änderung gemacht hat, keine Nachricht erhält',
  'Whether the rights and roles of the account permit it, whatever else it needs':
    'Ob Rechte und Rollen des Kontos es erlauben, was sonst auch nötig ist',
  'Whether the rule applies': 'Ob die Regel gilt',
  'Who may take it, if not everybody': 'Wer ihn ausführen darf, wenn nicht alle',
  'Who sees it besides the owner: own, role, everybody':
    'Wer es außer dem Eigentümer sieht: own, role, everybody',
  'Who sees it besides the owner: own, workgroup, role, everybody':
    'Wer es außer dem Eigentümer sieht: own, workgroup, role, everybody',
  'Why it matches, or why it does not': 'Warum sie passt, oder warum nicht',
  'Why the model could not be applied': 'Warum das Modell nicht angewendet werden konnte',
  'Why the service has disabled the subscription':
    'Warum der Dienst das Abonnement deaktiviert hat',
  'manual: set by hand; level: by the level; otherwise: by the rule for levels without one':
    'manual: von Hand gesetzt; level: durch den Servicegrad; sonst: durch die Regel für Servicegrade ohne Priorität',
};
