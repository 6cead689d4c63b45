import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'

const script = join(import.meta.dirname, '../../deploy/docker/healthcheck.cjs')

/** Runs the health check of the image. Resolves with what it reports; empty means healthy. */
function healthCheck(environment: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env: { ...environment } }, (error, _, stderr) => {
      resolve(error === null ? '' : stderr)
    })
  })
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-health-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

for (const scheme of ['http', 'https'] as const) {
  test(`the image's health check succeeds while a gateway serves ${scheme}`, async (t) => {
    const folder = temporaryFolder(t)
    const certificate = scheme === 'https' ? makeCertificate(folder) : undefined
    const gateway = await startGatewayProcess({ folder, ...(certificate && { certificate }) })
    t.after(() => gateway.kill())
    const PORT = String(gateway.port)
    for (const HOST of ['', '0.0.0.0', '127.0.0.1']) {
      assert.equal(await healthCheck({ PORT, HOST }), '', HOST)
    }
  })
}

test("the image's health check fails if nothing answers", async (t) => {
  assert.match(await healthCheck({ PORT: String(await freePort()) }), /ECONNREFUSED/)
  const gateway = await startGatewayProcess({ folder: temporaryFolder(t) })
  t.after(() => gateway.kill())
  process.kill(gateway.pid, 'SIGSTOP')
  assert.match(await healthCheck({ PORT: String(gateway.port) }), /no reply in 5000 ms/)
})
