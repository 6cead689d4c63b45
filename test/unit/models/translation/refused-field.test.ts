import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedField, Translation } from '../../../../src/models/translation/translation.ts'

test('Only the beginning of an error is compared, because it may quote the request', () => {
  const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }
  const translation = new Translation(body, {
    ...{ client: 'messages', upstream: 'chat', model: 'm', maxOutput: undefined },
    ...{ provider: 'lab', nowSeconds: 0, refused: new Set() },
  })
  const message = 'max_tokens is not supported. Use max_completion_tokens.'
  assert.equal(refusedField(translation, { message, code: undefined }), 'max_tokens')
  const quoted = { message: 'unsupported '.repeat(80_000) + message, code: undefined }
  assert.equal(refusedField(translation, quoted), undefined)
})
