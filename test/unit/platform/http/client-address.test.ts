import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddressBehind } from '../../../../src/platform/http/client-address.ts'

for (const [name, trusted, peer, header, expected] of [
  ['nobody is trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['the peer is not a proxy', ['10.0.0.0/8'], '9.9.9.9', '1.2.3.4', '9.9.9.9'],
  ['the peer is a proxy', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['the peer is a proxy in IPv6 form', ['10.0.0.1'], '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['a client lies', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['two proxies', ['10.0.0.1', '::1'], '::1', '6.6.6.6, 1.2.3.4,10.0.0.1', '1.2.3.4'],
  ['all are proxies', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['the proxy adds a port', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4:51234', '1.2.3.4'],
  ['the proxy adds a port to IPv6', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['IPv6 is in brackets', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  ['IPv6 is bare', ['10.0.0.1'], '10.0.0.1', '2001:db8::1', '2001:db8::1'],
  ['the address is quoted', ['10.0.0.1'], '10.0.0.1', '"[2001:db8::1]:443"', '2001:db8::1'],
  ['IPv4 is quoted', ['10.0.0.1'], '10.0.0.1', '"1.2.3.4"', '1.2.3.4'],
  ['ports are on all hops', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4:1, 10.0.0.2:2', '1.2.3.4'],
  ['a bracket is not closed', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1', '10.0.0.1'],
  ['the header is empty', ['10.0.0.1'], '10.0.0.1', '', '10.0.0.1'],
  ['there is no header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['the header is nonsense', ['10.0.0.1'], '10.0.0.1', 'unknown', '10.0.0.1'],
] as const) {
  test(`The client's address when ${name}`, () => {
    assert.equal(clientAddressBehind(trusted)(peer, header), expected)
  })
}
