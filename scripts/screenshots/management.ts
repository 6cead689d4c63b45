import { createHash } from 'node:crypto'
import { demoPassword } from './demo-gateway.ts'

/** The management API of the demo gateway, signed in. */
export class Management {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  static async signIn(url: string): Promise<Management> {
    const passwordHash = createHash('sha256').update(demoPassword).digest('hex')
    const body = JSON.stringify({ passwordHash })
    const { token } = await answered(await fetch(`${url}/auth/login`, { method: 'POST', body }))
    return new Management(url, String(token))
  }

  /** @param path below /-/api. */
  async post(path: string, body: object): Promise<void> {
    await answered(
      await fetch(`${this.#url}/-/api${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      }),
    )
  }
}

async function answered(reply: Response): Promise<Record<string, unknown>> {
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${reply.url}: ${reply.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
