import type { TestContext } from 'node:test'
import { startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { startGatewayInProcess } from './gateway-in-process.ts'
import { type InstalledName, installedNames, startInstalled } from './s3/installed-stores.ts'
import { startMoto } from './s3/moto.ts'
import { startRgw } from './s3/rgw.ts'
import type { StoreLogin } from './s3/s3-store.ts'
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
  moto: async (scope): Promise<Settings> => storeSettings(await startMoto(scope)),
  "Ceph's RGW": async (scope): Promise<Settings> => storeSettings(await startRgw(scope)),
  Bucketry: async (scope): Promise<Settings> => {
    const { url, bucket, credentials } = await startGatewayInProcess(scope as TestContext, {
      COMPATIBILITY: 'aws',
    })
    return storeSettings({ ...credentials, url: `${url}/${bucket}/folder` })
  },
  'Apache mod_dav': async (scope) => settingsOf(await startApache(scope)),
  Nextcloud: async (scope) => settingsOf(await startNextcloud(scope)),
  ...(Object.fromEntries(
    installedNames.map((name) => [
      name,
      async (scope: Scope) => storeSettings(await startInstalled(scope, name)),
    ]),
  ) as Record<InstalledName, (scope: Scope) => Promise<Settings>>),
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
  return !['Google Drive', 'Apache mod_dav', 'Nextcloud', "Ceph's RGW"].includes(chosen)
}

/** What the chosen drive's server can do. */
export function storeAbilities() {
  const isStore = ['moto', 'Bucketry', "Ceph's RGW", ...installedNames].includes(chosen)
  return {
    /** A part before the last one may be small. */
    smallParts: !['Bucketry', 'MinIO', 'versitygw', 'SeaweedFS'].includes(chosen),
    /** The parts of an object are known after Complete. */
    partSizes: chosen !== 'moto' && chosen !== "Ceph's RGW",
    /** A key may have control characters. */
    controlKeys: chosen !== 'moto',
    /** User metadata may have an empty name. */
    namelessMetadata: !isStore,
    /** A write may have If-None-Match. */
    ifNoneMatch: chosen !== 'Garage',
    /** A write may have If-Match. */
    ifMatch: chosen !== "Ceph's RGW" && chosen !== 'Garage',
    /** A removal may have If-Match. */
    removeMatching: !["Ceph's RGW", 'MinIO', 'Garage'].includes(chosen),
    /** A key may have `//`, or `/` before it. */
    pathKeys: !['SeaweedFS', 'MinIO', 'versitygw', 'Garage'].includes(chosen),
    /** `a/b` is listed beside `a`. */
    besideFolders: chosen !== 'MinIO' && chosen !== 'versitygw',
    /** An object whose key ends with `/` has the Content-Type that it was given. */
    folderTypes: chosen !== 'versitygw',
    /** The checksum that a client sent is kept. */
    checksums: chosen !== "Ceph's RGW",
    /** Those that AWS has since 2026: only the gateway verifies them. */
    newerChecksums: !isStore,
  }
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

function storeSettings({ url, accessKey, secretKey, region }: StoreLogin): Settings {
  return {
    DRIVE: `s3+${url}`,
    S3_DRIVE_ACCESS_KEY: accessKey,
    S3_DRIVE_SECRET_KEY: secretKey,
    ...(region !== undefined && { S3_DRIVE_REGION: region }),
  }
}

function settingsOf(server: { readonly url: string } | undefined): Settings {
  if (server === undefined) throw new Error('the server did not start')
  return { DRIVE: server.url }
}
