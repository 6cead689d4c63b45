import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { PowerDisk, powerDiskAbsence } from './power-disk.ts'
import { type StoreReply, send } from './store.ts'

const rounds = Number(process.env.POWER_ROUNDS ?? 5)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const writers = 6
const keysOfWriter = 4
const mostBytes = 64 * 1024

/** An object or its absence, from the reply to the reply to the next write of the key. */
interface State {
  readonly id: string
  /** Undefined: absent. */
  readonly bytes: Buffer | undefined
  readonly begunMs: number
  acknowledgedMs: number | undefined
}

type Histories = Map<string, State[]>

/** Writes to its own keys, until the gateway is killed. */
async function writeKeys(
  server: GatewayProcess,
  histories: Histories,
  { random, name }: { readonly random: Random; readonly name: string },
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const key = `${name}/${random.integer(0, 3)}/${random.integer(0, keysOfWriter)}`
    const id = `${name}-${count}-${seed}`
    const isRemoval = random.next() < 0.15
    const bytes = isRemoval ? undefined : testBytes(id, 1 + random.size(mostBytes))
    const state: State = { id, bytes, begunMs: Date.now(), acknowledgedMs: undefined }
    const history = histories.get(key) ?? []
    histories.set(key, [...history, state])
    try {
      const headers = { 'x-amz-meta-id': id, 'content-type': `text/x-${id}` }
      if (bytes === undefined) await send(server, { method: 'DELETE', key, expected: [204, 404] })
      else await send(server, { method: 'PUT', key, headers, body: bytes })
    } catch {
      return
    }
    state.acknowledgedMs = Date.now()
  }
}

/** The states that a key may have if everything up to this time is on the disk. */
function possible(history: readonly State[], durableMs: number): State[] {
  const absent: State = { id: 'absent', bytes: undefined, begunMs: 0, acknowledgedMs: 0 }
  const states = [absent, ...history]
  const isPast = (state: State | undefined) =>
    state?.acknowledgedMs !== undefined && state.acknowledgedMs < durableMs
  return states.filter((_, index) => !isPast(states[index + 1]))
}

function isState({ id, bytes }: State, { status, headers, body }: StoreReply): boolean {
  if (bytes === undefined) return status === 404
  return (
    status === 200 &&
    body.equals(bytes) &&
    headers.get('etag') === `"${md5Of(bytes)}"` &&
    headers.get('x-amz-meta-id') === id &&
    headers.get('content-type') === `text/x-${id}`
  )
}

/** The time up to which the note on the disk says that everything is durable. The notes then are of another boot. */
function durableTime(drive: string, cutMs: number): number {
  const folder = join(drive, '.bucketry', 'unsynced')
  let durableMs = cutMs
  for (const name of readdirSync(folder)) {
    // The power may fail while the note is created, before the first write.
    const { mtimeMs = 0 } = statSync(join(folder, name, 'since'), { throwIfNoEntry: false }) ?? {}
    if (mtimeMs > 0) durableMs = Math.min(durableMs, mtimeMs)
    const other = name.replace(/^[0-9a-f-]{36}\./, '00000000-0000-0000-0000-000000000000.')
    renameSync(join(folder, name), join(folder, other))
  }
  return durableMs
}

async function problemsOf(server: GatewayProcess, histories: Histories, durableMs: number) {
  const problems: string[] = []
  for (const [key, history] of histories) {
    const reply = await send(server, { method: 'GET', key, expected: [200, 404, 500] })
    const states = possible(history, durableMs)
    const found = states.find((state) => isState(state, reply))
    const meta = reply.headers.get('x-amz-meta-id')
    const wanted = states.map(({ id, bytes }) => `${id} (${bytes?.length})`).join(' or ')
    if (found === undefined) {
      problems.push(`${key}: ${reply.status}, ${meta}, ${reply.body.length} bytes, not ${wanted}`)
    }
    histories.set(key, found === undefined ? [] : [{ ...found, acknowledgedMs: 0 }])
  }
  return problems
}

describe('a relaxed gateway whose disk loses its power', { skip: powerDiskAbsence }, () => {
  it('tears no object, and loses only the last seconds', async (t) => {
    t.diagnostic(`CRASH_SEED=${seed}`)
    const disk = new PowerDisk()
    t.after(() => disk.remove())
    const random = new Random(seed)
    const histories: Histories = new Map()
    const settings = { DURABILITY: 'relaxed', LOG_LEVEL: 'warn', WORKERS: '1' }
    let torn = 0
    for (let round = 1; round <= rounds; round += 1) {
      const server = await startGatewayProcess({ folder: disk.folder, settings })
      const writing = Array.from({ length: writers }, (_, index) =>
        writeKeys(server, histories, { random, name: `w${index}-${round}` }),
      )
      const again = writeKeys(server, histories, { random, name: 'w' })
      const cutting = new AbortController()
      const committing = disk.commitNames(cutting.signal)
      await delay(random.integer(200, 4_000))
      const cutMs = Date.now()
      disk.cut()
      cutting.abort()
      await server.kill()
      await Promise.all([...writing, again, committing])
      disk.restart()
      const durableMs = durableTime(join(disk.folder, 'drive'), cutMs)
      const after = await startGatewayProcess({ folder: disk.folder, settings })
      try {
        assert.deepEqual(await problemsOf(after, histories, durableMs), [], after.logs())
        torn += after.logs().match(/a power failure tore it/g)?.length ?? 0
      } finally {
        await after.stop()
      }
    }
    t.diagnostic(`${rounds} cuts, ${histories.size} keys, ${torn} torn objects found`)
  })
})
