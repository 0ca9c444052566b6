// This file contains the texts of the area "model" in the language "de".

export const model = {
  'model.changeModel': 'Modell ändern',
  'model.replaces':
    'Die Dateien ersetzen die von Version {version}, die {author} am {applied} angewendet hat.',
  'model.fileHint':
    'Eine Datei mit CSDL-JSON oder alle Dateien einer Erweiterung: *.csdl.json, CSV-Tabellen, roles.json und mail.json',
  'model.files': 'Dateien des Modells',
  'model.removeFile': '{name} entfernen',
  'model.startFrom': 'Dateien von Version {version} hinzufügen',
  'model.plan': 'Plan anzeigen',
  'model.mistakes':
    '{count, plural, one {Das Modell hat einen Fehler.} other {Das Modell hat # Fehler.}}',
  'model.same': 'Dieses Modell ist bereits in Kraft.',
  'model.warnings': 'Warnungen',
  'model.differences':
    '{count, plural, one {# Unterschied zum geltenden Modell} other {# Unterschiede zum geltenden Modell}}',
  'model.change': 'Änderung',
  'model.change.added': 'hinzugefügt',
  'model.change.removed': 'entfernt',
  'model.change.changed': 'geändert',
  'model.kind': 'Art',
  'model.kind.model': 'Modell',
  'model.kind.type': 'Typ',
  'model.kind.member': 'Mitglied',
  'model.kind.set': 'Menge',
  'model.kind.action': 'Aktion',
  'model.kind.function': 'Funktion',
  'model.kind.import': 'Import',
  'model.kind.code list': 'Codeliste',
  'model.kind.code': 'Code',
  'model.kind.role': 'Rolle',
  'model.element': 'Element',
  'model.steps': '{count, plural, one {# Schritt} other {# Schritte}}',
  'model.step': 'Schritt',
  'model.danger': 'Was verloren geht',
  'model.noDanger': 'nichts',
  'model.loss.values':
    'Werte von {column} in {count, plural, one {# Zeile} other {# Zeilen}} von {table}',
  'model.loss.digits':
    'Ziffern von {column} in {count, plural, one {# Zeile} other {# Zeilen}} von {table}',
  'model.loss.rows': '{count, plural, one {# Zeile} other {# Zeilen}} von {table}',
  'model.loss.links': '{count, plural, one {# Verknüpfung} other {# Verknüpfungen}} von {table}',
  'model.conflict': 'Scheitert wegen {value}: Schlüssel müssen eindeutig sein und zum Typ passen',
  'model.acceptLoss': 'Ich nehme hin, dass diese Daten verloren gehen',
  'model.confirm': 'Dieses Modell anwenden?',
  'model.interruption':
    'Der Dienst schließt zuerst die laufenden Anfragen ab. Er ist nicht verfügbar, während die Schritte laufen.',
  'model.back': 'Zurück',
  'model.apply': 'Anwenden',
  'model.applyNow': 'Jetzt anwenden',
  'model.applying':
    'Das Modell wird angewendet. Das dauert einige Sekunden, bei vielen Datensätzen Minuten.',
  'model.applied': 'Version {version} des Modells ist in Kraft.',
  'model.backup': 'Eine Sicherung der vorigen Datenbank ist in {file}.',
  'model.failed': 'Das Modell wurde nicht angewendet. Nichts hat sich geändert.',
  'model.interrupted':
    'Der Dienst wurde angehalten, bevor das Modell in Kraft war. Nichts hat sich geändert.',
} as const;
