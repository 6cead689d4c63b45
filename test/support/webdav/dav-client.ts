import type { WebdavServer } from './server-process.ts'

export interface DavAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface DavRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The requests that tests send to a server without a drive between. */
export class DavClient {
  readonly #server: Pick<WebdavServer, 'httpUrl' | 'authorization'>

  constructor(server: Pick<WebdavServer, 'httpUrl' | 'authorization'>) {
    this.#server = server
  }

  /** @param path escaped, below the server's root, or from the host when it begins with `//`. */
  async send(method: string, path: string, { headers, body }: DavRequest = {}): Promise<DavAnswer> {
    const answer = await fetch(this.urlOf(path), {
      method,
      headers: { authorization: this.#server.authorization, ...headers },
      ...(body !== undefined && { body }),
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  get authorization(): string {
    return this.#server.authorization
  }

  async statusOf(method: string, path: string, request: DavRequest = {}): Promise<number> {
    return (await this.send(method, path, request)).status
  }

  urlOf(path: string): string {
    if (!path.startsWith('//')) return `${this.#server.httpUrl}${path}`
    return `${new URL(this.#server.httpUrl).origin}${path.slice(1)}`
  }

  /** MOVE or COPY. */
  async transfer(method: 'MOVE' | 'COPY', from: string, to: string, overwrite: 'T' | 'F' = 'T') {
    return this.send(method, from, { headers: { destination: this.urlOf(to), overwrite } })
  }

  /** The answer to PROPFIND for properties given as `prefix:name`; `Z` is a namespace of the tests. */
  async find(path: string, properties: readonly string[], depth: '0' | '1' = '0') {
    const asked = properties.map((name) => `<${name}/>`).join('')
    const body = `<d:propfind ${namespaces}><d:prop>${asked}</d:prop></d:propfind>`
    return this.send('PROPFIND', path, { headers: { depth, ...xmlType }, body })
  }

  /** Sets the property `Z:name`. */
  async setProperty(path: string, name: string, value: string) {
    const set = `<d:set><d:prop><Z:${name}>${value}</Z:${name}></d:prop></d:set>`
    const body = `<d:propertyupdate ${namespaces}>${set}</d:propertyupdate>`
    return this.send('PROPPATCH', path, { headers: xmlType, body })
  }
}

// lighttpd answers 415 to any other.
const xmlType = { 'content-type': 'application/xml' }
const namespaces =
  'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:Z="http://bucketry.test/ns"'
