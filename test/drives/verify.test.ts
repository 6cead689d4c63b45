import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BucketClient } from '../support/bucket-client.ts'
import { googleWorld, nextcloudWorld, type OpenWorld, worldOf } from '../support/drive-world.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { linesOf, runVerify } from '../support/run-verify.ts'
import { testBytes } from '../support/test-bytes.ts'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { lastFirst } from '../support/webdav/suite-scope.ts'

/** One of each sort of drive: verify reads objects only through the drive's interface. */
const drives: Readonly<Record<string, { open: OpenWorld; skip?: string | false }>> = {
  'Google Drive': { open: googleWorld },
  Nextcloud: { open: nextcloudWorld },
  'Apache mod_dav': { open: worldOf(startApache), skip: absenceOfApache() },
}

/** Small objects are read whole when they are opened, others while they are given out. */
const damaged = ['small', 'medium', 'in parts']

async function filledGateway(t: TestContext, open: OpenWorld) {
  const scope = lastFirst(t)
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-verify-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  const world = await open(scope, async (url) => url)
  const settings = { WORKERS: '1', LOG_LEVEL: 'warn', ...world.settings }
  const { environment, url, ...gateway } = await startGatewayProcess({ folder, settings })
  scope.after(() => gateway.kill())
  const client = new BucketClient(url)
  scope.after(() => client.close())
  for (const kept of ['', 'kept ']) {
    await client.put(`${kept}small`, testBytes('small', 1_000))
    await client.put(`${kept}medium`, testBytes('medium', 300_000))
    const upload = { partSize: 500_000, parallel: 2 }
    await client.upload(`${kept}in parts`, testBytes('in parts', 1_200_000), upload)
  }
  return { world, verify: runVerify.bind(undefined, { folder, environment }, testBucket, '--json') }
}

for (const [name, { open, skip = false }] of Object.entries(drives)) {
  test(`verify finds damaged files on ${name} beside a running gateway`, { skip }, async (t) => {
    const { world, verify } = await filledGateway(t, open)
    const before = await verify()
    assert.deepEqual([before.status, linesOf(before)[0]?.verified], [0, 6], before.stderr)
    for (const key of damaged) world.damage?.(key)
    const after = await verify()
    const lines = linesOf(after)
    const summary = lines.pop()
    const found = lines.filter(({ what }) => what === 'ETag').map(({ key }) => key)
    assert.deepEqual(found.sort(), damaged.toSorted(), after.stderr)
    assert.deepEqual([summary?.verified, summary?.mismatch], [3, 3])
    assert.equal(after.status, 1)
  })
}
