import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { decodeKey, parseAddress } from '../../../../../src/storage/s3/address/address.ts'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { addHoistedHeaders } from '../../../../../src/storage/s3/headers/request-fields.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import {
  canonicalQuery,
  canonicalRequest,
  stringToSign,
} from '../../../../../src/storage/s3/sigv4/canonical-request.ts'
import { signingKey } from '../../../../../src/storage/s3/sigv4/signing-key.ts'
import {
  uriDecode,
  uriEncode,
  uriEncodePath,
} from '../../../../../src/storage/s3/sigv4/uri-encode.ts'
import { fakeRequest } from '../fake-request.ts'
import { nowMs, settings, vectors } from './signed-request.ts'

const publicUrl = 'https://s3.example.com'
const directHost = 'localhost:9000'
const scope = `20130524/${settings.region}/s3/aws4_request`
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A request as sent. */
interface Wire {
  readonly method: string
  readonly path: string
  /** Raw pairs. */
  readonly pairs: readonly string[]
  /** Names in the case sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** What a client signs, and how. */
interface Client {
  readonly method: string
  /** Without the leading slash, decoded. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly copySource: string | undefined
  readonly acceptEncoding: string | undefined
  readonly form: 'header' | 'presigned'
  /** As AWS encodes it, or as sent. */
  readonly signs: 'encoded' | 'raw'
  readonly payloadHash: 'UNSIGNED-PAYLOAD' | typeof emptyHash
  readonly acceptEncodingAs: 'identity' | 'received'
  /** `public`: PUBLIC_URL, whose proxy keeps or replaces Host. */
  readonly at: 'direct' | 'public'
}

const piece = fc.constantFrom(
  'a',
  'b',
  '+',
  ' ',
  '%',
  '%2F',
  '/',
  '&',
  '=',
  "'",
  'é',
  '.',
  'storage',
  '%41',
)
const text = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''))
const buckets = ['bucket', 'storage']
const bucket = fc.constantFrom(...buckets)
const parameter = fc.constantFrom(
  'prefix',
  'x-amz-acl',
  'x-amz-copy-source',
  'uploadId',
  'acl',
  'a+b',
)

const client: fc.Arbitrary<Client> = fc
  .record({
    method: fc.constantFrom('GET', 'PUT', 'DELETE'),
    path: fc.tuple(bucket, text).map((parts) => parts.join('/')),
    query: fc.array(fc.tuple(parameter, text), { maxLength: 3 }),
    copySource: fc.option(text, { nil: undefined }),
    acceptEncoding: fc.option(fc.constantFrom('gzip', 'identity'), { nil: undefined }),
    form: fc.constantFrom('header' as const, 'presigned' as const),
    signs: fc.constantFrom('encoded' as const, 'raw' as const),
    payloadHash: fc.constantFrom('UNSIGNED-PAYLOAD' as const, emptyHash),
    acceptEncodingAs: fc.constantFrom('identity' as const, 'received' as const),
    at: fc.constantFrom('direct' as const, 'public' as const),
  })
  .map((drawn) => ({
    ...drawn,
    // Presigned: each x-amz-* parameter once. In the header form they are header fields.
    query: drawn.query.filter(
      ([name], index) =>
        !name.startsWith('x-amz-') ||
        (drawn.form === 'presigned' &&
          drawn.query.findIndex(([other]) => other === name) === index),
    ),
    copySource: drawn.form === 'presigned' ? undefined : drawn.copySource?.trim() || undefined,
  }))

const bytesOf = (value: string) => Buffer.from(value).toString('latin1')

