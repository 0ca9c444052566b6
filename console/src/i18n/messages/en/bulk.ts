// This file contains the texts of the area "bulk" in the language "en".

export const bulk = {
  'bulk.selection': 'Selection',
  'bulk.selected': '{count, plural, one {# selected} other {{shown} selected}}',
  'bulk.allSelected': 'All that match are selected',
  'bulk.selectAll': 'Select all that match',
  'bulk.tooMany': 'Select at most {most} single rows, or all that match.',
  'bulk.clear': 'Clear selection',
  'bulk.edit': 'Edit selection',
  'bulk.property': 'Property',
  'bulk.try': 'Check',
  'bulk.trying': 'Checking: {done} of {of}',
  'bulk.running': 'Changing: {done} of {of}',
  'bulk.progress': 'Progress',
  'bulk.tried':
    '{fine, plural, one {# record can} other {# records can}} be changed, {failed} cannot.',
  'bulk.run': '{fine, plural, one {Change # record} other {Change # records}}',
  'bulk.failure': '{message} ({count, plural, one {# record} other {# records}})',
  'bulk.finished':
    '{changed} changed, {failed} failed, {left} not tried. Records that failed or were not tried stay selected.',
  'bulk.saveFailures': 'Save failures as CSV',
  'bulk.export': 'Export',
  'bulk.exporting': '{size} kB · Cancel',
  'bulk.csvShown': 'CSV, visible columns',
  'bulk.xlsxShown': 'Excel, visible columns',
  'bulk.csvAll': 'CSV, all columns',
  'bulk.xlsxAll': 'Excel, all columns',
} as const;
