import assert from 'node:assert/strict'
import { test } from 'node:test'
import { website as schema } from '../../../../../src/dashboard/management/bucket-option-schemas.ts'
import {
  type RedirectRule,
  savedWebsite,
  type WebsiteDocuments,
  websiteAddress,
} from '../../../../../web/src/buckets/settings/website-draft.ts'

/** Every form that S3 clients can set. */
const rules: readonly RedirectRule[] = [
  { keyPrefix: 'old/', newPrefix: 'new/' },
  { keyPrefix: 'old/', newPrefix: '' },
  { keyPrefix: 'old/', host: 'other.example' },
  { keyPrefix: 'old/', host: 'other.example', newPrefix: '' },
  { host: 'other.example', protocol: 'https' },
  { protocol: 'https' },
  { code: 302, keyPrefix: '' },
  { status: 404, key: 'gone.html' },
  { status: 404, host: 'archive.example', newPrefix: 'report-404/', code: 307 },
]

for (const [index, rule] of rules.entries()) {
  test(`a redirect is saved as it was read after its fields were typed in and emptied: ${JSON.stringify(rule)}`, () => {
    const before: WebsiteDocuments = { index: 'index.html', rules: [...rules] }
    assert.deepEqual(schema.parse(before), before)
    assert.deepEqual(savedWebsite(before, before), before)
    for (const field of ['keyPrefix', 'newPrefix'] as const) {
      const typed = (rule[field] ?? '') === '' ? { ...rule, [field]: '' } : { ...rule }
      const draft: WebsiteDocuments = { ...before, rules: rules.with(index, typed) }
      assert.equal(JSON.stringify(savedWebsite(draft, before)), JSON.stringify(before))
    }
  })
}

test('what was typed is saved, without what is empty', () => {
  const before = { index: 'index.html', rules: [{ keyPrefix: 'old/', host: 'other.example' }] }
  const changed = { keyPrefix: 'old/', host: 'other.example', newPrefix: 'new/' }
  const draft = { index: 'start.html', errorKey: '', rules: [changed] }
  assert.deepEqual(savedWebsite(draft, before), { index: 'start.html', rules: [changed] })
  assert.deepEqual(savedWebsite({ index: 'a', errorKey: '', rules: [] }, null), { index: 'a' })
  assert.equal(savedWebsite(null, before), null)
  const all = { redirectAllTo: { host: 'other.example' } }
  assert.deepEqual(savedWebsite(all, before), all)
})

test('the address has the protocol and port of the gateway', () => {
  assert.equal(websiteAddress('a.web.example', 'https://s3.example'), 'https://a.web.example/')
  assert.equal(websiteAddress('a.web.example', 'http://s3:9000'), 'http://a.web.example:9000/')
})
