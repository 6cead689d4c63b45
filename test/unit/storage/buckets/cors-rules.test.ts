import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CorsRequest,
  type CorsRule,
  matchCorsRule,
  originsOf,
  rulesForOrigins,
} from '../../../../src/storage/buckets/cors-rules.ts'

const rule = (changed: Partial<CorsRule>): CorsRule => ({
  allowedOrigins: ['https://app.example'],
  allowedMethods: ['GET'],
  allowedHeaders: [],
  exposeHeaders: [],
  ...changed,
})

const request = (changed: Partial<CorsRequest> = {}): CorsRequest => ({
  origin: 'https://app.example',
  method: 'GET',
  headers: [],
  ...changed,
})

const isAllowed = (changed: Partial<CorsRule>, asked: Partial<CorsRequest>): boolean =>
  matchCorsRule([rule(changed)], request(asked)) !== undefined

test('an origin is compared exactly, with one wildcard for any characters', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['https://app.example', 'https://app.example', true],
    ['https://app.example', 'https://APP.example', false],
    ['https://app.example', 'https://app.example.evil', false],
    ['*', 'null', true],
    ['*suffix', 'foo.suffix', true],
    ['*suffix', 'foo.suffix.get', false],
    ['start*end', 'startend', true],
    ['start*end', 'start12end', true],
    ['start*end', '0start12end', false],
    ['prefix*', 'prefix', true],
    ['prefix*', 'bla.prefix', false],
    // Start and end must not overlap.
    ['aba*ba', 'aba', false],
    ['https://*.example', 'https://.example', true],
  ]
  for (const [allowed, origin, expected] of cases) {
    assert.equal(isAllowed({ allowedOrigins: [allowed] }, { origin }), expected, allowed + origin)
  }
})

test('a method must be listed', () => {
  assert.equal(isAllowed({ allowedMethods: ['PUT', 'GET'] }, {}), true)
  assert.equal(isAllowed({ allowedMethods: ['PUT'] }, {}), false)
  assert.equal(isAllowed({ allowedMethods: ['GET'] }, { method: 'get' }), false)
})

test('every requested header must be allowed, in any case', () => {
  const headers = ['X-Amz-Date', 'content-type']
  assert.equal(isAllowed({ allowedHeaders: [] }, { headers }), false)
  assert.equal(isAllowed({ allowedHeaders: ['x-amz-*'] }, { headers }), false)
  assert.equal(isAllowed({ allowedHeaders: ['x-amz-*', 'Content-Type'] }, { headers }), true)
  assert.equal(isAllowed({ allowedHeaders: ['*'] }, { headers }), true)
})

test('the first rule that allows everything is used', () => {
  const rules = [
    rule({ id: 'method', allowedMethods: ['PUT'] }),
    rule({ id: 'header', allowedHeaders: ['other'] }),
    rule({ id: 'any', allowedOrigins: ['*'], allowedHeaders: ['*'] }),
    rule({ id: 'late', allowedHeaders: ['*'] }),
  ]
  const match = matchCorsRule(rules, request({ headers: ['x-amz-date'] }))
  assert.equal(match?.rule.id, 'any')
  assert.equal(match?.isAnyOrigin, true)
  const exact = matchCorsRule([rules[1] as CorsRule, ...rules], request())
  assert.equal(exact?.rule.id, 'header')
  assert.equal(exact?.isAnyOrigin, false)
})

test('chosen origins may do everything, and are told as they were chosen', () => {
  const rules = rulesForOrigins(['https://app.example', '*'])
  for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
    assert.ok(matchCorsRule(rules, request({ method, headers: ['x-amz-meta-any'] })), method)
  }
  assert.deepEqual(originsOf(rules), ['https://app.example', '*'])
  assert.deepEqual(rulesForOrigins([]), [])
})
