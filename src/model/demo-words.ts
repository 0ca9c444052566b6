// This file holds the words of the demo data: names in several scripts, subjects and sentences of a service desk, and texts that are
// long, quoted or otherwise apt to find mistakes.

type Words = readonly [string, ...string[]];

/** Given and family names that go together, and the language of the people who bear them. */
export interface NameList {
  readonly language: string;
  readonly given: Words;
  readonly family: Words;
}

/** A word that very few descriptions have. */
export const RARE_WORD = 'heliotrope';
/** A word that one description in a hundred has. */
export const FREQUENT_WORD = 'quarterly';

export const nameLists: readonly [NameList, ...NameList[]] = [
  {
    language: 'nl',
    given: ['Anna', 'Pieter', 'Sanne', 'Daan', 'Femke', 'Joris', 'Loes', 'Bram'],
    family: ['Jansen', 'de Vries', "van 't Hoff", 'van den Berg', 'Bakker', 'Visser', 'Dijkstra'],
  },
  {
    language: 'en',
    given: ['Olivia', 'James', 'Amelia', 'Noah', 'Grace', 'William "Bill"', 'Isla', 'Leo'],
    family: ["O'Brien", "D'Angelo", 'Smith', 'Wilson-Clarke', 'Taylor', 'Walker', 'MacDonald'],
  },
  {
    language: 'de',
    given: ['Jürgen', 'Käthe', 'Björn', 'Lena', 'Günther', 'Sören', 'Heike', 'Matthias'],
    family: ['Müller', 'Groß', 'Schäfer', 'Weiß', 'Köhler', 'Strauß', 'Freiherr von Öttingen'],
  },
  {
    language: 'fr',
    given: ['Zoé', 'François', 'Léa', 'Noël', 'Chloé', 'Jérôme', 'Hélène', 'Benoît'],
    family: ['Lefèvre', "L'Hôpital", 'Garçon', 'Œuvrard', 'Dubois', 'Çelik-Martin', 'Bézier'],
  },
  {
    language: 'el',
    given: ['Ελένη', 'Γιώργος', 'Σοφία', 'Νίκος'],
    family: ['Παπαδόπουλος', 'Νικολάου', 'Γεωργίου'],
  },
  {
    language: 'ru',
    given: ['Анна', 'Дмитрий', 'Ольга', 'Фёдор'],
    family: ['Иванова', 'Достоевский', 'Щербакова'],
  },
  {
    language: 'ar',
    given: ['فاطمة', 'محمد', 'ليلى', 'يوسف'],
    family: ['الحسن', 'بن سعيد', 'المصري'],
  },
  { language: 'he', given: ['נועה', 'דוד', 'תמר'], family: ['כהן', 'לוי', 'בן־דוד'] },
  { language: 'zh', given: ['伟', '芳', '娜', '小明'], family: ['王', '李', '张', '欧阳'] },
  { language: 'ja', given: ['健', '花子', 'さくら', 'ケン'], family: ['山田', '佐藤', '髙橋'] },
  { language: 'ko', given: ['민준', '서연', '지우'], family: ['김', '이', '박'] },
  { language: 'hi', given: ['आरव', 'दीपिका', 'प्रिया'], family: ['शर्मा', 'गुप्ता', 'सिंह'] },
  { language: 'th', given: ['สมชาย', 'มาลี'], family: ['ใจดี', 'สุขสวัสดิ์'] },
  { language: 'tr', given: ['İrem', 'Işıl', 'Çağla'], family: ['Yıldız', 'Şahin', 'ığdır'] },
];

export const jobTitles: Words = [
  'Accountant',
  'Nurse',
  'Software engineer',
  'Secretary',
  'Head of department',
  'Warehouse keeper',
  'Legal adviser',
  'Teacher',
  'Buyer',
  'Receptionist',
];

