import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { StrictUpstream, sendJson } from '../fakes/strict-upstream.ts'
import { fieldsOf, startCalling } from '../support/calling.ts'

/** A provider `lab` with two accounts. */
async function startAccounts(t: TestContext, second: object = {}) {
  const one = await StrictUpstream.start(t, { key: 'sk-first-key-aaaaaaaaaaaa' })
  const two = await StrictUpstream.start(t, { key: 'sk-second-key-bbbbbbbbbbb' })
  const calling = await startCalling(t)
  const first = await calling.connect('lab', { ...fieldsOf(one), priority: 1 })
  const { connections } = await calling.management.done('GET', '/routing')
  const { provider } = connections[0]
  const { kind: _, ...fields } = fieldsOf(two)
  const other = await calling.connect('lab', {
    ...{ ...fields, kind: undefined, provider, priority: 1, ...second },
    providerSpecificData: { ...fields.providerSpecificData, ...Object(second).data },
    data: undefined,
  })
  return { ...calling, one, two, connections: [first, other] }
}

/** Enough that each account gets several: which one a conversation gets is random in each run. */
const manyConversations = 32

const chat = (content: string) => ({ model: 'lab/big', messages: [{ role: 'user', content }] })

test('Accounts of one priority share the conversations, each of which stays', async (t) => {
  const { call, one, two } = await startAccounts(t)
  for (let turn = 0; turn < 3; turn += 1) {
    for (let conversation = 0; conversation < manyConversations; conversation += 1) {
      const { messages, ...rest } = chat(`question ${conversation}`)
      const later = Array.from({ length: turn }, () => ({ role: 'assistant', content: 'hm' }))
      const reply = await call('/chat/completions', { ...rest, messages: [...messages, ...later] })
      assert.equal(reply.status, 200)
    }
  }
  const conversations = ({ calls }: StrictUpstream) =>
    new Set(calls.map(({ body }) => JSON.parse(String(body)).messages[0].content as string))
  const [atOne, atTwo] = [conversations(one), conversations(two)]
  assert.ok(atOne.size > 0 && atTwo.size > 0)
  assert.equal(atOne.size + atTwo.size, manyConversations)
  assert.equal(one.calls.length, 3 * atOne.size)
})

test('Another priority waits for failures, and a weight takes more', async (t) => {
  const { call, one, two, management, connections } = await startAccounts(t, { priority: 2 })
  for (let count = 0; count < 12; count += 1) await call('/chat/completions', chat(String(count)))
  assert.deepEqual([one.calls.length, two.calls.length], [12, 0])
  await management.done('PATCH', `/routing/connections/${connections[1]}`, {
    priority: 1,
    providerSpecificData: { weight: 1_000 },
  })
  for (let count = 0; count < 12; count += 1) await call('/chat/completions', chat(String(count)))
  assert.ok(two.calls.length >= 11, String(two.calls.length))
})

test('The conversations of a paused account use the other one meanwhile', async (t) => {
  const { call, one, two } = await startAccounts(t)
  one.behave = (_, response) =>
    sendJson(response, 429, { error: { message: 'Slow down' } }, { 'retry-after': '600' })
  for (let count = 0; count < manyConversations; count += 1) {
    assert.equal((await call('/chat/completions', chat(String(count)))).status, 200)
  }
  assert.equal(two.calls.length, manyConversations)
  // The second conversation that gets the same answer pauses the account for the key.
  assert.equal(one.calls.length, 2)
})

test('Fields that name another response are refused if parsers may differ', async (t) => {
  const { call, one, two } = await startAccounts(t)
  for (const field of [
    '"previous_response_id":"a","previous_response_id":"b"',
    '"Conversation":"c"',
  ]) {
    const { status, json } = await call('/responses', `{"model":"lab/big","input":"x",${field}}`)
    assert.equal(status, 400)
    assert.match(json().error.message, /more than once|spelled exactly/)
  }
  assert.equal(one.calls.length + two.calls.length, 0)
})
