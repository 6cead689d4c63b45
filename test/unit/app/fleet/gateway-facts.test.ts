import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  conflictWith,
  diedIn,
  factsText,
  type OwnFacts,
  parseGatewayFacts,
} from '../../../../src/app/fleet/gateway-facts.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'

function own(changes: Partial<OwnFacts['facts']> = {}, keys = ['AK', 'secret']): OwnFacts {
  const [accessKey = '', secretKey = ''] = keys
  const facts = { host: 'one', version: '1.0.0', driveFormat: 1, drives: { DRIVE: 'd1' } }
  return {
    facts: { ...facts, ...changes },
    accessKey,
    sealer: createSealer(secretKey, 'gateways'),
  }
}

function conflict(mine: OwnFacts, other: OwnFacts): string | undefined {
  const facts = parseGatewayFacts(factsText(other))
  assert.ok(facts)
  return conflictWith(mine, facts)
}

test('Gateways with the same keys and drives agree', () => {
  assert.equal(conflict(own(), own({ host: 'two', version: '1.1.0' })), undefined)
  assert.equal(conflict(own(), own({ drives: {} })), undefined)
  assert.equal(conflict(own(), own({ drives: { DRIVE: 'd1', DRIVE_NAS: 'd2' } })), undefined)
})

test('Each difference names its setting', () => {
  const others = {
    SECRET_KEY: own({}, ['AK', 'other']),
    ACCESS_KEY: own({}, ['AK2', 'secret']),
    DRIVE: own({ drives: { DRIVE: 'd9' } }),
  }
  for (const [setting, other] of Object.entries(others)) {
    const message = conflict(own(), other) ?? ''
    assert.ok(message.startsWith(`${setting} is `), message)
    assert.match(message, /gateway on one/)
  }
  const newer = conflict(own(), own({ driveFormat: 2, version: '2.0.0' }))
  assert.match(newer ?? '', /version 2\.0\.0 and writes to drives in format 2/)
})

test('The facts do not show the keys', () => {
  const text = factsText(own({}, ['AKEXAMPLE', 'hunter2']))
  assert.doesNotMatch(text, /AKEXAMPLE|hunter2/)
})

test('The facts of a later version, or damaged ones, are not read', () => {
  for (const text of ['', '{', 'null', '[]', '{"host":"a"}', '{"host":1,"version":2}']) {
    assert.equal(parseGatewayFacts(text), undefined, text)
  }
})

test('The facts name processes that have died; those of other versions, or damaged ones, name none', () => {
  assert.deepEqual(diedIn(factsText(own(), ['far.1/8/2000'])), ['far.1/8/2000'])
  assert.deepEqual(diedIn(factsText(own())), [])
  const { died: _, ...before } = JSON.parse(factsText(own()))
  for (const facts of [before, { ...before, died: 'x' }, { ...before, died: [1, null] }, null]) {
    assert.deepEqual(diedIn(JSON.stringify(facts)), [])
  }
})
