/** Gateways that are killed again and again while they change a bucket with versions. */
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { leftoversIn, runCrashRounds } from './crash-rounds.ts'
import { setVersioning } from './verify-versions.ts'
import type { Shapes } from './writers.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? (process.env.FULL === '1' ? 60 : 8))
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const own = { BUCKET_CREATION: 'on', WORKERS: '2', LOG_LEVEL: 'warn' }

/** All versions are read after each crash. */
const shapes: Shapes = {
  keysOf: (index) => [`w${index}/a`, `w${index}/a/b`, `w${index}/c/d/`],
  mostBytes: 100_000,
  partSizes: (random) =>
    Array.from({ length: random.integer(1, 3) }, () => 1 + random.size(50_000)),
}

type Settings = Readonly<Record<string, string>>

interface CrashedGateways {
  /** Settings of each; all of them share the folder. */
  readonly gateways: readonly [Settings, ...Settings[]]
  readonly rounds: number
  /** As of GatewayProcessOptions. */
  readonly under?: readonly string[]
}

async function crashAgainAndAgain(
  t: TestContext,
  { gateways, rounds, under = [] }: CrashedGateways,
) {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const folder = mkdtempSync(join(diskFolder, 'bucketry-versions-crash-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = async (settings: Settings) => {
    const server = await startGatewayProcess({ folder, under, settings: { ...own, ...settings } })
    t.after(() => server.kill())
    return server
  }
  const [first, ...others] = gateways
  const random = new Random(seed)
  let status: 'Enabled' | 'Suspended' | undefined
  await runCrashRounds(t, {
    ...{ rounds, shapes, random, roundMs: [50, 900] },
    start: async () => [await start(first), ...(await Promise.all(others.map(start)))],
    async beforeWrites(server, store) {
      store.versions ??= new Map()
      const next = status === undefined || random.next() < 0.7 ? 'Enabled' : 'Suspended'
      if (next !== status) await setVersioning(server, next)
      status = next
    },
    leftovers: () => leftoversIn(join(folder, 'drive'), 3 * gateways.length),
  })
}

test('a gateway killed at random moments loses no version, and has none twice', async (t) => {
  await crashAgainAndAgain(t, { gateways: [{}], rounds })
})

test('so does one on a file system without hard links', async (t) => {
  if (!existsSync('/usr/bin/strace')) return t.skip("needs Debian's strace")
  // As the kernel answers on exFAT (link(2), EPERM).
  const calls = ['trace=link,linkat', 'inject=link,linkat:error=EPERM'].flatMap((one) => [
    '-e',
    one,
  ])
  const under = ['/usr/bin/strace', '-f', '--seccomp-bpf', '-o', '/dev/null', ...calls]
  await crashAgainAndAgain(t, { gateways: [{}], rounds: Math.ceil(rounds / 2), under })
})

test('two gateways on PostgreSQL, each killed, have the same versions in the same order', async (t) => {
  const postgres = await startPostgres()
  if (postgres === undefined) return t.skip('PostgreSQL is not installed (.ci/run installs it)')
  t.after(() => postgres.stop())
  const shared = { DATABASE_URL: await postgres.createDatabase() }
  await crashAgainAndAgain(t, { gateways: [shared, shared], rounds: Math.ceil(rounds / 2) })
})
