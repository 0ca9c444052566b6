// This file contains the texts of the area "view" in the language "nl".

export const view = {
  'view.all': 'Alle: {set}',
  'view.unnamed': 'Naamloze weergave',
  'view.modified': 'gewijzigd',
  'view.own': 'Mijn weergaven',
  'view.shared': 'Gedeelde weergaven',
  'view.default': 'standaard',
  'view.saved': 'Weergave ‘{name}’ opgeslagen',
  'view.discard': 'Wijzigingen ongedaan maken',
  'view.saveAs': 'Opslaan als…',
  'view.edit': 'Naam en delen…',
  'view.delete': 'Weergave verwijderen…',
  'view.new': 'Opslaan als nieuwe weergave',
  'view.name': 'Naam',
  'view.visibleTo': 'Zichtbaar voor',
  'view.makeDefault': '‘{set}’ met deze weergave openen',
  'view.deleteAsk': 'De weergave ‘{name}’ verwijderen? Er worden geen records verwijderd.',
  'view.deleteShared':
    'De weergave ‘{name}’ verwijderen voor iedereen die deze gebruikt? Er worden geen records verwijderd.',
  'view.missing':
    'Deze weergave bestaat niet of is niet met u gedeeld. De lijst toont alle records.',
  'view.leftOut':
    'Deze delen van de weergave verwijzen naar eigenschappen die niet meer bestaan of die u niet mag zien: {parts}. De lijst opent zonder deze delen.',
  'view.scope.own': 'Alleen ik',
  'view.scope.workgroup': 'Team {name}',
  'view.scope.role': 'Rol {name}',
  'view.scope.everybody': 'Iedereen',
};
