import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentSecurityPolicy } from '../../../../../src/storage/s3/headers/content-security.ts'

test('contentSecurityPolicy sandboxes everything but a PDF', () => {
  for (const type of ['text/html', 'image/svg+xml', '', 'application/pdfx', 'x application/pdf']) {
    assert.match(contentSecurityPolicy(type), /^sandbox;/, type)
  }
  for (const type of ['application/pdf', 'Application/PDF; charset=x']) {
    assert.doesNotMatch(contentSecurityPolicy(type), /sandbox/, type)
  }
})

test('contentSecurityPolicy sandboxes types that begin like a PDF and that browsers read as another', () => {
  for (const rest of [';,text/html', '; a=b, text/html', ' ;a="b,text/html']) {
    assert.match(contentSecurityPolicy(`application/pdf${rest}`), /^sandbox;/, rest)
  }
})

test('contentSecurityPolicy never allows a script', () => {
  for (const type of ['text/html', 'application/pdf']) {
    assert.match(contentSecurityPolicy(type), /default-src 'none'/)
    assert.doesNotMatch(contentSecurityPolicy(type), /script|allow-/)
  }
})