export const things: Words = [
  'Printer on floor 3',
  'Laptop',
  'VPN connection',
  'E-mail',
  'Payroll application',
  'Shared drive "Finance"',
  'Telephone 4711',
  'Access badge',
  'Screen',
  'Calendar of the board',
  'Wi-Fi in room 2.14',
  'Time registration',
  'Antivirus',
  'Intranet page',
  'Scanner',
  "Customer's portal",
  'Backup of the file server',
  'Badge reader at the gate',
];

export const complaints: Words = [
  'does not start',
  'is slow since this morning',
  'asks for a password again and again',
  'shows error 0x80070005',
  'is to be moved to another room',
  'has to be replaced',
  'gives the wrong amounts',
  'cannot be reached from home',
  'was promised last week, but is not there',
  'loses its settings after every restart',
  'makes a strange noise',
  'needs more storage',
  "doesn't accept 100% of the entries",
];

/** Subjects that are written in other languages or find mistakes in quoting, searching and printing. */
export const oddSubjects: Words = [
  'Drucker im 2. Stock druckt nur noch Streifen',
  'Wachtwoord vergeten, graag opnieuw instellen',
  "L'écran reste noir après la mise à jour",
  'プリンターが動きません',
  'Не работает удалённый доступ',
  'الطابعة لا تعمل',
  '无法登录邮箱',
  "It's urgent: user can't log in, message says \"Access denied\" & 'code 5'",
  'C:\\Users\\Public\\report.xlsx cannot be opened; path has 100%_done in it',
  '<b>Bold</b> request & more; DROP TABLE requests; --',
  'Coffee machine ☕ leaks 💧 again 🙈',
  'Tab\tand "quotes" and trailing blank ',
  'ÄÖÜ äöü ß ẞ İ ı ſ ﬁ Å Å',
];

export const sentences: Words = [
  'It worked yesterday.',
  'A restart did not help.',
  'The colleague in the next room has the same problem.',
  'I am in the office until four, after that by mobile phone.',
  'Please call before you come by.',
  'This has happened three times this month.',
  'The error appears only when the document is larger than ten pages.',
  'There is a deadline on Friday, so it is rather urgent.',
  'I attach a picture of what I see.',
  "My manager has agreed; see yesterday's e-mail.",
  'Nothing was changed on our side.',
  'The old device can be taken away.',
];

export const solutions: Words = [
  'Settings corrected and tested together with the caller.',
  'Password reset; the caller can log in again.',
  'Device replaced from stock.',
  'Driver updated to the current version.',
  'Rights granted as approved by the manager.',
  'Explained over the telephone how it is done.',
  'Cable was loose.',
  'Supplier has repaired it under warranty.',
];

export const noteSubjects: Words = [
  'Called back',
  'Question to the caller',
  'Handed over to the second line',
  'Waiting for the part',
  'Answer of the supplier',
  "Caller's reply",
  'Tested',
  'Appointment made',
];

export const productNames: Words = [
  'Latitude 5440',
  'ThinkPad T14',
  'EliteDesk 800',
  'LaserJet M507',
  'Catalyst 9200',
  'PowerEdge R750',
  'iPhone 15',
  'OptiPlex 7010',
];

export const serviceNames: Words = [
  'Workplace',
  'E-mail and calendar',
  'Printing',
  'Network',
  'Remote access',
  'Telephony',
  'Payroll',
  'Finance',
  'Customer records',
  'Intranet',
  'Document management',
  'Time registration',
  'Backup and restore',
  'Server hosting',
  'Access control',
  'Meeting rooms',
  'Training',
  'Reporting',
];

export const workgroupNames: Words = [
  'Service desk',
  'Workplace support',
  'Network operations',
  'Server operations',
  'Application support',
  'Database administration',
  'Security',
  'Facilities',
  'Procurement',
  'Change advisory board',
];

/** Texts of some 4,000 and 20,000 characters. */
export const longText = paragraphs(11);
export const veryLongText = paragraphs(55);

function paragraphs(count: number): string {
  const paragraph = `${sentences.join(' ')}\r\n\r\n"Quoted text", it's said; 100 % of it — naïve, Straße, 東京.\n`;
  return paragraph.repeat(count);
}
