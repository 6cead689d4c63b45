import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SaxesParser } from 'saxes'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { compatibilityOf } from '../../../../../src/storage/s3/compatibility.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { errorDocument, renderError } from '../../../../../src/storage/s3/reply/render-error.ts'
import { silentLog } from '../../../../support/silent-log.ts'

/** @throws when the document is not well-formed. */
function assertWellFormed(xml: string): void {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
}

test('An error body is well-formed for any characters from the client', () => {
  const strange = [...Array(32).keys()].map((code) => String.fromCharCode(code)).join('')
  const text = `<&>"'${strange}\ufffe\uffff\ud800x\udc00 é 🎉`
  const error = new S3Error('InvalidArgument', `bad ${text}`, { elements: { ArgumentValue: text } })
  const xml = errorDocument(error, `/photos/${text}`, 'id')
  assertWellFormed(xml)
  assert.match(xml, /x é 🎉/)
  assert.doesNotMatch(xml, /&#x[0-8BCEF];|&#x1/)
})

test('An error body limits client values to 256 characters and the path to that of the longest key', () => {
  const long = 'x'.repeat(60_000)
  const error = new S3Error('InvalidArgument', 'bad', { elements: { ArgumentValue: long } })
  const xml = errorDocument(error, `/${long}`, 'id')
  assert.ok(xml.includes(`<ArgumentValue>${'x'.repeat(256)}…</ArgumentValue>`))
  assert.ok(xml.includes(`<Resource>/${'x'.repeat(4_095)}…</Resource>`))
  assert.ok(xml.length < 5_000)
})

test('Message and reason are short for header names of any length', () => {
  const error = new S3Error('AccessDenied', `The header ${'x'.repeat(60_000)} is not signed.`)
  const reply = renderError(error, { id: 'id', rawPath: '/b/k' } as HttpRequest, {
    compatibility: compatibilityOf.contract,
    log: {
      ...silentLog,
    },
  })
  assert.ok(String(reply.body).length < 2_000)
  assert.ok(String(reply.logFields?.reason).length < 2_000)
})
