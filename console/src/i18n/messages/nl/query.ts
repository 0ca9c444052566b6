// This file contains the texts of the area "query" in the language "nl".

export const query = {
  'query.addCondition': 'Voorwaarde toevoegen',
  'query.filterAsText': 'Dit filter is meer dan een lijst met voorwaarden. Bewerk het als tekst.',
  'query.applyAsText': 'Deze aggregatie is meer dan groepen en getallen. Bewerk haar als tekst.',
  'query.property': 'Eigenschap',
  'query.operator': 'Operator',
  'query.value': 'Waarde',
  'query.groupBy': 'Groeperen op',
  'query.addNumber': 'Getal toevoegen',
  'query.number': 'Getal',
  'query.count': 'Aantal records',
  'query.method': 'Berekening',
} as const;
