import { testBucket } from '../support/gateway-process.ts'
import type { Random } from '../support/random.ts'
import { type Server, targetOf } from '../support/signed-fetch.ts'
import { UnexpectedReply } from './store.ts'
import { beginUpload, finishUpload } from './uploads.ts'
import { changeVersion } from './version-steps.ts'
import { copyVersion, putObject, type WriteTarget, write } from './writes.ts'

const writers = 8
const mostObjectBytes = 2 * 1024 * 1024
const mostPartBytes = 512 * 1024
const sourceKey = 'copy source'
const sourceBytes = 300_000
/** Written by all writers at once; all other keys by one writer each. */
const contendedKey = 'contended'

/** What writers write. */
export interface Shapes {
  /** Of the writer with this number. */
  keysOf(index: number): readonly [string, ...string[]]
  /** Of an object. @default 2 MiB */
  readonly mostBytes?: number
  /** Of an upload. */
  partSizes(random: Random): readonly number[]
}

/** One key's name is a folder of another's. */
function nestedKeys(index: number): [string, ...string[]] {
  return [`w${index}/a`, `w${index}/a/b`, `w${index}/c/d/e`]
}

const anyShapes: Shapes = {
  keysOf: nestedKeys,
  partSizes: (random) =>
    Array.from({ length: random.integer(1, 5) }, () => 1 + random.size(mostPartBytes)),
}

/** For a bucket that keeps all versions, and a test that reads all of them. */
export function smallShapes({ keysOf }: Pick<Shapes, 'keysOf'> = { keysOf: nestedKeys }): Shapes {
  return { keysOf, mostBytes: 20_000, partSizes: (random) => [1 + random.size(20_000)] }
}

export interface Workload extends WriteTarget {
  /** Gateways that the writers use in turn. Default: the server */
  readonly servers?: readonly Server[]
  readonly random: Random
  /** @default any keys, and parts of any size */
  readonly shapes?: Shapes | undefined
  /** Called after each acknowledged step. */
  readonly onStep: () => void
}

/** The source of copies. Written once, before the first crash. */
export async function putCopySource({ server, store }: WriteTarget): Promise<void> {
  await putObject({ server, store }, sourceKey, sourceBytes)
}

/** Mixed writes until the server stops. Resolves with the replies that no crash explains. */
export async function writeUntilKilled(workload: Workload): Promise<string[]> {
  const problems: string[] = []
  const { server, servers = [server] } = workload
  const runWriter = async (index: number): Promise<void> => {
    const own = { ...workload, server: servers[index % servers.length] ?? server }
    for (;;) {
      try {
        await step(own, index)
        workload.onStep()
      } catch (error) {
        if (error instanceof UnexpectedReply) problems.push(error.message)
        return // The connection broke: the server was killed.
      }
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, index) => runWriter(index)))
  return problems
}

/** One write of the writer with this number. */
export async function step(workload: Workload, index: number): Promise<void> {
  const { server, store, random, shapes = anyShapes } = workload
  const key = random.pick([...shapes.keysOf(index), contendedKey])
  const kind = random.pick(['put', 'put', 'put', 'remove', 'copy', 'upload', 'version'])
  const removes = kind === 'remove' && (key !== contendedKey || store.versions !== undefined)
  if (removes) {
    await write(workload, 'absent', { method: 'DELETE', key, expected: [204, 404] })
  } else if (kind === 'put' || key === contendedKey) {
    await putObject(workload, key, random.size(shapes.mostBytes ?? mostObjectBytes))
  } else if (kind === 'version') {
    await changeVersion(workload, key, random)
  } else if (kind === 'copy') {
    await copyObject(workload, key)
  } else {
    const partSizes = shapes.partSizes(random)
    await finishUpload(server, store, await beginUpload(server, store, { key, partSizes }))
  }
}

async function copyObject(target: WriteTarget, key: string): Promise<void> {
  const [source] = target.store.history(sourceKey).possible()
  if (source === undefined || source === 'absent') throw new Error('the copy source is missing')
  await copyVersion(target, key, { source, from: targetOf(testBucket, sourceKey) })
}
