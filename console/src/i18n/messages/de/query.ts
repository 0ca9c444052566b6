// This file contains the texts of the area "query" in the language "de".

export const query = {
  'query.addCondition': 'Bedingung hinzufügen',
  'query.filterAsText':
    'Dieser Filter ist mehr als eine Liste von Bedingungen. Bearbeiten Sie ihn als Text.',
  'query.applyAsText':
    'Diese Aggregation ist mehr als Gruppen und Zahlen. Bearbeiten Sie sie als Text.',
  'query.property': 'Eigenschaft',
  'query.operator': 'Operator',
  'query.value': 'Wert',
  'query.groupBy': 'Gruppieren nach',
  'query.addNumber': 'Zahl hinzufügen',
  'query.number': 'Zahl',
  'query.count': 'Anzahl der Datensätze',
  'query.method': 'Berechnung',
} as const;
