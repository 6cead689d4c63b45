import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds, readBytes } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario, type Table } from '../scenario.ts'
import { bucket, bucketry, type ServerKind, versitygw } from '../server-kinds.ts'
import { startServer } from '../servers.ts'
import { deepTree } from '../trees.ts'

const files = 100_000
/** Signed in advance, and sent to the generator in one message. */
const requestsAtOnce = 10_000
const connections = 32
/** A HEAD itself, and pages of the database. Of a file that is read it would be 1 MiB. */
const mostReadBytes = 16 * 1024

interface Pass {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly readPerHead: number
}

const columns: Columns<Pass> = [
  { title: 'HEADs/s', of: ({ perSecond }) => perSecond, digits: 0 },
  { title: 'CPU µs/HEAD', of: ({ cpuMicroseconds }) => cpuMicroseconds, digits: 0 },
  {
    title: 'bytes read/HEAD',
    of: ({ readPerHead }) => readPerHead,
    digits: 0,
    most: mostReadBytes,
  },
]

/** Files of 1 MiB without blocks, as after `rsync -a` into the folder: the server knows nothing of them. */
function copyIn(context: BenchContext, name: string): string {
  const folder = join(context.memoryFolder, `copied-${name}`)
  const { keyOf } = deepTree('copied', files)
  for (let index = 0; index < files; index += 1) {
    const path = join(folder, bucket, keyOf(index))
    if (index % 100 === 0) mkdirSync(dirname(path), { recursive: true })
    const fd = openSync(path, 'wx')
    ftruncateSync(fd, mebibyte)
    closeSync(fd)
  }
  return folder
}

interface Copied {
  readonly kind: ServerKind
  readonly folder: string
}

/** One HEAD of each file, in a fresh process. */
async function headAll({ kind, folder }: Copied): Promise<Pass> {
  const server = await startServer(kind, { folder })
  try {
    const { keyOf } = deepTree('copied', files)
    const before = { cpu: cpuSeconds(server.pid), read: readBytes(server.pid) }
    let elapsedMs = 0
    for (let start = 0; start < files; start += requestsAtOnce) {
      const requests = Array.from({ length: requestsAtOnce }, (_, index) =>
        prepareRequest(server, { method: 'HEAD', key: keyOf(start + index) }),
      )
      const { port } = server
      const job = { port, connections, requests, totalRequests: requests.length }
      elapsedMs += (await generateLoad(job)).elapsedMs
    }
    return {
      perSecond: files / (elapsedMs / 1000),
      cpuMicroseconds: ((cpuSeconds(server.pid) - before.cpu) * 1e6) / files,
      readPerHead: (readBytes(server.pid) - before.read) / files,
    }
  } finally {
    await server.stop()
  }
}

async function run(context: BenchContext): Promise<Table> {
  const copies = new Map<ServerKind, Copied>()
  try {
    for (const kind of wantedKinds(context, [bucketry, versitygw])) {
      copies.set(kind, { kind, folder: copyIn(context, kind.name) })
    }
    return tabulateRounds(await inRounds(context, 'head-copied', copies, headAll), columns)
  } finally {
    for (const { folder } of copies.values()) rmSync(folder, { recursive: true, force: true })
  }
}

export const copiedScenarios: readonly Scenario[] = [
  {
    name: 'head-copied',
    question: `How fast is a HEAD of each of ${files} files of 1 MiB that were copied into the folder, and what does it read?`,
    target: targetOf(columns),
    run,
  },
]
