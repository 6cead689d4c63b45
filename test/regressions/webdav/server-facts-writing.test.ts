/**
 * What the WebDAV drive may and must not rely on, measured on the servers that it is tested with. A
 * server version that behaves differently fails here first.
 */
import { declareFacts, type Fact, same } from './measured-server.ts'

const putFacts: readonly Fact[] = [
  {
    what: 'PUT of a new file, over it, and below a folder that is missing',
    measure: async (server) => [
      await server.put('/put', 'a'),
      await server.put('/put', 'b'),
      await server.put('/missing/a', 'a'),
    ],
    is: { ...same([201, 204, 409]), rclone: [201, 201, 404] },
  },
  {
    what: 'PUT that breaks off, over a file and without one',
    async measure(server) {
      await server.put('/whole', 'whole')
      return [await server.interrupt('/whole'), await server.interrupt('/half')]
    },
    is: { ...same(['whole', 'absent']), rclone: ['1000000 bytes', '1000000 bytes'] },
  },
  {
    what: 'PUT with Content-Range in the middle, at the end, and without a file',
    async measure(server) {
      for (const path of ['/r1', '/r2']) await server.put(path, '0123456789')
      const statuses = [
        await server.put('/r1', 'XX', { 'content-range': 'bytes 2-3/*' }),
        await server.put('/r2', 'XX', { 'content-range': 'bytes 10-11/12' }),
        await server.put('/r3', 'XX', { 'content-range': 'bytes 2-3/*' }),
      ]
      return [...statuses, ...['r1', 'r2', 'r3'].map((path) => server.content(path))]
    },
    is: {
      apache: [204, 204, 201, '01XX456789', '0123456789XX', '..XX'],
      lighttpd: [400, 400, 400, '0123456789', '0123456789', 'absent'],
      partial: [204, 204, 404, '01XX456789', '0123456789XX', 'absent'],
      // It takes the partial body for the complete file.
      rclone: [201, 201, 201, 'XX', 'XX', 'XX'],
    },
  },
  {
    what: 'PUT with Content-Range that breaks off, with a file and without one',
    async measure(server) {
      await server.put('/ri1', '0123456789')
      const range = { 'content-range': 'bytes 10-3000009/*' }
      return [await server.interrupt('/ri1', range), await server.interrupt('/ri2', range)]
    },
    is: {
      apache: ['1000010 bytes', 'absent'],
      lighttpd: ['0123456789', 'absent'],
      // It receives the complete body before it writes any of it.
      partial: ['0123456789', 'absent'],
      rclone: ['1000000 bytes', '1000000 bytes'],
    },
  },
  {
    what: 'PUT without a Content-Length',
    async measure(server) {
      const body = new Blob(['chunked']).stream()
      const { status } = await fetch(server.dav.urlOf('/chunked'), {
        method: 'PUT',
        headers: { authorization: server.dav.authorization },
        body,
        duplex: 'half',
      })
      return [status, server.content('chunked')]
    },
    is: same([201, 'chunked']),
  },
  {
    what: 'PUT under If-None-Match and If-Match, and DELETE under If-Match',
    async measure(server) {
      await server.put('/c', 'a')
      return [
        await server.put('/c', 'b', { 'if-none-match': '*' }),
        await server.put('/c', 'b', { 'if-match': '"another"' }),
        await server.dav.statusOf('DELETE', '/c', { headers: { 'if-match': '"another"' } }),
      ]
    },
    is: { ...same([412, 412, 412]), rclone: [201, 201, 204] },
  },
  {
    what: 'The longest name, of PUT and of MOVE',
    async measure(server) {
      const longest = async (put: (name: string) => Promise<number>) => {
        for (let length = 256; length > 0; length--) {
          if ((await put('n'.repeat(length))) < 300) return length
        }
        return 0
      }
      const put = await longest((name) => server.put(`/${name}`, 'x'))
      return [
        put < 255 ? 'less' : put,
        await longest(async (name) => {
          await server.put('/short', 'x')
          return server.transfer('MOVE', '/short', `/m${name.slice(1)}`)
        }),
      ]
    },
    // lighttpd adds its process id and more to the name of a new file until it is complete.
    is: { ...same([255, 255]), lighttpd: ['less', 255], partial: ['less', 255] },
  },
]

