import { fetchPage } from '../list-pages.ts'
import { cpuSeconds, peakBytes } from '../process-usage.ts'
import { type Columns, inRounds, tabulateRounds, targetOf, wantedKinds } from '../rounds.ts'
import { type BenchContext, mebibyte, type Scenario } from '../scenario.ts'
import { rawDurable, type ServerKind } from '../server-kinds.ts'
import { startServer } from '../servers.ts'
import { ensureTree, flatTree } from '../trees.ts'

interface Measured {
  readonly milliseconds: number
  readonly cpu: number
  readonly peak: number
}

/** The first request of a fresh process lists a folder; the kernel may have its names cached. */
function coldScenario(name: string, files: number, mostMs: number): Scenario {
  const tree = flatTree(files === 1_000_000 ? 'flat' : `flat-${files}`, files)
  const columns: Columns<Measured> = [
    { title: 'first page ms', of: ({ milliseconds }) => milliseconds, digits: 0, most: mostMs },
    { title: 'CPU s', of: ({ cpu }) => cpu, digits: 2 },
    { title: 'peak RSS MiB', of: ({ peak }) => peak / mebibyte, digits: 0 },
  ]
  const measure = async (context: BenchContext, kind: ServerKind): Promise<Measured> => {
    const server = await startServer(kind, { folder: ensureTree(context, tree) })
    try {
      const cpuBefore = cpuSeconds(server.pid)
      const { milliseconds } = await fetchPage(server, '')
      const cpu = cpuSeconds(server.pid) - cpuBefore
      return { milliseconds, cpu, peak: peakBytes(server.pid) }
    } finally {
      await server.stop()
    }
  }
  return {
    name,
    question: `How long does the first page of a folder of ${files} names take in a fresh process?`,
    target: targetOf(columns),
    run: async (context) => {
      const kinds = wantedKinds(context)
        .filter((kind) => kind.hasOwnFormat !== true && kind !== rawDurable)
        .map((kind) => [kind, kind] as const)
      const subjects = new Map<ServerKind, ServerKind>(kinds)
      const measureOne = (kind: ServerKind) => measure(context, kind)
      return tabulateRounds(await inRounds(context, name, subjects, measureOne), columns)
    },
  }
}

export const coldFolderScenarios: readonly Scenario[] = [
  coldScenario('cold-folder', 100_000, 150),
  coldScenario('cold-folder-large', 1_000_000, 1_500),
]
