/** What an idle gateway sends to PostgreSQL. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StatementCounter } from '../support/counting/statement-counter.ts'
import { MainProcess } from '../support/main-process.ts'
import { startPostgres } from '../support/start-postgres.ts'

/** From one heartbeat to the next, in two seconds: the heartbeat's two statements, and two or three checks. */
const mostPerBeat = 5
/** On a busy machine, workers also ask for themselves. */
const giveUpAfterMs = 60_000

const postgres = await startPostgres()
const skip = postgres === undefined && "needs POSTGRES_URL or Debian's postgresql"
after(() => postgres?.stop())

async function idle(t: TestContext, workers: number) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-idle-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const counter = await StatementCounter.start((await postgres?.createDatabase()) ?? '')
  t.after(() => counter.close())
  const gateway = new MainProcess(folder, {
    ACCESS_KEY: 'AKEXAMPLE',
    SECRET_KEY: 'hunter2hunter2hunter2',
    ALLOWED_BUCKETS: 'photos',
    DATABASE_URL: counter.url,
    DRIVE: `file:${join(folder, 'drive')}`,
    WORKERS: String(workers),
  })
  t.after(() => gateway.kill())
  await gateway.url()
  counter.statements.length = 0
  return { gateway, statements: counter.statements }
}

async function until(isSo: () => boolean, what: () => string): Promise<void> {
  const startedAtMs = performance.now()
  while (!isSo()) {
    assert.ok(performance.now() - startedAtMs < giveUpAfterMs, what())
    await sleep(50)
  }
}

for (const workers of [1, 2]) {
  test(`An idle gateway with WORKERS=${workers} sends two statements a second`, {
    skip,
  }, async (t) => {
    const { statements } = await idle(t, workers)
    await until(
      () => statementsPerBeat(statements).some((count) => count <= mostPerBeat),
      () => `the statements from one heartbeat to the next are ${statementsPerBeat(statements)}`,
    )
  })
}

test('While the primary process is suspended, each worker asks the database itself', {
  skip,
}, async (t) => {
  const { gateway, statements } = await idle(t, 2)
  gateway.signal('SIGSTOP')
  statements.length = 0
  await until(
    () => statements.filter(isCheck).length >= 5,
    () => `sent: ${statements}`,
  )
  // One can have been on its way.
  assert.ok(statements.filter(isBeat).length <= 1)
})

/** How many statements there were from each heartbeat to the next. */
function statementsPerBeat(statements: readonly string[]): number[] {
  const beats = statements.flatMap((sql, index) => (isBeat(sql) ? [index] : []))
  return beats.slice(1).map((index, position) => index - (beats[position] ?? 0))
}

function isBeat(sql: string): boolean {
  return /^UPDATE gateways SET beat/.test(sql)
}

function isCheck(sql: string): boolean {
  return /^SELECT name, revision.* FROM revisions$/.test(sql)
}
