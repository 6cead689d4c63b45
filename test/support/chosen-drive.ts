import { after } from 'node:test'
import { startGoogleEmulator } from './google/google-emulator.ts'
import { startApache } from './webdav/apache.ts'
import { startLighttpd } from './webdav/lighttpd.ts'
import { startNextcloud } from './webdav/nextcloud/start-nextcloud.ts'
import { startRcloneServe } from './webdav/rclone-serve.ts'
import type { Scope } from './webdav/server-process.ts'

type Settings = Readonly<Record<string, string>>

const scope: Scope = {
  after: (end) => after(end as () => Promise<void>),
  skip(reason) {
    throw new Error(`this drive is not to be had here: ${reason}`)
  },
}

/** Drives that the acceptance tests can run on: how to stand one up, and the settings that name it. */
const drives = {
  'local folder': async (): Promise<Settings> => ({}),
  'Google Drive': async (): Promise<Settings> => {
    const emulator = await startGoogleEmulator()
    after(() => emulator.close())
    const { clientId, clientSecret, refreshToken } = emulator.credentials
    return {
      DRIVE: 'gdrive:Stowage/buckets',
      GDRIVE_CLIENT_ID: clientId,
      GDRIVE_CLIENT_SECRET: clientSecret,
      GDRIVE_REFRESH_TOKEN: refreshToken,
      GDRIVE_API_URL: emulator.url,
    }
  },
  'Apache mod_dav': async () => settingsOf(await startApache(scope)),
  'lighttpd mod_webdav': async () => settingsOf(await startLighttpd(scope)),
  'rclone serve webdav': async () => settingsOf(await startRcloneServe(scope)),
  Nextcloud: async () => settingsOf(await startNextcloud(scope)),
} as const satisfies Record<string, () => Promise<Settings>>

export type DriveName = keyof typeof drives

let chosen: DriveName = 'local folder'

/** Says on which drive the gateways of this process's acceptance tests are to serve. */
export function chooseDrive(name: DriveName): void {
  chosen = name
}

/** Stands up the chosen drive until the running suite ends; the settings of a gateway on it. */
export async function chosenDriveSettings(): Promise<Settings> {
  return drives[chosen]()
}

function settingsOf(server: { readonly url: string } | undefined): Settings {
  if (server === undefined) throw new Error('the server did not start')
  return { DRIVE: server.url }
}
