import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFolder } from '../support/disk-folder.ts'
import { dashboardPassword } from '../support/management-client.ts'
import { isStoreName, type StoreProcess, startStoreProcess } from '../support/s3/store-process.ts'
import { isFull } from '../support/test-groups.ts'
import type { Shapes } from './writers.ts'

/** How many clients of each kind use a fleet at the same time. */
export interface FleetClients {
  readonly writers: number
  readonly counters: number
  /** Read while others write. */
  readonly readers: number
  /** Write under If-None-Match. */
  readonly creators: number
}

/** What the gateways of a fleet share besides PostgreSQL and Redis. */
export interface FleetDrive {
  readonly gateways: number
  readonly clients: FleetClients
  /** The share of the events of a full run. */
  readonly share: number
  /** How long a write may still happen after the connection of its client has broken. */
  readonly lateMs: number
  readonly shapes?: Shapes
  /** Whether its bucket can have versions. */
  readonly hasVersions: boolean
  /** @param address where a server of its own may listen */
  open(cleaning: AsyncDisposableStack, address: string): Promise<OpenFleetDrive>
}

interface OpenFleetDrive {
  /** Of the gateway with this number. */
  settings(index: number): Readonly<Record<string, string>>
  /** The process that has the objects, if it may be disturbed, too. */
  readonly store?: StoreProcess
}

const givenShare = process.env.FLEET_SHARE ?? (isFull ? 1 : undefined)

/** Folders, one for each gateway in turn, such as mounts of one network file system. */
const givenFolders = (process.env.FLEET_FOLDERS ?? diskFolder).split(',')

export const sharedFolder: FleetDrive = {
  gateways: 4,
  clients: { writers: 48, counters: 6, readers: 0, creators: 0 },
  share: Number(givenShare ?? 0.1),
  lateMs: 0,
  hasVersions: true,
  async open(cleaning) {
    const name = `bucketry-fleet-${randomUUID()}`
    const folders = givenFolders.map((folder) => join(folder, name))
    for (const folder of folders) {
      cleaning.defer(() => rmSync(folder, { recursive: true, force: true }))
      mkdirSync(folder, { recursive: true })
    }
    return { settings: (index) => ({ DRIVE: `file:${folders[index % folders.length]}` }) }
  },
}

const storeName = process.env.FLEET_STORE ?? 'bucketry'
const mebibyte = 1024 * 1024
/** The smallest part before the last one that a store takes (API reference, UploadPart). */
export const fullPartBytes = 5 * mebibyte

const storeClients: FleetClients = isFull
  ? { writers: 32, counters: 6, readers: 8, creators: 8 }
  : { writers: 12, counters: 3, readers: 4, creators: 5 }

export const s3Store: FleetDrive = {
  gateways: 3,
  // Garage has no conditions of writes (docs/s3-drive.md, "Stores").
  clients: storeName === 'garage' ? { ...storeClients, counters: 0, creators: 0 } : storeClients,
  share: Number(givenShare ?? 0.02),
  // A store that was suspended still gets what a gateway had sent before it was killed.
  lateMs: 15_000,
  hasVersions: ['bucketry', 'minio'].includes(storeName),
  shapes: {
    // Stores that keep objects as files have no object whose name is the folder of another's.
    keysOf: (index) => [`w${index}/a`, `w${index}/b`, `w${index}/c/d/e`],
    partSizes(random) {
      const last = 1 + random.size(mebibyte)
      return random.next() < 0.2 ? [fullPartBytes, last] : [last]
    },
  },
  async open(cleaning, address) {
    if (!isStoreName(storeName)) throw new Error(`FLEET_STORE: there is no store ${storeName}`)
    const folder = mkdtempSync(join(diskFolder, 'bucketry-fleet-store-'))
    cleaning.defer(() => rmSync(folder, { recursive: true, force: true }))
    const store = await startStoreProcess(storeName, { address, folder })
    cleaning.defer(() => store.kill())
    const settings = {
      DRIVE: `s3+${store.url}`,
      S3_DRIVE_ACCESS_KEY: store.accessKey,
      S3_DRIVE_SECRET_KEY: store.secretKey,
      ...(store.region !== undefined && { S3_DRIVE_REGION: store.region }),
      DASHBOARD_PASSWORD: dashboardPassword,
    }
    return { settings: () => settings, store }
  },
}
