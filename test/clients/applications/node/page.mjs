import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

/** The gateway, and what the scripts of applications' pages do. */
export const { ENDPOINT: endpoint, BUCKET: bucket } = process.env
export const credentials = {
  accessKeyId: process.env.ACCESS_KEY,
  secretAccessKey: process.env.SECRET_KEY,
}
export const small = randomBytes(70_000)
/** More than two parts. */
export const large = randomBytes(11 * 1024 * 1024 + 5)

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Compares bytes by their hash, so that a failure does not print them. */
export function same(got, expected) {
  assert.equal(hashOf(got), hashOf(expected))
}

/** Sends a request as a script of a page of another origin does; a browser hides replies without this header. */
export async function fromPage(url, { headers, ...options } = {}) {
  const origin = 'https://app.example.com'
  const reply = await fetch(url, { ...options, headers: { ...headers, origin } })
  const allowed = reply.headers.get('access-control-allow-origin')
  assert.ok(allowed === '*' || allowed === origin, `${reply.status}: no CORS for ${url}`)
  return reply
}

/** The question that a browser asks first if the method or the headers are not those of a form. */
export async function preflight(url, method, headers) {
  const reply = await fromPage(url, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-method': method,
      'access-control-request-headers': headers.join(','),
    },
  })
  assert.equal(reply.status, 200)
}

export async function postForm(url, fields, content, type = 'image/png') {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([content], { type }), 'a b.png')
  return fromPage(url, { method: 'POST', body: form })
}

/** What anyone gets. */
export async function anonymous(path, options) {
  const reply = await fetch(`${endpoint}/${bucket}/${path}`, options)
  return { status: reply.status, content: Buffer.from(await reply.arrayBuffer()) }
}
