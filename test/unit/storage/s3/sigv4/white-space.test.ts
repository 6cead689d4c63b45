import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { HttpRequest } from '../../../../../src/platform/http/message.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { authenticate } from '../../../../../src/storage/s3/sigv4/authenticate.ts'
import { canonicalQuery } from '../../../../../src/storage/s3/sigv4/canonical-request.ts'
import { uriEncode } from '../../../../../src/storage/s3/sigv4/uri-encode.ts'
import { signText } from '../../../../support/signed-request.ts'
import { fakeRequest } from '../fake-request.ts'
import { nowMs, settings, vectors } from './signed-request.ts'

type Form = 'header' | 'presigned'
const forms = ['header', 'presigned'] as const

/** The value of each signed header, as sent and as the client writes it in its canonical request. */
interface Values {
  readonly 'content-disposition': string
  readonly 'x-amz-meta-note': string
}

/** A request whose signature covers other values than it has. Nothing is normalised. */
function signedAs(form: Form, sent: Values, signed: Values): HttpRequest {
  const scope = `20130524/${settings.region}/s3/aws4_request`
  const credential = `${settings.accessKey}/${scope}`
  const others = { host: 'h', ...(form === 'header' && { 'x-amz-date': vectors.amzDate }) }
  const lines = Object.entries({ ...others, ...signed }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = lines.map(([name]) => name).join(';')
  const parameters = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${uriEncode(credential)}`,
    `X-Amz-Date=${vectors.amzDate}`,
    'X-Amz-Expires=60',
    `X-Amz-SignedHeaders=${uriEncode(names)}`,
  ].join('&')
  const query = form === 'presigned' ? canonicalQuery(parameters) : ''
  const canonical = [
    ...['PUT', '/bucket/key', query],
    ...lines.map(([name, value]) => `${name}:${value}`),
    ...['', names, 'UNSIGNED-PAYLOAD'],
  ].join('\n')
  const signature = signText(canonical, vectors.amzDate, settings)
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return fakeRequest({
    method: 'PUT',
    target:
      form === 'presigned' ? `/bucket/key?${query}&X-Amz-Signature=${signature}` : '/bucket/key',
    headers: { ...others, ...sent, ...(form === 'header' && { authorization }) },
  })
}

function isAccepted(request: HttpRequest): boolean {
  try {
    return authenticate(request, settings, nowMs).form !== 'unsigned'
  } catch (error) {
    if (error instanceof S3Error && error.code === 'AccessDenied') return false
    throw error
  }
}

function isAcceptedAs(form: Form, sent: string, signed: string): boolean {
  const other = { 'content-disposition': 'inline' }
  const note = (value: string) => ({ ...other, 'x-amz-meta-note': value })
  return isAccepted(signedAs(form, note(sent), note(signed)))
}

/** As botocore, aws-cli and the SDK for JavaScript write a value. */
const folded = (value: string) => value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '')
/** As the SDK for Go writes it: only spaces count. */
const spacesFolded = (value: string) => value.replace(/^[ \t]+|[ \t]+$/g, '').replace(/ +/g, ' ')

const value = fc
  .array(fc.constantFrom('a', 'b', ' ', '\t', ',', '\u00a0', '\u0085', '\u00e0'), { maxLength: 6 })
  .map((pieces) => pieces.join(''))

for (const form of forms) {
  describe(`White space in a signed header, ${form} form`, () => {
    test('is signed as one space by boto3, aws-cli and the SDK for JavaScript', () => {
      for (const sent of ['a\tb', 'a \t b', '\ta\t\tb ', 'a  b', 'a\t', 'a;\tb="c\td"']) {
        assert.ok(isAcceptedAs(form, sent, folded(sent)), JSON.stringify(sent))
      }
    })

    test('is signed with its tabs by the SDK for Go', () => {
      for (const sent of ['a\tb', 'a \t  b', '\ta\t\tb']) {
        assert.ok(isAcceptedAs(form, sent, spacesFolded(sent)), JSON.stringify(sent))
      }
    })

    test('is refused if anything else was signed', () => {
      const refused = [
        ['a\tb', 'ab'],
        ['a\tb', 'a  b'],
        ['a b', 'a\tb'],
        ['a  b', 'a\tb'],
        ['a  b', 'a  b'],
        ['a\tb\tc', 'a b\tc'],
        ['a\u00a0b', 'a b'],
        ['a\u0085b', 'a b'],
        ['\u00a0a', 'a'],
        ['ab', 'a b'],
      ] as const
      for (const [sent, signed] of refused) {
        assert.ok(!isAcceptedAs(form, sent, signed), JSON.stringify({ sent, signed }))
      }
    })

    test('is accepted exactly when all values are signed in one of the two ways', () => {
      let accepted = 0
      const sameOrOther = (sent: string) =>
        fc.oneof(
          fc.constant(sent),
          fc.constant(folded(sent)),
          fc.constant(spacesFolded(sent)),
          value,
        )
      const values = fc.tuple(value, value).chain(([note, disposition]) =>
        fc.record({
          sent: fc.constant({ 'x-amz-meta-note': note, 'content-disposition': disposition }),
          signed: fc.record({
            'x-amz-meta-note': sameOrOther(note),
            'content-disposition': sameOrOther(disposition),
          }),
        }),
      )
      fc.assert(
        fc.property(values, ({ sent, signed }) => {
          const isSignedBy = (write: (text: string) => string) =>
            signed['x-amz-meta-note'] === write(sent['x-amz-meta-note']) &&
            signed['content-disposition'] === write(sent['content-disposition'])
          const expected = isSignedBy(folded) || isSignedBy(spacesFolded)
          assert.equal(isAccepted(signedAs(form, sent, signed)), expected)
          if (expected) accepted += 1
        }),
        { numRuns: 2000 },
      )
      assert.ok(accepted > 100, `${accepted} requests were accepted`)
    })
  })
}
