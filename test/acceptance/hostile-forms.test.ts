/** Forms that must store nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import {
  type FormToPost,
  filenameVariable,
  formBody,
  formRequest,
  signedFields,
} from '../support/post-form.ts'
import { answer, exchange } from '../support/wire-case.ts'

const start = (t: TestContext) => startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
const read = { method: 'GET', target: `/${testBucket}/k`, title: 'k' }

type Form = Omit<FormToPost, 'bucket'>

async function refused(gateway: GatewayInProcess, form: Form, status: number, code: string) {
  const request = formRequest({ bucket: testBucket, ...form }, testCredentials)
  await answer(gateway, { title: '', ...request, isUnsigned: true, status, code })
  await answer(gateway, { ...read, status: 404, code: 'NoSuchKey' })
}

const anyKey = ['starts-with', '$key', ''] as const

const later = (ms: number) => new Date(Date.now() + ms).toISOString()
const past = later(-1_000)
const anyConditions = { conditions: [anyKey] }

/** Each must not store the object `k`. */
const hostile: Readonly<Record<string, readonly [form: Form, status: number, code: string]>> = {
  'an expired policy': [{ fields: [['key', 'k']], expiration: past }, 403, 'AccessDenied'],
  'a field without a condition': [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-meta-a', 'b'],
      ],
      ...anyConditions,
    },
    ...([403, 'AccessDenied'] as const),
  ],
  'a field that only Version 2 has': [
    {
      fields: [
        ['key', 'k'],
        ['AWSAccessKeyId', 'x'],
      ],
      ...anyConditions,
    },
    ...([403, 'AccessDenied'] as const),
  ],
  'a condition that fails': [
    { fields: [['key', 'k']], conditions: [['starts-with', '$key', 'user/']] },
    ...([403, 'AccessDenied'] as const),
  ],
  'a condition for a missing field': [
    { fields: [['key', 'k']], conditions: [anyKey, ['starts-with', '$acl', '']] },
    ...([403, 'AccessDenied'] as const),
  ],
  'a bucket field of another bucket': [
    {
      fields: [
        ['key', 'k'],
        ['bucket', 'other'],
      ],
    },
    ...([403, 'AccessDenied'] as const),
  ],
  'no key': [{ fields: [] }, 400, 'InvalidArgument'],
  'a key that is empty without a file name': [
    { fields: [['key', filenameVariable]], ...anyConditions, filename: 'dir/' },
    ...([400, 'InvalidArgument'] as const),
  ],
  'a key of 1,025 bytes': [{ fields: [['key', 'ä'.repeat(513)]] }, 400, 'KeyTooLongError'],
  'two keys, of which one is allowed': [
    {
      fields: [
        ['key', 'k'],
        ['KEY', 'other'],
      ],
      conditions: [{ key: 'k' }],
    },
    ...([403, 'AccessDenied'] as const),
  ],
  'a header with a line end': [
    {
      fields: [
        ['key', 'k'],
        ['Content-Type', 'a\r\nX: y'],
      ],
    },
    ...([400, 'InvalidArgument'] as const),
  ],
  'a copy': [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-copy-source', '/photos/a'],
      ],
    },
    ...([501, 'NotImplemented'] as const),
  ],
  'an aws-chunked file': [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
      ],
    },
    ...([501, 'NotImplemented'] as const),
  ],
  encryption: [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-server-side-encryption', 'aws:kms'],
      ],
    },
    ...([501, 'NotImplemented'] as const),
  ],
  tags: [
    {
      fields: [
        ['key', 'k'],
        ['tagging', '<Tagging/>'],
      ],
    },
    ...([400, 'MalformedXML'] as const),
  ],
  'a wrong checksum': [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-checksum-crc32', 'AAAAAA=='],
      ],
    },
    ...([400, 'BadDigest'] as const),
  ],
  'too much metadata': [
    {
      fields: [
        ['key', 'k'],
        ['x-amz-meta-a', 'x'.repeat(3_000)],
      ],
    },
    ...([400, 'MetadataTooLarge'] as const),
  ],
  '20 KiB of fields': [
    {
      fields: [
        ['key', 'k'],
        ['x-ignore-a', 'x'.repeat(20 * 1024)],
      ],
      ...anyConditions,
    },
    ...([400, 'MaxPostPreDataLengthExceededError'] as const),
  ],
  'a file name that makes the fields large': [
    {
      fields: [
        ['key', 'k'],
        ['x-ignore-a', filenameVariable.repeat(1_000)],
      ],
      ...{ ...anyConditions, filename: 'x'.repeat(1_000) },
    },
    ...([400, 'MaxPostPreDataLengthExceededError'] as const),
  ],
  '1,001 fields': [
    {
      fields: [
        ['key', 'k'],
        ...Array.from({ length: 1_000 }, (_, i) => [`x-ignore-${i}`, ''] as const),
      ],
      ...anyConditions,
    },
    ...([400, 'MaxPostPreDataLengthExceededError'] as const),
  ],
  'a policy that is no JSON': [
    { fields: [['key', 'k']], policy: '['.repeat(10_000) },
    ...([400, 'InvalidPolicyDocument'] as const),
  ],
  'a signature of eight days ago': [
    { fields: [['key', 'k']], signedAtMs: Date.now() - 8 * 86_400_000 },
    ...([403, 'AccessDenied'] as const),
  ],
  'a signature from tomorrow': [
    { fields: [['key', 'k']], signedAtMs: Date.now() + 86_400_000 },
    ...([403, 'AccessDenied'] as const),
  ],
}

