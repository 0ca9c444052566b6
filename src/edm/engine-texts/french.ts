// This file translates the descriptions of the engine's elements into French; it is long because each of them has its lines here.

export const FRENCH: Readonly<Record<string, string>> = {
  '"access" or "refresh"': '"access" ou "refresh"',
  '"active", "paused", or "disabled" by the service':
    '"active", "paused", ou "disabled" par le service',
  '"added", "removed" or "changed"': '"added", "removed" ou "changed"',
  '"applying", "applied", "failed" or "interrupted"':
    '"applying", "applied", "failed" ou "interrupted"',
  '"at once" or "at the next start"':
    'Si une modification prend effet immédiatement ou au prochain démarrage',
  '"created"; "changed": Member has changed; "assigned": Member has got a value, also at creation; "added": an entity in the contained collection Member':
    '"created" ; "changed" : Member a changé ; "assigned" : Member a reçu une valeur, y compris à la création ; "added" : une entité dans la collection contenue Member',
  '"number", "choice" or "list"': '"number", "choice" ou "list"',
  '"queued", "delivered", "failed" or "cancelled"':
    '"queued", "delivered", "failed" ou "cancelled"',
  '"queued", "sending", "sent", "failed", "cancelled" or "suppressed"':
    '"queued", "sending", "sent", "failed", "cancelled" ou "suppressed"',
  '"structured": one event in each request; "batched": several':
    '"structured" : un événement par requête ; "batched" : plusieurs',
  '"values", "digits", "rows" or "links"': '"values", "digits", "rows" ou "links"',
  'A chart or number of a dashboard': 'Un graphique ou un nombre d’un tableau de bord',
  'A code of a code list; records store its Value':
    'Un code d’une liste ; les enregistrements en conservent la valeur',
  'A code of the authenticator app': 'Un code de l’application d’authentification',
  'A code of the authenticator app, or a recovery code':
    'Un code de l’application d’authentification, ou un code de secours',
  'A description of the loss': 'Une description de la perte',
  'A due action that could not be performed; it is tried again after the row is deleted':
    'Une action échue qui n’a pas pu être exécutée ; elle est retentée une fois la ligne supprimée',
  'A file of a model': 'Un fichier d’un modèle',
  'A key by which a program uses the service as an account; CreateApiKey creates one':
    'Une clé par laquelle un programme utilise le service en tant que compte ; CreateApiKey en crée une',
  'A list of codes': 'Une liste de codes',
  'A list of the console that an account has saved':
    'Une liste de la console enregistrée par un compte',
  'A login that has not ended; the session starts when it is first used':
    'Une connexion qui n’est pas terminée ; la session commence à la première utilisation',
  'A message to a receiver: queued, delivered, or not delivered and why':
    'Un message à un destinataire : en file, livré, ou non livré et pourquoi',
  'A message to one recipient: in the queue, sent, or not sent and why':
    'Un message à un destinataire : en file, envoyé, ou non envoyé et pourquoi',
  'A note that is stored with the change': 'Une note enregistrée avec la modification',
  'A page of the console with charts that an account has made':
    'Une page de la console avec des graphiques, créée par un compte',
  'A part of an element that differs': 'Une partie d’un élément qui diffère',
  'A security-relevant event': 'Un événement lié à la sécurité',
  'A setting that can be changed while the service runs':
    'Un paramètre modifiable pendant que le service tourne',
  'A step of the change': 'Une étape de la modification',
  'A symbol that stays when the code is renamed': 'Un symbole qui reste quand le code est renommé',
  'A transition, and what keeps the account from taking it':
    'Une transition, et ce qui empêche le compte de la faire',
  'A version of the model': 'Une version du modèle',
  'A weakness of the model that does not prevent its use':
    'Une faiblesse du modèle qui n’empêche pas son utilisation',
  'Accounts with the role may only add a second factor until they have one':
    'Les comptes qui ont ce rôle ne peuvent qu’ajouter un second facteur tant qu’ils n’en ont pas',
  'Addresses, and paths to recipients or to properties with an address':
    'Des adresses, et des chemins vers des destinataires ou des propriétés contenant une adresse',
  'Adds the days of an iCalendar file, and updates those of the same events':
    'Ajoute les jours d’un fichier iCalendar et met à jour ceux des mêmes événements',
  'All agreements, the best first': 'Tous les accords, le meilleur d’abord',
  'All files of the model; they replace those of the version in force':
    'Tous les fichiers du modèle ; ils remplacent ceux de la version en vigueur',
  'An address at which messages have failed; delete it to count its failures again':
    'Une adresse à laquelle des messages ont échoué ; la supprimer pour recommencer le compte',
  'An agreement that was considered': 'Un accord qui a été envisagé',
  'An application of a model by ApplyModel': 'Une application d’un modèle par ApplyModel',
  'An element that differs from the model in force': 'Un élément qui diffère du modèle en vigueur',
  'An issued token': 'Un jeton émis',
  'Applies a model in the background. Requests return 503 until it is in force':
    'Applique un modèle en arrière-plan. Les requêtes reçoivent 503 jusqu’à son entrée en vigueur',
  'Attempts end three days later': 'Les tentatives cessent trois jours plus tard',
  'Attempts since the last retry': 'Tentatives depuis la dernière relance',
  'Body of the last request': 'Corps de la dernière requête',
  'Changes of a state on one day that an enforced workflow would have rejected':
    'Changements d’un état en un jour qu’un workflow imposé aurait refusés',
  'Changes the password of the current account and ends its other sessions':
    'Change le mot de passe du compte actuel et termine ses autres sessions',
  'Changes the state of the entity': 'Change l’état de l’entité',
  'Checks the files of a model, and returns what applying it would change. Nothing is changed':
    'Vérifie les fichiers d’un modèle et renvoie ce que son application modifierait. Rien n’est modifié',
  'Codes of the errors, with the members that they concern':
    'Codes des erreurs, avec les membres concernés',
  'Columns and what else the console keeps, as JSON':
    'Les colonnes et ce que la console conserve d’autre, en JSON',
  'Condition on the added entity, in $filter syntax':
    'Condition sur l’entité ajoutée, dans la syntaxe de $filter',
  'Condition on the entities, in $filter syntax':
    'Condition sur les entités, dans la syntaxe de $filter',
  'Condition on the entity when the message is written, in $filter syntax':
    'Condition sur l’entité au moment d’écrire le message, dans la syntaxe de $filter',
  'Counted, Paused or Stopped': 'Counted (compté), Paused (en pause) ou Stopped (arrêté)',
  'Creates an API key and returns it. It cannot be read again':
    'Crée une clé d’API et la renvoie. Elle ne pourra plus être lue',
  'Creates the secret that messages are signed with and returns it. It cannot be read again; the previous one remains valid for a while':
    'Crée le secret qui signe les messages et le renvoie. Il ne pourra plus être lu ; le précédent reste valable un moment',
  'Data that a step loses': 'Données qu’une étape perd',
  'E-mail address': 'Adresse de courriel',
  'Earlier changes cause no message': 'Les modifications antérieures ne causent aucun message',
  'Ends all sessions of the current account except that of the request':
    'Termine toutes les sessions du compte actuel, sauf celle de la requête',
  'Events of the file, by UID': 'Événements du fichier, par UID',
  'Events of which a later version was imported before':
    'Événements dont une version plus récente a déjà été importée',
  'Further details': 'Précisions',
  'HTML, with values in braces, which are escaped':
    'HTML, avec des valeurs entre accolades, qui sont échappées',
  'HTTP status of the last response': 'Statut HTTP de la dernière réponse',
  'Holidays that their event no longer has': 'Jours fériés que leur événement n’a plus',
  'Holidays that were added': 'Jours fériés ajoutés',
  'Holidays that were there already': 'Jours fériés déjà présents',
  'Holidays with another name or source': 'Jours fériés dont le nom ou la source a changé',
  'How it is shown, such as "number" or "bar"': 'Comment il est affiché, comme "number" ou "bar"',
  'How the account has proved who it is: "password" or "issuer"':
    'Comment le compte a prouvé son identité : "password" ou "issuer"',
  'How the service level of an entity follows from what the entity and the rules contain':
    'Comment le niveau de service d’une entité découle de l’entité et des règles',
  'How they are aggregated, in $apply syntax':
    'Comment elles sont agrégées, dans la syntaxe de $apply',
  'How user interfaces colour it: a value of UI.CriticalityType':
    'Couleur dans les interfaces : -1 très négatif, 0 neutre, 1 négatif, 2 critique, 3 positif, 5 information',
  'IP address of the client': 'Adresse IP du client',
  'IP address of the login': 'Adresse IP de la connexion',
  'Id of the request, as in X-Request-ID': 'Identifiant de la requête, comme dans X-Request-ID',
  'In UTC': 'En UTC',
  'In lower case': 'En minuscules',
  'Its place among those that match': 'Son rang parmi ceux qui conviennent',
  'Its working time until now': 'Son temps de travail jusqu’à présent',
  'Kept by records, but can no longer be chosen':
    'Conservé dans les enregistrements, mais ne peut plus être choisi',
  'Kinds of events: created, updated, removed, deleted; empty for all':
    'Types d’événements : created, updated, removed, deleted ; vide pour tous',
  'Language of the text, such as "en"': 'Langue du texte, comme "en"',
  'Language tag, such as nl': 'Code de langue, comme nl',
  'Last response of the mail server, or why it was not sent':
    'Dernière réponse du serveur de messagerie, ou pourquoi le message n’est pas parti',
  'Limits the rights to records that match this $filter expression':
    'Limite les droits aux enregistrements qui répondent à cette expression $filter',
  'Login name of the account that has created it; it gets what this account may read':
    'Identifiant du compte qui l’a créé ; il reçoit ce que ce compte peut lire',
  'Login name of the account that has made it': 'Identifiant du compte qui l’a créé',
  'Makes log-ins by password require a code. Returns recovery codes, once':
    'Fait exiger un code aux connexions par mot de passe. Renvoie des codes de secours, une seule fois',
  'Makes the password sufficient again': 'Le mot de passe suffit de nouveau',
  'May change many records in one request':
    'Peut modifier de nombreux enregistrements en une requête',
  'Members that are readable in no entity; empty if Read is false':
    'Membres lisibles dans aucune entité ; vide si Read est false',
  'Members that cannot be changed in any entity; empty if Update is false':
    'Membres modifiables dans aucune entité ; vide si Update est false',
  'Members to change with it': 'Membres à modifier en même temps',
  'Message-ID, the same for each attempt': 'Message-ID, le même à chaque tentative',
  'Message-IDs of the thread, the root first': 'Message-ID du fil, le premier message d’abord',
  'Messages that have failed for good': 'Messages qui ont définitivement échoué',
  'Name of the account as the client sent it': 'Nom du compte tel que le client l’a envoyé',
  'Name of the entity type': 'Nom du type d’entité',
  'Name of the entity type; also applies to derived types':
    'Nom du type d’entité ; s’applique aussi aux types dérivés',
  'Name of the property or navigation property':
    'Nom de la propriété ou de la propriété de navigation',
  'Name of the recipient': 'Nom du destinataire',
  'Name of the rule': 'Nom de la règle',
  'Name of the set or singleton': 'Nom de l’ensemble ou du singleton',
  'Name of the template': 'Nom du modèle',
  'Names of the roles that the key is limited to; by default all of the account':
    'Noms des rôles auxquels la clé est limitée ; par défaut tous ceux du compte',
  'Names of the roles that the key is limited to; empty for all of the account':
    'Noms des rôles auxquels la clé est limitée ; vide pour tous ceux du compte',
  'Null before the first use': 'Vide avant la première utilisation',
  'Null for a callback, which belongs to a request':
    'Vide pour un rappel, qui appartient à une requête',
  'Null for a view that only its URL refers to': 'Vide pour une vue que seule une URL désigne',
  'Null if it has not ended': 'Vide s’il n’est pas terminé',
  'Null if the key does not expire': 'Vide si la clé n’expire pas',
  'Null if the service has given up': 'Vide si le service a abandonné',
  'Null if there is nothing to wait for': 'Vide s’il n’y a rien à attendre',
  'Number of changes': 'Nombre de changements',
  'Occurrences within a second': 'Occurrences en une seconde',
  'One of pause, resume, stop, cancel, reopen, recalculate':
    'L’un de pause, resume, stop, cancel, reopen, recalculate',
  'Path of the property or navigation property':
    'Chemin de la propriété ou de la propriété de navigation',
  'Paths of optional members that forms offer with it':
    'Chemins de membres facultatifs que proposent les formulaires',
  'Paths of required members without a value': 'Chemins de membres requis sans valeur',
  'Plain text, with values in braces': 'Texte brut, avec des valeurs entre accolades',
  'Position of the last event in the change log, for Replay':
    'Position du dernier événement dans le journal des modifications, pour Replay',
  'Position or id of an event, a delta link or its token, or a point in time':
    'Position ou identifiant d’un événement, un lien delta ou son jeton, ou un moment',
  'Properties in the events, in $select syntax':
    'Propriétés dans les événements, dans la syntaxe de $select',
  'Qualified name of the action': 'Nom qualifié de l’action',
  'Queues a message without content, which is sent once':
    'Met en file un message sans contenu, envoyé une fois',
  'Records per page of responses to requests with the key':
    'Enregistrements par page des réponses aux requêtes faites avec la clé',
  'Related entities in the events, in $expand syntax':
    'Entités liées dans les événements, dans la syntaxe de $expand',
  'Returns an otpauth URI for an authenticator app. It counts after ConfirmSecondFactor':
    'Renvoie un URI otpauth pour une application d’authentification. Il compte après ConfirmSecondFactor',
  'Rights to a member of an entity': 'Droits sur un membre d’une entité',
  'Rights to a set; each counts if the account has it for some entities':
    'Droits sur un ensemble ; chacun compte si le compte l’a pour certaines entités',
  'Rights to an entity': 'Droits sur une entité',
  'Sends a message that was not sent, without further delay':
    'Envoie sans attendre un message non envoyé',
  'Sends a queued delivery without further delay': 'Envoie sans attendre une livraison en file',
  'Sends all events after a position again, and cancels what is queued':
    'Renvoie tous les événements après une position, et annule ce qui est en file',
  'Sends events about the entities of a set to a URL, with the rights of its owner':
    'Envoie à une URL les événements des entités d’un ensemble, avec les droits de son propriétaire',
  'Size and what else the console keeps, as JSON':
    'La taille et ce que la console conserve d’autre, en JSON',
  'Start of the last response, or why there was none':
    'Début de la dernière réponse, ou pourquoi il n’y en a pas eu',
  'Status code of the last failure, such as "5.1.1"':
    'Code de statut du dernier échec, comme "5.1.1"',
  'Status code of the report, such as "5.1.1"': 'Code de statut de l’avis, comme "5.1.1"',
  'Subject, with values in braces': 'Objet, avec des valeurs entre accolades',
  'Symbol of the state after': 'Symbole de l’état après',
  'Symbol of the state before; null for new entities':
    'Symbole de l’état avant ; vide pour les nouvelles entités',
  'System query options, as in a URL after the question mark':
    'Options de requête système, comme dans une URL après le point d’interrogation',
  'Takes a delivery out of the queue, so that later ones about its entity are sent':
    'Retire une livraison de la file, pour que les suivantes sur son entité partent',
  'Takes a message out of the queue': 'Retire un message de la file',
  'Templates of one name differ in their language':
    'Les modèles d’un même nom diffèrent par la langue',
  'The SHA-256 of the files': 'Le SHA-256 des fichiers',
  'The URL of the agreement': 'L’URL de l’accord',
  'The URL of the entity': 'L’URL de l’entité',
  'The URL of the level': 'L’URL du niveau',
  'The URL of the schedule': 'L’URL de l’horaire',
  'The account that applied the version, or the user of the operating system':
    'Le compte qui a appliqué la version, ou l’utilisateur du système d’exploitation',
  'The account that called ApplyModel': 'Le compte qui a appelé ApplyModel',
  'The affected or requested resource': 'La ressource concernée ou demandée',
  'The agreement, the priority and the clocks, and what they follow from':
    'L’accord, la priorité et les horloges, et ce dont ils découlent',
  'The code of the current state': 'Le code de l’état actuel',
  'The code of the next state': 'Le code de l’état suivant',
  'The code of the priority': 'Le code de la priorité',
  'The column; null if whole rows are lost':
    'La colonne ; null si des lignes entières sont perdues',
  'The condition that is not true': 'La condition qui n’est pas vraie',
  'The current password': 'Le mot de passe actuel',
  'The deadline after it, if it is taken now':
    'L’échéance qui en résulte, si la transition a lieu maintenant',
  'The entity of the recipient, relative to the service root':
    'L’entité du destinataire, relative à la racine du service',
  'The entity with this item in ExternalReferences':
    'L’entité qui a cet élément dans ExternalReferences',
  'The entity, relative to the service root': 'L’entité, relative à la racine du service',
  'The entity, status monitor or delta link, relative to the service root; null for a batch':
    'L’entité, le moniteur d’état ou le lien delta, relatifs à la racine du service ; vide pour un lot',
  'The file with a copy of the database before the change':
    'Le fichier avec une copie de la base de données d’avant la modification',
  'The file, and the path in it': 'Le fichier, et le chemin dans celui-ci',
  'The first characters of the key': 'Les premiers caractères de la clé',
  'The first day; by default that of this year':
    'Le premier jour ; par défaut celui de cette année',
  'The header webhook-id, the same for each attempt':
    'L’en-tête webhook-id, le même à chaque tentative',
  'The kind of the element': 'Le genre de l’élément',
  'The last day; by default that of the fifth year':
    'Le dernier jour ; par défaut celui de la cinquième année',
  'The login name of another account; for administrators':
    'L’identifiant d’un autre compte ; pour les administrateurs',
  'The login name; for administrators': 'L’identifiant de connexion ; pour les administrateurs',
  'The machine that the tokens are bound to; empty if they are not bound':
    'La machine à laquelle les jetons sont liés ; vide s’ils ne le sont pas',
  'The members, as in a POST request': 'Les membres, comme dans une requête POST',
  'The message of the last attempt': 'Le message de la dernière tentative',
  'The model in force with its files, and the last application of a model':
    'Le modèle en vigueur avec ses fichiers, et la dernière application d’un modèle',
  'The name of an icon for user interfaces': 'Le nom d’une icône pour les interfaces',
  'The name of the clock': 'Le nom de l’horloge',
  'The name of the element': 'Le nom de l’élément',
  'The name of the file, without a directory': 'Le nom du fichier, sans répertoire',
  'The name of the transition': 'Le nom de la transition',
  'The new password, at least 12 characters': 'Le nouveau mot de passe, au moins 12 caractères',
  'The next state: value, text or symbol': 'L’état suivant : valeur, texte ou symbole',
  'The number of a version of the model': 'Le numéro d’une version du modèle',
  'The number of rows that lose data': 'Le nombre de lignes qui perdent des données',
  'The path of the part within the element': 'Le chemin de la partie dans l’élément',
  'The permitted values': 'Les valeurs permises',
  'The process that sends it': 'Le processus qui l’envoie',
  'The program of the log-in, as its header User-Agent names it':
    'Le programme de la connexion, tel que le nomme l’en-tête User-Agent',
  'The reason in the report': 'Le motif dans l’avis',
  'The reason of the last failure': 'Le motif du dernier échec',
  'The rights of another account to the entity': 'Les droits d’un autre compte sur l’entité',
  'The rights of the current account to the entity': 'Les droits du compte actuel sur l’entité',
  'The session of the request; null for requests with an API key':
    'La session de la requête ; vide pour les requêtes avec une clé d’API',
  'The set that it counts': 'L’ensemble compté',
  'The set whose entities are followed': 'L’ensemble dont les entités sont suivies',
  'The set whose entities the list shows': 'L’ensemble dont la liste montre les entités',
  'The set whose entities the rule watches': 'L’ensemble dont la règle surveille les entités',
  'The symbol of the next state': 'Le symbole de l’état suivant',
  'The symbol of the outcome': 'Le symbole de l’issue',
  'The symbol of the state': 'Le symbole de l’état',
  'The symbol of the state that began it; null if none did':
    'Le symbole de l’état qui l’a ouvert ; vide s’il n’y en a pas',
  'The table': 'La table',
  'The text of an iCalendar file': 'Le texte d’un fichier iCalendar',
  'The text of messages in one language; {Path} is replaced by a value of the entity':
    'Le texte des messages dans une langue ; {Path} est remplacé par une valeur de l’entité',
  'The text of the file': 'Le texte du fichier',
  'The text of the next state': 'Le texte de l’état suivant',
  'The time for which elapsed and remaining time hold':
    'Le moment pour lequel valent le temps écoulé et le temps restant',
  'The time that the level permits for the priority':
    'Le délai que le niveau accorde à la priorité',
  'The time zone of the schedule': 'Le fuseau horaire de l’horaire',
  'The transitions that start in the current state of an entity':
    'Les transitions depuis l’état actuel d’une entité',
  'The transitions that start in the current state, and what they need':
    'Les transitions depuis l’état actuel, et ce qu’elles exigent',
  'The type of the entities': 'Le type des entités',
  'The value as JSON; null to use the configured value':
    'La valeur en JSON ; vide pour utiliser la valeur configurée',
  'The value from the configuration file, as JSON':
    'La valeur du fichier de configuration, en JSON',
  'The value in the model in force': 'La valeur dans le modèle en vigueur',
  'The value in the other model': 'La valeur dans l’autre modèle',
  'The value that records store, unique among all codes; the Uid if it is left out':
    'La valeur que conservent les enregistrements, unique parmi les codes ; l’Uid si elle est omise',
  'The version in force when the change was planned':
    'La version en vigueur quand la modification a été planifiée',
  'The version in force; a parameter of ApplyModel':
    'La version en vigueur ; un paramètre d’ApplyModel',
  'The version of Docket that applied the version':
    'La version de Docket qui a appliqué la version',
  'The working time that the clock has counted': 'Le temps de travail compté par l’horloge',
  'The working time until the deadline; negative after it':
    'Le temps de travail jusqu’à l’échéance ; négatif ensuite',
  'Type of the event; of the last one in a batch': 'Type de l’événement ; du dernier dans un lot',
  'Values that several records share although they must be unique, and keys that do not fit their new type':
    'Valeurs que plusieurs enregistrements partagent bien qu’elles doivent être uniques, et clés non conformes à leur nouveau type',
  'What Explain would return for an entity with these members; nothing is stored':
    'Ce que Explain renverrait pour une entité avec ces membres ; rien n’est enregistré',
  'What a transition does to a clock': 'Ce qu’une transition fait à une horloge',
  'What an import of holidays has changed': 'Ce qu’un import de jours fériés a changé',
  'What applying a model would change': 'Ce que l’application d’un modèle modifierait',
  'What can be done about it': 'Ce qu’on peut y faire',
  'What enforced workflows would have rejected in the last 30 days':
    'Ce que les workflows imposés auraient refusé ces 30 derniers jours',
  'What happened': 'Ce qui s’est passé',
  'What it does to clocks of service levels': 'Ce qu’elle fait aux horloges des niveaux de service',
  'What other mail servers have reported: "failed", "delayed", "delivered", "relayed" or "expanded"':
    'Ce qu’ont signalé d’autres serveurs de messagerie : "failed", "delayed", "delivered", "relayed" ou "expanded"',
  'What the console keeps, as JSON': 'Ce que la console conserve, en JSON',
  'What the console shows where, as JSON': 'Ce que la console montre et où, en JSON',
  'What the current account may do with each set':
    'Ce que le compte actuel peut faire de chaque ensemble',
  'What the key is for': 'À quoi sert la clé',
  'What the rule is for': 'À quoi sert la règle',
  'What the setting is for': 'À quoi sert le paramètre',
  'What the step does': 'Ce que fait l’étape',
  'What the subscription is for': 'À quoi sert l’abonnement',
  'When a refresh token was used': 'Quand un jeton de renouvellement a servi',
  'When it was delivered or given up': 'Quand la livraison a réussi ou a été abandonnée',
  'When it was sent or given up': 'Quand l’envoi a réussi ou a été abandonné',
  'When the action was due': 'Quand l’action était due',
  'When the clock has counted so much of the target':
    'Quand l’horloge a compté cette part de l’objectif',
  'When the clocks started': 'Quand les horloges ont démarré',
  'When the key expires; by default never': 'Quand la clé expire ; par défaut jamais',
  'When the last of them was made': 'Quand le dernier d’entre eux a eu lieu',
  'When the report arrived': 'Quand l’avis est arrivé',
  'When which recipients get a message, and from which template':
    'Quand quels destinataires reçoivent un message, et de quel modèle',
  'Where the events are sent by POST': 'Où les événements sont envoyés par POST',
  'Where the files come from; empty for the built-in model':
    'D’où viennent les fichiers ; vide pour le modèle intégré',
  'Whether a condition has raised the priority': 'Si une condition a relevé la priorité',
  'Whether it needs a comment': 'Si un commentaire est requis',
  'Whether log-ins by password need a code of an authenticator app':
    'Si les connexions par mot de passe exigent un code d’une application d’authentification',
  'Whether steps lose data, which ApplyModel must permit':
    'Si des étapes perdent des données, ce qu’ApplyModel doit autoriser',
  'Whether steps may lose data': 'Si des étapes peuvent perdre des données',
  'Whether the account can take it now': 'Si le compte peut la faire maintenant',
  'Whether the address gets no more messages': 'Si l’adresse ne reçoit plus de messages',
  'Whether the console opens it unasked, for those who have no default of their own':
    'Si la console l’ouvre d’elle-même, pour ceux qui n’ont pas leur propre vue par défaut',
  'Whether the key may only read': 'Si la clé ne peut que lire',
  'Whether the message confirms something received': 'Si le message confirme une réception',
  'Whether the message confirms something that the recipient has sent':
    'Si le message confirme quelque chose que le destinataire a envoyé',
  'Whether the model is in force already': 'Si le modèle est déjà en vigueur',
  'Whether the person who made the change gets no message':
    'Si l’auteur de la modification ne reçoit pas de message',
  'Whether the rights and roles of the account permit it, whatever else it needs':
    'Si les droits et rôles du compte le permettent, quoi qu’il faille d’autre',
  'Whether the rule applies': 'Si la règle s’applique',
  'Who may take it, if not everybody': 'Qui peut la faire, si ce n’est pas tout le monde',
  'Who sees it besides the owner: own, role, everybody':
    'Qui le voit en plus du propriétaire : own, role, everybody',
  'Who sees it besides the owner: own, workgroup, role, everybody':
    'Qui le voit en plus du propriétaire : own, workgroup, role, everybody',
  'Why it matches, or why it does not': 'Pourquoi il convient, ou pourquoi non',
  'Why the model could not be applied': 'Pourquoi le modèle n’a pas pu être appliqué',
  'Why the service has disabled the subscription': 'Pourquoi le service a désactivé l’abonnement',
  'manual: set by hand; level: by the level; otherwise: by the rule for levels without one':
    'manual : fixée à la main ; level : par le niveau ; sinon : par la règle des niveaux qui n’en ont pas',
};
