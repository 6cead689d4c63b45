/**
 * What the WebDAV drive may and must not rely on, measured on the servers that it is tested with. A
 * server version that behaves differently fails here first.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { DavClient } from '../../support/webdav/dav-client.ts'
import { declareFacts, type Fact, type MeasuredServer, same } from './measured-server.ts'

const readFacts: readonly Fact[] = [
  {
    what: 'GET of ranges: middle, suffix, first byte, beyond the end',
    async measure(server) {
      await server.put('/ranges', '0123456789')
      const answers = []
      for (const range of ['bytes=2-4', 'bytes=-3', 'bytes=0-0', 'bytes=10-']) {
        const { status, text } = await server.dav.send('GET', '/ranges', { headers: { range } })
        answers.push(status === 206 ? text : status)
      }
      return answers
    },
    is: same(['234', '789', '0', 416]),
  },
  {
    what: 'The ETag right after PUT, and whether the answer to PUT has it',
    async measure(server) {
      const put = await server.dav.send('PUT', '/etag', { body: 'x' })
      const head = await server.dav.send('HEAD', '/etag')
      const isWeak = head.headers.get('etag')?.startsWith('W/')
      return [isWeak ? 'weak' : 'strong', put.headers.has('etag')]
    },
    is: { ...same(['strong', true]), apache: ['weak', false] },
  },
  {
    what: 'GET and PROPFIND of a path below a file',
    async measure(server) {
      await server.put('/file', 'x')
      return [
        await server.dav.statusOf('GET', '/file/below'),
        (await server.dav.find('/file/below', ['d:getetag'])).status,
      ]
    },
    // lighttpd returns the file.
    is: { apache: [404, 400], lighttpd: [200, 403], partial: [200, 403], rclone: [404, 404] },
  },
  {
    what: 'PROPFIND of depth infinity',
    measure: ({ dav }) => dav.statusOf('PROPFIND', '/', { headers: { depth: 'infinity' } }),
    is: { ...same(403), rclone: 207 },
  },
  {
    what: 'PROPFIND that says it is plain text',
    async measure({ dav }) {
      const headers = { depth: '0', 'content-type': 'text/plain' }
      const body = '<propfind xmlns="DAV:"><allprop/></propfind>'
      return dav.statusOf('PROPFIND', '/', { headers, body })
    },
    is: { ...same(207), lighttpd: 415, partial: 415 },
  },
  {
    what: 'GET with gzip welcome',
    async measure(server) {
      await server.put('/text.txt', 'x'.repeat(1000))
      const headers = { 'accept-encoding': 'gzip' }
      const answer = await server.dav.send('GET', '/text.txt', { headers })
      return answer.headers.get('content-encoding')
    },
    is: { ...same(null), apache: 'gzip' },
  },
]

const names = [
  'a\\b',
  'a\u0001',
  '.htaccess',
  '.DAV',
  ' ',
  'a ',
  'a.',
  'index.html',
  'e\u0301',
  '%',
]

const nameFacts: readonly Fact[] = [
  {
    what: 'Names that can not be written, or are another in a listing',
    async measure({ dav }) {
      await dav.send('MKCOL', '/names')
      for (const name of names) {
        await dav.send('PUT', `/names/${encodeURIComponent(name)}`, { body: name })
      }
      const { text } = await dav.find('/names/', ['d:getetag'], '1')
      const listed = Array.from(text.matchAll(/\/dav\/names\/([^<]+)</g), ([, name = '']) =>
        decodeURIComponent(name),
      )
      return names.filter((name) => !listed.includes(name))
    },
    is: {
      apache: ['.htaccess', '.DAV'],
      lighttpd: ['a\u0001'],
      partial: ['a\u0001'],
      rclone: ['a\u0001'],
    },
  },
]

/** What readers of a file of one repeated letter see while it is repeatedly overwritten. */
async function readersSee(server: MeasuredServer, method: 'PUT' | 'MOVE'): Promise<string> {
  let seen = 'always a whole file'
  const path = `/while-${method}`
  const fill = (letter: string) => letter.repeat(200_000)
  await server.put(path, fill('a'))
  let isDone = false
  let reads = 0
  const read = async () => {
    while (!isDone) {
      const { status, text } = await server.dav.send('GET', path).catch(brokenOff)
      reads += 1
      const isWhole = status === 200 && text.length === 200_000 && /^(a+|b+)$/.test(text)
      if (!isWhole) seen = 'parts of files, too'
    }
  }
  const readers = Promise.all([read(), read(), read()])
  // On a busy machine, there are few reads in a round.
  for (let round = 0; round < 60 || reads < 300; round++) {
    const target = method === 'PUT' ? path : '/source'
    await server.put(target, fill(round % 2 === 0 ? 'b' : 'a'))
    if (method === 'MOVE') await server.transfer('MOVE', '/source', path)
  }
  isDone = true
  await readers
  return seen
}

const brokenOff = () => ({ status: 0, text: '' })

const raceFacts: readonly Fact[] = [
  {
    what: 'PUT over a file while others read',
    measure: (server) => readersSee(server, 'PUT'),
    is: { ...same('always a whole file'), rclone: 'parts of files, too' },
  },
  {
    what: 'MOVE over a file while others read',
    measure: (server) => readersSee(server, 'MOVE'),
    // Apache and rclone delete the target first, which readers sometimes see: 404, 403.
    is: { lighttpd: 'always a whole file', partial: 'always a whole file' },
  },
]

declareFacts([...readFacts, ...nameFacts, ...raceFacts])

describe('A folder with an index.html', { skip: absenceOfApache() }, () => {
  for (const [title, hasDirectoryIndex, status] of [
    ['is a folder where Apache has DirectoryIndex disabled', false, 207],
    ['is no folder to PROPFIND where Apache is as Debian has it', true, 405],
  ] as const) {
    test(title, async (t) => {
      const apache = await startApache(t, { hasDirectoryIndex })
      assert.ok(apache)
      const dav = new DavClient(apache)
      await dav.send('MKCOL', '/f')
      await dav.send('PUT', '/f/index.html', { body: 'x' })
      for (const path of ['/f', '/f/']) {
        assert.equal((await dav.find(path, ['d:getetag'], '1')).status, status)
      }
    })
  }
})
