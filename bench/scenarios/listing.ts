import { fetchPage, listAll } from '../list-pages.ts'
import { peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import {
  type BenchContext,
  inMebibytes,
  mebibyte,
  median,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import { bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'
import { deepTree, ensureTree, flatTree, type Tree } from '../trees.ts'

const totalFiles = 1_000_000
const samples = 30
const mostFirstToLast = 1.5
const mostPageMs = 15
const mostMemoryBytes = 300 * mebibyte

const flat = flatTree('flat', totalFiles)
const deep = deepTree('deep', totalFiles)

async function withServer<Result>(
  root: string,
  use: (server: RunningServer) => Promise<Result>,
): Promise<Result> {
  const server = await startServer(bucketry, { folder: root })
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** Every worker keeps its own index of a folder: many connections warm all of them. */
async function warmUp(server: RunningServer, startAfter: string): Promise<number> {
  const first = await fetchPage(server, startAfter)
  await Promise.all(Array.from({ length: 16 }, () => fetchPage(server, startAfter)))
  return first.milliseconds
}

async function medianOfPages(server: RunningServer, startAfter: string): Promise<number> {
  const times: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    times.push((await fetchPage(server, startAfter)).milliseconds)
  }
  return median(times)
}

async function measureTree(context: BenchContext, tree: Tree): Promise<readonly string[]> {
  const root = ensureTree(context, tree)
  return withServer(root, async (server) => {
    const coldMs = await warmUp(server, '')
    const beforeLastPage = tree.keyOf(totalFiles - 1001)
    await warmUp(server, beforeLastPage)
    const firstMs = await medianOfPages(server, '')
    const middleMs = await medianOfPages(server, tree.keyOf(totalFiles / 2))
    const lastMs = await medianOfPages(server, beforeLastPage)
    const figures = [coldMs, firstMs, middleMs, lastMs].map((time) => time.toFixed(1))
    return [tree.name, ...figures, (lastMs / firstMs).toFixed(2)]
  })
}

async function listPages(context: BenchContext): Promise<Table> {
  const rows = [await measureTree(context, flat), await measureTree(context, deep)]
  const slowestMs = Math.max(...rows.flatMap((row) => row.slice(2, 5).map(Number)))
  const worstRatio = Math.max(...rows.map((row) => Number(row[5])))
  const figure = `slowest p50 ${slowestMs} ms, last ÷ first ${worstRatio}`
  return {
    columns: ['1,000,000 files', 'cold ms', 'first page p50 ms', 'middle', 'last', 'last ÷ first'],
    rows,
    verdict: verdict(figure, slowestMs < mostPageMs && worstRatio <= mostFirstToLast),
  }
}

async function listMemory(context: BenchContext): Promise<Table> {
  const rows: string[][] = []
  let mostBytes = 0
  for (const tree of [flat, deep]) {
    const root = ensureTree(context, tree)
    await withServer(root, async (server) => {
      const idleBytes = residentBytes(server.pid)
      resetPeak(server.pid)
      const startedAtMs = performance.now()
      const { keys, pages } = await listAll(server)
      const seconds = (performance.now() - startedAtMs) / 1000
      if (keys !== totalFiles) throw new Error(`${tree.name}: ${keys} keys listed of ${totalFiles}`)
      const aboveBytes = peakBytes(server.pid) - idleBytes
      mostBytes = Math.max(mostBytes, aboveBytes)
      const figures = [inMebibytes(idleBytes), inMebibytes(aboveBytes), seconds.toFixed(1)]
      rows.push([tree.name, String(pages), ...figures])
    })
  }
  return {
    columns: ['1,000,000 files', 'pages', 'idle MiB', 'peak MiB above idle', 'seconds'],
    rows,
    verdict: verdict(`${inMebibytes(mostBytes)} MiB above idle`, mostBytes <= mostMemoryBytes),
  }
}

export const listingScenarios: readonly Scenario[] = [
  {
    name: 'list-pages',
    question: 'How long does a page of 1,000 keys take, anywhere in 1,000,000?',
    target: `p50 under ${mostPageMs} ms; last page at most ${mostFirstToLast} × the first, once warm`,
    run: listPages,
  },
  {
    name: 'list-memory',
    question: 'How much memory does one client need to list 1,000,000 keys?',
    target: `at most ${inMebibytes(mostMemoryBytes)} MiB above idle, all processes`,
    run: listMemory,
  },
]
