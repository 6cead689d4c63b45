import { startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { startApache } from './webdav/apache.ts'
import type { Scope } from './webdav/server-process.ts'

type Settings = Readonly<Record<string, string>>

/** A drive that stands until it is ended, and the settings of a gateway on it. */
export interface ChosenDrive {
  readonly settings: Settings
  end(): Promise<void>
}

/** Drives that the acceptance tests can run on: how to stand one up. */
const drives = {
  'local folder': async (): Promise<Settings> => ({}),
  memory: async (): Promise<Settings> => ({ DRIVE: 'memory:', WORKERS: '1' }),
  'Google Drive': async (scope): Promise<Settings> => {
    const emulator = await startGoogleEmulator()
    scope.after(() => emulator.close())
    const { clientId, clientSecret, refreshToken } = emulator.credentials
    return {
      DRIVE: 'gdrive:Bucketry/buckets',
      GDRIVE_CLIENT_ID: clientId,
      GDRIVE_CLIENT_SECRET: clientSecret,
      GDRIVE_REFRESH_TOKEN: refreshToken,
      GDRIVE_API_URL: emulator.url,
    }
  },
  'Apache mod_dav': async (scope) => settingsOf(await startApache(scope)),
  Nextcloud: async (scope) => settingsOf(await startNextcloud(scope)),
} as const satisfies Record<string, (scope: Scope) => Promise<Settings>>

export type DriveName = keyof typeof drives

let chosen: DriveName = 'local folder'

/** Says on which drive the gateways of this process's acceptance tests are to serve. */
export function chooseDrive(name: DriveName): void {
  chosen = name
}

/**
 * Whether the chosen drive can replace the last part of an upload
 * (docs/contract/object-storage.md, "Repeated parts").
 */
export function doesReplaceLastPart(): boolean {
  return !['Google Drive', 'Apache mod_dav', 'Nextcloud'].includes(chosen)
}

/** Stands up the drive that was chosen. @throws Error when a program for it is missing. */
export async function standUpChosenDrive(): Promise<ChosenDrive> {
  const ends: (() => unknown)[] = []
  const scope = {
    after: (end: () => unknown) => ends.push(end),
    skip: (reason: string) => {
      throw new Error(`this drive is not to be had here: ${reason}`)
    },
  } as unknown as Scope
  const settings = await drives[chosen](scope)
  return {
    settings,
    async end() {
      for (const end of ends.reverse()) await end()
    },
  }
}

function settingsOf(server: { readonly url: string } | undefined): Settings {
  if (server === undefined) throw new Error('the server did not start')
  return { DRIVE: server.url }
}
