import type { VisitorTexts } from './en.ts'

const askSender = 'Bitten Sie die Person, die ihn geschickt hat, um einen neuen Link.'

export const de: VisitorTexts = {
  language: 'de',
  locale: 'de',
  footer: 'Geteilt mit Bucketry',
  refusals: {
    unknown: {
      title: 'Diesen Link gibt es nicht',
      text: `Prüfen Sie, ob die Adresse vollständig ist. ${askSender}`,
    },
    revoked: { title: 'Dieser Link ist beendet', text: askSender },
    expired: { title: 'Dieser Link ist abgelaufen', text: askSender },
    used: {
      title: 'Dieser Link ist aufgebraucht',
      text: `Er konnte nur eine begrenzte Zahl von Malen verwendet werden. ${askSender}`,
    },
    missing: {
      title: 'Diese Datei ist nicht mehr hier',
      text: 'Sie wurde verschoben oder gelöscht. Fragen Sie die Person, die den Link geschickt hat.',
    },
    full: {
      title: 'Dieser Link nimmt keine weiteren Dateien an',
      text: 'Seine Grenze ist erreicht. Fragen Sie die Person, die ihn geschickt hat.',
    },
    large: { title: 'Diese Datei ist zu groß', text: 'Senden Sie eine kleinere.' },
    type: {
      title: 'Dieser Dateityp wird hier nicht angenommen',
      text: 'Die Seite des Links nennt die erlaubten Typen.',
    },
    length: { title: 'Die Größe der Datei fehlt', text: 'Senden Sie Content-Length.' },
    name: {
      title: 'Dieser Name kann nicht verwendet werden',
      text: 'Benennen Sie die Datei um und versuchen Sie es noch einmal.',
    },
    taken: {
      title: 'Eine andere Datei hat diesen Namen belegt',
      text: 'Senden Sie die Datei noch einmal.',
    },
    guesses: {
      title: 'Zu viele falsche Passwörter',
      text: 'Warten Sie eine Viertelstunde und versuchen Sie es dann noch einmal.',
    },
    busy: {
      title: 'Zu viele Anfragen',
      text: 'Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
    },
    locked: {
      title: 'Dieser Link hat ein Passwort',
      text: 'Geben Sie es zuerst auf seiner Seite ein.',
    },
    form: {
      title: 'Das Passwort konnte nicht gelesen werden',
      text: 'Öffnen Sie den Link noch einmal und geben Sie das Passwort ein.',
    },
    method: { title: 'Das ist hier nicht möglich', text: 'Öffnen Sie den Link in einem Browser.' },
    away: {
      title: 'Dieser Link funktioniert gerade nicht',
      text: 'Versuchen Sie es in einer Minute noch einmal.',
    },
  },
  sharedLink: 'Geteilter Link',
  sharedFile: 'Geteilte Datei',
  sharedFiles: 'Geteilte Dateien',
  sharedFolder: 'Geteilter Ordner',
  download: 'Herunterladen',
  downloadAll: 'Alle herunterladen',
  openInTab: 'In neuem Tab öffnen',
  nextPage: 'Nächste Seite',
  firstPage: 'Die erste von mehreren Seiten',
  emptyFolder: 'Dieser Ordner ist leer',
  filesGone: 'Diese Dateien wurden verschoben oder gelöscht',
  parents: 'Übergeordnete Ordner',
  bytes: (count) => `${count} Byte`,
  folders: (count) => `${count} Ordner`,
  files: (count) => (count === 1 ? '1 Datei' : `${count} Dateien`),
  items: (count) => (count === 1 ? '1 Element' : `${count} Elemente`),
  downloadsLeft: (count) => `noch ${count === 1 ? '1 Download' : `${count} Downloads`}`,
  until: 'bis',
  wrongPassword: 'Falsches Passwort',
  passwordNeeded: 'Passwort nötig',
  protectedLink: 'Geschützter Link',
  enterPassword: 'Passwort eingeben',
  passwordSet: 'Die Person, die Ihnen diesen Link geschickt hat, hat ein Passwort gesetzt.',
  password: 'Passwort',
  tryPasswordAgain: 'Dieses Passwort ist falsch. Versuchen Sie es noch einmal.',
  continue: 'Weiter',
  uploadLink: 'Upload-Link',
  sendTo: 'Dateien senden an',
  needsScript: 'Zum Senden von Dateien ist JavaScript nötig.',
  chooseFiles: 'Dateien auswählen oder hierher ziehen',
  only: (types) => `Nur ${types}`,
  upTo: (size) => `je bis ${size}`,
  left: (size) => `noch ${size}`,
  filesLeft: (count) => `noch ${count === 1 ? '1 Datei' : `${count} Dateien`}`,
  othersCannotSee: 'Andere mit diesem Link sehen nicht, was Sie senden',
}
