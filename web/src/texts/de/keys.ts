import type { KeysTexts } from '../en/keys.ts'
import type { TextKit } from '../text-kit.ts'

export const texts = ({ number, count }: TextKit): KeysTexts => ({
  secretKey: 'Geheimer Schlüssel',
  grant: {
    bucket: 'Bucket',
    allBuckets: 'Alle Buckets, auch neue',
    prefix: 'Nur Namen, die beginnen mit',
    allKeys: 'alle Namen',
    rights: 'Rechte',
    choose: 'Auswählen …',
    actions: 'Aktionen',
  },
  dialog: {
    name: 'Name',
    mayUse: 'Darf verwenden',
    grant: (n) => `Berechtigung ${number(n)}`,
    addGrant: 'Weitere Berechtigung',
    note: 'Notiz',
    validUntil: 'Gültig bis',
    requestsPerSecond: 'Anfragen pro Sekunde',
    noLimit: 'unbegrenzt',
    storage: 'Speicher in GiB',
    limitsText:
      'Die Grenze für Anfragen gilt für jeden Prozess des Dienstes. Speicher ist die ungefähre Gesamtgröße der Buckets. In einem noch nicht gezählten Bucket zählen nur neue Dateien.',
  },
  change: (name) => `${name} ändern`,
  keyOf: (name) => `Zugriffsschlüssel von ${name}`,
  noRights: 'Keine Rechte',
  neverUsed: 'nie verwendet',
  used: 'verwendet <age>Zeit</age>',
  expires: ', läuft <age>Zeit</age> ab',
  perSecond: (n) => `, ${count(n, { one: 'Anfrage', other: 'Anfragen' })} pro Sekunde`,
  gib: (size) => `, ${size} GiB`,
  changeFailure: (name) => `${name} konnte nicht geändert werden`,
  isActive: (name) => `${name} ist aktiv`,
  revoke: 'Widerrufen',
  replaceSecret: 'Geheimnis ersetzen',
  revokeFailure: (name) => `${name} konnte nicht widerrufen werden`,
  revokeAsk: (name) => `${name} widerrufen?`,
  revokeAction: 'Schlüssel widerrufen',
  revokeText: (name) =>
    `Apps, die <b>${name}</b> verwenden, und damit signierte Links funktionieren nach einer Sekunde nicht mehr, oder nach einer Minute, wenn die Datenbank nicht antwortet. Das lässt sich nicht rückgängig machen.`,
  actions: {
    list: {
      label: 'Auflisten',
    },
    read: {
      label: 'Lesen',
    },
    add: {
      label: 'Neue Dateien hinzufügen',
      more: 'Kann vorhandene Dateien nicht ersetzen oder ändern',
    },
    write: {
      label: 'Schreiben',
      more: 'Kann auch vorhandene Dateien ersetzen',
    },
    delete: {
      label: 'Löschen',
      more: 'Wo Versionen eingeschaltet sind, bleiben sie',
    },
    readVersions: {
      label: 'Versionen lesen',
      more: 'Auflisten und lesen, was ersetzt oder gelöscht wurde',
    },
    deleteVersions: {
      label: 'Versionen löschen',
      more: 'Endgültig',
    },
    locks: {
      label: 'Sperren umgehen',
      more: 'GOVERNANCE-Sperren und Legal Holds entfernen',
    },
    manage: {
      label: 'Bucket verwalten',
      more: 'Anlegen und entfernen; CORS- und Ablaufregeln setzen, die alle Dateien löschen können',
    },
  },
  sets: {
    read: 'Auflisten und lesen',
    add: 'Auflisten, lesen und neue Dateien hinzufügen',
    write: 'Auflisten, lesen, schreiben und löschen',
    all: 'Alles',
  },
  allBuckets: 'Alle Buckets',
  badges: {
    unusable: 'nicht nutzbar',
    rotating: 'altes Geheimnis noch gültig',
    environment: 'aus ACCESS_KEYS',
    disabled: 'ausgeschaltet',
    expired: 'abgelaufen',
  },
  title: 'App-Schlüssel',
  text: 'Geben Sie jeder App einen eigenen Schlüssel, der nur kann, was die App braucht.',
  listTitle: 'Schlüssel',
  textHelp: 'Der Hauptschlüssel, ACCESS_KEY in den Einstellungen, darf alles.',
  create: 'Schlüssel anlegen',
  failure: 'Die App-Schlüssel konnten nicht geladen werden',
  newKey: 'Neuer App-Schlüssel',
  none: 'Noch keine Schlüssel',
  createFirst: 'Ersten Schlüssel anlegen',
  noneText:
    'Ein Schlüssel ist auf Buckets, Ordner und Aktionen beschränkt und lässt sich abschalten oder widerrufen, ohne andere Apps zu berühren.',
  rotate: {
    notAtAll: 'gar nicht',
    hour: 'eine Stunde',
    day: 'einen Tag',
    week: 'eine Woche',
    month: '30 Tage',
    failure: (name) => `Das Geheimnis von ${name} konnte nicht ersetzt werden`,
    ask: (name) => `Geheimnis von ${name} ersetzen?`,
    text: 'Die ID des Schlüssels bleibt. Geben Sie der App das neue Geheimnis, solange das alte noch gilt.',
    oldStays: 'Das alte Geheimnis bleibt gültig',
  },
  createAction: 'Schlüssel anlegen',
  accessKey: 'Zugriffsschlüssel',
})
