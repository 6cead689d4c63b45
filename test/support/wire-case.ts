import assert from 'node:assert/strict'
import { it } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { type Server, signedFetch } from './signed-fetch.ts'

/** A request and the reply that docs/contract specifies. */
export interface WireCase {
  /** Begins with the operation. */
  readonly title: string
  readonly method: string
  /** As sent. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly isUnsigned?: boolean
  /** As that of RequestToSign. */
  readonly signedAtMs?: number
  readonly status: number
  /** Code of the Error document; undefined for a success, a 304 and replies to HEAD. */
  readonly code?: string
  /** Elements beside those of docs/contract/object-storage.md, "Error document". */
  readonly error?: Readonly<Record<string, string>>
  /** Header fields of the reply; undefined: absent. */
  readonly fields?: Readonly<Record<string, string | RegExp | undefined>>
  readonly text?: string
  /** Elements that the document has, and those that it must not have as undefined. */
  readonly xml?: Xml
}

export interface Xml {
  readonly [element: string]: Xml | readonly Xml[] | string | undefined
}

export interface WireReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The document; empty when the body is none. */
  readonly xml: Xml
}

/** One test for each case. */
export function itAnswers(server: () => Server, cases: readonly WireCase[]): void {
  for (const wireCase of cases)
    it(wireCase.title, async () => void (await answer(server(), wireCase)))
}

/** Sends the request of a case and asserts all that it says of the reply. */
export async function answer(server: Server, wireCase: WireCase): Promise<WireReply> {
  const reply = await exchange(server, wireCase)
  assert.equal(reply.status, wireCase.status, reply.text)
  assert.match(reply.headers.get('x-amz-request-id') ?? '', /^[0-9A-Za-z_-]{8,}$/)
  assertFields(reply.headers, wireCase.fields ?? {})
  if (wireCase.method === 'HEAD') assert.equal(reply.text, '')
  else if (wireCase.status >= 400) assertError(reply, wireCase)
  else if (wireCase.xml !== undefined) assertResult(reply, wireCase.xml)
  if (wireCase.text !== undefined) assert.equal(reply.text, wireCase.text)
  return reply
}

/** Sends a request and reads the reply. */
export async function exchange(
  server: Server,
  request: Pick<WireCase, 'method' | 'target' | 'headers' | 'body' | 'isUnsigned' | 'signedAtMs'>,
): Promise<WireReply> {
  const { method, target, headers = {}, body, signedAtMs } = request
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const response = await (request.isUnsigned === true
    ? fetch(`http://${server.host}${target}`, init)
    : signedFetch(server, { target, ...init, ...(signedAtMs !== undefined && { signedAtMs }) }))
  const text = await response.text()
  const xml = text.startsWith('<?xml') ? parser.parse(text) : {}
  return { status: response.status, headers: response.headers, text, xml }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
})

function assertFields(headers: Headers, fields: NonNullable<WireCase['fields']>): void {
  for (const [name, expected] of Object.entries(fields)) {
    const value = headers.get(name)
    if (expected instanceof RegExp) assert.match(value ?? '', expected, name)
    else assert.equal(value, expected ?? null, name)
  }
}

/** docs/contract/object-storage.md, "Error document": all but Resource are required. */
function assertError({ headers, xml, text }: WireReply, wireCase: WireCase): void {
  assert.equal(headers.get('content-type'), 'application/xml')
  const error = xml.Error
  assert.ok(typeof error === 'object' && 'Code' in error, text)
  assert.equal(error.Code, wireCase.code)
  assert.ok(String(error.Message).length > 0)
  assert.equal(error.RequestId, headers.get('x-amz-request-id'))
  assert.equal(error.Resource, wireCase.target.replace(/\?.*/s, ''))
  for (const [name, value] of Object.entries(wireCase.error ?? {})) assert.equal(error[name], value)
}

/** docs/contract/object-storage.md, "Response documents". */
function assertResult({ headers, xml, text }: WireReply, expected: Xml): void {
  assert.equal(headers.get('content-type'), 'application/xml')
  for (const [root, content] of Object.entries(expected)) {
    const result = xml[root]
    assert.ok(result !== undefined, text)
    const namespace = typeof result === 'object' && '@_xmlns' in result ? result['@_xmlns'] : ''
    assert.equal(namespace, 'http://s3.amazonaws.com/doc/2006-03-01/')
    assertHas(result, content, root)
  }
}

function assertHas(actual: Xml[string], expected: Xml[string], path: string): void {
  if (expected === undefined || typeof expected === 'string') {
    assert.equal(actual, expected, path)
    return
  }
  assert.ok(typeof actual === 'object', path)
  for (const [name, value] of Object.entries(expected)) {
    assertHas((actual as Xml)[name], value, `${path}/${name}`)
  }
}
