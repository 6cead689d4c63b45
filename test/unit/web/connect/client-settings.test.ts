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

test('clientSettings has text to paste for every client, with the endpoint and the access key', () => {
  const clients = clientSettings(plain)
  assert.equal(new Set(clients.map(({ id }) => id)).size, clients.length)
  for (const { id, blocks } of clients) {
    assert.ok(blocks.length > 0, id)
    for (const { text } of blocks) assert.match(text, /\S\n$/, id)
    assert.match(textOf(plain, id), /127\.0\.0\.1/, id)
    assert.match(textOf(plain, id), /AKEXAMPLE/, id)
  }
})

test('clientSettings quotes the access key as each language does', () => {
  const braced = '{d}'
  const odd = { ...plain, accessKey: `a'b"$c&<\\$${braced}` }
  for (const [id, text] of [
    ['aws-cli', `AWS_ACCESS_KEY_ID='a'\\''b"$c&<\\$${braced}'`],
    ['mc', `'a'\\''b"$c&<\\$${braced}'`],
    ['boto3', `aws_access_key_id="a'b\\"$c&<\\\\$${braced}"`],
    ['aws-sdk-js', `accessKeyId: 'a\\'b"$c&<\\\\$${braced}'`],
    ['terraform', `"a'b\\"$c&<\\\\$$${braced}"`],
    ['compose', `"a'b\\"$$c&<\\\\$$${braced}"`],
  ] as const) {
    assert.ok(textOf(odd, id).includes(text), textOf(odd, id))
  }
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
