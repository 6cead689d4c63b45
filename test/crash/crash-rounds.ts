import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { filesBelow, type GatewayProcess, unfinishedFiles } from '../support/gateway-process.ts'
import type { Random } from '../support/random.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { finishUpload, overtakeUpload, verifyParts } from './uploads.ts'
import { verifyVersions } from './verify-versions.ts'
import { putCopySource, type Shapes, type Workload, writeUntilKilled } from './writers.ts'

type Gateways = readonly [GatewayProcess, ...GatewayProcess[]]

export interface CrashPlan {
  readonly rounds: number
  /** @default as of Workload */
  readonly shapes?: Shapes
  readonly random: Random
  /** How long writers run at least and at most before they are interrupted. */
  readonly roundMs: readonly [least: number, most: number]
  /** Starts the gateways on the state that the previous ones left. */
  start(): Promise<Gateways>
  /** Called before the writers start. */
  beforeWrites?(server: GatewayProcess, store: BelievedStore): Promise<void>
  /** The gateway's own files that no request needs any more. */
  leftovers(): readonly string[]
}

interface CrashedWork {
  readonly workload: Workload
  readonly steps: Steps
}

const stepsWithinMs = 60_000
const mostMsBetweenKills = 300
/** Abandoned bytes may be deleted after the reply. */
const leftoversGoMs = 5_000

/** Kills the gateway repeatedly during mixed writes and checks the remaining state. */
export async function runCrashRounds(t: TestContext, plan: CrashPlan): Promise<void> {
  const store = new BelievedStore()
  const { rounds, random, shapes } = plan
  const steps = new Steps()
  let resumed = 0
  for (let round = 0; round <= rounds; round++) {
    const servers = await plan.start()
    try {
      const [server] = servers
      const workload = { server, servers, store, random, shapes, onStep: () => steps.count() }
      if (round > 0) await verifyAfterCrash(workload, servers, plan)
      await plan.beforeWrites?.(server, store)
      if (round === 0) await putCopySource(workload)
      if (round < rounds) await crashOnce(t, servers, { workload, steps, roundMs: plan.roundMs })
      resumed += store.openUploads.size
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
    }
  }
  t.diagnostic(`${rounds} crashes, ${steps.done} steps, ${resumed} uploads resumed`)
}

/** Acknowledged steps of the writers. */
class Steps {
  done = 0
  readonly #counted = new EventEmitter()

  count(): void {
    this.done++
    this.#counted.emit('step')
  }

  /** @throws AbortError if they take longer than `withinMs`. */
  async more(steps: number, withinMs: number): Promise<void> {
    const until = this.done + steps
    const signal = AbortSignal.timeout(withinMs)
    while (this.done < until) await once(this.#counted, 'step', { signal })
  }
}

/** Writers run until the process groups are killed, at moments chosen by the seed, but after a few steps. */
async function crashOnce(
  t: TestContext,
  servers: Gateways,
  { workload, steps, roundMs }: Pick<CrashPlan, 'roundMs'> & CrashedWork,
): Promise<void> {
  // On a busy machine the chosen time may pass before any write ends.
  const isWorking = steps.more(2, stepsWithinMs)
  const [, problems] = await Promise.all([
    Promise.all([delay(workload.random.integer(...roundMs)), isWorking]).finally(() =>
      killAll(servers, workload.random),
    ),
    writeUntilKilled(workload),
  ])
  if (problems.length > 0) for (const server of servers) t.diagnostic(server.logs())
  assert.deepEqual(problems, [])
}

/** One after the other: those that are left take over from those that are gone. */
async function killAll([first, ...others]: Gateways, random: Random): Promise<void> {
  await first.kill()
  for (const other of others) {
    await delay(random.integer(0, mostMsBetweenKills))
    await other.kill()
  }
}

async function verifyAfterCrash(
  { server, store, random }: Workload,
  servers: Gateways,
  plan: CrashPlan,
): Promise<void> {
  // First, while the gateway still cleans up after the crash.
  for (const upload of store.openUploads) {
    if (random.next() < 0.3) await overtakeUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [])
  assert.deepEqual(await verifyVersions(servers, store), [])
  for (const upload of store.openUploads) {
    assert.deepEqual(await verifyParts(server, upload), [])
    await finishUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [], 'after uploads were resumed')
  assert.deepEqual(await verifyVersions(servers, store), [], 'after uploads were resumed')
  const deadlineMs = Date.now() + leftoversGoMs
  let left = plan.leftovers()
  while (left.length > 0 && Date.now() < deadlineMs) {
    await delay(20)
    // Read once, because a heartbeat can create its file between two reads.
    left = plan.leftovers()
  }
  assert.deepEqual(left, [], 'leftovers')
}

/**
 * The gateway's own files on a folder that no request needs any more.
 *
 * @param processes how many may run
 */
export function leftoversIn(driveFolder: string, processes: number): string[] {
  const own = join(driveFolder, '.bucketry')
  // The record of a Complete with a lost reply is not a leftover, nor is an upload whose creation
  // got no reply. Both are smaller than this.
  const uploads = filesBelow(join(own, 'uploads')).filter((path) => statSync(path).size > 1024)
  // The lock of a dead process is taken over by the next one that needs it; until then it may
  // remain.
  const temporary = unfinishedFiles(driveFolder).filter((path) => !path.includes('/locks/'))
  // Each running process has one folder of temporary files.
  const folders = readdirSync(join(own, 'tmp'))
  return [...uploads, ...temporary, ...(folders.length > processes ? folders : [])]
}
