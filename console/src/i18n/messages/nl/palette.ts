// This file contains the texts of the area "palette" in the language "nl".

import type { palette as english } from '../en/palette.ts';

export const palette: Readonly<Record<keyof typeof english, string>> = {
  'palette.placeholder': 'Typ een opdracht, een naam of #nummer',
  'palette.results': 'Resultaten',
  'palette.sets': 'Ga naar',
  'palette.commands': 'Opdrachten',
  'palette.records': 'Records',
  'palette.newIn': 'Nieuw: {set}',
  'palette.singleKeysOff': 'Sneltoetsen van één letter uitschakelen',
  'palette.singleKeysOn': 'Sneltoetsen van één letter inschakelen',
  'palette.singleKeys': 'Losse letters zijn opdrachten',
  'palette.everywhere': 'Overal',
  'palette.inLists': 'In lijsten',
  'palette.keyHelp': 'Sneltoetsen',
  'palette.keyPalette': 'Opdrachten, lijsten en records zoeken',
  'palette.keySearch': 'In de lijst zoeken',
  'palette.keyCreate': 'Record maken',
  'palette.keyClose': 'Bovenste laag sluiten',
  'palette.keyRows': 'Volgende of vorige rij',
  'palette.keyCells': 'Eerste of laatste cel van de rij',
  'palette.keyEnds': 'Eerste of laatste rij',
  'palette.keyOpen': 'Record openen',
  'palette.keyPreview': 'Voorbeeld',
  'palette.keySelect': 'Rij selecteren',
  'palette.keyExtend': 'Selectie uitbreiden',
  'palette.keyAll': 'Alles selecteren wat voldoet',
  'palette.keyFilter': 'Naar de filters',
  'palette.keyQuick': 'Status, behandelaar of prioriteit wijzigen',
  'palette.keyEdit': 'Cel bewerken',
  'palette.keyCopy': 'Rij kopiëren',
};
