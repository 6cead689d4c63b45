import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceAddress, sharedUrl } from '../../../../web/src/api/service-address.ts'

const page = 'https://files.example.com'
const behindProxy = { url: 'http://10.0.0.7:9000', isPublicUrl: false }
const published = { url: 'https://s3.example.com/', isPublicUrl: true }

test('clients get the address of the page unless PUBLIC_URL is set', () => {
  assert.equal(serviceAddress(behindProxy, page), page)
  assert.equal(serviceAddress(published, page), 'https://s3.example.com')
})

test('a share link uses the same address and keeps the signed query', () => {
  const rest = '/photos/a%20b/../c?X-Amz-Date=1&X-Amz-Signature=2'
  assert.equal(sharedUrl(`http://10.0.0.7:9000${rest}`, behindProxy, page), page + rest)
  const url = `https://s3.example.com${rest}`
  assert.equal(sharedUrl(url, published, page), url)
})
