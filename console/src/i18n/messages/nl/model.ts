// This file contains the texts of the area "model" in the language "nl".

export const model = {
  'model.changeModel': 'Model wijzigen',
  'model.replaces':
    'De bestanden vervangen die van versie {version}, die {author} op {applied} heeft toegepast.',
  'model.fileHint':
    'Eén bestand met CSDL JSON, of alle bestanden van een uitbreiding: *.csdl.json, CSV-tabellen, roles.json en mail.json',
  'model.files': 'Bestanden van het model',
  'model.removeFile': '{name} verwijderen',
  'model.startFrom': 'Bestanden van versie {version} toevoegen',
  'model.plan': 'Plan tonen',
  'model.mistakes':
    '{count, plural, one {Het model bevat een fout.} other {Het model bevat # fouten.}}',
  'model.same': 'Dit model is al van kracht.',
  'model.warnings': 'Waarschuwingen',
  'model.differences':
    '{count, plural, one {# verschil met het geldende model} other {# verschillen met het geldende model}}',
  'model.change': 'Wijziging',
  'model.change.added': 'toegevoegd',
  'model.change.removed': 'verwijderd',
  'model.change.changed': 'gewijzigd',
  'model.kind': 'Soort',
  'model.kind.model': 'model',
  'model.kind.type': 'type',
  'model.kind.member': 'lid',
  'model.kind.set': 'verzameling',
  'model.kind.action': 'actie',
  'model.kind.function': 'functie',
  'model.kind.import': 'import',
  'model.kind.code list': 'codelijst',
  'model.kind.code': 'code',
  'model.kind.role': 'rol',
  'model.element': 'Element',
  'model.steps': '{count, plural, one {# stap} other {# stappen}}',
  'model.step': 'Stap',
  'model.danger': 'Wat verloren gaat',
  'model.noDanger': 'niets',
  'model.loss.values':
    'Waarden van {column} in {count, plural, one {# rij} other {# rijen}} van {table}',
  'model.loss.digits':
    'Cijfers van {column} in {count, plural, one {# rij} other {# rijen}} van {table}',
  'model.loss.rows': '{count, plural, one {# rij} other {# rijen}} van {table}',
  'model.loss.links': '{count, plural, one {# koppeling} other {# koppelingen}} van {table}',
  'model.conflict': 'Mislukt door {value}: sleutels moeten uniek zijn en bij hun type passen',
  'model.acceptLoss': 'Ik accepteer dat deze gegevens verloren gaan',
  'model.confirm': 'Dit model toepassen?',
  'model.interruption':
    'De service voltooit eerst de lopende aanvragen. Hij is niet beschikbaar terwijl de stappen lopen.',
  'model.back': 'Terug',
  'model.apply': 'Toepassen',
  'model.applyNow': 'Nu toepassen',
  'model.applying':
    'Het model wordt toegepast. Dat duurt enkele seconden, of minuten bij veel records.',
  'model.applied': 'Versie {version} van het model is van kracht.',
  'model.backup': 'Een back-up van de vorige database staat in {file}.',
  'model.failed': 'Het model is niet toegepast. Er is niets gewijzigd.',
  'model.interrupted':
    'De service is gestopt voordat het model van kracht was. Er is niets gewijzigd.',
} as const;
