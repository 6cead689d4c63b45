import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeOf,
  encodeEventKey,
  eventMessage,
  sequencers,
} from '../../../../src/storage/events/event-message.ts'

const facts = {
  context: { principalId: 'me', sourceIp: '127.0.0.1', requestId: 'C3D13FE58DE4C810' },
  ...{
    region: 'us-west-2',
    ownerId: 'bucketry',
    ruleId: 'testConfigRule',
    atMs: 0,
    sequencer: '0055',
  },
}

test('keys are encoded as AWS does, and read again', () => {
  // AWS, "Event message structure": `red flower.jpg` is sent as `red+flower.jpg`.
  assert.equal(encodeEventKey('red flower.jpg'), 'red+flower.jpg')
  assert.equal(encodeEventKey('a/ü+%~*'), 'a/%C3%BC%2B%25%7E*')
  for (const key of ['red flower.jpg', 'a+b', '%2F/%', "ü!'()~*", ' ']) {
    const change = { bucket: 'b', key, event: 'ObjectCreated:Put', etag: 'e', size: 1 } as const
    assert.deepEqual(changeOf(eventMessage(change, facts)), change)
    const version = { ...change, versionId: 'v' }
    assert.deepEqual(changeOf(eventMessage(version, facts)), version)
  }
})

test('a message has the fields of the example of AWS', () => {
  const change = { bucket: 'mybucket', key: 'HappyFace.jpg', event: 'ObjectCreated:Put' } as const
  const written = { ...change, etag: 'd41d8cd98f00b204e9800998ecf8427e', size: 1024 }
  const [record] = eventMessage(written, facts).Records
  assert.deepEqual(record, {
    ...{ eventVersion: '2.1', eventSource: 'aws:s3', awsRegion: 'us-west-2' },
    ...{ eventTime: '1970-01-01T00:00:00.000Z', eventName: 'ObjectCreated:Put' },
    userIdentity: { principalId: 'me' },
    requestParameters: { sourceIPAddress: '127.0.0.1' },
    responseElements: {
      'x-amz-request-id': 'C3D13FE58DE4C810',
      'x-amz-id-2': 'C3D13FE58DE4C810',
    },
    s3: {
      ...{ s3SchemaVersion: '1.0', configurationId: 'testConfigRule' },
      bucket: {
        ...{ name: 'mybucket', ownerIdentity: { principalId: 'bucketry' } },
        arn: 'arn:aws:s3:::mybucket',
      },
      object: {
        ...{ key: 'HappyFace.jpg', size: 1024, eTag: written.etag, sequencer: '0055' },
      },
    },
  })
})

test('sequencers grow, also within a millisecond and when the clock goes back', () => {
  const times = [5, 5, 4, 6]
  const next = sequencers(() => times.shift() ?? 0)
  const made = [next(), next(), next(), next()]
  assert.deepEqual(made, made.toSorted())
  assert.equal(new Set(made.map(({ length }) => length)).size, 1)
  assert.equal(new Set(made).size, 4)
})
