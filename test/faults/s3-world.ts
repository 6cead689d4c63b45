import type { TestContext } from 'node:test'
import { openS3Drive } from '../../src/storage/drives/s3/s3-drive.ts'
import { collect } from '../contract/drive/stored-object.ts'
import { newFolder, openUploads, s3DriveOptions } from '../contract/s3-drive-under-test.ts'
import { type ProxyFault, proxyFaults, startFaultyProxy } from '../fakes/faulty-proxy.ts'
import { errorDocument } from '../regressions/s3/store-under-test.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import type { FaultWorld, Step } from './fault-world.ts'
import { startGatewayOn } from './gateway-on.ts'
import { openState } from './open-state.ts'

function answer(status: number, code: string): ProxyFault {
  return { kind: 'answer', status, body: errorDocument(code, 'Words.') }
}

const faults: Readonly<Record<string, ProxyFault>> = {
  ...proxyFaults,
  'slow down': answer(503, 'SlowDown'),
  'quota exceeded': answer(403, 'QuotaExceeded'),
  'request timeout': answer(400, 'RequestTimeout'),
  'error in 200': answer(200, 'InternalError'),
}

export const s3Faults = Object.keys(faults)

/** Rows that one table of the drive, or of the SDK, gives the same meaning. */
export const equalS3Faults: readonly (readonly string[])[] = [
  ['gateway timeout after', 'bad gateway after'],
  ['internal error', 'gateway timeout before'],
  ['unavailable', 'slow down'],
  ['full', 'quota exceeded'],
]

const looks: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** For requests that change nothing, these equal other faults. */
const twinsOfLooks: ReadonlySet<string> = new Set([
  ...['dropped after', 'gateway timeout after', 'bad gateway after'],
  ...['too many requests', 'locked', 'quota exceeded', 'request timeout'],
])
/** Complete and a copy, whose reply begins before they are done (API reference, CopyObject). */
const slowRequest = /\?uploadId=|CopyObject/

function faultsFor({ method, path }: Step): readonly string[] {
  return s3Faults.filter((name) => {
    if (name === 'error in 200') return method !== 'DELETE' && slowRequest.test(path)
    if (looks.has(method) && twinsOfLooks.has(name)) return false
    return method === 'PUT' || faults[name]?.kind !== 'drop-during'
  })
}

interface S3World extends FaultWorld {
  /** Aborts what no one continues, and returns the keys of uploads that stay. */
  sweep(): Promise<readonly string[]>
}

/** Versions of the bucket since long ago. */
const versioning = { changes: [1_000_000] }

/**
 * A gateway on another one, with a faulty proxy in between.
 *
 * @param hasVersions whether its bucket has versions: then it is a bucket of the store, and not a folder of one
 */
export async function openS3World(scope: Scope, hasVersions = false): Promise<S3World> {
  const settings = { COMPATIBILITY: 'aws', BUCKET_CREATION: 'on' }
  const store = await startGatewayInProcess(scope as TestContext, settings)
  const proxy = await startFaultyProxy(scope, store.url)
  const path = hasVersions ? '' : newFolder(store.bucket)
  const { database } = await openState(scope)
  const options = {
    ...(await s3DriveOptions(scope, { url: store.url, path, ...store.credentials })),
    ...(hasVersions && { versioningOf: () => versioning }),
  }
  const open = async (endpoint: string) => {
    const drive = await openS3Drive({ ...options, address: { ...options.address, endpoint } })
    await drive.prepare([testBucket])
    scope.after(() => drive.close())
    return drive
  }
  const drive = await open(proxy.urlFor(store.url))
  if (hasVersions) await drive.setVersioning?.(testBucket, versioning)
  const folder = hasVersions ? '' : `${path.slice(store.bucket.length + 2)}/${testBucket}/`
  return {
    hasVersions,
    s3: await startGatewayOn(scope, { drive, database }),
    other: await open(store.url),
    async record(work) {
      const from = proxy.requests.length
      await work()
      return proxy.requests.slice(from)
    },
    isOfOthers: () => false,
    faultsFor,
    order: (name, skip) => {
      const fault = faults[name]
      if (fault !== undefined) proxy.faults.add({ skip, fault })
    },
    settle() {
      const isStruck = proxy.faults.waiting === 0
      proxy.faults.clear()
      return isStruck
    },
    async stored(key) {
      const object = await store.drive.open(store.bucket, `${folder}${key}`)
      if (object === undefined) return []
      const bytes = await collect(object.read(0, object.size))
      await object.close()
      return [md5Of(bytes)]
    },
    async sweep() {
      await drive.uploads.sweep(async () => false, 0)
      return await openUploads(options)
    },
  }
}
