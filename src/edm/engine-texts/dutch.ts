// This file translates the descriptions of the engine's elements into Dutch; it is long because each of them has its lines here.

export const DUTCH: Readonly<Record<string, string>> = {
  '"access" or "refresh"': '"access" of "refresh"',
  '"active", "paused", or "disabled" by the service':
    '"active", "paused", of "disabled" door de service',
  '"added", "removed" or "changed"': '"added", "removed" of "changed"',
  '"applying", "applied", "failed" or "interrupted"':
    '"applying", "applied", "failed" of "interrupted"',
  '"at once" or "at the next start"': 'Of een wijziging meteen of bij de volgende start ingaat',
  '"created"; "changed": Member has changed; "assigned": Member has got a value, also at creation; "added": an entity in the contained collection Member':
    '"created"; "changed": Member is gewijzigd; "assigned": Member heeft een waarde gekregen, ook bij aanmaken; "added": een entiteit in de bevatte verzameling Member',
  '"number", "choice" or "list"': '"number", "choice" of "list"',
  '"queued", "delivered", "failed" or "cancelled"':
    '"queued", "delivered", "failed" of "cancelled"',
  '"queued", "sending", "sent", "failed", "cancelled" or "suppressed"':
    '"queued", "sending", "sent", "failed", "cancelled" of "suppressed"',
  '"structured": one event in each request; "batched": several':
    '"structured": één gebeurtenis per verzoek; "batched": meerdere',
  '"values", "digits", "rows" or "links"': '"values", "digits", "rows" of "links"',
  'A chart or number of a dashboard': 'Een grafiek of getal van een dashboard',
  'A code of a code list; records store its Value':
    'Een code van een codelijst; records bewaren de waarde',
  'A code of the authenticator app': 'Een code van de authenticatie-app',
  'A code of the authenticator app, or a recovery code':
    'Een code van de authenticatie-app, of een herstelcode',
  'A description of the loss': 'Een beschrijving van het verlies',
  'A due action that could not be performed; it is tried again after the row is deleted':
    'Een vervallen actie die niet kon worden uitgevoerd; nadat de rij is verwijderd wordt het opnieuw geprobeerd',
  'A file of a model': 'Een bestand van een model',
  'A key by which a program uses the service as an account; CreateApiKey creates one':
    'Een sleutel waarmee een programma de service als een account gebruikt; CreateApiKey maakt er een',
  'A list of codes': 'Een lijst van codes',
  'A list of the console that an account has saved':
    'Een lijst van de console die een account heeft opgeslagen',
  'A login that has not ended; the session starts when it is first used':
    'Een aanmelding die niet is beëindigd; de sessie begint bij het eerste gebruik',
  'A message to a receiver: queued, delivered, or not delivered and why':
    'Een bericht aan een ontvanger: in de wachtrij, geleverd, of niet geleverd en waarom',
  'A message to one recipient: in the queue, sent, or not sent and why':
    'Een bericht aan één ontvanger: in de wachtrij, verzonden, of niet verzonden en waarom',
  'A note that is stored with the change': 'Een notitie die bij de wijziging wordt opgeslagen',
  'A page of the console with charts that an account has made':
    'Een pagina van de console met grafieken die een account heeft gemaakt',
  'A part of an element that differs': 'Een deel van een element dat verschilt',
  'A security-relevant event': 'Een gebeurtenis die voor de beveiliging van belang is',
  'A setting that can be changed while the service runs':
    'Een instelling die tijdens bedrijf kan worden gewijzigd',
  'A step of the change': 'Een stap van de wijziging',
  'A symbol that stays when the code is renamed':
    'Een symbool dat blijft als de code wordt hernoemd',
  'A transition, and what keeps the account from taking it':
    'Een overgang, en wat het account belet die uit te voeren',
  'A version of the model': 'Een versie van het model',
  'A weakness of the model that does not prevent its use':
    'Een zwak punt van het model dat het gebruik niet verhindert',
  'Accounts with the role may only add a second factor until they have one':
    'Accounts met de rol mogen alleen een tweede factor toevoegen totdat zij er een hebben',
  'Addresses, and paths to recipients or to properties with an address':
    'Adressen, en paden naar ontvangers of naar eigenschappen met een adres',
  'Adds the days of an iCalendar file, and updates those of the same events':
    'Voegt de dagen van een iCalendar-bestand toe en werkt die van dezelfde gebeurtenissen bij',
  'All agreements, the best first': 'Alle overeenkomsten, de beste eerst',
  'All files of the model; they replace those of the version in force':
    'Alle bestanden van het model; ze vervangen die van de versie die van kracht is',
  'An address at which messages have failed; delete it to count its failures again':
    'Een adres waarop berichten zijn mislukt; verwijder het om opnieuw te tellen',
  'An agreement that was considered': 'Een overeenkomst die is overwogen',
  'An application of a model by ApplyModel': 'Een toepassing van een model door ApplyModel',
  'An element that differs from the model in force':
    'Een element dat verschilt van het model dat van kracht is',
  'An issued token': 'Een uitgegeven token',
  'Applies a model in the background. Requests return 503 until it is in force':
    'Past een model op de achtergrond toe. Aanvragen krijgen 503 tot het van kracht is',
  'Attempts end three days later': 'Pogingen eindigen drie dagen later',
  'Attempts since the last retry': 'Pogingen sinds de laatste herhaling',
  'Body of the last request': 'Inhoud van het laatste verzoek',
  'Changes of a state on one day that an enforced workflow would have rejected':
    'Wijzigingen van een status op één dag die een afgedwongen workflow zou hebben geweigerd',
  'Changes the password of the current account and ends its other sessions':
    'Wijzigt het wachtwoord van het huidige account en beëindigt de andere sessies',
  'Changes the state of the entity': 'Wijzigt de status van de entiteit',
  'Checks the files of a model, and returns what applying it would change. Nothing is changed':
    'Controleert de bestanden van een model en geeft terug wat toepassen zou wijzigen. Er wordt niets gewijzigd',
  'Codes of the errors, with the members that they concern':
    'Codes van de fouten, met de betrokken onderdelen',
  'Columns and what else the console keeps, as JSON':
    'Kolommen en wat de console verder bewaart, als JSON',
  'Condition on the added entity, in $filter syntax':
    'Voorwaarde voor de toegevoegde entiteit, in de syntaxis van $filter',
  'Condition on the entities, in $filter syntax':
    'Voorwaarde voor de entiteiten, in de syntaxis van $filter',
  'Condition on the entity when the message is written, in $filter syntax':
    'Voorwaarde voor de entiteit als het bericht wordt geschreven, in de syntaxis van $filter',
  'Counted, Paused or Stopped': 'Counted (geteld), Paused (gepauzeerd) of Stopped (gestopt)',
  'Creates an API key and returns it. It cannot be read again':
    'Maakt een API-sleutel en geeft hem terug. Hij is daarna niet meer te lezen',
  'Creates the secret that messages are signed with and returns it. It cannot be read again; the previous one remains valid for a while':
    'Maakt het geheim waarmee berichten worden ondertekend en geeft het terug. Het is daarna niet meer te lezen; het vorige blijft nog even geldig',
  'Data that a step loses': 'Gegevens die een stap verliest',
  'E-mail address': 'E-mailadres',
  'Earlier changes cause no message': 'Eerdere wijzigingen leiden niet tot berichten',
  'Ends all sessions of the current account except that of the request':
    'Beëindigt alle sessies van het huidige account behalve die van het verzoek',
  'Events of the file, by UID': 'Gebeurtenissen van het bestand, op UID',
  'Events of which a later version was imported before':
    'Gebeurtenissen waarvan al een latere versie is geïmporteerd',
  'Further details': 'Meer bijzonderheden',
  'HTML, with values in braces, which are escaped':
    'HTML, met waarden tussen accolades, die worden geëscapet',
  'HTTP status of the last response': 'HTTP-status van het laatste antwoord',
  'Holidays that their event no longer has': 'Vrije dagen die hun gebeurtenis niet meer heeft',
  'Holidays that were added': 'Vrije dagen die zijn toegevoegd',
  'Holidays that were there already': 'Vrije dagen die er al waren',
  'Holidays with another name or source': 'Vrije dagen met een andere naam of bron',
  'How it is shown, such as "number" or "bar"': 'Hoe het wordt getoond, zoals "number" of "bar"',
  'How the account has proved who it is: "password" or "issuer"':
    'Hoe het account zich heeft bewezen: "password" of "issuer"',
  'How the service level of an entity follows from what the entity and the rules contain':
    'Hoe het serviceniveau van een entiteit volgt uit wat de entiteit en de regels bevatten',
  'How they are aggregated, in $apply syntax':
    'Hoe ze worden geaggregeerd, in de syntaxis van $apply',
  'How user interfaces colour it: a value of UI.CriticalityType':
    'Kleur in gebruikersinterfaces: -1 zeer negatief, 0 neutraal, 1 negatief, 2 kritiek, 3 positief, 5 informatie',
  'IP address of the client': 'IP-adres van de client',
  'IP address of the login': 'IP-adres van de aanmelding',
  'Id of the request, as in X-Request-ID': 'Id van het verzoek, als in X-Request-ID',
  'In UTC': 'In UTC',
  'In lower case': 'In kleine letters',
  'Its place among those that match': 'De plaats onder die welke passen',
  'Its working time until now': 'De werktijd ervan tot nu toe',
  'Kept by records, but can no longer be chosen':
    'Blijft in records staan, maar is niet meer te kiezen',
  'Kinds of events: created, updated, removed, deleted; empty for all':
    'Soorten gebeurtenissen: created, updated, removed, deleted; leeg voor alle',
  'Language of the text, such as "en"': 'Taal van de tekst, zoals "en"',
  'Language tag, such as nl': 'Taalcode, zoals nl',
  'Last response of the mail server, or why it was not sent':
    'Laatste antwoord van de mailserver, of waarom het niet is verzonden',
  'Limits the rights to records that match this $filter expression':
    'Beperkt de rechten tot records die aan deze $filter-expressie voldoen',
  'Login name of the account that has created it; it gets what this account may read':
    'Aanmeldnaam van het account dat het heeft gemaakt; het krijgt wat dit account mag lezen',
  'Login name of the account that has made it': 'Aanmeldnaam van het account dat het heeft gemaakt',
  'Makes log-ins by password require a code. Returns recovery codes, once':
    'Laat aanmeldingen met wachtwoord een code vereisen. Geeft herstelcodes terug, één keer',
  'Makes the password sufficient again': 'Maakt het wachtwoord weer voldoende',
  'May change many records in one request': 'Mag veel records in één verzoek wijzigen',
  'Members that are readable in no entity; empty if Read is false':
    'Onderdelen die in geen entiteit leesbaar zijn; leeg als Read false is',
  'Members that cannot be changed in any entity; empty if Update is false':
    'Onderdelen die in geen entiteit te wijzigen zijn; leeg als Update false is',
  'Members to change with it': 'Onderdelen die daarbij worden gewijzigd',
  'Message-ID, the same for each attempt': 'Message-ID, gelijk bij elke poging',
  'Message-IDs of the thread, the root first':
    "Message-ID's van het gesprek, het eerste bericht eerst",
  'Messages that have failed for good': 'Berichten die definitief zijn mislukt',
  'Name of the account as the client sent it':
    'Naam van het account zoals de client die heeft gestuurd',
  'Name of the entity type': 'Naam van het entiteitstype',
  'Name of the entity type; also applies to derived types':
    'Naam van het entiteitstype; geldt ook voor afgeleide typen',
  'Name of the property or navigation property': 'Naam van de eigenschap of navigatie-eigenschap',
  'Name of the recipient': 'Naam van de ontvanger',
  'Name of the rule': 'Naam van de regel',
  'Name of the set or singleton': 'Naam van de verzameling of singleton',
  'Name of the template': 'Naam van het sjabloon',
  'Names of the roles that the key is limited to; by default all of the account':
    'Namen van de rollen waartoe de sleutel beperkt is; standaard alle van het account',
  'Names of the roles that the key is limited to; empty for all of the account':
    'Namen van de rollen waartoe de sleutel beperkt is; leeg voor alle van het account',
  'Null before the first use': 'Leeg vóór het eerste gebruik',
  'Null for a callback, which belongs to a request':
    'Leeg voor een callback, die bij een verzoek hoort',
  'Null for a view that only its URL refers to':
    'Leeg voor een weergave waarnaar alleen een URL verwijst',
  'Null if it has not ended': 'Leeg als het niet is geëindigd',
  'Null if the key does not expire': 'Leeg als de sleutel niet verloopt',
  'Null if the service has given up': 'Leeg als de service het heeft opgegeven',
  'Null if there is nothing to wait for': 'Leeg als er niets is om op te wachten',
  'Number of changes': 'Aantal wijzigingen',
  'Occurrences within a second': 'Aantal keren binnen een seconde',
  'One of pause, resume, stop, cancel, reopen, recalculate':
    'Een van pause, resume, stop, cancel, reopen, recalculate',
  'Path of the property or navigation property': 'Pad van de eigenschap of navigatie-eigenschap',
  'Paths of optional members that forms offer with it':
    'Paden van optionele onderdelen die formulieren erbij tonen',
  'Paths of required members without a value': 'Paden van verplichte onderdelen zonder waarde',
  'Plain text, with values in braces': 'Platte tekst, met waarden tussen accolades',
  'Position of the last event in the change log, for Replay':
    'Positie van de laatste gebeurtenis in het wijzigingslogboek, voor Replay',
  'Position or id of an event, a delta link or its token, or a point in time':
    'Positie of id van een gebeurtenis, een deltalink of het token ervan, of een tijdstip',
  'Properties in the events, in $select syntax':
    'Eigenschappen in de gebeurtenissen, in de syntaxis van $select',
  'Qualified name of the action': 'Gekwalificeerde naam van de actie',
  'Queues a message without content, which is sent once':
    'Zet een bericht zonder inhoud in de wachtrij, dat één keer wordt verzonden',
  'Records per page of responses to requests with the key':
    'Records per pagina van antwoorden op verzoeken met de sleutel',
  'Related entities in the events, in $expand syntax':
    'Gerelateerde entiteiten in de gebeurtenissen, in de syntaxis van $expand',
  'Returns an otpauth URI for an authenticator app. It counts after ConfirmSecondFactor':
    'Geeft een otpauth-URI voor een authenticatie-app terug. Hij telt na ConfirmSecondFactor',
  'Rights to a member of an entity': 'Rechten op een onderdeel van een entiteit',
  'Rights to a set; each counts if the account has it for some entities':
    'Rechten op een verzameling; elk telt als het account het voor sommige entiteiten heeft',
  'Rights to an entity': 'Rechten op een entiteit',
  'Sends a message that was not sent, without further delay':
    'Verzendt een niet verzonden bericht meteen',
  'Sends a queued delivery without further delay': 'Verzendt een wachtende levering meteen',
  'Sends all events after a position again, and cancels what is queued':
    'Verzendt alle gebeurtenissen na een positie opnieuw, en annuleert wat in de wachtrij staat',
  'Sends events about the entities of a set to a URL, with the rights of its owner':
    'Verzendt gebeurtenissen over de entiteiten van een verzameling naar een URL, met de rechten van de eigenaar',
  'Size and what else the console keeps, as JSON':
    'Grootte en wat de console verder bewaart, als JSON',
  'Start of the last response, or why there was none':
    'Begin van het laatste antwoord, of waarom er geen was',
  'Status code of the last failure, such as "5.1.1"':
    'Statuscode van de laatste mislukking, zoals "5.1.1"',
  'Status code of the report, such as "5.1.1"': 'Statuscode van het rapport, zoals "5.1.1"',
  'Subject, with values in braces': 'Onderwerp, met waarden tussen accolades',
  'Symbol of the state after': 'Symbool van de status erna',
  'Symbol of the state before; null for new entities':
    'Symbool van de status ervoor; leeg voor nieuwe entiteiten',
  'System query options, as in a URL after the question mark':
    'Systeemquery-opties, als in een URL na het vraagteken',
  'Takes a delivery out of the queue, so that later ones about its entity are sent':
    'Haalt een levering uit de wachtrij, zodat latere over dezelfde entiteit worden verzonden',
  'Takes a message out of the queue': 'Haalt een bericht uit de wachtrij',
  'Templates of one name differ in their language':
    'Sjablonen met dezelfde naam verschillen in taal',
  'The SHA-256 of the files': 'De SHA-256 van de bestanden',
  'The URL of the agreement': 'De URL van de overeenkomst',
  'The URL of the entity': 'De URL van de entiteit',
  'The URL of the level': 'De URL van het niveau',
  'The URL of the schedule': 'De URL van de servicetijd',
  'The account that applied the version, or the user of the operating system':
    'Het account dat de versie heeft toegepast, of de gebruiker van het besturingssysteem',
  'The account that called ApplyModel': 'Het account dat ApplyModel heeft aangeroepen',
  'The affected or requested resource': 'De betrokken of gevraagde resource',
  'The agreement, the priority and the clocks, and what they follow from':
    'De overeenkomst, de prioriteit en de klokken, en waar ze uit volgen',
  'The code of the current state': 'De code van de huidige status',
  'The code of the next state': 'De code van de volgende status',
  'The code of the priority': 'De code van de prioriteit',
  'The column; null if whole rows are lost': 'De kolom; null als hele rijen verloren gaan',
  'The condition that is not true': 'De voorwaarde die niet waar is',
  'The current password': 'Het huidige wachtwoord',
  'The deadline after it, if it is taken now':
    'De deadline erna, als de overgang nu wordt uitgevoerd',
  'The entity of the recipient, relative to the service root':
    'De entiteit van de ontvanger, relatief ten opzichte van de serviceroot',
  'The entity with this item in ExternalReferences':
    'De entiteit met dit item in ExternalReferences',
  'The entity, relative to the service root':
    'De entiteit, relatief ten opzichte van de serviceroot',
  'The entity, status monitor or delta link, relative to the service root; null for a batch':
    'De entiteit, statusmonitor of deltalink, relatief ten opzichte van de serviceroot; leeg voor een batch',
  'The file with a copy of the database before the change':
    'Het bestand met een kopie van de database van vóór de wijziging',
  'The file, and the path in it': 'Het bestand en het pad daarin',
  'The first characters of the key': 'De eerste tekens van de sleutel',
  'The first day; by default that of this year': 'De eerste dag; standaard die van dit jaar',
  'The header webhook-id, the same for each attempt':
    'De header webhook-id, gelijk bij elke poging',
  'The kind of the element': 'De soort van het element',
  'The last day; by default that of the fifth year':
    'De laatste dag; standaard die van het vijfde jaar',
  'The login name of another account; for administrators':
    'De aanmeldnaam van een ander account; voor beheerders',
  'The login name; for administrators': 'De aanmeldnaam; voor beheerders',
  'The machine that the tokens are bound to; empty if they are not bound':
    'De machine waaraan de tokens zijn gebonden; leeg als ze niet gebonden zijn',
  'The members, as in a POST request': 'De onderdelen, zoals in een POST-verzoek',
  'The message of the last attempt': 'De foutmelding van de laatste poging',
  'The model in force with its files, and the last application of a model':
    'Het model dat van kracht is met zijn bestanden, en de laatste toepassing van een model',
  'The name of an icon for user interfaces': 'De naam van een pictogram voor gebruikersinterfaces',
  'The name of the clock': 'De naam van de klok',
  'The name of the element': 'De naam van het element',
  'The name of the file, without a directory': 'De naam van het bestand, zonder map',
  'The name of the transition': 'De naam van de overgang',
  'The new password, at least 12 characters': 'Het nieuwe wachtwoord, minstens 12 tekens',
  'The next state: value, text or symbol': 'De volgende status: waarde, tekst of symbool',
  'The number of a version of the model': 'Het nummer van een versie van het model',
  'The number of rows that lose data': 'Het aantal rijen dat gegevens verliest',
  'The path of the part within the element': 'Het pad van het deel binnen het element',
  'The permitted values': 'De toegestane waarden',
  'The process that sends it': 'Het proces dat het verzendt',
  'The program of the log-in, as its header User-Agent names it':
    'Het programma van de aanmelding, zoals de header User-Agent het noemt',
  'The reason in the report': 'De reden in het rapport',
  'The reason of the last failure': 'De reden van de laatste mislukking',
  'The rights of another account to the entity': 'De rechten van een ander account op de entiteit',
  'The rights of the current account to the entity':
    'De rechten van het huidige account op de entiteit',
  'The session of the request; null for requests with an API key':
    'De sessie van het verzoek; leeg voor verzoeken met een API-sleutel',
  'The set that it counts': 'De verzameling die wordt geteld',
  'The set whose entities are followed': 'De verzameling waarvan de entiteiten worden gevolgd',
  'The set whose entities the list shows': 'De verzameling waarvan de lijst de entiteiten toont',
  'The set whose entities the rule watches':
    'De verzameling waarvan de regel de entiteiten bewaakt',
  'The symbol of the next state': 'Het symbool van de volgende status',
  'The symbol of the outcome': 'Het symbool van de uitkomst',
  'The symbol of the state': 'Het symbool van de status',
  'The symbol of the state that began it; null if none did':
    'Het symbool van de status waarmee het begon; leeg als er geen was',
  'The table': 'De tabel',
  'The text of an iCalendar file': 'De tekst van een iCalendar-bestand',
  'The text of messages in one language; {Path} is replaced by a value of the entity':
    'De tekst van berichten in één taal; {Path} wordt vervangen door een waarde van de entiteit',
  'The text of the file': 'De tekst van het bestand',
  'The text of the next state': 'De tekst van de volgende status',
  'The time for which elapsed and remaining time hold':
    'Het tijdstip waarvoor verstreken en resterende tijd gelden',
  'The time that the level permits for the priority':
    'De tijd die het niveau voor de prioriteit toestaat',
  'The time zone of the schedule': 'De tijdzone van de servicetijd',
  'The transitions that start in the current state of an entity':
    'De overgangen vanuit de huidige status van een entiteit',
  'The transitions that start in the current state, and what they need':
    'De overgangen vanuit de huidige status, en wat ze nodig hebben',
  'The type of the entities': 'Het type van de entiteiten',
  'The value as JSON; null to use the configured value':
    'De waarde als JSON; leeg om de ingestelde waarde te gebruiken',
  'The value from the configuration file, as JSON':
    'De waarde uit het configuratiebestand, als JSON',
  'The value in the model in force': 'De waarde in het model dat van kracht is',
  'The value in the other model': 'De waarde in het andere model',
  'The value that records store, unique among all codes; the Uid if it is left out':
    'De waarde die records bewaren, uniek onder alle codes; de Uid als hij wordt weggelaten',
  'The version in force when the change was planned':
    'De versie die van kracht was toen de wijziging werd gepland',
  'The version in force; a parameter of ApplyModel':
    'De versie die van kracht is; een parameter van ApplyModel',
  'The version of Docket that applied the version':
    'De versie van Docket die de versie heeft toegepast',
  'The working time that the clock has counted': 'De werktijd die de klok heeft geteld',
  'The working time until the deadline; negative after it':
    'De werktijd tot de deadline; daarna negatief',
  'Type of the event; of the last one in a batch':
    'Type van de gebeurtenis; van de laatste in een batch',
  'Values that several records share although they must be unique, and keys that do not fit their new type':
    'Waarden die meerdere records delen hoewel ze uniek moeten zijn, en sleutels die niet bij hun nieuwe type passen',
  'What Explain would return for an entity with these members; nothing is stored':
    'Wat Explain zou geven voor een entiteit met deze onderdelen; er wordt niets opgeslagen',
  'What a transition does to a clock': 'Wat een overgang met een klok doet',
  'What an import of holidays has changed': 'Wat een import van vrije dagen heeft gewijzigd',
  'What applying a model would change': 'Wat het toepassen van een model zou wijzigen',
  'What can be done about it': 'Wat eraan gedaan kan worden',
  'What enforced workflows would have rejected in the last 30 days':
    'Wat afgedwongen workflows in de laatste 30 dagen zouden hebben geweigerd',
  'What happened': 'Wat er gebeurde',
  'What it does to clocks of service levels': 'Wat het met klokken van serviceniveaus doet',
  'What other mail servers have reported: "failed", "delayed", "delivered", "relayed" or "expanded"':
    'Wat andere mailservers hebben gemeld: "failed", "delayed", "delivered", "relayed" of "expanded"',
  'What the console keeps, as JSON': 'Wat de console bewaart, als JSON',
  'What the console shows where, as JSON': 'Wat de console waar toont, als JSON',
  'What the current account may do with each set':
    'Wat het huidige account met elke verzameling mag',
  'What the key is for': 'Waar de sleutel voor is',
  'What the rule is for': 'Waar de regel voor is',
  'What the setting is for': 'Waar de instelling voor is',
  'What the step does': 'Wat de stap doet',
  'What the subscription is for': 'Waar het abonnement voor is',
  'When a refresh token was used': 'Wanneer een vernieuwingstoken is gebruikt',
  'When it was delivered or given up': 'Wanneer het is geleverd of opgegeven',
  'When it was sent or given up': 'Wanneer het is verzonden of opgegeven',
  'When the action was due': 'Wanneer de actie moest gebeuren',
  'When the clock has counted so much of the target':
    'Wanneer de klok zoveel van het doel heeft geteld',
  'When the clocks started': 'Wanneer de klokken zijn gestart',
  'When the key expires; by default never': 'Wanneer de sleutel verloopt; standaard nooit',
  'When the last of them was made': 'Wanneer de laatste ervan is gemaakt',
  'When the report arrived': 'Wanneer het rapport aankwam',
  'When which recipients get a message, and from which template':
    'Wanneer welke ontvangers een bericht krijgen, en van welk sjabloon',
  'Where the events are sent by POST': 'Waarheen de gebeurtenissen met POST worden verzonden',
  'Where the files come from; empty for the built-in model':
    'Waar de bestanden vandaan komen; leeg voor het ingebouwde model',
  'Whether a condition has raised the priority': 'Of een voorwaarde de prioriteit heeft verhoogd',
  'Whether it needs a comment': 'Of een toelichting nodig is',
  'Whether log-ins by password need a code of an authenticator app':
    'Of aanmeldingen met wachtwoord een code van een authenticatie-app vereisen',
  'Whether steps lose data, which ApplyModel must permit':
    'Of stappen gegevens verliezen, wat ApplyModel moet toestaan',
  'Whether steps may lose data': 'Of stappen gegevens mogen verliezen',
  'Whether the account can take it now': 'Of het account hem nu kan uitvoeren',
  'Whether the address gets no more messages': 'Of het adres geen berichten meer krijgt',
  'Whether the console opens it unasked, for those who have no default of their own':
    'Of de console hem vanzelf opent, voor wie zelf geen standaard heeft',
  'Whether the key may only read': 'Of de sleutel alleen mag lezen',
  'Whether the message confirms something received': 'Of het bericht een ontvangst bevestigt',
  'Whether the message confirms something that the recipient has sent':
    'Of het bericht iets bevestigt dat de ontvanger heeft gestuurd',
  'Whether the model is in force already': 'Of het model al van kracht is',
  'Whether the person who made the change gets no message':
    'Of degene die de wijziging maakte geen bericht krijgt',
  'Whether the rights and roles of the account permit it, whatever else it needs':
    'Of de rechten en rollen van het account het toestaan, wat er verder ook nodig is',
  'Whether the rule applies': 'Of de regel geldt',
  'Who may take it, if not everybody': 'Wie hem mag uitvoeren, als dat niet iedereen is',
  'Who sees it besides the owner: own, role, everybody':
    'Wie het ziet behalve de eigenaar: own, role, everybody',
  'Who sees it besides the owner: own, workgroup, role, everybody':
    'Wie het ziet behalve de eigenaar: own, workgroup, role, everybody',
  'Why it matches, or why it does not': 'Waarom ze past, of waarom niet',
  'Why the model could not be applied': 'Waarom het model niet kon worden toegepast',
  'Why the service has disabled the subscription':
    'Waarom de service het abonnement heeft uitgeschakeld',
  'manual: set by hand; level: by the level; otherwise: by the rule for levels without one':
    'manual: met de hand gezet; level: door het niveau; anders: door de regel voor niveaus zonder prioriteit',
};
