import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonModel } from '../../../../src/models/calls/model-name.ts'
import { idsIn } from '../../../../src/models/calls/stored-responses.ts'

const answer = { held: [Buffer.from('{"id":"resp_2","output":[]}')], isStream: false }

/** The ids that an answer to this request makes known. */
function idsOf(request: object): readonly string[] {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...request }))
  const finder = new JsonModel()
  finder.take(bytes)
  const bytesOf = (name: Parameters<JsonModel['rangeOf']>[0]) => {
    const range = finder.rangeOf(name)
    return range && bytes.subarray(...range)
  }
  const value = (name: Parameters<JsonModel['rangeOf']>[0]) => {
    const text = bytesOf(name)
    return text && JSON.parse(text.toString())
  }
  return idsIn(answer, { bytes: bytesOf, value })
}

test('An answer makes its response and its conversation known', () => {
  assert.deepEqual(idsOf({}), ['resp_2'])
  assert.deepEqual(idsOf({ conversation: { id: 'conv' } }), ['resp_2', 'conv'])
  assert.deepEqual(idsOf({ store: false }), [])
})

test('A conversation beside a response is not taken over, as it may be the response of another key', () => {
  const both = { previous_response_id: 'resp_1', conversation: 'resp_of_another_key' }
  assert.deepEqual(idsOf(both), ['resp_2'])
})
