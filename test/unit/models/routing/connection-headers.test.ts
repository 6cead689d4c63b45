import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const secret = 'org-0123456789abcdef'
const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }
const baseUrl = 'https://lab.example/v1'
const masks = { 'X-Title': '****', 'OpenAI-Organization': '****cdef' }
const dataOf = (headers: object | null, url = baseUrl) => ({
  providerSpecificData: { baseUrl: url, headers },
})

describe('header fields of connections', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
  })
  beforeEach(() => gateway.send('PUT', '', empty))
  after(() => testDatabase.remove())

  async function create(): Promise<{ readonly id: string; readonly [field: string]: unknown }> {
    const { status, body } = await gateway.send('POST', '/connections', {
      provider: 'openai-compatible-lab',
      ...dataOf({ 'X-Title': ' Lab ', 'OpenAI-Organization': secret }),
    })
    assert.equal(status, 201)
    return body
  }

  const stored = async () => (await gateway.source.connections())[0]?.providerSpecificData?.headers
  const whole = { 'X-Title': 'Lab', 'OpenAI-Organization': secret }

  test('no answer and no row has a value in it', async () => {
    const created = await create()
    assert.deepEqual(created.providerSpecificData, { baseUrl, headers: masks })
    const answers = [await gateway.send('GET', ''), await gateway.send('GET', '/export')]
    const rows = await testDatabase.database.read('SELECT * FROM routing_connections')
    const texts = [...answers.map(({ text }) => text), JSON.stringify(rows)]
    for (const text of texts) {
      assert.ok(text.includes('X-Title'))
      assert.ok(!/org-0|"Lab"/.test(text))
    }
    assert.deepEqual(await stored(), whole)
  })

  test('masks keep their values, in a PUT, a PATCH and another case of letters', async () => {
    const { id } = await create()
    await gateway.send('PUT', '', (await gateway.send('GET', '/export')).body)
    assert.deepEqual(await stored(), whole)
    await gateway.send('PATCH', `/connections/${id}`, { name: 'New' })
    assert.deepEqual(await stored(), whole)
    const headers = { 'x-title': '****', 'api-key': 'a' }
    await gateway.send('PATCH', `/connections/${id}`, dataOf(headers))
    assert.deepEqual(await stored(), { 'x-title': 'Lab', 'api-key': 'a' })
    const other = await gateway.send('PATCH', `/connections/${id}`, dataOf({ 'x-new': '****' }))
    assert.deepEqual(
      [other.status, other.body.field],
      [400, 'providerSpecificData.headers["x-new"]'],
    )
  })

  for (const [title, change] of [
    ['null', dataOf(null)],
    ['no field', dataOf({})],
    ['null in place of all data', { providerSpecificData: null }],
  ] as const) {
    test(`PATCH removes them for ${title}`, async () => {
      const { id } = await create()
      const { status } = await gateway.send('PATCH', `/connections/${id}`, change)
      assert.deepEqual([status, await stored()], [200, undefined])
    })
  }

  test('a stored value is not sent to another address', async () => {
    const created = await create()
    const path = `/connections/${created.id}`
    const field = 'providerSpecificData.headers'
    const evil = 'https://evil.example'
    const moved = { ...created, ...dataOf(masks, evil) }
    for (const [answer, named] of [
      [await gateway.send('PATCH', path, { providerSpecificData: { baseUrl: evil } }), field],
      [await gateway.send('PATCH', path, { provider: 'openai' }), field],
      [await gateway.send('PATCH', path, dataOf(masks, evil)), `${field}["X-Title"]`],
      [
        await gateway.send('PUT', '', { ...empty, connections: [moved] }),
        `connections[0].${field}["X-Title"]`,
      ],
    ] as const) {
      assert.deepEqual([answer.status, answer.body.field], [400, named])
      assert.equal(answer.body.message, 'enter the value again for the new address')
    }
    assert.deepEqual(await stored(), whole)
    const entered = await gateway.send('PATCH', path, dataOf({ 'X-Title': 'Lab' }, evil))
    assert.deepEqual([entered.status, await stored()], [200, { 'X-Title': 'Lab' }])
  })

  test('an import keeps them, unless it moves the connection', async () => {
    const { id, provider } = await create()
    const file = (url: string) => ({
      providerConnections: [{ id, provider, providerSpecificData: { baseUrl: url } }],
    })
    await gateway.send('POST', '/import', file(`${baseUrl}/x`))
    assert.deepEqual(await stored(), whole)
    await gateway.send('POST', '/import', file('https://evil.example'))
    assert.equal(await stored(), undefined)
  })

  test('POST test sends them, and says if they cannot be read', async () => {
    const { id } = await create()
    await gateway.send('POST', `/connections/${id}/test`)
    assert.deepEqual(gateway.probed.at(-1)?.providerSpecificData?.headers, whole)
    const changed = await openRouting(testDatabase.database, { secretKey: 'another' })
    const { body } = await changed.send('POST', `/connections/${id}/test`)
    assert.match(body.message, /header fields cannot be read because SECRET_KEY/)
    const [shown] = (await changed.send('GET', '')).body.connections
    assert.deepEqual(shown.providerSpecificData.headers, {
      'X-Title': '****',
      'OpenAI-Organization': '****',
    })
    await changed.send('PUT', '', (await changed.send('GET', '')).body)
    assert.deepEqual(await stored(), whole)
    assert.deepEqual((await changed.source.connections())[0]?.providerSpecificData, {
      ...{ baseUrl, headers: {} },
    })
    assert.deepEqual(changed.warnings, [{ connections: [id], count: 1 }])
  })
})
