import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attributePair,
  headerPair,
  otlpAddress,
  pairOf,
  shareOf,
} from '../../../../../src/app/settings/tables/telemetry-settings.ts'
import { SettingMistake } from '../../../../../src/platform/process/setting-mistake.ts'

test('An address of a receiver is an http or https URL without a query', () => {
  for (const text of ['http://127.0.0.1:4318', 'https://otlp.example.org/base/']) {
    assert.equal(otlpAddress(text), text)
  }
  for (const text of [
    '127.0.0.1:4318',
    'grpc://host:4317',
    'http://',
    'http://h/?a=b',
    'http://h/ x',
  ]) {
    assert.throws(() => otlpAddress(text), SettingMistake, text)
  }
})

test('Pairs are decoded as OpenTelemetry says, and others are refused', () => {
  assert.deepEqual(pairOf('authorization=Basic%20dXNlcjpw%3D='), {
    name: 'authorization',
    value: 'Basic dXNlcjpw==',
  })
  assert.equal(headerPair('x-tenant=a'), 'x-tenant=a')
  assert.equal(attributePair('deployment.environment.name='), 'deployment.environment.name=')
  for (const text of ['authorization', '=value', 'name=%zz']) {
    assert.throws(() => headerPair(text), SettingMistake, text)
    assert.throws(() => attributePair(text), SettingMistake, text)
  }
  for (const text of ['na me=value', 'name=%0d%0aHost: x', 'name=ä']) {
    assert.throws(() => headerPair(text), SettingMistake, text)
  }
})

test('A share is a number from 0 to 1', () => {
  for (const text of ['0', '1', '0.25', '.5', '1.0']) assert.equal(shareOf(text), Number(text))
  for (const text of ['1.1', '-1', '1e-3', 'NaN', '', 'half']) {
    assert.throws(() => shareOf(text), SettingMistake, text)
  }
})
