// This file contains the texts of the area "portal" in the language "nl".

import type { portal as english } from '../en/portal.ts';

export const portal: Readonly<Record<keyof typeof english, string>> = {
  'portal.mine': 'Mijn meldingen',
  'portal.new': 'Nieuwe melding',
  'portal.search': 'Zoeken in mijn meldingen',
  'portal.none': 'U hebt nog geen meldingen.',
  'portal.what': 'Wat hebt u nodig?',
  'portal.searchTemplates': 'Zoeken, bijvoorbeeld naar een printer',
  'portal.other': 'Iets anders',
  'portal.otherHint': 'Beschrijf het in uw eigen woorden',
  'portal.conversation': 'Gesprek',
  'portal.reply': 'Antwoord',
  'portal.send': 'Versturen',
  'portal.sent': 'Uw antwoord is verstuurd.',
  'portal.comment': 'Opmerking',
  'portal.done': 'De melding is nu: {state}',
  'portal.showMore': 'Meer tonen',
  'portal.showLess': 'Minder tonen',
};
