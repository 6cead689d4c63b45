import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Behaviour,
  failing,
  type ReceivedCall,
  StrictUpstream,
  sendJson,
} from '../fakes/strict-upstream.ts'
import { fieldsOf, saying, startCalling } from '../support/calling.ts'

/** Fails for what the attacker sends, and answers everybody else. */
const unless =
  (fails: Behaviour): Behaviour =>
  async (call: ReceivedCall, response) => {
    const isAttack = String(call.body).includes('attack')
    if (isAttack) await fails(call, response)
    else sendJson(response, 200, { choices: [{ message: { content: 'ok' } }] })
  }

const failures: readonly (readonly [title: string, fails: Behaviour])[] = [
  ['500', failing(500, { message: 'x' })],
  ['503 with Retry-After', failing(503, {}, { 'retry-after': '60' })],
  ['a closed connection', (_, response) => void response.destroy()],
  ['a missing item', failing(404, { message: "Item with id 'rs_1' not found." })],
  ['refused content', failing(403, { message: 'Your input was flagged' })],
  ['a request that is too large', failing(429, { message: 'Request too large: Limit 1' })],
  ['a quota', failing(429, { message: 'Rate limit reached' }, { 'retry-after': '600' })],
  ['a key, in words', failing(400, { message: 'attack: API key not valid' })],
  ['a model, in words', failing(400, { message: 'The model `attack` does not exist' })],
  ['a refused path', (_, response) => void response.writeHead(405).end('<html>')],
]

/** A key fails again and again, as one conversation and as many, while another key calls the same model. */
describe('What one key sends makes no call of another key fail', () => {
  for (const connections of [1, 2]) {
    for (const [title, fails] of failures) {
      test(`${title}, with ${connections} connections`, async (t) => {
        const { call, management } = await startCalling(t)
        for (let count = 0; count < connections; count += 1) {
          const upstream = await StrictUpstream.start(t, { key: `sk-${count}-0123456789abcdef` })
          upstream.behave = unless(fails)
          const { kind: _, ...fields } = fieldsOf(upstream)
          await management.done('POST', '/routing/connections', {
            ...{ ...fields, provider: 'openai-compatible-lab' },
            providerSpecificData: { ...fields.providerSpecificData, prefix: 'lab' },
          })
        }
        const senderOf = async (name: string) => {
          const { secret } = await management.done('POST', '/model-keys', { name })
          return { headers: { authorization: `Bearer ${secret}` } }
        }
        const attacker = await senderOf('attacker')
        const healthy = await senderOf('healthy')
        const model = 'lab/big'
        for (let count = 0; count < 6; count += 1) {
          for (const content of ['attack', `attack ${count}`]) {
            const { status } = await call('/chat/completions', saying(content, { model }), attacker)
            assert.notEqual(status, 200)
          }
          const { status, text } = await call(
            '/chat/completions',
            saying(`hello ${count}`, { model }),
            healthy,
          )
          assert.equal(status, 200, text)
        }
      })
    }
  }
})
