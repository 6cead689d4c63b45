import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { generateLoad, prepareRequest, type RequestShape } from '../../bench/load.ts'
import { cpuSeconds } from '../../bench/process-usage.ts'
import { bucketry, raw, rawDurable } from '../../bench/server-kinds.ts'
import { type RunningServer, startServer } from '../../bench/servers.ts'

/**
 * The CPU time of a request, compared with that of a plain node:http server which does the same reads and writes
 * (bench/raw-server.ts). Both are measured in turns, because the time depends on the machine and on what else it does.
 * The limits are 1.1 to 1.4 times what docs/decisions/0050-cpu-time-of-requests.md measured on quiet cores.
 */
interface Row {
  readonly floor: 'raw' | 'durable'
  readonly mostTimes: number
  readonly requests: number
  readonly shapes: readonly RequestShape[]
}

const objects = Array.from({ length: 64 }, (_, index) => ({
  key: `small-${index}`,
  bodyBytes: 1024,
}))
const puts = objects.map((object) => ({ ...object, method: 'PUT' }))

// biome-ignore format: one row for each request
const rows: Readonly<Record<string, Row>> = {
  'GET 1 KiB': { floor: 'raw', mostTimes: 1.6, requests: 8_000, shapes: objects.map(({ key }) => ({ method: 'GET', key })) },
  HEAD: { floor: 'raw', mostTimes: 1.9, requests: 8_000, shapes: objects.map(({ key }) => ({ method: 'HEAD', key })) },
  'PUT 1 KiB': { floor: 'durable', mostTimes: 2, requests: 1_500, shapes: puts },
}

/** The first round lets both servers compile their code. The fewest times of the others count. */
const mostRounds = 21
const connections = 32

describe('The CPU time of small requests', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, () => {
  // In memory, so that it does not depend on the disk.
  const folder = mkdtempSync('/dev/shm/bucketry-speed-')
  const servers = new Map<string, RunningServer>()

  before(async () => {
    for (const [name, kind] of Object.entries({ gateway: bucketry, raw, durable: rawDurable })) {
      const server = await startServer(kind, { folder: join(folder, name) })
      servers.set(name, server)
      await microseconds(server, { requests: puts.length, shapes: puts })
    }
  })

  after(async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [name, row] of Object.entries(rows)) {
    it(`${name} takes at most ${row.mostTimes} times that of a plain server`, async (t) => {
      const ratios: number[] = []
      for (let round = 1; round <= mostRounds; round += 1) {
        const gateway = await microseconds(servers.get('gateway'), row)
        const ratio = gateway / (await microseconds(servers.get(row.floor), row))
        t.diagnostic(`round ${round}: ${ratio.toFixed(2)} times`)
        if (round > 1) ratios.push(ratio)
        if (round > 1 && ratio <= row.mostTimes) return
      }
      assert.fail(`${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times`)
    })
  }
})

/** Of the server, for each request. */
async function microseconds(
  server: RunningServer | undefined,
  { requests: totalRequests, shapes }: Pick<Row, 'requests' | 'shapes'>,
): Promise<number> {
  assert.ok(server)
  const { port, pid } = server
  const requests = shapes.map((shape) => prepareRequest(server, shape))
  const before = cpuSeconds(pid)
  await generateLoad({ port, connections, requests, totalRequests })
  return ((cpuSeconds(pid) - before) * 1e6) / totalRequests
}
