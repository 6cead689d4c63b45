import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { clientSettings, type Gateway } from '../../../../web/src/connect/client-settings.ts'

const plain: Gateway = {
  ...{ endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' },
  ...{ bucket: 'photos', accessKey: 'AKEXAMPLE' },
}

function textOf(gateway: Gateway, id: string): string {
  const blocks = clientSettings(gateway).find((client) => client.id === id)?.blocks ?? []
  return blocks.map(({ text }) => text).join('\n')
}

test('clientSettings contains every client once, with text to paste', () => {
  const clients = clientSettings(plain)
  assert.deepEqual(
    clients.map(({ name }) => name),
    ['aws-cli', 'rclone', 's3cmd', 'restic', 'boto3', 'AWS SDK JS', 'Cyberduck'],
  )
  for (const { name, blocks } of clients) {
    assert.ok(blocks.length > 0, name)
    for (const { text } of blocks) assert.match(text, /\S\n$/, name)
  }
})

test('clientSettings names the endpoint, or its host, in each', () => {
  for (const { id } of clientSettings(plain)) assert.match(textOf(plain, id), /127\.0\.0\.1/, id)
})

test('clientSettings contains the access key in each, quoted where necessary', () => {
  for (const { id } of clientSettings(plain)) assert.match(textOf(plain, id), /AKEXAMPLE/, id)
  const odd = { ...plain, accessKey: `a'b"$c&<\\` }
  assert.ok(textOf(odd, 'aws-cli').includes(`AWS_ACCESS_KEY_ID='a'\\''b"$c&<\\'`))
  assert.ok(textOf(odd, 'boto3').includes(`aws_access_key_id="a'b\\"$c&<\\\\"`))
  assert.equal(XMLValidator.validate(textOf(odd, 'cyberduck')), true)
})

test('clientSettings of s3cmd says whether the endpoint speaks HTTPS', () => {
  assert.match(textOf(plain, 's3cmd'), /use_https = False/)
  const safe = { ...plain, endpoint: 'https://files.example.com' }
  assert.match(textOf(safe, 's3cmd'), /host_base = files\.example\.com\n[\s\S]*use_https = True/)
})

for (const [endpoint, scheme, hostname, port] of [
  ['http://127.0.0.1:9000', 'http', '127.0.0.1', '9000'],
  ['https://files.example.com', 'https', 'files.example.com', '443'],
  ['http://nas', 'http', 'nas', '80'],
  ['http://[fd00::1]:9000', 'http', 'fd00::1', '9000'],
] as const) {
  test(`clientSettings of Cyberduck for ${endpoint} is a profile for that endpoint`, () => {
    const text = textOf({ ...plain, endpoint }, 'cyberduck')
    assert.equal(XMLValidator.validate(text), true)
    const { plist } = new XMLParser({ parseTagValue: false }).parse(text)
    const entries = new Map<string, string>(
      (plist.dict.key as string[]).map((key, index) => [key, plist.dict.string[index]]),
    )
    assert.equal(entries.get('Protocol'), 's3')
    assert.equal(entries.get('Scheme'), scheme)
    assert.equal(entries.get('Default Hostname'), hostname)
    assert.equal(entries.get('Default Port'), port)
    assert.equal(plist.dict.array.string, 's3.bucket.virtualhost.disable=true')
  })
}
