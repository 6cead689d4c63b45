import type { TextKit } from '../text-kit.ts'

export const texts = ({ count }: TextKit) => ({
  language: {
    title: 'Language',
    automatic: 'As the browser',
    text: 'For this browser. Dates and numbers follow it.',
    waiting: 'Reload the page when the transfers of this tab are finished.',
  },
  about: {
    title: 'About',
    version: 'Version',
    runningFor: 'Running for',
    api: 'API of the dashboard',
    documentation: 'Documentation',
    backup: 'Back up the database and the generated settings',
    backupCommand: 'the backup command',
    backupText:
      'Run it where the gateway runs. The gateway can keep running. The backup does not contain objects: back up the drive as well.',
  },
  changed: {
    title: 'Changed in the dashboard',
    text: 'These settings are stored in the database, take effect at once, and apply to every gateway that shares it.',
    public: 'made public',
    quota: 'with a quota',
    origins: 'with CORS rules',
    expiry: 'with lifecycle rules',
    buckets: 'Buckets',
    keys: 'App keys',
    connections: 'Model connections',
    created: 'created',
    none: 'none',
    keyCount: (n: number) => count(n, { one: 'key', other: 'keys' }),
    connectionCount: (n: number) => count(n, { one: 'connection', other: 'connections' }),
  },
  title: 'Settings',
  startup: {
    title: 'Startup settings',
    /** The service names topics in English. */
    topic: (name: string) => name,
    searchLabel: 'Search the settings',
    search: 'Search',
    hideDefaults: 'Hide defaults',
    showDefaults: 'Show defaults',
    text: 'They are read when the gateway starts: change them in its environment or in bucketry.env, then restart it.',
    failure: 'The settings could not be loaded',
    allDefault: 'All settings have their default values.',
    noMatch: (text: string) => `No setting matches “${text}”.`,
    hidden: 'set, not shown',
    notSet: 'not set',
    sources: {
      default: 'default',
      environment: 'environment',
      file: 'bucketry.env',
    },
    ofDrive: 'For the drive of this name.',
  },
  signIn: {
    title: 'Sign-in',
    failure: 'The sessions could not be ended',
    everywhere: 'Sign out everywhere',
    everywhereAsk: 'Sign out everywhere?',
    everywhereText:
      'Every browser has to sign in again, including this one. Uploads in their tabs wait until then. App keys and links keep working.',
    text: 'The password is set where the gateway is started. A new one signs everybody out.',
    textInFile: 'A new password signs everybody out.',
    inFile: (file: string) => `It is DASHBOARD_PASSWORD in ${file}.`,
    change: 'Change the password',
    present: 'Current password',
    changed: 'The password is changed. Sign in with the new one.',
    next: 'New password',
    nextHint: '8 characters or more. Everyone signs in with it from now on.',
    inEnvironment: 'Set another DASHBOARD_PASSWORD in the environment and restart the gateway.',
  },
})

export type SettingsTexts = ReturnType<typeof texts>
