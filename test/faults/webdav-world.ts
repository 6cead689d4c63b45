import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { openStagedUploads } from '../../src/storage/drives/local/staged-uploads.ts'
import { DatabaseDavRecords } from '../../src/storage/drives/webdav/objects/dav-record-table.ts'
import { openWebdavDrive } from '../../src/storage/drives/webdav/webdav-drive.ts'
import { type ProxyFaultName, proxyFaults, startFaultyProxy } from '../fakes/faulty-proxy.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import type { Scope, WebdavServer } from '../support/webdav/server-process.ts'
import { declareFaultRun } from './fault-run.ts'
import type { FaultWorld, Step } from './fault-world.ts'
import { startGatewayOn } from './gateway-on.ts'
import { openState, type State } from './open-state.ts'
import { fewOperations } from './operations.ts'

const log = { info: () => undefined, warn: () => undefined }

/** Opens a drive on the server at `url` as a separate process would; closed with `scope`. */
async function openDrive(scope: Scope, { database, folder }: State, url: string): Promise<Drive> {
  const records = new DatabaseDavRecords(database)
  const leases = new DatabaseLeases(database)
  // Listings must show the writes of other processes immediately, or the test would see old state.
  const drive = await openWebdavDrive({
    ...{ url, records, leases, log, listCacheMs: 0, firstPauseMs: 5 },
    spoolFolder: join(folder, 'spool'),
    maxSpoolBytes: 100_000_000,
    openStaging: (path) => openStagedUploads(path, log),
  })
  await drive.prepare([testBucket])
  scope.after(async () => {
    await drive.close()
    await records.close()
  })
  return drive
}

/** Requests that change nothing. */
const looks: ReadonlySet<string> = new Set(['PROPFIND', 'GET'])
/**
 * For requests that change nothing, these equal other faults: it does not matter whether the
 * request was performed before its reply was lost, and one table of the drive has the statuses that
 * mean `later`.
 */
const twinsOfLooks: ReadonlySet<ProxyFaultName> = new Set([
  'dropped after',
  'gateway timeout after',
  'bad gateway after',
  'too many requests',
  'locked',
])

/**
 * Rows of statuses that every table of the drive lists together (src/storage/drives/webdav/client/dav-client.ts,
 * objects/file-mover.ts, objects/folder-tidier.ts, uploads/chunked-bytes.ts).
 */
export const equalProxyFaults: readonly (readonly ProxyFaultName[])[] = [
  ['gateway timeout after', 'bad gateway after'],
]

/** Faults of a body do not apply to requests without one. */
function proxyFaultsFor({ method }: Step): readonly ProxyFaultName[] {
  const names = Object.keys(proxyFaults) as ProxyFaultName[]
  if (method === 'PUT') return names
  const isLook = looks.has(method)
  return names.filter(
    (name) => proxyFaults[name].kind !== 'drop-during' && !(isLook && twinsOfLooks.has(name)),
  )
}

/** A gateway on a server, with a faulty proxy in between. */
export async function openWebdavWorld(scope: Scope, server: WebdavServer): Promise<FaultWorld> {
  const state = await openState(scope)
  const proxy = await startFaultyProxy(scope, server.url)
  const drive = await openDrive(scope, state, proxy.urlFor(server.url))
  const other = await openDrive(scope, state, server.url)
  return {
    s3: await startGatewayOn(scope, { drive, database: state.database }),
    other,
    async record(work) {
      const from = proxy.requests.length
      await work()
      return proxy.requests.slice(from)
    },
    isOfOthers: () => false,
    faultsFor: proxyFaultsFor,
    order: (fault, skip) => proxy.faults.add({ skip, fault: proxyFaults[fault as ProxyFaultName] }),
    settle() {
      const isStruck = proxy.faults.waiting === 0
      proxy.faults.clear()
      return isStruck
    },
    stored: (key) => filesAt(join(server.root, testBucket, key)),
  }
}

async function filesAt(path: string): Promise<readonly string[]> {
  try {
    return [md5Of(await readFile(path))]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The fault run with a local server, one for each world. */
export function declareWebdavFaultRun(
  start: (scope: Scope) => Promise<WebdavServer | undefined>,
): void {
  declareFaultRun({
    faults: Object.keys(proxyFaults),
    equalFaults: equalProxyFaults,
    operations: fewOperations([200_000, 90_001]),
    async open(scope) {
      const server = await start(scope)
      assert.ok(server)
      return openWebdavWorld(scope, server)
    },
  })
}
