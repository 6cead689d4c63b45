import type { SettingsTexts } from '../en/settings.ts'
import type { TextKit } from '../text-kit.ts'

const topics: Readonly<Record<string, string>> = {
  'S3 and access': 'S3 und Zugriff',
  Storage: 'Speicher',
  'Logs and metrics': 'Protokolle und Metriken',
  'Event notifications': 'Benachrichtigungen über Ereignisse',
  Models: 'Modelle',
}

export const texts = ({ count }: TextKit): SettingsTexts => ({
  language: {
    title: 'Sprache',
    automatic: 'Wie der Browser',
    text: 'Gilt für diesen Browser, auch für Datum und Zahlen.',
    waiting: 'Laden Sie die Seite neu, wenn die Übertragungen in diesem Tab fertig sind.',
  },
  about: {
    title: 'Info',
    version: 'Version',
    runningFor: 'Laufzeit',
    api: 'API des Dashboards',
    documentation: 'Dokumentation',
    backup: 'Datenbank und erzeugte Einstellungen sichern',
    backupCommand: 'Sicherungsbefehl',
    backupText:
      'Führen Sie den Befehl dort aus, wo das Gateway läuft; es kann weiterlaufen. Dateien sind nicht enthalten: Sichern Sie auch das Laufwerk.',
  },
  changed: {
    title: 'Im Dashboard geändert',
    text: 'Diese Einstellungen stehen in der Datenbank, wirken sofort und gelten für jedes Gateway, das sie teilt.',
    public: 'öffentlich',
    quota: 'mit Speichergrenze',
    origins: 'mit CORS-Regeln',
    expiry: 'mit Lebenszyklus-Regeln',
    buckets: 'Buckets',
    keys: 'App-Schlüssel',
    connections: 'Modell-Verbindungen',
    created: 'angelegt',
    none: 'keine',
    keyCount: (n) => count(n, { one: 'Schlüssel', other: 'Schlüssel' }),
    connectionCount: (n) => count(n, { one: 'Verbindung', other: 'Verbindungen' }),
  },
  title: 'Einstellungen',
  startup: {
    title: 'Start-Einstellungen',
    topic: (name) => topics[name] ?? name,
    searchLabel: 'Einstellungen durchsuchen',
    search: 'Suchen',
    hideDefaults: 'Standardwerte ausblenden',
    showDefaults: 'Standardwerte anzeigen',
    text: 'Sie werden beim Start des Gateways gelesen: Ändern Sie sie in seiner Umgebung oder in bucketry.env und starten Sie es neu.',
    failure: 'Die Einstellungen konnten nicht geladen werden',
    allDefault: 'Alle Einstellungen haben ihre Standardwerte.',
    noMatch: (text) => `Keine Einstellung enthält „${text}“.`,
    hidden: 'gesetzt, nicht angezeigt',
    notSet: 'nicht gesetzt',
    sources: {
      default: 'Standard',
      environment: 'Umgebung',
      file: 'bucketry.env',
    },
    ofDrive: 'Für das Laufwerk dieses Namens.',
  },
  signIn: {
    title: 'Anmeldung',
    failure: 'Die Sitzungen konnten nicht beendet werden',
    everywhere: 'Überall abmelden',
    everywhereAsk: 'Überall abmelden?',
    everywhereText:
      'Jeder Browser muss sich neu anmelden, auch dieser. Uploads in deren Tabs warten so lange. App-Schlüssel und Freigaben funktionieren weiter.',
    text: 'Das Passwort wird dort gesetzt, wo das Gateway gestartet wird. Ein neues meldet alle ab.',
    textInFile: 'Ein neues Passwort meldet alle ab.',
    inFile: (file) => `Es ist DASHBOARD_PASSWORD in ${file}.`,
    change: 'Passwort ändern',
    present: 'Aktuelles Passwort',
    changed: 'Das Passwort ist geändert. Melden Sie sich mit dem neuen an.',
    next: 'Neues Passwort',
    nextHint: '8 Zeichen oder mehr. Von nun an melden sich alle damit an.',
    inEnvironment:
      'Setzen Sie DASHBOARD_PASSWORD in der Umgebung neu und starten Sie das Gateway neu.',
  },
})
