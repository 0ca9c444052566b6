// This file contains the texts of the area "chart" in the language "en".

export const chart = {
  'chart.group': 'Group',
  'chart.showTable': 'Show numbers',
  'chart.showChart': 'Show chart',
  'chart.nothing': 'There is no data.',
  'chart.summary': '{name}: {total} in total, the most in {category} ({value}).',
  'chart.kind': 'Kind of chart',
  'chart.bar': 'Bars',
  'chart.stacked': 'Stacked bars',
  'chart.line': 'Lines',
} as const;
