// This file contains the texts of the area "query" in the language "fr".

export const query = {
  'query.addCondition': 'Ajouter une condition',
  'query.filterAsText': 'Ce filtre est plus qu’une liste de conditions. Modifiez-le comme texte.',
  'query.applyAsText':
    'Cette agrégation est plus que des groupes et des nombres. Modifiez-la comme texte.',
  'query.property': 'Propriété',
  'query.operator': 'Opérateur',
  'query.value': 'Valeur',
  'query.groupBy': 'Grouper par',
  'query.addNumber': 'Ajouter un nombre',
  'query.number': 'Nombre',
  'query.count': 'Nombre d’enregistrements',
  'query.method': 'Calcul',
} as const;
