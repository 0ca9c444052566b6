// This file contains the texts of the area "palette" in the language "de".

import type { palette as english } from '../en/palette.ts';

export const palette: Readonly<Record<keyof typeof english, string>> = {
  'palette.placeholder': 'Befehl, Name oder #Nummer eingeben',
  'palette.results': 'Ergebnisse',
  'palette.sets': 'Gehe zu',
  'palette.commands': 'Befehle',
  'palette.records': 'Datensätze',
  'palette.newIn': 'Neu: {set}',
  'palette.singleKeysOff': 'Tastenkürzel aus einem Buchstaben ausschalten',
  'palette.singleKeysOn': 'Tastenkürzel aus einem Buchstaben einschalten',
  'palette.singleKeys': 'Einzelne Buchstaben sind Befehle',
  'palette.everywhere': 'Überall',
  'palette.inLists': 'In Listen',
  'palette.keyHelp': 'Tastenkürzel',
  'palette.keyPalette': 'Befehle, Listen und Datensätze suchen',
  'palette.keySearch': 'In der Liste suchen',
  'palette.keyCreate': 'Datensatz anlegen',
  'palette.keyClose': 'Oberste Ebene schließen',
  'palette.keyRows': 'Nächste oder vorherige Zeile',
  'palette.keyCells': 'Erste oder letzte Zelle der Zeile',
  'palette.keyEnds': 'Erste oder letzte Zeile',
  'palette.keyOpen': 'Datensatz öffnen',
  'palette.keyPreview': 'Vorschau',
  'palette.keySelect': 'Zeile auswählen',
  'palette.keyExtend': 'Auswahl erweitern',
  'palette.keyAll': 'Alle passenden auswählen',
  'palette.keyFilter': 'Zu den Filtern',
  'palette.keyQuick': 'Status, Bearbeiter oder Priorität ändern',
  'palette.keyEdit': 'Zelle bearbeiten',
  'palette.keyCopy': 'Zeile kopieren',
};
