/** The headers and form fields of Object Lock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3'
import { startLocked } from '../support/lock-client.ts'
import { formRequest } from '../support/post-form.ts'
import { answer } from '../support/wire-case.ts'

const mode = 'x-amz-object-lock-mode'
const until = 'x-amz-object-lock-retain-until-date'
const hold = 'x-amz-object-lock-legal-hold'
const future = '2999-01-01T00:00:00Z'

const wrongHeaders: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  name: string,
  message: string,
])[] = [
  [{ [mode]: 'GOVERNANCE' }, until, `${until} and ${mode} must both be supplied`],
  [{ [until]: future }, mode, `${until} and ${mode} must both be supplied`],
  [{ [mode]: 'governance', [until]: future }, mode, 'Unknown wormMode directive.'],
  ...['abc', '2999-02-30T00:00:00Z', '32503680000'].map(
    (date) =>
      [
        { [mode]: 'COMPLIANCE', [until]: date },
        until,
        'The retain until date must be provided in ISO 8601 format',
      ] as const,
  ),
  [
    { [mode]: 'COMPLIANCE', [until]: '2020-01-01T00:00:00Z' },
    ...([until, 'The retain until date must be in the future!'] as const),
  ],
  [{ [hold]: 'on' }, hold, "Legal Hold must be either of 'ON' or 'OFF'"],
]

test('headers of Object Lock that AWS refuses are refused by every write', async (t) => {
  const { gateway, client } = await startLocked(t)
  await client.put('source')
  for (const [headers, ArgumentName, Message] of wrongHeaders) {
    const wrong = { title: '', status: 400, code: 'InvalidArgument' }
    const error = { ArgumentName, Message }
    const target = '/locked/key'
    await answer(gateway, { ...wrong, error, headers, method: 'PUT', target, body: 'x' })
    await answer(gateway, { ...wrong, error, headers, method: 'POST', target: `${target}?uploads` })
    const copying = { ...headers, 'x-amz-copy-source': 'locked/source' }
    await answer(gateway, { ...wrong, error, headers: copying, method: 'PUT', target })
  }
  const head = { title: '', method: 'HEAD', target: '/locked/key', status: 404 }
  await answer(gateway, head)
  const past =
    '<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2020-01-01T00:00:00Z</RetainUntilDate></Retention>'
  await answer(gateway, {
    ...{ title: '', method: 'PUT', target: '/locked/source?retention', body: past, status: 400 },
    ...{ code: 'InvalidArgument', error: { ArgumentName: 'RetainUntilDate' } },
  })
})

test('parts have no headers of Object Lock', async (t) => {
  const { gateway, client } = await startLocked(t)
  const input = { Bucket: client.Bucket, Key: 'key' }
  const { UploadId } = await client.s3.send(new CreateMultipartUploadCommand(input))
  await answer(gateway, {
    ...{ title: '', method: 'PUT', target: `/locked/key?partNumber=1&uploadId=${UploadId}` },
    ...{ headers: { [hold]: 'ON' }, body: 'x', status: 501, code: 'NotImplemented' },
  })
})

test('a form has fields of Object Lock, which its policy must allow', async (t) => {
  const { gateway, client } = await startLocked(t, { COMPATIBILITY: 'aws' })
  await client.setDefault('COMPLIANCE', { Days: 3 })
  const post = async (fields: readonly (readonly [string, string])[]) => {
    const form = formRequest({ bucket: client.Bucket, fields }, gateway.credentials)
    const { target, headers = {}, ...init } = form
    const reply = await fetch(`${gateway.url}${target}`, { headers, ...init })
    assert.equal(reply.status, 204, await reply.text())
  }
  await post([['key', 'default']])
  assert.equal((await client.headLock('default')).mode, 'COMPLIANCE')
  await post([
    ['key', 'own'],
    [mode, 'GOVERNANCE'],
    [until, future],
    [hold, 'ON'],
  ])
  const own = await client.headLock('own')
  assert.deepEqual([own.mode, own.hold, own.untilMs], ['GOVERNANCE', 'ON', Date.parse(future)])
})
