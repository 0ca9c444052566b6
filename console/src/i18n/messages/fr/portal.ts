// This file contains the texts of the area "portal" in the language "fr".

import type { portal as english } from '../en/portal.ts';

export const portal: Readonly<Record<keyof typeof english, string>> = {
  'portal.mine': 'Mes demandes',
  'portal.new': 'Nouvelle demande',
  'portal.search': 'Rechercher dans mes demandes',
  'portal.none': 'Vous n’avez pas encore de demandes.',
  'portal.what': 'De quoi avez-vous besoin ?',
  'portal.searchTemplates': 'Rechercher, par exemple une imprimante',
  'portal.other': 'Autre chose',
  'portal.otherHint': 'Décrivez-le avec vos propres mots',
  'portal.conversation': 'Conversation',
  'portal.reply': 'Réponse',
  'portal.send': 'Envoyer',
  'portal.sent': 'Votre réponse a été envoyée.',
  'portal.comment': 'Commentaire',
  'portal.done': 'La demande est maintenant : {state}',
  'portal.showMore': 'Afficher plus',
  'portal.showLess': 'Afficher moins',
};
