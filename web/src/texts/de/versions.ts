import type { VersionsTexts } from '../en/versions.ts'
import type { TextKit } from '../text-kit.ts'

export const texts = ({ count }: TextKit): VersionsTexts => ({
  deleted: {
    title: (name) => `Gelöscht aus „${name}“`,
    up: (folder) => `Aus ${folder} nach oben`,
    failure: 'Die gelöschten Dateien konnten nicht aufgelistet werden',
    more: 'Weitersuchen',
    none: 'Nichts wiederherzustellen',
    noneYet: 'Bisher nichts gefunden',
    text: 'Gelöschte Dateien stehen hier, solange der Bucket eine Version von ihnen behält.',
    objects: (n) => count(n, { one: 'Objekt', other: 'Objekte' }),
    detail: (amount) => `${amount}, gelöscht <age>Zeit</age>`,
    restoreOf: (name) => `${name} wiederherstellen`,
    restore: 'Wiederherstellen',
    deleteOf: (name) => `${name} endgültig löschen`,
    deleteAsk: 'Endgültig löschen?',
    fileText: (name) =>
      `Alle Versionen von ${name} werden gelöscht. Sie lassen sich danach nicht wiederherstellen.`,
    folderText: (name) =>
      `Alle Versionen dessen, was aus ${name} gelöscht wurde, werden gelöscht. Sie lassen sich danach nicht wiederherstellen.`,
  },
  delete: 'Endgültig löschen',
  title: 'Versionen',
  failure: 'Die Versionen konnten nicht geladen werden',
  showOf: (time) => `Version vom ${time} anzeigen`,
  restoreFailure: 'Die Version konnte nicht wiederhergestellt werden',
  deleteFailure: 'Die Version konnte nicht gelöscht werden',
  downloadOf: (time) => `Version vom ${time} herunterladen`,
  restoreOf: (time) => `Version vom ${time} wiederherstellen`,
  deleteOf: (time) => `Version vom ${time} endgültig löschen`,
  deleteAsk: 'Diese Version endgültig löschen?',
  deleteText: (time, name, size) =>
    `Die Version von ${name} vom ${time} (${size}) lässt sich danach nicht wiederherstellen. Die anderen Versionen bleiben.`,
  marker: 'Gelöscht',
  current: 'aktuell',
  lockedUntil: (time) => `gesperrt bis ${time}`,
  legalHold: 'Legal Hold',
  restored: 'Die Version wurde wiederhergestellt.',
})
