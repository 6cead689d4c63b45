import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

/** The gateway that a scenario talks to, and what all scenarios compare. */
export const endpoint = process.env.ENDPOINT
/** Of a gateway with ACLS=bucket and SERVER_SIDE_ENCRYPTION=claim, with the same keys. It has no bucket. */
export const otherEndpoint = process.env.OTHER_ENDPOINT
export const bucket = process.env.BUCKET
export const credentials = {
  accessKeyId: process.env.ACCESS_KEY,
  secretAccessKey: process.env.SECRET_KEY,
}
export const region = 'us-east-1'
export const small = randomBytes(70_000)
/** More than the part size of each of the clients. */
export const large = randomBytes(75 * 1024 * 1024 + 5)

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Compares bytes by their hash, so that a failure does not print them. */
export function same(got, expected) {
  assert.equal(hashOf(got), hashOf(expected))
}

/** Sends a request as a browser does with a presigned URL. */
export async function http(method, url, body) {
  const response = await fetch(url, { method, body })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return bytes
}

/** Waits until the gateway's webhook has received just these events of the bucket. */
export async function expectEvents(...expected) {
  let received = []
  for (let look = 0; look < 300 && received.length < expected.length; look++) {
    await delay(100)
    const text = await (await fetch(process.env.EVENTS)).text()
    received = text === '' ? [] : text.split('\n')
  }
  assert.deepEqual(received, expected)
}
