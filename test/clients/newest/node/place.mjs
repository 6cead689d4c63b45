import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

/** The gateway that a scenario talks to, and what all scenarios compare. */
export const endpoint = process.env.ENDPOINT
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