/** The legitimate request as the gateway receives it. */
function sign(from: Client): Wire {
  const hostSigned = from.at === 'public' ? 's3.example.com' : directHost
  const headers: [string, string][] = [['host', hostSigned]]
  if (from.acceptEncoding !== undefined) headers.push(['accept-encoding', from.acceptEncoding])
  if (from.form === 'header') headers.push(['x-amz-date', vectors.amzDate])
  if (from.copySource !== undefined) headers.push(['x-amz-copy-source', bytesOf(from.copySource)])
  headers.sort(([a], [b]) => (a < b ? -1 : 1))
  const names = headers.map(([name]) => name).join(';')
  const rawOf = from.signs === 'raw' ? encodeURI : (value: string) => uriEncode(bytesOf(value))
  const pairs = from.query.map(([name, value]) => {
    const encode = (part: string) => rawOf(part).replaceAll('&', '%26').replaceAll('=', '%3D')
    return `${encode(name)}=${encode(value).replaceAll('+', '%2B')}`
  })
  if (from.form === 'presigned') {
    pairs.push(
      ...['X-Amz-Algorithm=AWS4-HMAC-SHA256', `X-Amz-Date=${vectors.amzDate}`, 'X-Amz-Expires=60'],
      `X-Amz-Credential=${uriEncode(`${settings.accessKey}/${scope}`)}`,
      `X-Amz-SignedHeaders=${uriEncode(names)}`,
    )
  }
  const path = from.signs === 'raw' ? encodeURI(from.path) : uriEncodePath(bytesOf(from.path))
  const signature = signingKey({ ...settings, day: '20130524' }).signHex(
    stringToSign(
      canonicalRequest({
        method: from.method,
        path: `/${path}`,
        query: canonicalQuery(pairs.join('&')),
        signedHeaders: headers.map(([name, value]) => ({
          name,
          value:
            name === 'accept-encoding' && from.acceptEncodingAs === 'identity' ? 'identity' : value,
        })),
        payloadHash: from.form === 'header' ? from.payloadHash : 'UNSIGNED-PAYLOAD',
      }),
      vectors.amzDate,
      scope,
    ),
  )
  const { method } = from
  if (from.form === 'presigned') {
    return { method, path: `/${path}`, pairs: [...pairs, `X-Amz-Signature=${signature}`], headers }
  }
  const authorization = `AWS4-HMAC-SHA256 Credential=${settings.accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return {
    method,
    path: `/${path}`,
    pairs,
    headers: [...headers, ['authorization', authorization]],
  }
}

/** Changes that an attacker may make to a request. `at` chooses where. */
type Change = (wire: Wire, at: number) => Wire

const respell = (value: string, at: number): string => {
  const spelled = [...value.matchAll(/%[0-9A-Fa-f]{2}|./gs)].map(([unit]) => unit)
  const index = at % Math.max(1, spelled.length)
  const unit = spelled[index] ?? ''
  const others = [
    unit.length === 3 ? Buffer.from(unit.slice(1), 'hex').toString('latin1') : '',
    unit.length === 1 ? `%${unit.charCodeAt(0).toString(16).padStart(2, '0')}` : unit.toLowerCase(),
    ...[unit.replace('%', '%25'), '+', ' ', '\t', '%20', `${unit}${unit}`, ''],
  ]
  // An earlier change may have left an empty value.
  return spelled.toSpliced(index, 1, others[Math.floor(at / 7) % others.length] ?? '').join('')
}

const onPair =
  (change: (pair: string, at: number) => readonly string[]): Change =>
  (wire, at) => ({
    ...wire,
    pairs: wire.pairs.flatMap((pair, index) =>
      index === at % Math.max(1, wire.pairs.length) ? change(pair, at) : [pair],
    ),
  })

const added = [
  'acl=',
  'prefix=b',
  'X-Amz-Expires=600',
  'x-amz-copy-source=b',
  'X-Amz%2DSignature=0',
  '=',
]
const addedHeaders = [
  ['x-amz-copy-source', 'b'],
  ['x-amz-acl', 'b'],
  ['accept-encoding', 'br'],
  ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
  ['x-amz-content-sha256', emptyHash],
  ['authorization', 'AWS4-HMAC-SHA256 x'],
] as const

const changes: readonly Change[] = [
  (wire, at) => ({ ...wire, path: `/${respell(wire.path.slice(1), at)}` }),
  (wire) => ({ ...wire, path: `/storage${wire.path}` }),
  (wire) => ({ ...wire, path: wire.path.replace('/storage', '') || '/' }),
  (wire) => ({ ...wire, path: wire.path.replaceAll('/', '%2F').replace('%2F', '/') }),
  (wire, at) => ({ ...wire, method: at % 2 === 0 ? 'PUT' : 'HEAD' }),
  onPair((pair, at) => [respell(pair, at)]),
  onPair(() => []),
  onPair((pair) => [pair, pair]),
  onPair((pair) => [pair, `${pair}x`]),
  onPair((pair) => [pair.toLowerCase()]),
  onPair((pair) => [pair.replace('=', '%3D')]),
  (wire) => ({ ...wire, pairs: wire.pairs.toReversed() }),
  (wire, at) => ({ ...wire, pairs: [...wire.pairs, added[at % added.length] ?? ''] }),
  (wire, at) => ({
    ...wire,
    headers: wire.headers.map(([name, value], index) =>
      index === at % wire.headers.length && name !== 'authorization'
        ? [name, respell(value, at)]
        : [name, value],
    ),
  }),
  (wire, at) => ({ ...wire, headers: wire.headers.filter((_, index) => index !== at % 5) }),
  (wire, at) => ({
    ...wire,
    headers: [...wire.headers, addedHeaders[at % addedHeaders.length] ?? ['a', '']],
  }),
  repeatParameter,
  (wire, at) => withHost(wire, at % 2 === 0 ? directHost : 's3.example.com'),
  toHeaderForm,
]

function withHost(wire: Wire, host: string): Wire {
  return {
    ...wire,
    headers: wire.headers.map(([name, value]) => [name, name === 'host' ? host : value]),
  }
}

/** A parameter as a header that is not signed, which Rails sends, or with another value. */
function repeatParameter(wire: Wire, at: number): Wire {
  const pairs = wire.pairs.filter((pair) => pair.startsWith('x-amz-'))
  const [name = '', value = ''] = (pairs[at % Math.max(1, pairs.length)] ?? '').split('=')
  const sent = uriDecode(value)
  const changed = at % 3 === 0 ? respell(sent, at) : sent
  return name === '' ? wire : { ...wire, headers: [...wire.headers, [name, changed]] }
}

/** The main attack: a presigned URL's signature in an Authorization header. */
function toHeaderForm(wire: Wire, at: number): Wire {
  const parameterOf = (name: string) =>
    decodeURIComponent(
      wire.pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '',
    )
  const authorization = `AWS4-HMAC-SHA256 Credential=${parameterOf('X-Amz-Credential')}, SignedHeaders=${parameterOf('X-Amz-SignedHeaders')}, Signature=${parameterOf('X-Amz-Signature')}`
  return {
    ...wire,
    pairs: wire.pairs
      .filter((pair) => !pair.startsWith('X-Amz-Signature='))
      .map((pair) => (at % 2 === 0 ? pair.replace('X-Amz-', 'X-Amz%2D') : pair)),
    headers: [...wire.headers, ['x-amz-date', vectors.amzDate], ['authorization', authorization]],
  }
}

/** What the gateway would do; undefined if it refuses the request. */
function meaningOf(wire: Wire): object | undefined {
  const request: HttpRequest = fakeRequest({
    method: wire.method,
    target: `${wire.path}${wire.pairs.length === 0 ? '' : `?${wire.pairs.join('&')}`}`,
    rawHeaders: wire.headers.flat(),
  })
  try {
    const { form } = authenticate(request, { ...settings, publicUrl }, nowMs)
    if (form === 'unsigned') return undefined
    const query = parseQuery(request.rawQuery)
    const isPresigned = form === 'presigned'
    const headers = { ...request.headers }
    if (isPresigned) addHoistedHeaders(headers, query)
    const address = parseAddress(request.rawPath)
    // The handler refuses any other bucket.
    if (address.level !== 'service' && !buckets.includes(address.bucket)) return undefined
    return {
      method: request.method,
      address:
        address.level === 'object' ? { ...address, rawKey: decodeKey(address.rawKey) } : address,
      // An empty name has no effect and `a` is `a=`.
      query: [...query].filter(([name]) => name !== '' && name !== 'X-Amz-Signature').sort(),
      // A signature does not tell white space from one space. CopyObject refuses a source for which that matters.
      headers: ['x-amz-copy-source', 'x-amz-acl'].map((name) =>
        String(headers[name]).replace(/[ \t]+/g, ' '),
      ),
      expires: query.get('X-Amz-Expires'),
      isPresigned,
    }
  } catch (error) {
    if (error instanceof S3Error) return undefined
    throw error
  }
}

test('No reading accepts a request with another meaning than the signed one', () => {
  let accepted = 0
  const change = fc.tuple(fc.nat({ max: changes.length - 1 }), fc.nat({ max: 10_000 }))
  const changesMade = fc.array(change, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(client, fc.boolean(), changesMade, (from, keepsHost, made) => {
      const signed = keepsHost ? sign(from) : withHost(sign(from), directHost)
      const meaning = meaningOf(signed)
      assert.ok(meaning !== undefined, 'what the client sends is accepted')
      let wire = signed
      for (const [index, at] of made) wire = changes[index]?.(wire, at) ?? wire
      const changed = meaningOf(wire)
      if (changed === undefined) return
      accepted += 1
      assert.deepEqual(changed, meaning)
    }),
    { numRuns: 4000 },
  )
  // Otherwise the property would hold only because every change is refused.
  assert.ok(accepted > 100, `${accepted} changed requests were accepted`)
})
