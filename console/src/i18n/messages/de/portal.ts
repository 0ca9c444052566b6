// This file contains the texts of the area "portal" in the language "de".

import type { portal as english } from '../en/portal.ts';

export const portal: Readonly<Record<keyof typeof english, string>> = {
  'portal.mine': 'Meine Anfragen',
  'portal.new': 'Neue Anfrage',
  'portal.search': 'In meinen Anfragen suchen',
  'portal.none': 'Sie haben noch keine Anfragen.',
  'portal.what': 'Was brauchen Sie?',
  'portal.searchTemplates': 'Suchen, zum Beispiel nach einem Drucker',
  'portal.other': 'Etwas anderes',
  'portal.otherHint': 'Beschreiben Sie es in eigenen Worten',
  'portal.conversation': 'Unterhaltung',
  'portal.reply': 'Antwort',
  'portal.send': 'Senden',
  'portal.sent': 'Ihre Antwort wurde gesendet.',
  'portal.comment': 'Kommentar',
  'portal.done': 'Die Anfrage ist jetzt: {state}',
  'portal.showMore': 'Mehr anzeigen',
  'portal.showLess': 'Weniger anzeigen',
};
