import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const count = 300
const keys = Array.from({ length: count }, (_, index) => `d/${index % 7}/${index}.txt`)

test('SIGKILL while files go to the trash, back and elsewhere loses none of them, nor their metadata', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-trash-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const start = async () => {
    const gateway = await startGatewayProcess({
      ...{ folder, settings: { DASHBOARD_PASSWORD: dashboardPassword } },
    })
    return { gateway, management: await ManagementClient.signIn(gateway.url) }
  }
  let { gateway, management } = await start()
  t.after(() => gateway.kill())
  for (const key of keys) {
    const headers = { 'content-type': 'text/x-odd', 'x-amz-meta-key': key }
    const reply = await signedFetch(gateway, {
      ...{ method: 'PUT', target: targetOf(testBucket, key), headers, body: key },
    })
    assert.equal(reply.status, 200)
  }
  const restart = async () => {
    await gateway.kill()
    ;({ gateway, management } = await start())
  }
  /** The number of objects in the bucket and in its trash. */
  const counts = async () => {
    const query = `list-type=2&max-keys=1000`
    const target = `/${testBucket}?${query}`
    const listing = await (await signedFetch(gateway, { method: 'GET', target })).text()
    const { items } = await management.done('GET', `/trash?bucket=${testBucket}`)
    const inTrash = items.reduce((sum: number, item: { objects: number }) => sum + item.objects, 0)
    return [listing.match(/<Key>/g)?.length ?? 0, inTrash]
  }
  /** Kills it in the middle of a job. */
  const killDuring = async (body: object) => {
    const { id, trashId } = await management.done('POST', '/file-jobs', body)
    await until(async () => {
      const reply = await management.done('GET', `/file-jobs/${id}`)
      return reply.done > 0 || reply.state !== 'running'
    })
    await restart()
    const [here = 0, there = 0] = await counts()
    assert.ok(here + there >= count, `${here} here, ${there} in the trash`)
    // The next process finishes it, without being asked.
    await until(async () => (await management.done('GET', `/file-jobs/${id}`)).state !== 'running')
    const { state, skipped } = await management.done('GET', `/file-jobs/${id}`)
    assert.deepEqual([state, skipped], ['done', 0])
    return trashId
  }
  const one = { bucket: testBucket, paths: ['d/'] }
  const trashId = await killDuring({ action: 'trash', ...one })
  assert.deepEqual(await counts(), [0, count])
  await killDuring({ action: 'restore', bucket: testBucket, trashId })
  assert.deepEqual(await counts(), [count, 0])
  await killDuring({ action: 'move', ...one, to: { bucket: testBucket, prefix: '', name: 'e' } })
  assert.deepEqual(await counts(), [count, 0])
  for (const key of keys) {
    const reply = await signedFetch(gateway, {
      method: 'GET',
      target: targetOf(testBucket, key.replace(/^d/, 'e')),
    })
    assert.equal(await reply.text(), key)
    assert.equal(reply.headers.get('content-type'), 'text/x-odd')
    assert.equal(reply.headers.get('x-amz-meta-key'), key)
  }
})
