import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { BodyError, BodyReader } from '../../../src/http/body-reader.ts'

const idleMs = 10_000

async function readAll(reader: BodyReader): Promise<string> {
  let text = ''
  for (let bytes = await reader.next(); bytes !== undefined; bytes = await reader.next()) {
    text += bytes.toString()
  }
  return text
}

test('BodyReader returns all bytes and then the end, repeatedly', async () => {
  const reader = new BodyReader(Readable.from([Buffer.from('ab'), Buffer.from('c')]), idleMs)
  assert.equal(await readAll(reader), 'abc')
  assert.equal(await reader.next(), undefined)
  reader.close()
})

test('BodyReader leaves the stream and its unread bytes alone when it is closed', async () => {
  const body = new PassThrough()
  body.write('ab')
  const reader = new BodyReader(body, idleMs)
  await reader.next()
  reader.close()
  body.write('cd')
  assert.equal(body.destroyed, false)
  assert.equal(body.listenerCount('readable') + body.listenerCount('close'), 0)
  assert.equal(body.read()?.toString(), 'cd')
})

test('BodyReader returns gone, with the cause, when the connection ends within the body', async () => {
  const body = new PassThrough()
  const reader = new BodyReader(body, idleMs)
  const next = reader.next()
  const cause = new Error('reset')
  body.destroy(cause)
  await assert.rejects(next, (error) => {
    assert.ok(error instanceof BodyError)
    assert.equal(error.kind, 'gone')
    assert.equal(error.cause, cause)
    return true
  })
  reader.close()
})

test('BodyReader returns idle when no bytes arrive for that long', async () => {
  const body = new PassThrough()
  const reader = new BodyReader(body, 20)
  body.write('ab')
  assert.equal((await reader.next())?.toString(), 'ab')
  await assert.rejects(
    reader.next(),
    (error) => error instanceof BodyError && error.kind === 'idle',
  )
  reader.close()
})
