import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { GatewayProcess } from '../support/gateway-process.ts'
import type { Random } from '../support/random.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { finishUpload, overtakeUpload, verifyParts } from './uploads.ts'
import { putCopySource, type Workload, writeUntilKilled } from './writers.ts'

export interface CrashPlan {
  readonly rounds: number
  readonly random: Random
  /** How long writers run at least and at most before they are interrupted. */
  readonly roundMs: readonly [least: number, most: number]
  /** Starts the gateway on the state that the previous one left. */
  start(): Promise<GatewayProcess>
  /** The gateway's own files that no request needs any more. */
  leftovers(): readonly string[]
}

/** Abandoned bytes may be deleted after the reply. */
const leftoversGoMs = 5_000

/** Kills the gateway repeatedly during mixed writes and checks the remaining state. */
export async function runCrashRounds(t: TestContext, plan: CrashPlan): Promise<void> {
  const store = new BelievedStore()
  const { rounds, random } = plan
  const totals = { steps: 0, resumed: 0 }
  for (let round = 0; round <= rounds; round++) {
    const server = await plan.start()
    try {
      const workload = { server, store, random, onStep: () => totals.steps++ }
      if (round === 0) await putCopySource(workload)
      totals.resumed += store.openUploads.size
      await verifyAfterCrash(workload, plan)
      if (round < rounds) await crashOnce(t, server, { workload, roundMs: plan.roundMs })
    } finally {
      await server.kill()
    }
  }
  t.diagnostic(`${rounds} crashes, ${totals.steps} steps, ${totals.resumed} uploads resumed`)
  assert.ok(totals.steps > rounds, 'the writers did next to nothing')
}

/** Writers run until the process group is killed, at a moment chosen by the seed. */
async function crashOnce(
  t: TestContext,
  server: GatewayProcess,
  { workload, roundMs }: Pick<CrashPlan, 'roundMs'> & { readonly workload: Workload },
): Promise<void> {
  const [, problems] = await Promise.all([
    delay(workload.random.integer(...roundMs)).then(() => server.kill()),
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
