// This file finds SQL that only SQLite understands in the strings of a source file. Such SQL belongs in the SQLite dialect, behind its
// interface, so that another database needs nothing but another dialect.

/** Where the SQL of a single database belongs. */
const DIALECT_FILES = /^(?:sql\/dialect|store)\/(?:sqlite|postgres)/;

/** What a string must not contain, and what to write instead. */
const IDIOMS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bjson(?:b?_\w+)?\(/, 'dialect.json'],
  [/ ->>? |\bfullkey\b/, 'dialect.json.member'],
  [/\bLIMIT -1\b/, 'dialect.unlimited'],
  [/^'NaN'$|\b9e999\b/, 'dialect.literal.nan'],
  [/\bx''/, 'dialect.literal.emptyBinary'],
  [/\b(?:ON|WHERE|AND|OR|NOT|WHEN) \(?[01]\b(?! (?:[=<>]|PRECEDING))/, 'dialect.literal'],
  [/\bIS (?:NOT )?(?!NULL\b|NOT\b|TRUE\b|FALSE\b)[\w"?]/, 'dialect.values.same'],
  [/\b(?:min|max)\([^()]*(?:\([^()]*\)[^()]*)*,/, 'CASE or a comparison'],
  [/\bsubstr\([^()]*, ?-/, 'dialect.values.padded'],
  [/\b(?:SELECT|AND|OR|WHERE) \+"/, 'coalesce'],
  [
    /\b(?:instr|glob|hex|unhex|iif|ifnull|typeof|printf|format|total|randomblob|zeroblob)\(/,
    'dialect',
  ],
  [/\b(?:group_concat|string_agg)\(/, 'dialect.json.concatRows'],
  [/\b(?:julianday|strftime|unixepoch|datetime)\(/, 'dialect.values'],
  [/\b(?:last_insert_rowid|total_changes|changes)\(/, 'the driver'],
  [/\bdocket_[a-z_]+\(/, 'dialect.functions'],
  [/\browid\b/, 'the primary key'],
  [/\bsqlite_\w+|\bPRAGMA\b|\bpragma_\w+/, 'the driver'],
  [/\bAUTOINCREMENT\b|\bWITHOUT ROWID\b|\bSTRICT\b/, 'dialect.schema'],
  [/\bINSERT OR\b|\bREPLACE INTO\b|\bUPDATE OR\b|\bINDEXED BY\b/, 'ON CONFLICT or nothing'],
  [/\bCOLLATE\b|\bGLOB\b|\bREGEXP\b/, 'dialect.values'],
  [/\bMATCH\b|\bfts5\b/, 'dialect.text'],
  [/\bAS (?:real|REAL)\b/, 'dialect.values.cast'],
  [
    /\b(?:INTEGER|TEXT|BLOB|REAL) (?:NOT NULL|PRIMARY KEY|UNIQUE)\b|" (?:INTEGER|TEXT|BLOB|REAL)\b/,
    'dialect.columnTypes',
  ],
  [/(?:[=<>(,+]|\bLIMIT|\bOFFSET) ?\?(?:[\s,)]|$)/, 'ARGUMENT'],
];

/** A template string of the tag `sql`, by its pieces of text. */
export interface SqlTemplate {
  readonly pieces: readonly string[];
}

/** What a whole template must not be, or what must not precede an interpolated value. */
/** A sub-select in FROM without an alias: PostgreSQL requires one before version 16. `…` stands for an inserted fragment. */
const WITHOUT_ALIAS =
  /\b(?:FROM|JOIN) \((?:SELECT\b[^()]*|…[^()]*)\)(?! (?:AS )?(?:…|"\w+"|(?!WHERE|GROUP|ORDER|LIMIT|LEFT|JOIN|UNION|ON\b)\w+))/;

function templateIdioms({ pieces }: SqlTemplate): readonly string[] {
  const found: string[] = [];
  if (pieces.length === 1 && /^[01]$/.test(pieces[0] ?? ''))
    found.push('dialect.literal or integer');
  if (pieces.some((piece) => /\b(?:FROM|JOIN|INTO|UPDATE) "?docket_/.test(piece)))
    found.push('tableName()');
  if (pieces.slice(0, -1).some((piece) => /\bIS (?:NOT )?$/.test(piece)))
    found.push('dialect.values.same');
  if (WITHOUT_ALIAS.test(pieces.join('…'))) found.push('an alias of the subquery');
  return found;
}

/** SQLite's SQL in the strings of a file, each as a message. */
export function sqliteIdioms(
  file: string,
  strings: readonly string[],
  templates: readonly SqlTemplate[],
): readonly string[] {
  if (DIALECT_FILES.test(file)) return [];
  const message = (what: string, instead: string) => `contains ${what}: use ${instead}`;
  const inStrings = strings.flatMap((text) =>
    IDIOMS.flatMap(([pattern, instead]) => {
      const [what] = pattern.exec(text) ?? [];
      return what === undefined ? [] : [message(JSON.stringify(what), instead)];
    }),
  );
  const inTemplates = templates.flatMap((template) =>
    templateIdioms(template).map((instead) =>
      message(JSON.stringify(template.pieces.join('…').slice(0, 60)), instead),
    ),
  );
  return [...inStrings, ...inTemplates];
}
