import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkEnd } from '../../../../../web/src/files/share/link-end.ts'

const endless = { expiresAt: null, maxUses: null, accessKeyId: null }

test('a new link says when it ends, and that only a person ends it if that is so', () => {
  assert.equal(linkEnd(endless), 'The link works until you revoke it.')
  const dated = linkEnd({ ...endless, expiresAt: '2030-01-31T12:00:00.000Z', maxUses: 3 })
  assert.match(dated, /^The link ends .*2030/)
  assert.equal(linkEnd({ ...endless, maxUses: 3 }), '')
  assert.equal(linkEnd({ ...endless, accessKeyId: 'AK' }), '')
})
