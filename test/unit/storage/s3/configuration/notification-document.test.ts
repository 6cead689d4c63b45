import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  notificationContent,
  parseNotification,
} from '../../../../../src/storage/s3/configuration/notification-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'

const arn = 'arn:aws:sqs:us-east-1:000000000000:webhook'
const known = { webhook: true, redis: false }

interface Rule {
  readonly id?: string
  readonly arn?: string
  readonly event?: string
  readonly filters?: readonly (readonly [name: string, value: string])[]
}

function rule({ id, arn: given = arn, event = 's3:ObjectCreated:*', filters = [] }: Rule = {}) {
  const rules = filters.map(
    ([name, value]) => `<FilterRule><Name>${name}</Name><Value>${value}</Value></FilterRule>`,
  )
  const filter = `<Filter><S3Key>${rules.join('')}</S3Key></Filter>`
  const name = id === undefined ? '' : `<Id>${id}</Id>`
  return `<QueueConfiguration>${name}<Queue>${given}</Queue><Event>${event}</Event>${filter}</QueueConfiguration>`
}

const parse = (...rules: readonly string[]) => {
  const text = `<NotificationConfiguration>${rules.join('')}</NotificationConfiguration>`
  return parseNotification(Buffer.from(text), { known, newId: () => 'made' })
}

test('a configuration is kept as it was written', () => {
  assert.deepEqual(parse(), [])
  const [kept] = parse(rule({ filters: [['Prefix', ' a/ü '] as const, ['suffix', '.jpg']] }))
  assert.deepEqual(kept, {
    ...{ kind: 'Queue', id: 'made', arn, target: 'webhook', events: ['s3:ObjectCreated:*'] },
    ...{ prefix: ' a/ü ', suffix: '.jpg' },
    filters: [
      { name: 'Prefix', value: ' a/ü ' },
      { name: 'suffix', value: '.jpg' },
    ],
  })
  const rules = [
    { Name: 'Prefix', Value: ' a/ü ' },
    { Name: 'suffix', Value: '.jpg' },
  ]
  const filter = { S3Key: { FilterRule: rules } }
  const shown = { Id: 'made', Queue: arn, Event: ['s3:ObjectCreated:*'], Filter: filter }
  assert.deepEqual(notificationContent(kept === undefined ? [] : [kept]), {
    ...{ QueueConfiguration: [shown], TopicConfiguration: [], CloudFunctionConfiguration: [] },
  })
})

test('what has no effect here is refused', () => {
  const removed = 's3:ObjectRemoved:*'
  for (const [code, title, ...rules] of [
    [
      'InvalidArgument',
      'a target that is not configured',
      rule({ arn: `${arn.slice(0, -7)}redis` }),
    ],
    ['InvalidArgument', 'no ARN', rule({ arn: 'webhook' })],
    ['InvalidArgument', 'an event that is not sent', rule({ event: 's3:ObjectRestore:*' })],
    ['InvalidArgument', 'no event', rule({ event: '' })],
    ['InvalidArgument', 'all events', rule({ event: 's3:*' })],
    ['InvalidArgument', 'a filter of another name', rule({ filters: [['regex', 'a']] })],
    [
      'InvalidArgument',
      'a prefix twice',
      rule({
        filters: [
          ['prefix', 'a'],
          ['Prefix', 'b'],
        ],
      }),
    ],
    ['InvalidArgument', 'a long prefix', rule({ filters: [['prefix', 'ü'.repeat(513)]] })],
    ['InvalidArgument', 'a long ID', rule({ id: 'x'.repeat(256) })],
    ['InvalidArgument', 'an ID twice', rule({ id: 'a' }), rule({ id: 'a', event: removed })],
    ['InvalidArgument', 'rules that overlap', rule({ id: 'a' }), rule({ id: 'b' })],
    ['MalformedXML', 'an unknown element', '<EventBridgeConfiguration/>'],
    ['MalformedXML', '101 rules', ...Array.from({ length: 101 }, (_, at) => rule({ id: `${at}` }))],
  ] as const) {
    assert.throws(
      () => parse(...rules),
      (error) => error instanceof S3Error && error.code === code,
      title,
    )
  }
  assert.equal(parse(rule({ id: 'a' }), rule({ id: 'b', event: removed })).length, 2)
})
