import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSmallBody } from '../../../../../src/storage/s3/body/small-body.ts'
import { fakeRequest } from '../fake-request.ts'

function request(text: string, headers: Record<string, string> = {}) {
  return fakeRequest({ method: 'POST', headers, body: [Buffer.from(text)] })
}

test('readSmallBody returns the body, decoded', async () => {
  assert.equal(String(await readSmallBody(request('abc'), 3)), 'abc')
  const headers = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }
  assert.equal(String(await readSmallBody(request('3\r\nabc\r\n0\r\n\r\n', headers), 3)), 'abc')
  assert.equal((await readSmallBody(fakeRequest({ method: 'POST' }), 3)).length, 0)
})

test('readSmallBody refuses a body that is too big, by its declared length before reading it', async () => {
  const tooBig = { code: 'MaxMessageLengthExceeded', status: 400 }
  await assert.rejects(readSmallBody(request('abcd'), 3), tooBig)
  const acceptBody = () => assert.fail('the body must not be asked for')
  const declared = fakeRequest({ headers: { 'content-length': '4' }, acceptBody })
  await assert.rejects(readSmallBody(declared, 3), tooBig)
})

test('readSmallBody verifies Content-MD5 and checksums', async () => {
  const bad = { code: 'BadDigest' }
  const md5 = { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }
  const crc = { 'x-amz-checksum-crc32': 'AAAAAA==' }
  await assert.rejects(readSmallBody(request('abc', md5), 9), bad)
  await assert.rejects(readSmallBody(request('abc', crc), 9), bad)
})

test('readSmallBody verifies the given digests instead of those in the headers', async () => {
  const crc = request('abc', { 'x-amz-checksum-crc32': 'AAAAAA==-2' })
  const none = { md5Hex: undefined, checksum: undefined }
  assert.equal(String(await readSmallBody(crc, 9, none)), 'abc')
  const wrong = { md5Hex: '0'.repeat(32), checksum: undefined }
  await assert.rejects(readSmallBody(request('abc'), 9, wrong), { code: 'BadDigest' })
})
