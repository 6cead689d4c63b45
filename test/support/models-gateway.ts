import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { filesBelow, type GatewayProcess, startGatewayProcess } from './gateway-process.ts'

export const dashboardPassword = 'correct-horse-battery-staple'

/** A reply of a JSON protocol. */
export type JsonReply = Awaited<ReturnType<RoutingClient['send']>>

/** The management API as a person's script uses it. */
export class RoutingClient {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  static async signIn(url: string, password = dashboardPassword): Promise<RoutingClient> {
    const reply = await fetch(`${url}/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ passwordHash: passwordHash(password) }),
    })
    if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`)
    const { token } = (await reply.json()) as { readonly token: string }
    return new RoutingClient(url, token)
  }

  get token(): string {
    return this.#token
  }

  /** @param path below /-/api/routing. */
  async send(method: string, path: string, body?: object) {
    const reply = await fetch(`${this.#url}/-/api/routing${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status, headers } = reply
    const text = await reply.text()
    return { status, headers, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** As `send`, for what must succeed; gives the body. */
  async done(method: string, path: string, body?: object) {
    const reply = await this.send(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }
}

export function passwordHash(password: string): string {
  return createHash('sha256').update(password).digest('hex')
}

/** Starts a gateway with a dashboard that ends with the test; the same folder again is a restart. */
export async function startModelsGateway(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  folder = temporaryFolder(t),
): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({
    folder,
    settings: { DASHBOARD_PASSWORD: dashboardPassword, WORKERS: '2', ...settings },
  })
  t.after(() => gateway.kill())
  return gateway
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-models-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** An entry of the list. */
export interface ListedModel {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly owned_by: string
  readonly kind?: string
}

/** The entries of a list that is there. */
export async function modelsAt(url: string, path = '/v1/models'): Promise<readonly ListedModel[]> {
  const reply = await fetch(url + path)
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`)
  const { data } = (await reply.json()) as { readonly data: readonly ListedModel[] }
  return data
}

export async function idsAt(url: string, path = '/v1/models'): Promise<readonly string[]> {
  return (await modelsAt(url, path)).map(({ id }) => id)
}

/** The files below a folder that have the text in them, as it is or in base64. */
export function filesWith(folder: string, text: string): string[] {
  const forms = [text, Buffer.from(text).toString('base64').replace(/=*$/, '')]
  return filesBelow(folder).filter((path) => {
    const bytes = readFileSync(path)
    return forms.some((form) => bytes.includes(form))
  })
}
