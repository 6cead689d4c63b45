import { createHash } from 'node:crypto'
import { type FreshReply, freshRequest } from './fresh-request.ts'

export const dashboardPassword = 'correct-horse-battery-staple'

/** A reply of the management API. */
export interface ManagementReply extends FreshReply {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
  readonly body: any
}

/** The management API as the dashboard uses it. */
export class ManagementClient {
  readonly #url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.token = token
  }

  static async signIn(url: string, password = dashboardPassword): Promise<ManagementClient> {
    const passwordHash = createHash('sha256').update(password).digest('hex')
    const body = JSON.stringify({ passwordHash })
    const reply = await fetch(`${url}/auth/login`, { method: 'POST', body })
    if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`)
    const { token } = (await reply.json()) as { readonly token: string }
    return new ManagementClient(url, token)
  }

  /** @param path below /-/api. Each request uses a new connection: workers take turns. */
  async send(method: string, path: string, body?: object): Promise<ManagementReply> {
    const reply = await freshRequest(`${this.#url}/-/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { ...reply, body: reply.text === '' ? undefined : JSON.parse(reply.text) }
  }

  /** As `send`, for what must succeed; gives the body. */
  async done(method: string, path: string, body?: object): Promise<ManagementReply['body']> {
    const reply = await this.send(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
}

/** Whether it resolves. */
export function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

/** Resolves when it holds; fails after 40 s, which leaves room on a busy machine. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = performance.now() + 40_000
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('it did not come true in time')
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
