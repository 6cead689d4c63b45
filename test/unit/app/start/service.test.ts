import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../../../support/gateway-in-process.ts'
import { signedFetch } from '../../../support/signed-fetch.ts'

test('multipart uploads go by the clock of the database', async (t) => {
  const aheadMs = 3_600_000
  const gateway = await startGatewayInProcess(t, {}, { now: () => Date.now() + aheadMs })
  const target = `/${gateway.bucket}/k`
  const created = await signedFetch(gateway, { method: 'POST', target: `${target}?uploads` })
  const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(await created.text())?.[1]
  assert.ok(uploadId)
  const part = `${target}?partNumber=1&uploadId=${uploadId}`
  assert.equal(
    (await signedFetch(gateway, { method: 'PUT', target: part, body: 'one' })).status,
    200,
  )
  const list = `${target}?uploadId=${uploadId}`
  const text = await (await signedFetch(gateway, { method: 'GET', target: list })).text()
  const modified = Date.parse(/<LastModified>(.*)<\/LastModified>/.exec(text)?.[1] ?? '')
  assert.ok(Math.abs(modified - Date.now() - aheadMs) < 60_000, text)
})
