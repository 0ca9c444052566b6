// This file contains the texts of the area "view" in the language "de".

export const view = {
  'view.all': 'Alle: {set}',
  'view.unnamed': 'Ansicht ohne Namen',
  'view.modified': 'geändert',
  'view.own': 'Meine Ansichten',
  'view.shared': 'Geteilte Ansichten',
  'view.default': 'Standard',
  'view.saved': 'Ansicht „{name}“ gespeichert',
  'view.discard': 'Änderungen verwerfen',
  'view.saveAs': 'Speichern unter…',
  'view.edit': 'Name und Freigabe…',
  'view.delete': 'Ansicht löschen…',
  'view.new': 'Als neue Ansicht speichern',
  'view.name': 'Name',
  'view.visibleTo': 'Sichtbar für',
  'view.makeDefault': '„{set}“ mit dieser Ansicht öffnen',
  'view.deleteAsk': 'Ansicht „{name}“ löschen? Datensätze werden nicht gelöscht.',
  'view.deleteShared':
    'Ansicht „{name}“ für alle löschen, die sie verwenden? Datensätze werden nicht gelöscht.',
  'view.missing':
    'Diese Ansicht gibt es nicht, oder sie ist nicht für Sie freigegeben. Die Liste zeigt alle Datensätze.',
  'view.leftOut':
    'Diese Teile der Ansicht verweisen auf Eigenschaften, die es nicht mehr gibt oder die Sie nicht sehen dürfen: {parts}. Die Liste wird ohne sie geöffnet.',
  'view.scope.own': 'Nur ich',
  'view.scope.workgroup': 'Team {name}',
  'view.scope.role': 'Rolle {name}',
  'view.scope.everybody': 'Alle',
};
