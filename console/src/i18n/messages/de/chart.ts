// This file contains the texts of the area "chart" in the language "de".

export const chart = {
  'chart.group': 'Gruppe',
  'chart.showTable': 'Zahlen anzeigen',
  'chart.showChart': 'Diagramm anzeigen',
  'chart.nothing': 'Es gibt keine Daten.',
  'chart.summary': '{name}: insgesamt {total}, die meisten in {category} ({value}).',
  'chart.kind': 'Art des Diagramms',
  'chart.bar': 'Balken',
  'chart.stacked': 'Gestapelte Balken',
  'chart.line': 'Linien',
} as const;
