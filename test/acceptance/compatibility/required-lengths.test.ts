import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { signChunks } from '../../support/signed-chunks.ts'
import { signHeaders } from '../../support/signed-request.ts'

const path = `/${testBucket}/k`

/** Sends a body with Transfer-Encoding: chunked. */
async function stream(
  gateway: GatewayInProcess,
  target: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
) {
  const { host: _, ...sent } = headers
  const init = { method: 'PUT', headers: sent, body: new Blob([body]).stream(), duplex: 'half' }
  const reply = await fetch(`${gateway.url}${target}`, init as RequestInit)
  return { status: reply.status, text: await reply.text() }
}

for (const mode of ['contract', 'aws']) {
  test(`COMPATIBILITY=${mode}: a body without a length`, async (t) => {
    const gateway = await startGatewayInProcess(t, { COMPATIBILITY: mode })
    const { host, credentials } = gateway
    const part = `${path}?partNumber=1&uploadId=${await beginUpload(gateway, path)}`
    for (const target of [path, part]) {
      const headers = signHeaders({ method: 'PUT', target, host }, credentials)
      const { status, text } = await stream(gateway, target, { headers, body: 'content' })
      assert.equal(status, mode === 'aws' ? 411 : 200, text)
      assert.equal(text.includes('<Code>MissingContentLength</Code>'), mode === 'aws')
    }
  })

  test(`COMPATIBILITY=${mode}: fog and GitLab only send the decoded length`, async (t) => {
    const gateway = await startGatewayInProcess(t, { COMPATIBILITY: mode })
    const { host, credentials } = gateway
    const signed = signChunks(
      { method: 'PUT', target: path, host, chunks: ['content'] },
      credentials,
    )
    assert.equal((await stream(gateway, path, signed)).status, 200)
  })
}
