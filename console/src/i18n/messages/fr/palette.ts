// This file contains the texts of the area "palette" in the language "fr".

import type { palette as english } from '../en/palette.ts';

export const palette: Readonly<Record<keyof typeof english, string>> = {
  'palette.placeholder': 'Saisissez une commande, un nom ou un #numéro',
  'palette.results': 'Résultats',
  'palette.sets': 'Aller à',
  'palette.commands': 'Commandes',
  'palette.records': 'Enregistrements',
  'palette.newIn': 'Nouveau : {set}',
  'palette.singleKeysOff': 'Désactiver les raccourcis d’une seule lettre',
  'palette.singleKeysOn': 'Activer les raccourcis d’une seule lettre',
  'palette.singleKeys': 'Les lettres seules sont des commandes',
  'palette.everywhere': 'Partout',
  'palette.inLists': 'Dans les listes',
  'palette.keyHelp': 'Raccourcis clavier',
  'palette.keyPalette': 'Trouver des commandes, des listes et des enregistrements',
  'palette.keySearch': 'Rechercher dans la liste',
  'palette.keyCreate': 'Créer un enregistrement',
  'palette.keyClose': 'Fermer la fenêtre du dessus',
  'palette.keyRows': 'Ligne suivante ou précédente',
  'palette.keyCells': 'Première ou dernière cellule de la ligne',
  'palette.keyEnds': 'Première ou dernière ligne',
  'palette.keyOpen': 'Ouvrir l’enregistrement',
  'palette.keyPreview': 'Aperçu',
  'palette.keySelect': 'Sélectionner la ligne',
  'palette.keyExtend': 'Étendre la sélection',
  'palette.keyAll': 'Sélectionner tout ce qui correspond',
  'palette.keyFilter': 'Aller aux filtres',
  'palette.keyQuick': 'Changer le statut, le responsable ou la priorité',
  'palette.keyEdit': 'Modifier la cellule',
  'palette.keyCopy': 'Copier la ligne',
};
