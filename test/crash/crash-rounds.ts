import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { GatewayProcess } from '../support/gateway-process.ts'
import type { Random } from '../support/random.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { finishUpload, overtakeUpload, verifyParts } from './uploads.ts'
import { putCopySource, type Shapes, type Workload, writeUntilKilled } from './writers.ts'

export interface CrashPlan {
  readonly rounds: number
  /** @default as of Workload */
  readonly shapes?: Shapes
  readonly random: Random
  /** How long writers run at least and at most before they are interrupted. */
  readonly roundMs: readonly [least: number, most: number]
  /** Starts the gateway on the state that the previous one left. */
  start(): Promise<GatewayProcess>
  /** The gateway's own files that no request needs any more. */
  leftovers(): readonly string[]
}

interface CrashedWork {
  readonly workload: Workload
  readonly steps: Steps
}

const stepsWithinMs = 60_000
/** Abandoned bytes may be deleted after the reply. */
const leftoversGoMs = 5_000

/** Kills the gateway repeatedly during mixed writes and checks the remaining state. */
export async function runCrashRounds(t: TestContext, plan: CrashPlan): Promise<void> {
  const store = new BelievedStore()
  const { rounds, random, shapes } = plan
  const steps = new Steps()
  let resumed = 0
  for (let round = 0; round <= rounds; round++) {
    const server = await plan.start()
    try {
      const workload = { server, store, random, shapes, onStep: () => steps.count() }
      if (round === 0) await putCopySource(workload)
      resumed += store.openUploads.size
      await verifyAfterCrash(workload, plan)
      if (round < rounds) await crashOnce(t, server, { workload, steps, roundMs: plan.roundMs })
    } finally {
      await server.kill()
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

/** Writers run until the process group is killed, at a moment chosen by the seed, but after a few steps. */
async function crashOnce(
  t: TestContext,
  server: GatewayProcess,
  { workload, steps, roundMs }: Pick<CrashPlan, 'roundMs'> & CrashedWork,
): Promise<void> {
  // On a busy machine the chosen time may pass before any write ends.
  const isWorking = steps.more(2, stepsWithinMs)
  const [, problems] = await Promise.all([
    Promise.all([delay(workload.random.integer(...roundMs)), isWorking]).finally(() =>
      server.kill(),
    ),
    writeUntilKilled(workload),
  ])
  if (problems.length > 0) t.diagnostic(server.logs())
  assert.deepEqual(problems, [])
}

async function verifyAfterCrash(
  { server, store, random }: Workload,
  plan: CrashPlan,
): Promise<void> {
  // First, while the gateway still cleans up after the crash.
  for (const upload of store.openUploads) {
    if (random.next() < 0.3) await overtakeUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [])
  for (const upload of store.openUploads) {
    assert.deepEqual(await verifyParts(server, upload), [])
    await finishUpload(server, store, upload)
  }
  assert.deepEqual(await verifyStore(server, store), [], 'after uploads were resumed')
  const deadlineMs = Date.now() + leftoversGoMs
  while (plan.leftovers().length > 0 && Date.now() < deadlineMs) await delay(20)
  assert.deepEqual(plan.leftovers(), [], 'leftovers')
}
