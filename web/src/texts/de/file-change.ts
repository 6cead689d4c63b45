import type { FileChangeTexts } from '../en/file-change.ts'
import type { TextKit } from '../text-kit.ts'

export const texts = ({ count, list }: TextKit): FileChangeTexts => ({
  delete: {
    ask: (what) => `${what} löschen?`,
    more: (count) => `und ${count} weitere`,
    counting: 'Inhalt wird gezählt …',
    notCounted: 'Der Inhalt konnte nicht gezählt werden.',
    objects: (n) => count(n, { one: 'Objekt', other: 'Objekte' }),
    total: (objects, size) => `${objects}, insgesamt ${size}.`,
    totalMore: (objects, size) => `Mehr als ${objects}, insgesamt ${size}.`,
    permanently: 'Endgültig löschen',
    action: 'Löschen',
    file: (name) => `„${name}“`,
    all: (counts) => list(counts),
    folder: (name) => `Ordner „${name}“`,
  },
  deletion: {
    versions:
      'Es bleibt im Verlauf dieses Buckets. Mit „Gelöschtes anzeigen“ können Sie es wiederherstellen.',
    suspended:
      'In diesem Bucket sind Versionen angehalten: Was seither geschrieben wurde, wird endgültig gelöscht. Versionen von davor lassen sich mit „Gelöschtes anzeigen“ wiederherstellen.',
    drive:
      'Gelöschte Dateien kommen in den Papierkorb von Google Drive. Dort können Sie sie wiederherstellen.',
    server:
      'Nextcloud und ownCloud behalten gelöschte Dateien in ihrem Papierkorb, wenn er eingeschaltet ist. Andere WebDAV-Server löschen sie meist endgültig.',
    permanent: 'Dateien werden endgültig gelöscht. Das lässt sich nicht rückgängig machen.',
    unknown: 'Das lässt sich vielleicht nicht rückgängig machen.',
  },
  move: {
    up: 'Einen Ordner nach oben',
    manyFolders:
      'Dieser Ordner enthält mehr, als gezeigt wird. Geben Sie den Pfad eines anderen ein.',
    noFolders: 'Dieser Ordner enthält keine Ordner.',
    copy: 'Kopieren',
    move: 'Verschieben',
    copyTitle: (what) => `${what} kopieren`,
    moveTitle: (what) => `${what} verschieben`,
    folder: 'Ordner',
    hint: 'Wählen Sie unten einen Ordner oder geben Sie einen Pfad ein. Ein neuer Ordner wird angelegt.',
    top: 'Oberste Ebene des Buckets',
    bucket: 'Bucket',
  },
  create: {
    folder: 'Neuer Ordner',
    folderHint: 'Mit Schrägstrichen wird jede Ebene angelegt: 2026/sommer',
    file: 'Neue Textdatei',
    fileHint: 'Ohne Endung wird „.txt“ angehängt.',
    name: 'Name',
    folderExists: 'Einen Ordner mit diesem Namen gibt es schon.',
    action: 'Anlegen',
    withSpaces: 'Mit Leerzeichen anlegen',
  },
  fileExists: 'Eine Datei mit diesem Namen gibt es schon.',
  tooLong: 'Der Pfad ist zu lang.',
  rename: {
    title: (name) => `„${name}“ umbenennen`,
    name: 'Neuer Name',
    mergeText:
      'Einen Ordner mit diesem Namen gibt es schon. Der Inhalt dieses Ordners wird dorthin verschoben. Bevor eine Datei ersetzt wird, werden Sie gefragt.',
    failure: 'Der Ordner konnte nicht umbenannt werden',
    action: 'Umbenennen',
    withSpaces: 'Mit Leerzeichen umbenennen',
    merge: 'Zusammenführen',
  },
  links: {
    views: (n) =>
      `${count(n, { one: 'Link führt hierher und behält', other: 'Links führen hierher und behalten' })} den alten Pfad, an dem Besucher das nicht mehr finden.`,
    drops: (n) =>
      `${count(n, { one: 'Upload-Link führt hierher und behält', other: 'Upload-Links führen hierher und behalten' })} den alten Pfad: Was Besucher senden, legt diesen Ordner wieder an.`,
  },
  spaces: 'Leerzeichen am Anfang oder Ende',
  removeSpaces: 'Leerzeichen entfernen',
  name: {
    none: 'Geben Sie einen Namen ein.',
    slash: 'Ein Name kann keinen Schrägstrich enthalten. Den Ordner ändern Sie mit Verschieben.',
    dots: 'Browser können keinen Pfad mit „.“ oder „..“ öffnen.',
    invalid: 'Der Name enthält ein ungültiges Zeichen.',
    levels: 'Geben Sie vor und nach jedem Schrägstrich einen Namen ein.',
  },
})
