// This file contains the texts of the area "inputs" in the language "fr".

export const inputs = {
  'inputs.required': 'Saisissez une valeur.',
  'inputs.tooLong': '{max} caractères au plus ; il y en a {length}.',
  'inputs.expected': 'Attendu : {expected}.',
  'inputs.noMatch': 'Attendu : un texte conforme à {pattern}.',
  'inputs.notNumber': 'Attendu : un nombre.',
  'inputs.notInteger': 'Attendu : un nombre entier.',
  'inputs.tooSmall': 'La valeur doit être d’au moins {min}.',
  'inputs.tooGreat': 'La valeur doit être d’au plus {max}.',
  'inputs.notAbove': 'La valeur doit être supérieure à {min}.',
  'inputs.notBelow': 'La valeur doit être inférieure à {max}.',
  'inputs.tooManyDecimals': '{max, plural, one {# décimale} other {# décimales}} au plus.',
  'inputs.tooManyDigits':
    '{max, plural, one {# chiffre} other {# chiffres}} au plus avant la virgule.',
  'inputs.notDuration': 'Attendu : une durée telle que 1h 30m.',
  'inputs.notGuid': 'Attendu : un GUID.',
  'inputs.notAddress': 'Attendu : une adresse complète, telle que https://example.com.',
  'inputs.noSuchInstant': 'Cette heure n’est pas valide.',
  'inputs.noSuchTime': 'Cette heure n’existe pas à {zone} : les horloges sont avancées.',
  'inputs.timeTwice': 'Les horloges sont reculées ; cette heure existe deux fois. Laquelle ?',
  'inputs.timeFirst': 'La première',
  'inputs.timeSecond': 'La seconde',
  'inputs.durationExample': '1d 2h 30m',
  'inputs.itemOf': '{name}, élément {index}',
  'inputs.addItem': 'Ajouter à {name}',
  'inputs.removeItem': 'Supprimer l’élément {index} de {name}',
} as const;
