import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceEach, untrustedProxyWatch } from '../../../../src/app/gateway/untrusted-proxies.ts'
import { requestOf } from '../start/request-of.ts'

function watched(trustProxy: readonly string[]) {
  const found: string[] = []
  const watch = untrustedProxyWatch({ trustProxy }, (address) => found.push(address))
  const from = (remoteAddress: string, headers: Record<string, string>) =>
    watch.onRequest({ request: { ...requestOf('GET', '/'), remoteAddress, headers } })
  return { found, from }
}

test('A proxy that TRUST_PROXY does not name is found once', () => {
  const { found, from } = watched(['10.0.0.0/8'])
  const forwarded = { 'x-forwarded-for': '192.0.2.1' }
  from('10.0.0.1', forwarded)
  from('172.16.0.1', {})
  assert.deepEqual(found, [])
  from('172.16.0.1', forwarded)
  from('172.16.0.1', forwarded)
  // Forwarded is not read, so it is not a reason to set TRUST_PROXY.
  from('172.16.0.2', { forwarded: 'for=192.0.2.1' })
  assert.deepEqual(found, ['172.16.0.1'])
})

test('Clients that send the header from many addresses do not fill memory and log', () => {
  const { found, from } = watched([])
  for (let index = 0; index < 100; index++) from(`192.0.2.${index}`, { 'x-forwarded-for': 'x' })
  assert.equal(found.length, 10)
})

test('After ten addresses one more is named every hour', () => {
  const named: string[] = []
  let nowMs = 0
  const name = onceEach(
    (address) => named.push(address),
    () => nowMs,
  )
  for (let index = 0; index < 20; index++) name(`192.0.2.${index}`)
  assert.equal(named.length, 10)
  nowMs += 3_600_000
  name('172.16.0.1')
  name('172.16.0.2')
  assert.deepEqual(named.slice(10), ['172.16.0.1'])
})
