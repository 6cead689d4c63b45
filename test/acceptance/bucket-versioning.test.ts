import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer } from '../support/wire-case.ts'

const target = `/${testBucket}?versioning`
const bodyOf = (status: string, more = '') =>
  `<VersioningConfiguration><Status>${status}</Status>${more}</VersioningConfiguration>`
const put = (body: string) => ({ title: body, method: 'PUT', target, body })

for (const mode of ['contract', 'aws'] as const) {
  test(`COMPATIBILITY=${mode}: versions are enabled, suspended and shown`, async (t) => {
    const gateway = await startGatewayInProcess(t, { COMPATIBILITY: mode, BUCKET_CREATION: 'on' })
    const get = { title: 'read', method: 'GET', target, status: 200 }
    await answer(gateway, { ...get, xml: { VersioningConfiguration: { Status: undefined } } })
    for (const status of ['Suspended', 'Enabled', 'Enabled', 'Suspended']) {
      await answer(gateway, { ...put(bodyOf(status)), status: 200, text: '' })
      await answer(gateway, { ...get, xml: { VersioningConfiguration: { Status: status } } })
    }
    const mfa = (value: string) => bodyOf('Enabled', `<MfaDelete>${value}</MfaDelete>`)
    const refused = { status: 501, code: 'NotImplemented' }
    const reply = await answer(gateway, { ...put(mfa('Enabled')), ...refused })
    assert.match(reply.text, /MfaDelete. Use Object Lock/)
    for (const body of [mfa('On'), bodyOf(''), bodyOf('Disabled'), '<VersioningConfiguration/>']) {
      await answer(gateway, { ...put(body), status: 400, code: 'MalformedXML' })
    }
    await answer(gateway, { ...put(mfa('Disabled')), status: 200 })
  })

  test(`COMPATIBILITY=${mode}: without BUCKET_CREATION=on, versions cannot be enabled`, async (t) => {
    const gateway = await startGatewayInProcess(t, { COMPATIBILITY: mode, BUCKET_CREATION: 'off' })
    const refused = { status: 501, code: 'NotImplemented' }
    const { text } = await answer(gateway, { ...put(bodyOf('Enabled')), ...refused })
    assert.match(text, /BUCKET_CREATION=on/)
  })
}
