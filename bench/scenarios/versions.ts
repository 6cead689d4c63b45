import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateLoad, prepareRequest, type RequestShape, sendRequest } from '../load.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import { bucketry, type ServerKind, versioned, versitygw } from '../server-kinds.ts'
import { type RunningServer, startServer, versionsFolder } from '../servers.ts'
import { throughputScenario } from './throughput.ts'

const smallBytes = 1024
const versionsOfKey = 10
const listedKeys = 10_000

const ours = versioned(bucketry, () => ({ BUCKET_CREATION: 'on' }))
const theirs = versioned(versitygw, ({ folder }) => ({
  VGW_VERSIONING_DIR: versionsFolder(folder),
}))
/** The first one is judged. */
const servers = [ours, bucketry, theirs, versitygw] as const

const keys = (count: number) => Array.from({ length: count }, (_, index) => `object-${index}`)
const smallKeys = keys(1000)
const put = (key: string): RequestShape => ({ method: 'PUT', key, bodyBytes: smallBytes })
const small = { connections: 32, bytesPerRequest: smallBytes, among: servers }
const history = Array.from({ length: versionsOfKey }, () => smallKeys.map(put)).flat()

interface Listing {
  readonly name: string
  readonly query: string
  /** The parameters of the next page, and the elements of the reply that have their values. */
  readonly next: Readonly<Record<string, string>>
  readonly entries: number
}

const versionListing: Listing = {
  ...{ name: 'ListObjectVersions', query: 'versions', entries: listedKeys * versionsOfKey },
  next: { 'key-marker': 'NextKeyMarker', 'version-id-marker': 'NextVersionIdMarker' },
}
const objectListing: Listing = {
  ...{ name: 'ListObjectsV2', query: 'list-type=2', entries: listedKeys },
  next: { 'continuation-token': 'NextContinuationToken' },
}

/** A row of the table of listings: the server with the name of the listing. */
interface Lister {
  readonly kind: ServerKind
  readonly server: ServerKind
  readonly listing: Listing
}

const listers = [ours, theirs].flatMap((server) =>
  [versionListing, objectListing].map((listing): Lister => {
    const name = `${server.name}, ${listing.name}`
    return { kind: { ...server, name }, server, listing }
  }),
)
const [judged, beside] = listers.map(({ kind }) => kind)

interface Listed {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly peakAboveIdleBytes: number
}

const listedColumns: Columns<Listed> = [
  {
    title: 'entries/s',
    of: ({ perSecond }) => perSecond,
    digits: 0,
    ...(beside && { leastShare: { of: beside, share: 1 } }),
  },
  { title: 'CPU µs/entry', of: ({ cpuMicroseconds }) => cpuMicroseconds },
  { title: 'peak MiB above idle', of: ({ peakAboveIdleBytes }) => peakAboveIdleBytes / mebibyte },
]

async function list(server: RunningServer, { name, query, next, entries }: Listing) {
  let found = 0
  let page = query
  do {
    const reply = await sendRequest(server, { method: 'GET', query: page })
    const xml = await reply.text()
    if (!reply.ok) throw new Error(`${name}: ${reply.status} ${xml.slice(0, 500)}`)
    found += [...xml.matchAll(/<Key>/g)].length
    const markers = Object.entries(next).map(([parameter, element]) => {
      const value = new RegExp(`<${element}>([^<]*)<`).exec(xml)?.[1] ?? ''
      return `${parameter}=${encodeURIComponent(value)}`
    })
    page = xml.includes('<IsTruncated>true<') ? [query, ...markers].join('&') : ''
  } while (page !== '')
  if (found !== entries) throw new Error(`${name}: ${found} of ${entries} entries`)
}

async function measure(server: RunningServer, listing: Listing): Promise<Listed> {
  const idleBytes = residentBytes(server.pid)
  resetPeak(server.pid)
  const cpuBefore = cpuSeconds(server.pid)
  const startedAtMs = performance.now()
  await list(server, listing)
  const seconds = (performance.now() - startedAtMs) / 1000
  return {
    perSecond: listing.entries / seconds,
    cpuMicroseconds: ((cpuSeconds(server.pid) - cpuBefore) * 1e6) / listing.entries,
    peakAboveIdleBytes: peakBytes(server.pid) - idleBytes,
  }
}

async function compareListings(context: BenchContext): Promise<Table> {
  const folder = join(context.memoryFolder, 'list-versions')
  const running = new Map<ServerKind, RunningServer>()
  try {
    for (const kind of wantedKinds(context, [ours, theirs])) {
      const server = await startServer(kind, { folder: join(folder, kind.name) })
      running.set(kind, server)
      const requests = keys(listedKeys).map((key) => prepareRequest(server, put(key)))
      const job = { port: server.port, connections: 32, requests }
      await generateLoad({ ...job, totalRequests: listedKeys * versionsOfKey })
      // Without a name in memory, the first listing would be slower than the others.
      for (const { listing } of listers) await list(server, listing)
    }
    const subjects = listers.flatMap(({ kind, server, listing }) => {
      const found = running.get(server)
      return found === undefined ? [] : [[kind, { server: found, listing }] as const]
    })
    const rounds = await inRounds(context, 'list-versions', new Map(subjects), (subject) =>
      measure(subject.server, subject.listing),
    )
    return tabulateRounds(rounds, listedColumns, judged)
  } finally {
    await Promise.all([...running.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

export const versionScenarios: readonly Scenario[] = [
  throughputScenario({
    name: 'put-versions',
    question: 'How many durable signed PUTs of 1 KiB per second keep the version they replace?',
    leastRate: { of: bucketry, share: 0.7 },
    ...small,
    shapes: smallKeys.map(put),
  }),
  ...(['GET', 'HEAD'] as const).map((method) =>
    throughputScenario({
      name: `${method.toLowerCase()}-versions`,
      question: `How many signed ${method}s of 1 KiB per second, of objects with ten versions?`,
      leastRate: { of: bucketry, share: 0.95 },
      ...small,
      preparation: history,
      shapes: smallKeys.map((key) => ({ method, key })),
      isInMemory: true,
    }),
  ),
  {
    name: 'list-versions',
    question: 'How many entries per second are listed, of 10,000 keys with ten versions each?',
    target: targetOf(listedColumns),
    run: compareListings,
  },
]
