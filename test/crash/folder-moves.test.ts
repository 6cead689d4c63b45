import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { diskFolder } from '../support/disk-folder.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { Random } from '../support/random.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { leftoversIn } from './crash-rounds.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? 12)
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const writers = 6
const settings = { DASHBOARD_PASSWORD: dashboardPassword, WORKERS: '2', LOG_LEVEL: 'warn' }

/** What was asked for, and what of it was acknowledged. */
interface Names {
  readonly asked: Set<string>
  readonly written: Set<string>
}

test('SIGKILL while folders move and others write to them loses no write and doubles none', async (t) => {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const random = new Random(seed)
  const folder = mkdtempSync(join(diskFolder, 'bucketry-moves-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const names: Names = { asked: new Set(), written: new Set() }
  let moves = 0
  for (let round = 0; round <= rounds; round += 1) {
    const gateway = await startGatewayProcess({ folder, settings })
    try {
      const client = await ManagementClient.signIn(gateway.url)
      await until(async () => {
        const { jobs } = await client.done('GET', '/file-jobs?limit=100')
        return jobs.every(({ state }: { state: string }) => state !== 'running')
      })
      await verify(gateway, names)
      if (round === rounds) break
      const writing = Array.from({ length: writers }, (_, writer) =>
        write(gateway, names, `${round}-${writer}`),
      )
      const moving = move(client, round).then((count) => {
        moves += count
      })
      await delay(random.integer(100, 1_500))
      await gateway.kill()
      await Promise.all([...writing, moving])
    } finally {
      await gateway.kill()
    }
  }
  t.diagnostic(`${moves} moves, ${names.written.size} writes`)
  assert.deepEqual(leftoversIn(join(folder, 'drive'), 3), [])
})

/** Until the gateway is killed. Half of the writes are conditional: another way, without the thread of small writes. */
async function write(gateway: GatewayProcess, { asked, written }: Names, writer: string) {
  for (let number = 0; ; number += 1) {
    const name = `${number % 3}/${writer}-${number}`
    const headers: Record<string, string> = number % 2 === 0 ? {} : { 'if-none-match': '*' }
    asked.add(name)
    try {
      const target = targetOf(testBucket, `f/${name}`)
      const reply = await signedFetch(gateway, { method: 'PUT', target, headers, body: name })
      assert.equal(reply.status, 200, await reply.text())
      written.add(name)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
  }
}

/** Until the gateway is killed. Returns how often. */
async function move(client: ManagementClient, round: number): Promise<number> {
  const to = (number: number) => ({ bucket: testBucket, prefix: '', name: `to-${round}-${number}` })
  for (let number = 0; ; number += 1) {
    try {
      const order = { action: 'move', bucket: testBucket, paths: ['f/'], to: to(number) }
      const { id } = await client.done('POST', '/file-jobs', order)
      await until(async () => (await client.done('GET', `/file-jobs/${id}`)).state !== 'running')
    } catch {
      return number
    }
  }
}

/** Each name is in one of the folders. */
async function verify(gateway: GatewayProcess, { asked, written }: Names): Promise<void> {
  const found: string[] = []
  for (let after = ''; ; ) {
    const query = `list-type=2&start-after=${encodeURIComponent(after)}`
    const target = `/${testBucket}?${query}`
    const text = await (await signedFetch(gateway, { method: 'GET', target })).text()
    const keys = [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
    found.push(...keys.map((key) => key.slice(key.indexOf('/') + 1)))
    if (keys.length === 0) break
    after = keys.at(-1) ?? ''
  }
  // A folder that a writer has just made has no object yet: the move makes one for the folder itself, which may be `f/`.
  const objects = found.filter((name) => name !== '' && !name.endsWith('/'))
  const all = new Set(objects)
  assert.equal(all.size, objects.length, 'no object is in two folders')
  assert.deepEqual(
    [...written].filter((name) => !all.has(name)),
    [],
  )
  assert.deepEqual(
    [...all].filter((name) => !asked.has(name)),
    [],
  )
}
