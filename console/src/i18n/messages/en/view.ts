// This file contains the texts of the area "view" in the language "en".

export const view = {
  'view.all': 'All: {set}',
  'view.unnamed': 'Unnamed view',
  'view.modified': 'modified',
  'view.own': 'My views',
  'view.shared': 'Shared views',
  'view.default': 'default',
  'view.saved': 'View “{name}” saved',
  'view.discard': 'Discard changes',
  'view.saveAs': 'Save as…',
  'view.edit': 'Name and sharing…',
  'view.delete': 'Delete view…',
  'view.new': 'Save as a new view',
  'view.name': 'Name',
  'view.visibleTo': 'Visible to',
  'view.makeDefault': 'Open “{set}” with this view',
  'view.deleteAsk': 'Delete the view “{name}”? No records are deleted.',
  'view.deleteShared':
    'Delete the view “{name}” for everybody who uses it? No records are deleted.',
  'view.missing':
    'This view does not exist, or it is not shared with you. The list shows all records.',
  'view.leftOut':
    'These parts of the view refer to properties that no longer exist, or that you may not see: {parts}. The list opens without them.',
  'view.scope.own': 'Only me',
  'view.scope.workgroup': 'Team {name}',
  'view.scope.role': 'Role {name}',
  'view.scope.everybody': 'Everybody',
} as const;
