/** What the scripts of this page say. Its other texts are written by the gateway: src/dashboard/shares/texts. */
const english = {
  download: 'Download',
  close: 'Close',
  previous: 'Previous',
  next: 'Next',
  place: (number: number, of: number) => `${number} of ${of}`,
  waits: 'waits',
  sent: 'sent',
  tooLarge: 'This file is too large.',
  lost: 'The connection was lost. Choose the file again.',
}

const german: typeof english = {
  download: 'Herunterladen',
  close: 'Schließen',
  previous: 'Zurück',
  next: 'Weiter',
  place: (number, of) => `${number} von ${of}`,
  waits: 'wartet',
  sent: 'gesendet',
  tooLarge: 'Diese Datei ist zu groß.',
  lost: 'Die Verbindung ging verloren. Wählen Sie die Datei noch einmal.',
}

const { lang } = document.documentElement

export const pageTexts = lang === 'de' ? german : english

/** The browser's variant of the language of the page. */
export const pageLocale = navigator.languages.find((tag) => tag.split('-', 1)[0] === lang) ?? lang
