// This file contains the texts of the area "chart" in the language "nl".

export const chart = {
  'chart.group': 'Groep',
  'chart.showTable': 'Getallen tonen',
  'chart.showChart': 'Grafiek tonen',
  'chart.nothing': 'Er zijn geen gegevens.',
  'chart.summary': '{name}: {total} in totaal, de meeste in {category} ({value}).',
  'chart.kind': 'Soort grafiek',
  'chart.bar': 'Staven',
  'chart.stacked': 'Gestapelde staven',
  'chart.line': 'Lijnen',
} as const;
