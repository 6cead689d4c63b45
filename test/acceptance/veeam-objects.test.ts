/** The objects of Veeam's SOSAPI: they tell how much space there is, and nothing else sees them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { answer, exchange } from '../support/wire-case.ts'

const folder = `/${testBucket}/.system-d26a9498-cb7c-4a87-a44a-8ae204f5ba6c`
const system = { method: 'GET', target: `${folder}/system.xml` }
const capacity = { method: 'GET', target: `${folder}/capacity.xml` }
const settings = { COMPATIBILITY: 'aws', PUBLIC_READ_BUCKETS: testBucket }

function figures(text: string): Record<string, number> {
  const found = text.matchAll(/<(Capacity|Available|Used)>(\d+)</g)
  return Object.fromEntries([...found].map(([, name = '', value]) => [name, Number(value)]))
}

test('system.xml says that capacity.xml has the space of the drive, and a quota of the bucket', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...settings,
    DASHBOARD_PASSWORD: dashboardPassword,
  })
  const { text } = await answer(gateway, { title: 'system', ...system, status: 200 })
  assert.match(text, /<SystemInfo><ProtocolVersion>"1.0"<.*<CapacityInfo>true<.*<IAMSTS>false</s)
  const { freeBytes = 0, totalBytes = 0 } = (await gateway.drive.quota?.()) ?? {}
  const whole = await exchange(gateway, capacity)
  const expected = { Capacity: totalBytes, Available: freeBytes, Used: totalBytes - freeBytes }
  assert.deepEqual(figures(whole.text), expected)
  await exchange(gateway, { method: 'PUT', target: `/${testBucket}/k`, body: 'x'.repeat(1000) })
  const management = await ManagementClient.signIn(gateway.url)
  await management.done('PATCH', `/buckets/${testBucket}`, { quotaBytes: 5000 })
  await t.waitFor(async () => {
    const { Capacity, Available } = figures((await exchange(gateway, capacity)).text)
    assert.equal(Capacity, 5000)
    assert.ok(Available !== undefined && Available <= 5000)
  })
})

test('they are objects for reads of those with a key, and for nothing else', async (t) => {
  const gateway = await startGatewayInProcess(t, settings)
  const { headers, text } = await exchange(gateway, { ...system, method: 'HEAD' })
  assert.equal(headers.get('content-type'), 'application/xml')
  assert.equal(text, '')
  const etag = headers.get('etag') ?? ''
  const known = await exchange(gateway, { ...system, headers: { 'if-none-match': etag } })
  assert.equal(known.status, 304)
  const range = await exchange(gateway, { ...system, headers: { range: 'bytes=1-4' } })
  assert.deepEqual([range.status, range.text], [206, '?xml'])
  for (const target of [system.target, capacity.target]) {
    const { status } = await exchange(gateway, { method: 'GET', target, isUnsigned: true })
    assert.equal(status, 404, 'strangers do not learn how large the drive is')
  }
  const listed = await exchange(gateway, { method: 'GET', target: `/${testBucket}?list-type=2` })
  assert.doesNotMatch(listed.text, /\.system-/)
  for (const name of ['other.xml', 'system.xml/', '']) {
    const { status } = await exchange(gateway, { method: 'GET', target: `${folder}/${name}` })
    assert.equal(status, 404, name)
  }
  await exchange(gateway, { ...capacity, method: 'PUT', body: 'own' })
  assert.equal((await exchange(gateway, capacity)).text, 'own')
  assert.equal(
    (await exchange(gateway, { ...capacity, method: 'HEAD' })).headers.get('content-length'),
    '3',
  )
})

test('without VEEAM_SOSAPI, which needs COMPATIBILITY=aws or the setting, the keys are those of objects', async (t) => {
  for (const more of [{}, { COMPATIBILITY: 'aws', VEEAM_SOSAPI: 'false' }]) {
    const gateway = await startGatewayInProcess(t, more)
    assert.equal((await exchange(gateway, system)).status, 404)
    await exchange(gateway, { ...system, method: 'PUT', body: 'own' })
    assert.equal((await exchange(gateway, system)).text, 'own')
  }
})
