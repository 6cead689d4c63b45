import { writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { startGatewayInProcess } from '../test/support/gateway-in-process.ts'
import { installedNames, startInstalled } from '../test/support/s3/installed-stores.ts'
import { startMoto } from '../test/support/s3/moto.ts'
import { probeStore } from '../test/support/s3/probe-store.ts'
import { startRgw } from '../test/support/s3/rgw.ts'
import { clientOf, type StoreLogin } from '../test/support/s3/s3-store.ts'
import type { Scope } from '../test/support/webdav/server-process.ts'
import {
  type RacedAbility,
  type RecordedStore,
  recordedStores,
  recordedStoresFile,
} from './recorded-stores.ts'

/**
 * `npm run docs:store -- STORE VERSION` starts an S3 store and records what it does, for the table of
 * docs/s3-drive.md. Then `npm run docs` writes the table.
 */
const starts: Readonly<Record<string, (scope: Scope) => Promise<StoreLogin>>> = {
  moto: startMoto,
  async Bucketry(scope) {
    const settings = { COMPATIBILITY: 'aws', BUCKET_CREATION: 'on' }
    const { url, credentials } = await startGatewayInProcess(scope as TestContext, settings)
    return { ...credentials, url }
  },
  'Ceph RGW': startRgw,
  ...Object.fromEntries(
    installedNames.map((name) => [name, (scope: Scope) => startInstalled(scope, name)]),
  ),
}

const rounds = 10
const writers = 16

async function record(store: string, version: string): Promise<RecordedStore> {
  const start = starts[store]
  if (start === undefined) {
    throw new Error(`There is no store ${store}. There are: ${Object.keys(starts).join(', ')}`)
  }
  const ends: (() => unknown)[] = []
  try {
    const login = await start({
      after: (end) => ends.push(end),
      skip: (reason) => {
        throw new Error(reason)
      },
    })
    const abilities = await probeStore(login)
    const isAtomic = {
      create: !abilities.create || (await isOneWinner(login, 'create')),
      replace: !abilities.replace || (await isOneWinner(login, 'replace')),
      removeMatching: !abilities.removeMatching || (await isOneWinner(login, 'removeMatching')),
    }
    const date = new Date().toISOString().slice(0, 10)
    return { store, version, date, abilities, isAtomic }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Whether one of several conditional writes, or also removals, at the same moment wins, again and again. */
async function isOneWinner(login: StoreLogin, kind: RacedAbility): Promise<boolean> {
  const client = clientOf(login)
  const Bucket = `raced-${kind.toLowerCase()}`
  try {
    await client.send(new CreateBucketCommand({ Bucket }))
    for (let round = 0; round < rounds; round++) {
      const object = { Bucket, Key: `k-${round}` }
      const { ETag = '' } = kind === 'create' ? {} : await put(client, { ...object, Body: 'first' })
      const condition = kind === 'create' ? { IfNoneMatch: '*' } : { IfMatch: ETag }
      const isRemoved = (writer: number) => kind === 'removeMatching' && writer % 2 === 0
      const writes = Array.from({ length: writers }, (_, writer) =>
        isRemoved(writer)
          ? client.send(new DeleteObjectCommand({ ...object, ...condition }))
          : put(client, { ...object, ...condition, Body: `writer ${writer}` }),
      )
      const outcomes = await Promise.allSettled(writes)
      if (outcomes.filter(({ status }) => status === 'fulfilled').length !== 1) return false
    }
    return true
  } finally {
    client.destroy()
  }
}

function put(client: S3Client, input: ConstructorParameters<typeof PutObjectCommand>[0]) {
  return client.send(new PutObjectCommand(input))
}

const [store = '', version = ''] = process.argv.slice(2)
const recorded = await record(store, version)
const others = recordedStores().filter((other) => other.store !== store)
const order = Object.keys(starts)
const all = [...others, recorded].sort((a, b) => order.indexOf(a.store) - order.indexOf(b.store))
writeFileSync(recordedStoresFile, `${JSON.stringify(all, undefined, 2)}\n`)