test('what a policy or PutObject does not allow is refused, and nothing is stored', async (t) => {
  const gateway = await start(t)
  for (const [title, [form, status, code]] of Object.entries(hostile)) {
    await t.test(title, async () => void (await refused(gateway, form, status, code)))
  }
})

test('a form that is cut off, or has no last boundary, stores nothing', async (t) => {
  const gateway = await start(t)
  const { type, body } = formBody(
    signedFields({ bucket: testBucket, fields: [['key', 'k']] }, testCredentials),
  )
  const text = Buffer.from(body).toString('latin1')
  const boundary = type.slice(type.indexOf('=') + 1)
  const broken = {
    'without its end': text.slice(0, -4),
    'without the last boundary': text.slice(0, text.lastIndexOf(`\r\n--${boundary}`)),
    'with a longer boundary': text.replace(`--${boundary}--`, `--${boundary}x--`),
    'behind other text': `x\r\n${text}`,
    'in chunks of aws-chunked': `${text.length.toString(16)};chunk-signature=x\r\n${text}\r\n0\r\n\r\n`,
    'with a head of 17 KiB': text.replace('name="key"', `name="key"; x="${'x'.repeat(17_000)}"`),
    'with two names': text.replace('name="key"', 'name="key"; name="acl"'),
    'that is not UTF-8': text.replace('\r\n\r\nk\r\n', '\r\n\r\nk\xff\r\n'),
  }
  for (const [title, sent] of Object.entries(broken)) {
    const whole = { method: 'POST', target: `/${testBucket}`, headers: { 'content-type': type } }
    const sentBody = new Uint8Array(Buffer.from(sent, 'latin1'))
    const { status, text: reply } = await exchange(gateway, {
      ...whole,
      body: sentBody,
      isUnsigned: true,
    })
    assert.match(`${status} ${reply}`, /^400 .*<Code>MalformedPOSTRequest</s, title)
  }
  for (const cut of [300, body.length - 40, body.length - 3]) {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(
      `POST /${testBucket} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body.subarray(0, cut))
    socket.end()
    socket.resume()
    await once(socket, 'close')
  }
  await answer(gateway, { ...read, status: 404, code: 'NoSuchKey' })
})
