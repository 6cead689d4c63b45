import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { DavClient } from '../../support/webdav/dav-client.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'
import type { Scope, WebdavServer } from '../../support/webdav/server-process.ts'
import { suiteScope } from '../../support/webdav/suite-scope.ts'

/** The servers that the drive is tested with. */
const servers = {
  apache: { start: startApache, skip: absenceOfApache() },
  lighttpd: { start: startLighttpd, skip: absenceOfLighttpd() },
  partial: {
    start: (scope: Scope) => startLighttpd(scope, { takesPartialPut: true }),
    skip: absenceOfLighttpd(),
  },
  rclone: { start: startRcloneServe, skip: absenceOfRclone() },
}
export type ServerName = keyof typeof servers

/** A server and the requests to measure it. */
export class MeasuredServer {
  readonly dav: DavClient
  readonly #server: WebdavServer
  readonly #proxy: FaultyProxy

  constructor(server: WebdavServer, proxy: FaultyProxy) {
    this.#server = server
    this.#proxy = proxy
    this.dav = new DavClient(server)
  }

  put(path: string, body: string, headers: Readonly<Record<string, string>> = {}) {
    return this.dav.statusOf('PUT', path, { body, headers })
  }

  /** The file on disk. */
  content(path: string): string {
    const file = join(this.#server.root, path)
    if (!existsSync(file)) return 'absent'
    const bytes = readFileSync(file)
    return bytes.length > 100 ? `${bytes.length} bytes` : bytes.toString().replaceAll('\0', '.')
  }

  /** Sends 1,000,000 of 3,000,000 declared bytes, and returns what the server has then. */
  async interrupt(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    this.#proxy.faults.add({ fault: { kind: 'drop-during', bytes: 1_000_000 } })
    const httpUrl = this.#proxy.urlFor(this.#server.httpUrl)
    const through = new DavClient({ ...this.#server, httpUrl })
    const body = Buffer.alloc(3_000_000, 'n')
    await assert.rejects(through.send('PUT', path, { body, headers }), TypeError)
    return this.content(path)
  }

  /** The property that DavClient.setProperty sets. */
  async note(path: string): Promise<string | undefined> {
    const { text } = await this.dav.find(path, ['Z:note'])
    return /note[^>]*(?<!\/)>([^<]+)</.exec(text)?.[1]
  }

  async transfer(...parameters: Parameters<DavClient['transfer']>): Promise<number> {
    return (await this.dav.transfer(...parameters)).status
  }
}

/** A behavior that the drive may, or must not, rely on. */
export interface Fact {
  readonly what: string
  measure(server: MeasuredServer): Promise<unknown>
  /** The expected result by server. Servers without one are not measured. */
  readonly is: Readonly<Partial<Record<ServerName, unknown>>>
}

export const same = <Value>(value: Value): Record<ServerName, Value> => ({
  apache: value,
  lighttpd: value,
  partial: value,
  rclone: value,
})

/** Declares a test per fact and server. */
export function declareFacts(facts: readonly Fact[]): void {
  for (const [name, { start, skip }] of Object.entries(servers)) {
    describe(`What ${name} does with`, { skip }, () => {
      const scope = suiteScope()
      let server: MeasuredServer | undefined
      before(async () => {
        const started = await start(scope)
        assert.ok(started)
        server = new MeasuredServer(started, await startFaultyProxy(scope, started.httpUrl))
      })
      for (const { what, measure, is } of facts) {
        if (!(name in is)) continue
        test(what, async () => {
          assert.ok(server)
          assert.deepEqual(await measure(server), is[name as ServerName])
        })
      }
    })
  }
}
