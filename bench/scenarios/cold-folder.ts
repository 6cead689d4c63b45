import { fetchPage, listAll } from '../list-pages.ts'
import { cpuSeconds, peakBytes } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { mebibyte, type Scenario } from '../scenario.ts'
import { raw, rawDurable, type ServerKind, versitygw } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'
import { ensureTree, flatTree } from '../trees.ts'

interface ColdOptions<Measured> {
  readonly name: string
  readonly question: string
  readonly files: number
  readonly columns: Columns<Measured>
  readonly measure: (server: RunningServer) => Promise<Measured>
  /** Servers that can't answer the question. */
  readonly without: readonly ServerKind[]
}

/** The first requests of a fresh process list a folder; the kernel may have its names cached. */
function coldScenario<Measured>(options: ColdOptions<Measured>): Scenario {
  const { name, question, files, columns, measure, without } = options
  const tree = flatTree(files === 1_000_000 ? 'flat' : `flat-${files}`, files)
  return {
    name,
    question,
    target: targetOf(columns),
    run: async (context) => {
      const kinds = wantedKinds(context)
        .filter((kind) => kind.hasOwnFormat !== true && !without.includes(kind))
        .map((kind) => [kind, kind] as const)
      const measureOne = async (kind: ServerKind) => {
        const server = await startServer(kind, { folder: ensureTree(context, tree) })
        try {
          return await measure(server)
        } finally {
          await server.stop()
        }
      }
      const rounds = await inRounds(context, name, new Map(kinds), measureOne)
      return tabulateRounds(rounds, columns)
    },
  }
}

interface FirstPage {
  readonly milliseconds: number
  readonly cpu: number
  readonly peak: number
}

function firstPageScenario(name: string, files: number, mostMs: number): Scenario {
  return coldScenario<FirstPage>({
    name,
    question: `How long does the first page of a folder of ${files} names take in a fresh process?`,
    files,
    columns: [
      { title: 'first page ms', of: ({ milliseconds }) => milliseconds, digits: 0, most: mostMs },
      { title: 'CPU s', of: ({ cpu }) => cpu, digits: 2 },
      { title: 'peak RSS MiB', of: ({ peak }) => peak / mebibyte, digits: 0 },
    ],
    measure: async (server) => {
      const cpuBefore = cpuSeconds(server.pid)
      const { milliseconds } = await fetchPage(server, '')
      const cpu = cpuSeconds(server.pid) - cpuBefore
      return { milliseconds, cpu, peak: peakBytes(server.pid) }
    },
    without: [rawDurable],
  })
}

interface WholeList {
  readonly keysPerSecond: number
  readonly cpu: number
}

function wholeListScenario(name: string, files: number): Scenario {
  return coldScenario<WholeList>({
    name,
    question: `How fast is the whole list of a folder of ${files} names in a fresh process?`,
    files,
    columns: [
      {
        title: 'keys/s',
        of: ({ keysPerSecond }) => keysPerSecond,
        digits: 0,
        leastShare: { of: versitygw, share: 1 },
      },
      { title: 'CPU s', of: ({ cpu }) => cpu, digits: 2 },
    ],
    measure: async (server) => {
      const cpuBefore = cpuSeconds(server.pid)
      const startedAtMs = performance.now()
      const { keys } = await listAll(server)
      const seconds = (performance.now() - startedAtMs) / 1000
      return { keysPerSecond: keys / seconds, cpu: cpuSeconds(server.pid) - cpuBefore }
    },
    // They list one page.
    without: [raw, rawDurable],
  })
}

export const coldFolderScenarios: readonly Scenario[] = [
  firstPageScenario('cold-folder-small', 10_000, 30),
  firstPageScenario('cold-folder', 100_000, 150),
  firstPageScenario('cold-folder-large', 1_000_000, 1_500),
  wholeListScenario('cold-list', 10_000),
]
