// This file contains the texts of the area "chart" in the language "fr".

export const chart = {
  'chart.group': 'Groupe',
  'chart.showTable': 'Afficher les nombres',
  'chart.showChart': 'Afficher le graphique',
  'chart.nothing': 'Il n’y a pas de données.',
  'chart.summary': '{name} : {total} au total, le maximum dans {category} ({value}).',
  'chart.kind': 'Type de graphique',
  'chart.bar': 'Barres',
  'chart.stacked': 'Barres empilées',
  'chart.line': 'Lignes',
} as const;