const folderFacts: readonly Fact[] = [
  {
    what: 'MKCOL: new, there already, without a parent',
    measure: async ({ dav }) => [
      await dav.statusOf('MKCOL', '/folder'),
      await dav.statusOf('MKCOL', '/folder'),
      await dav.statusOf('MKCOL', '/missing/folder'),
    ],
    is: { ...same([201, 405, 409]), rclone: [201, 201, 409] },
  },
  {
    what: 'MOVE: without a parent, over a file, over one that must not be, of nothing',
    async measure(server) {
      for (const path of ['/m1', '/m2']) await server.put(path, 'x')
      return [
        await server.transfer('MOVE', '/m1', '/missing/m'),
        await server.transfer('COPY', '/m1', '/m2'),
        await server.transfer('MOVE', '/m1', '/m2', 'F'),
        await server.transfer('MOVE', '/nothing', '/m3'),
      ]
    },
    is: {
      ...same([409, 204, 412, 404]),
      apache: [500, 204, 412, 404],
      rclone: [403, 204, 412, 403],
    },
  },
  {
    what: 'PUT on a folder, DELETE of a folder and of nothing',
    async measure(server) {
      await server.dav.send('MKCOL', '/full')
      await server.put('/full/a', 'x')
      return [
        await server.put('/full', 'x'),
        await server.dav.statusOf('DELETE', '/full/'),
        await server.dav.statusOf('DELETE', '/full/'),
      ]
    },
    is: {
      apache: [409, 204, 404],
      lighttpd: [405, 204, 404],
      partial: [405, 204, 404],
      rclone: [404, 204, 404],
    },
  },
]

const propertyFacts: readonly Fact[] = [
  {
    what: 'PROPPATCH: its status, that of the property, and the value afterwards',
    async measure(server) {
      await server.put('/p', 'x')
      const { status, text } = await server.dav.setProperty('/p', 'note', '{"a":"&lt;x"}')
      return [status, /HTTP\/1.1 (\d+)/.exec(text)?.[1], await server.note('/p')]
    },
    is: {
      apache: [207, '200', '{"a":"&lt;x"}'],
      // No 207: no failures.
      lighttpd: [204, undefined, '{"a":"&lt;x"}'],
      partial: [204, undefined, '{"a":"&lt;x"}'],
      rclone: [207, '403', undefined],
    },
  },
  {
    what: 'A property after PUT, in a COPY, after MOVE, and of what a bare file is moved over',
    async measure(server) {
      for (const path of ['/q', '/bare']) await server.put(path, 'x')
      await server.dav.setProperty('/q', 'note', 'old')
      await server.put('/q', 'y')
      const afterPut = await server.note('/q')
      await server.transfer('COPY', '/q', '/q2')
      await server.transfer('MOVE', '/q', '/q3')
      await server.transfer('MOVE', '/bare', '/q3')
      return [afterPut, await server.note('/q2'), await server.note('/q3')]
    },
    is: {
      apache: ['old', 'old', undefined],
      lighttpd: ['old', 'old', 'old'],
      partial: ['old', 'old', 'old'],
      rclone: [undefined, undefined, undefined],
    },
  },
  {
    what: 'A property after DELETE and PUT, and one of 60,000 bytes',
    async measure(server) {
      await server.put('/d', 'x')
      await server.dav.setProperty('/d', 'note', 'v'.repeat(60_000))
      const long = await server.note('/d')
      await server.dav.send('DELETE', '/d')
      await server.put('/d', 'x')
      return [long?.length, await server.note('/d')]
    },
    is: { ...same([60_000, undefined]), rclone: [undefined, undefined] },
  },
]

declareFacts([...putFacts, ...folderFacts, ...propertyFacts])
