import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  objectLockContent,
  parseLegalHold,
  parseObjectLock,
  parseRetention,
} from '../../../../../src/storage/s3/configuration/object-lock-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'

const refuses = (parse: (body: Buffer) => unknown, body: string, code = 'MalformedXML') =>
  assert.throws(
    () => parse(Buffer.from(body)),
    (error) => error instanceof S3Error && error.code === code,
    body,
  )

const enabled = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>'
const configuration = (content: string) =>
  `<ObjectLockConfiguration>${content}</ObjectLockConfiguration>`
const ruled = (retention: string) =>
  configuration(`${enabled}<Rule><DefaultRetention>${retention}</DefaultRetention></Rule>`)

const accepted = [
  configuration(enabled),
  ruled('<Mode>GOVERNANCE</Mode><Days>1</Days>'),
  ruled('<Mode>COMPLIANCE</Mode><Years>100</Years>'),
  ruled('<Mode>COMPLIANCE</Mode><Days>36500</Days>'),
]
for (const document of accepted) {
  test(`parseObjectLock and objectLockContent keep ${document}`, () => {
    const parsed = parseObjectLock(Buffer.from(document))
    const options = { namespace: false }
    const written = xmlDocument('ObjectLockConfiguration', objectLockContent(parsed), options)
    assert.equal(written.replace(/^.*\n/, ''), document)
  })
}

test('parseObjectLock refuses what AWS refuses', () => {
  for (const content of [
    '',
    '<ObjectLockEnabled>Disabled</ObjectLockEnabled>',
    '<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>',
    `${enabled}<Rule/>`,
    `${enabled}<Other/>`,
    `${enabled}${enabled}`,
  ]) {
    refuses(parseObjectLock, configuration(content))
  }
  refuses(parseObjectLock, '')
  for (const retention of [
    '',
    '<Mode>GOVERNANCE</Mode>',
    '<Days>1</Days>',
    '<Mode>governance</Mode><Days>1</Days>',
    '<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>',
    '<Mode>GOVERNANCE</Mode><Days>1.5</Days>',
    '<Mode>GOVERNANCE</Mode><Days>1</Days><DefaultEventHold/>',
  ]) {
    refuses(parseObjectLock, ruled(retention))
  }
  for (const period of [
    '<Days>0</Days>',
    '<Years>-1</Years>',
    '<Days>36501</Days>',
    '<Years>101</Years>',
  ]) {
    refuses(parseObjectLock, ruled(`<Mode>COMPLIANCE</Mode>${period}`), 'InvalidRetentionPeriod')
  }
})

const retention = (mode: string, until: string) =>
  `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`

test('parseRetention reads the dates that SDKs send', () => {
  for (const [text, untilMs] of [
    ['2030-01-01T00:00:00Z', Date.UTC(2030, 0, 1)],
    ['2030-01-01T00:00:00.5Z', Date.UTC(2030, 0, 1) + 500],
    ['2030-01-01T00:00:00.123456Z', Date.UTC(2030, 0, 1) + 123],
    ['2030-01-01T02:00:00+02:00', Date.UTC(2030, 0, 1)],
    ['2028-02-29T23:59:59Z', Date.UTC(2028, 1, 29, 23, 59, 59)],
  ] as const) {
    const body = Buffer.from(retention('COMPLIANCE', text))
    assert.deepEqual(parseRetention(body), { mode: 'COMPLIANCE', untilMs }, text)
  }
  assert.equal(parseRetention(Buffer.from('<Retention/>')), null)
})

test('parseRetention and parseLegalHold refuse other documents', () => {
  for (const date of [
    '',
    'abc',
    '2030-01-01',
    '2030-02-31T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:00',
    '+002030-01-01T00:00:00Z',
  ]) {
    refuses(parseRetention, retention('GOVERNANCE', date))
  }
  for (const body of [
    retention('abc', '2030-01-01T00:00:00Z'),
    '<Retention><Mode>GOVERNANCE</Mode></Retention>',
    '<Retention><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>',
    '<Retention><EventHold>ON</EventHold></Retention>',
    '',
  ]) {
    refuses(parseRetention, body)
  }
  assert.equal(parseLegalHold(Buffer.from('<LegalHold><Status>OFF</Status></LegalHold>')), false)
  for (const body of ['<LegalHold/>', '<LegalHold><Status>abc</Status></LegalHold>', '']) {
    refuses(parseLegalHold, body)
  }
})
