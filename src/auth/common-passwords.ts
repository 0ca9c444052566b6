// Recognizes common passwords: common words alone, repeated, or decorated with digits, punctuation and look-alike characters, and keyboard
// sequences. Lists of leaked passwords contain little else at the required length.
// NIST SP 800-63B, "Memorized Secret Verifiers": commonly used, expected or compromised values are rejected.

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Words that are passwords by themselves in leaked lists. */
const WORDS = `abcdef abcdefgh abcdefghijkl access account adidas admin administrator adobe alexander america amanda andrea andrew angel
  anthony apple arsenal ashley asdf asdfgh asdfghjkl august babygirl bailey banana barcelona baseball basketball batman beautiful
  birthday blessed blink buster butterfly changeme charlie cheese chelsea chocolate christmas computer cookie correcthorsebatterystaple
  daniel december default demo diamond docket dolphin dragon elizabeth england everton family february ferrari flower football forever
  freedom friday friends george ginger google guest hannah happy harley hello helpdesk holiday hunter iloveyou internet isabella
  january jasmine jennifer jessica jesus jordan joseph joshua july justin killer letmein lifehack linkedin liverpool login london lovely
  loveyou maggie manager manchester march marina master matrix matthew mercedes michael michelle microsoft mississippi monday money monkey
  mustang mypassword naruto natalie newyork nicole nintendo november october office olivia orange pass passphrase passw passwd password
  passwort pepper phoenix pokemon princess private purple qazwsx qazwsxedc qwer qwerty qwertyui qwertyuiop qwertz qwertzuiop rainbow
  ranger robert rockyou root samantha samsung saturday secret security september server service servicedesk shadow silver slayer snoopy
  soccer something spiderman spring staple starwars steelers summer sunday sunshine superman superuser support sweet sysadmin system
  temp temporary test tester testing thomas thunder thursday tigger tinkerbell trustno tuesday user vanessa victoria wachtwoord
  wednesday welcome welkom whatever william willkommen winter winner yankees yellow zaq zxcvbn zxcvbnm`;

const BLOCKED: ReadonlySet<string> = new Set(WORDS.split(/\s+/));

const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
];
const ROW_LENGTH = 5;

/** Whether the password is common. */
export function isCommon(password: string): boolean {
  const lower = password.toLowerCase().replace(/[\s._-]+/g, '');
  const bare = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const candidates = [
    lower,
    bare,
    unmasked(lower),
    unmasked(bare),
    unmasked(lower).replace(/[^a-z]+/g, ''),
  ];
  return candidates.some(isWords) || isRows(lower);
}

function unmasked(text: string): string {
  return [...text].map((letter) => LOOK_ALIKES[letter] ?? letter).join('');
}

/** Whether the text is a common word, any repetition, or two common words. */
function isWords(text: string): boolean {
  if (text === '') return false;
  if (BLOCKED.has(text)) return true;
  for (let length = 1; length <= text.length / 2; length++) {
    const [head, tail] = [text.slice(0, length), text.slice(length)];
    if (text.length % length === 0 && head.repeat(text.length / length) === text) return true;
    if (BLOCKED.has(head) && BLOCKED.has(tail)) return true;
  }
  return [...BLOCKED].some((word) => text.startsWith(word) && BLOCKED.has(text.slice(word.length)));
}

/** Whether the text consists of sequences on the keyboard, in the alphabet or of digits, in either direction. */
function isRows(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const length = rowAt(text.slice(at));
    if (length < ROW_LENGTH) return false;
    at += length;
  }
  return true;
}

function rowAt(text: string): number {
  const rows = ROWS.flatMap((row) => [row, [...row].reverse().join('')]);
  return Math.max(
    ...rows.map((row) => {
      let length = 1;
      while (length < text.length && row.includes(text.slice(0, length + 1))) length++;
      return length;
    }),
  );
}
