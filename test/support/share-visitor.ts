import { type FreshReply, type FreshRequest, freshRequest } from './fresh-request.ts'

/** A browser without an account: it keeps the cookies of one share. Each request uses a new connection. */
export class ShareVisitor {
  readonly #url: string
  readonly #from: string | undefined
  readonly #cookies = new Map<string, string>()

  /** @param from its address, any of 127.0.0.0/8 */
  constructor(url: string, from?: string) {
    this.#url = url
    this.#from = from
  }

  /** @param path what follows the address of the share */
  async send(path = '', options: FreshRequest = {}): Promise<FreshReply> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const reply = await freshRequest(this.#url + path, {
      ...options,
      ...(this.#from === undefined ? {} : { from: this.#from }),
      headers: { ...options.headers, ...(cookie === '' ? {} : { cookie }) },
    })
    for (const set of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.#cookies.set(name, value)
    }
    return reply
  }

  /** The statuses of several requests at once. */
  async statuses(count: number, path: string, options: FreshRequest = {}): Promise<number[]> {
    const sending = Array.from({ length: count }, () => this.send(path, options))
    return (await Promise.all(sending)).map(({ status }) => status).sort()
  }

  unlock(password: string, headers: FreshRequest['headers'] = {}): Promise<FreshReply> {
    return this.send('/unlock', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ password }).toString(),
    })
  }
}
