import { test } from 'node:test'
import { readFileSync, existsSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startApache } from '../support/webdav/apache.ts'
import { startLighttpd } from '../support/webdav/lighttpd.ts'
import { startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { DavClient } from '../support/webdav/dav-client.ts'
import { startFaultyProxy } from '../support/webdav/faulty-proxy.ts'

for (const [name, start] of Object.entries({ startApache, startLighttpd, startRcloneServe, partial: (t: any) => startLighttpd(t, {takesPartialPut: true}) })) {
  test(name, async (t) => {
    const server = await start(t)
    if (!server) return
    const dav = new DavClient(server)
    const proxy = await startFaultyProxy(t, server.httpUrl)
    const viaProxy = new DavClient({ ...server, httpUrl: proxy.urlFor(server.httpUrl) })
    const out: Record<string, unknown> = {}
    const s = (m: string, p: string, r = {}) => dav.statusOf(m, p, r)
    const content = (p: string) => existsSync(join(server.root, p)) ? readFileSync(join(server.root, p)).length < 50 ? readFileSync(join(server.root, p), 'latin1').replaceAll('\0', '.') : readFileSync(join(server.root, p)).length + ' bytes' : 'absent'
    out.put = [await s('PUT', '/a', { body: '0123456789' }), await s('PUT', '/a', { body: '0123456789' })]
    out.putNoParent = await s('PUT', '/x/a', { body: 'a' })
    out.options = await dav.send('OPTIONS', '/').then(r => [r.headers.get('dav'), r.headers.get('allow'), r.headers.get('server')])
    const big = Buffer.alloc(3_000_000, 'n')
    for (const p of ['/a', '/new']) {
      proxy.faults.add({ fault: { kind: 'drop-during', bytes: 1_000_000 } })
      await viaProxy.send('PUT', p, { body: big }).catch(() => 0)
      await new Promise(r => setTimeout(r, 300))
      out['interrupted ' + p] = content(p)
    }
    await s('PUT', '/r', { body: '0123456789' })
    out.ranged = [await s('PUT', '/r', { body: 'XX', headers: { 'content-range': 'bytes 2-3/*' } }), content('r')]
    await s('PUT', '/r', { body: '0123456789' })
    out.rangedAppend = [await s('PUT', '/r', { body: 'XX', headers: { 'content-range': 'bytes 10-11/12' } }), content('r')]
    out.rangedNew = [await s('PUT', '/rn', { body: 'XX', headers: { 'content-range': 'bytes 2-3/*' } }), content('rn')]
    proxy.faults.add({ fault: { kind: 'drop-during', bytes: 1_000_000 } })
    await viaProxy.send('PUT', '/ri', { body: big, headers: { 'content-range': `bytes 0-${big.length - 1}/*` } }).catch(() => 0)
    await new Promise(r => setTimeout(r, 300))
    out.rangedInterrupted = content('ri')
    const p1 = await dav.send('PUT', '/e', { body: 'x' })
    const etags = [p1.headers.get('etag')]
    for (let i = 0; i < 6; i++) { etags.push((await dav.send('HEAD', '/e')).headers.get('etag')); await new Promise(r => setTimeout(r, 400)) }
    out.etags = etags
    const strong = etags.at(-1) ?? ''
    out.etagPropfind = /getetag>([^<]*)</i.exec((await dav.find('/e', ['d:getetag'])).text)?.[1]
    out.inm = [await s('PUT', '/e', { body: 'y', headers: { 'if-none-match': '*' } }), await s('PUT', '/e2', { body: 'y', headers: { 'if-none-match': '*' } }), await s('PUT', '/e', { body: 'y', headers: { 'if-match': '"no"' } }), await s('PUT', '/e', { body: 'z', headers: { 'if-match': strong } }), await s('DELETE', '/e', { headers: { 'if-match': '"no"' } })]
    const rg = async (range: string, h = {}) => { const r = await dav.send('GET', '/r10', { headers: { range, ...h } }); return [r.status, r.text.slice(0, 12), r.headers.get('content-range')].join(' ') }
    await s('PUT', '/r10', { body: '0123456789' })
    out.ranges = [await rg('bytes=2-4'), await rg('bytes=-3'), await rg('bytes=0-0'), await rg('bytes=10-'), await rg('bytes=2-4', { 'if-range': '"no"' }), await rg('bytes=0-1,3-4')]
    await s('PUT', '/empty', { body: '' })
    out.empty = await dav.send('GET', '/empty').then(r => [r.status, r.headers.get('content-length')])
    const v = async (p: string) => /note[^>]*[^/]>([^<]*)</.exec((await dav.find(p, ['Z:note'])).text)?.[1]
    await s('PUT', '/p', { body: 'a' })
    const pp = await dav.setProperty('/p', 'note', '{"a":"&lt;é&gt;"}')
    out.proppatch = [pp.status, /HTTP\/1.1 (\d+)/.exec(pp.text)?.[1], await v('/p')]
    await s('PUT', '/p', { body: 'b' }); out.propPut = await v('/p')
    await dav.transfer('COPY', '/p', '/p2'); out.propCopy = await v('/p2')
    await dav.transfer('MOVE', '/p', '/p3'); out.propMove = await v('/p3')
    await s('PUT', '/p4', { body: 'b' }); await dav.setProperty('/p4', 'note', 'old'); await dav.transfer('MOVE', '/p4', '/p3'); out.propMoveOver = await v('/p3')
    await s('PUT', '/p5', { body: 'b' }); await dav.transfer('MOVE', '/p5', '/p3'); out.propBareMoveOver = await v('/p3')
    await s('DELETE', '/p3'); await s('PUT', '/p3', { body: 'b' }); out.propDelete = await v('/p3')
    const long = 'v'.repeat(60000)
    const lp = await dav.setProperty('/p3', 'note', long); out.longProp = [lp.status, /HTTP\/1.1 (\d+)/.exec(lp.text)?.[1], (await v('/p3'))?.length]
    out.mkcol = [await s('MKCOL', '/f'), await s('MKCOL', '/f'), await s('MKCOL', '/no/f'), await s('MKCOL', '/g/')]
    await s('PUT', '/m', { body: 'm' })
    out.move = [(await dav.transfer('MOVE', '/m', '/no/m')).status, (await dav.transfer('COPY', '/m', '/m2')).status, (await dav.transfer('COPY', '/m', '/m2', 'F')).status, (await dav.transfer('MOVE', '/m', '/m2')).status, (await dav.transfer('MOVE', '/nothing', '/m2')).status]
    out.names = {}
    for (const n of [200, 230, 240, 245, 246, 247, 248, 249, 250, 255, 256]) (out.names as any)[n] = await s('PUT', '/' + 'n'.repeat(n), { body: 'x' })
    out.moveLong = []
    await s('PUT', '/ml', {body: 'x'}); (out.moveLong as any).push((await dav.transfer('MOVE', '/ml', '/' + 'k'.repeat(255))).status)
    const odd: any = out.odd = {}
    for (const n of ['a\\b', 'a\x01', 'a\x7f', 'a\n', '.htaccess', '.ht', '.DAV', 'a%2Fb', 'a%00', ' ', 'a ', ' a', 'a.', '~', 'a:b', 'con', '*?"<>|', '#', 'e\u0301', '\u00e9', '%', 'index.html', '\ufffe', '\u{10ffff}', '..a', '...', 'a~', '#x#', '.x.swp', 'a;b', "a'b", 'a&b', '.stowage', 'x.part', 'x.partial']) {
      const enc = n.includes('%2F') || n.includes('%00') ? n : encodeURIComponent(n).replace(/%2E/g, '.')
      const st = await s('PUT', '/o/'.replace('/o', '/f') + enc, { body: n })
      const g = await dav.send('GET', '/f/' + enc)
      odd[JSON.stringify(n)] = [st, g.status, g.text === n].join(' ')
    }
    const ls = await dav.find('/f/', ['d:resourcetype'], '1')
    out.hrefs = [...ls.text.matchAll(/href>([^<]*)</gi)].map(m => m[1]).slice(0, 50).join('  ')
    out.infinity = (await dav.send('PROPFIND', '/', { headers: { depth: 'infinity' } })).status
    out.getFolder = await dav.send('GET', '/f').then(r => [r.status, r.headers.get('content-type'), r.text.length])
    out.getFolderSlash = await dav.send('GET', '/f/').then(r => [r.status, r.headers.get('content-type'), r.text.slice(0, 20)])
    out.propfindNoSlash = await dav.find('/f', ['d:resourcetype'], '0').then(r => [r.status, /href>([^<]*)</i.exec(r.text)?.[1]])
    out.propfindFileSlash = await dav.find('/r10/', ['d:resourcetype'], '0').then(r => [r.status])
    out.putFolder = [await s('PUT', '/f', { body: 'x' }), await s('PUT', '/f/', { body: 'x' }), await s('PUT', '/newslash/', { body: 'x' })]
    out.below = [await s('PUT', '/r10/below', { body: 'x' }), await s('GET', '/r10/below'), await s('MKCOL', '/r10/below'), (await dav.find('/r10/below', ['d:resourcetype'])).status]
    out.chunked = [(await fetch(dav.urlOf('/ch'), { method: 'PUT', headers: { authorization: server.authorization }, body: new Blob(['chunked']).stream(), duplex: 'half' })).status, content('ch')]
    out.deleteMissing = await s('DELETE', '/missing')
    await s('MKCOL', '/df'); await s('PUT', '/df/a', { body: 'x' })
    out.deleteFolder = [await s('DELETE', '/df'), await s('DELETE', '/f/')]
    out.quota = /quota-available-bytes>(\d*)</i.exec((await dav.find('/', ['d:quota-available-bytes'])).text)?.[1]
    out.contentType = (await dav.send('PUT', '/t.bin', { body: 'x', headers: { 'content-type': 'text/x-own' } }), (await dav.send('HEAD', '/t.bin')).headers.get('content-type'))
    out.gz = await (async () => { await s('PUT', '/z.txt', { body: 'x'.repeat(1000) }); const r = await dav.send('GET', '/z.txt', {headers: {'accept-encoding': 'gzip'}}); return [r.headers.get('content-encoding'), r.headers.get('etag')] })()
    out.lock = await s('LOCK', '/r10', { body: '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>' })
    out.mtime = await (async () => { await dav.send('PUT', '/mt', { body: 'x', headers: { 'x-oc-mtime': '1000000000' } }); return (await dav.send('HEAD', '/mt')).headers.get('last-modified') })()
    for (const how of ['MOVE', 'PUT', 'COPY'] as const) {
      const seen: Record<string, number> = {}
      const body = Buffer.alloc(200_000, 'o')
      await s('PUT', '/w', { body })
      let done = false
      const reader = async () => { while (!done) { try { const r = await dav.send('GET', '/w'); const k = r.status + (r.status === 200 ? (r.text.length !== 200_000 ? ' short' : /^(o+|n+)$/.test(r.text) ? '' : ' mixed') : ''); seen[k] = (seen[k] ?? 0) + 1 } catch (e) { seen.error = (seen.error ?? 0) + 1 } } }
      const readers = [reader(), reader(), reader(), reader()]
      for (let i = 0; i < 100; i++) {
        const b = Buffer.alloc(200_000, i % 2 ? 'o' : 'n')
        if (how === 'PUT') await s('PUT', '/w', { body: b })
        else { await s('PUT', '/ws', { body: b }); const r = await dav.transfer(how, '/ws', '/w'); if (r.status !== 204 && r.status !== 201) seen['T' + r.status] = (seen['T' + r.status] ?? 0) + 1 }
      }
      done = true
      await Promise.all(readers)
      out['readers during ' + how] = seen
    }
    out.conc = await Promise.all(Array.from({ length: 16 }, (_, i) => s('PUT', '/cc', { body: 'x' + i, headers: { 'if-none-match': '*' } }))).then((a: any[]) => a.join(' '))
    out.concNoCond = await Promise.all(Array.from({ length: 16 }, (_, i) => s('PUT', '/cd', { body: Buffer.alloc(100000, String(i % 10)) }))).then((a: any[]) => a.join(' '))
    console.log(name, JSON.stringify(out, null, 1))
    writeFileSync(`/tmp/wemu/${name}.json`, JSON.stringify(out, null, 1) + server.errors())
  })
}
