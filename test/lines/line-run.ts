import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfSlowLine, startSlowLine } from '../fakes/slow-line.ts'
import { BucketClient } from '../support/bucket-client.ts'
import type { DriveWorld, OpenWorld } from '../support/drive-world.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { sha256Of, testBytes } from '../support/test-bytes.ts'
import type { Scope } from '../support/webdav/server-process.ts'
import { lastFirst, suiteScope } from '../support/webdav/suite-scope.ts'
import { planTransfers, type Transfer, titleOf } from './transfers.ts'

/** Eight hexadecimal digits. Those that a failed run printed repeat its transfers and lines. */
const seed = process.env.LINE_SEED ?? randomBytes(4).toString('hex')

const transfers = planTransfers(seed)

interface Stage {
  readonly world: DriveWorld
  /** Through the slow line. */
  readonly client: BucketClient
  /** Without the slow line. */
  readonly near: BucketClient
}

/**
 * Moves objects of random sizes over slow lines between client and gateway and between gateway and
 * the drive's server, and compares the files on the server and the downloads with what was sent.
 */
export function declareLineRun(name: string, open: OpenWorld, skip: string | false = false): void {
  const absence = skip === false ? absenceOfSlowLine() : skip
  // All at once: they only wait for the lines.
  const concurrency = transfers.length
  describe(`${name} over slow lines, LINE_SEED=${seed}`, { concurrency, skip: absence }, () => {
    const scope = lastFirst(suiteScope())
    let stage: Promise<Stage> | undefined
    // The tests await it: the runner does not show why a hook failed.
    before(() => {
      stage = setStage(scope, open)
    })
    for (const [index, transfer] of transfers.entries()) {
      test(titleOf(transfer), async () => {
        assert.ok(stage)
        await run(transfer, `${index}-${transfer.kind}`, await stage)
      })
    }
  })
}

async function setStage(scope: Scope, open: OpenWorld): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-lines-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  const world = await open(scope, async (url) => {
    const line = await startSlowLine(scope, url, { seed: `${seed} drive` })
    return line.urlFor(url)
  })
  const settings = { LOG_LEVEL: 'warn', ...world.settings }
  const gateway = await startGatewayProcess({ folder, settings })
  scope.after(() => gateway.kill())
  const line = await startSlowLine(scope, gateway.url, { seed: `${seed} client` })
  const client = new BucketClient(line.urlFor(gateway.url))
  const near = new BucketClient(gateway.url)
  scope.after(() => {
    client.close()
    near.close()
  })
  return { world, client, near }
}

async function run(transfer: Transfer, key: string, stage: Stage): Promise<void> {
  const { client, near } = stage
  const source = `${key}-source`
  if (transfer.kind === 'put') {
    const bytes = testBytes(key, transfer.size)
    await client.put(key, bytes)
    await check(key, bytes, stage)
  } else if (transfer.kind === 'multipart') {
    const bytes = testBytes(key, transfer.upload.size)
    await client.upload(key, bytes, transfer.upload)
    await check(key, bytes, stage)
  } else if (transfer.kind === 'copy') {
    const bytes = testBytes(key, transfer.source.size)
    const { size, partSize } = transfer.source
    await (partSize < size ? near.upload(source, bytes, transfer.source) : near.put(source, bytes))
    await client.copy(source, key)
    await check(key, bytes, stage)
  } else {
    const bytes = testBytes(key, transfer.size)
    await near.put(source, bytes)
    await client.uploadWithCopies(key, bytes, { source, pieces: transfer.pieces })
    await check(key, bytes, stage)
  }
}

/** Checks the object's bytes: in the server's file, read completely, and read from the middle. */
async function check(key: string, bytes: Buffer, { world, client, near }: Stage): Promise<void> {
  const sent = sha256Of(bytes)
  const stored = world.stored?.(key) ?? sha256OfStream(await near.get(key))
  assert.equal(await stored, sent, 'the file on the server is not what was sent')
  const middle = { start: Math.floor(bytes.length / 3), end: Math.ceil((bytes.length * 2) / 3) }
  const [whole, part] = await Promise.all([
    sha256OfStream(await client.get(key)),
    sha256OfStream(await client.get(key, `bytes=${middle.start}-${middle.end - 1}`)),
  ])
  assert.equal(whole, sent, 'GET gives other bytes than were sent')
  const sentPart = sha256Of(bytes.subarray(middle.start, middle.end))
  assert.equal(part, sentPart, 'GET of a range gives other bytes than were sent')
}

async function sha256OfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
