// This file contains the texts of the area "query" in the language "en".

export const query = {
  'query.addCondition': 'Add condition',
  'query.filterAsText': 'This filter is more than a list of conditions. Edit it as text.',
  'query.applyAsText': 'This aggregation is more than groups and numbers. Edit it as text.',
  'query.property': 'Property',
  'query.operator': 'Operator',
  'query.value': 'Value',
  'query.groupBy': 'Group by',
  'query.addNumber': 'Add number',
  'query.number': 'Number',
  'query.count': 'Number of records',
  'query.method': 'Calculation',
} as const;
