import type { FileEditTexts } from '../en/file-edit.ts'
import type { TextKit } from '../text-kit.ts'

export const texts = ({ count, number }: TextKit): FileEditTexts => ({
  editing: (what) => `Bearbeiten von ${what}`,
  text: 'Jede Datei wird auf dem Laufwerk auf sich selbst kopiert. Inhalt und Tags bleiben. Das Datum wird auf jetzt gesetzt, auch für Regeln, die nach Alter löschen. Das ETag einer in Teilen hochgeladenen Datei ändert sich.',
  title: (what) => `Metadaten von ${what} bearbeiten`,
  readOnly: (bucket) =>
    `Der Bucket ${bucket} ist schreibgeschützt. Entfernen Sie ihn oder sein Laufwerk aus READ_ONLY und starten Sie das Gateway neu.`,
  hasChanged:
    'Sie hat sich seit der Anzeige geändert. Prüfen Sie sie und bearbeiten Sie sie dann noch einmal.',
  isGone: 'Es gibt sie nicht mehr.',
  job: {
    failed: (text, why) =>
      `Angehalten. ${text} ${why} Zum Fortsetzen versuchen Sie es noch einmal.`,
    stopped: (text) => `Angehalten. ${text}`,
    dots: 'Ihr Pfad enthält „.“ oder „..“.',
    changed: (n) => `${count(n, { one: 'Datei', other: 'Dateien' })} geändert`,
    same: (count) => `${count} hatten diese Werte schon`,
    skipped: (count) => `${count} nicht geändert`,
  },
  editor: {
    changed: 'Die Datei hat sich geändert.',
    tooLarge: (size) =>
      `Hier lassen sich Texte bis 1 MiB bearbeiten. Dieser hat ${size}: Laden Sie ihn herunter, bearbeiten Sie ihn und laden Sie ihn wieder hoch.`,
    compressed: (encoding) =>
      `Die Datei ist komprimiert gespeichert (${encoding}) und lässt sich hier nicht bearbeiten.`,
    noText: 'Das ist kein Text in UTF-8 oder UTF-16.',
    copyName: (stem, number, extension) => `${stem} (meine Änderungen${number})${extension}`,
    namesTaken: 'Alle Namen für eine Kopie sind vergeben.',
    loading: 'Text wird geladen',
    cannot: 'Die Datei lässt sich nicht bearbeiten',
    unsaved: 'Nicht gespeichert',
    saved: 'Gespeichert',
    lineEnds: 'Die Zeilen dieser Datei enden verschieden. Nach dem Speichern enden alle gleich.',
    textOf: (name) => `Text von ${name}`,
    copied: (name) => `Ihr Text wurde als ${name} gespeichert.`,
  },
  clash: {
    deleted: 'Die Datei wurde gelöscht',
    changed: 'Jemand anderes hat die Datei geändert',
    deletedText:
      'Sie wurde verschoben oder gelöscht, nachdem Sie sie geöffnet haben. Ihr Text ist noch nicht gespeichert.',
    changedText:
      'Sie wurde neu gespeichert, nachdem Sie sie geöffnet haben. Ihr Text ist noch nicht gespeichert.',
    copy: 'Meinen Text als Kopie speichern',
    create: 'Meinen behalten: Datei neu anlegen',
    replace: 'Meinen behalten: den anderen ersetzen',
    take: 'Den anderen nehmen: meinen verwerfen',
  },
  discard: {
    title: 'Änderungen verwerfen?',
    action: 'Verwerfen',
    dismiss: 'Weiter bearbeiten',
    text: 'Der Text hat Änderungen, die nicht gespeichert sind.',
  },
  form: {
    unread:
      'Ihre Metadaten sind nicht lesbar, weil die Datenbank nicht antwortet. Versuchen Sie es später noch einmal.',
    nameless:
      'Sie hat Metadaten ohne Namen, die verloren gingen. Laden Sie sie mit einem S3-Client neu hoch.',
    tooLarge: (bytes) =>
      `Namen und Werte zusammen sind auf 2.048 Byte begrenzt. Diese haben ${number(bytes)}.`,
    asciiName:
      'Verwenden Sie ASCII. Andere Buchstaben in einem Dateinamen schreiben Sie nach filename*=UTF-8’’ mit Prozentkodierung.',
    ascii: 'Verwenden Sie Buchstaben, Ziffern und Zeichen aus ASCII.',
    type: 'Geben Sie Typ und Untertyp an, zum Beispiel image/jpeg oder text/plain; charset=utf-8.',
    noName: 'Geben Sie einen Namen ein.',
    nameCharacters: 'Verwenden Sie Buchstaben, Ziffern, Bindestriche und Punkte.',
    nameTaken: 'Dieser Name ist schon vergeben.',
    hint: {
      type: 'Was die Datei ist, zum Beispiel image/jpeg.',
      cache: 'Wie lange Browser sie behalten dürfen, zum Beispiel public, max-age=3600.',
      disposition:
        'Ob Browser sie zeigen oder speichern, zum Beispiel attachment; filename="a.pdf".',
      encoding: 'Wie ihre Bytes komprimiert sind, zum Beispiel gzip; leer, wenn sie es nicht sind.',
    },
    many: 'Wählen Sie, was für alle Dateien gesetzt wird, auch für die in Ordnern. Alles andere bleibt bei jeder Datei, wie es ist.',
    metadata: 'Eigene Metadaten (x-amz-meta-…)',
    add: 'Metadaten hinzufügen',
    emptyNone: (hint) => `${hint} Leer: keine Angabe.`,
    change: (name) => `${name} ändern`,
    what: 'Was geschehen soll',
    set: 'Setzen',
    remove: 'Entfernen',
    name: 'Name',
    value: 'Wert',
    removeTag: (name) => `Tag ${name} entfernen`,
    removeLine: (name) => `Zeile ${name} entfernen`,
    line: (name) => `Metadaten ${name}`,
    tag: (name) => `Tag ${name}`,
  },
  tags: {
    title: 'Tags',
    most: (n) => `Eine Datei kann höchstens ${n} Tags haben.`,
    add: 'Tag hinzufügen',
    notSaved:
      'Die Tags wurden nicht gespeichert. Das Gateway behält Tags mit COMPATIBILITY=aws, auf einem Laufwerk, das sie ändern kann.',
    reserved: 'Namen, die mit aws: beginnen, sind reserviert.',
    longName: 'Ein Name kann höchstens 128 Zeichen haben.',
    longValue: 'Ein Wert kann höchstens 256 Zeichen haben.',
    characters: 'Verwenden Sie Buchstaben, Ziffern, Leerzeichen und . : / = + - @ _',
  },
})
