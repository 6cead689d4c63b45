import { setTimeout as wait } from 'node:timers/promises'
import { type Server, type SignedFetch, signedFetch, targetOf } from '../support/signed-fetch.ts'

export interface S3Call {
  readonly method: string
  readonly key: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
}

export interface S3Answer {
  /** 0 if the connection ended before the reply. */
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/** How many attempts a client makes; SDKs make three and wait longer. */
const attempts = 5

/** How long it waits for a reply; SDKs wait for a minute or more. */
const retryForMs = 30_000

/** A signing client of one bucket, which retries only on request. */
export class S3Caller {
  readonly bucket: string
  /** Called when the client has its reply. */
  onAnswer: (() => void) | undefined
  readonly #server: Server

  constructor(server: Server, bucket: string) {
    this.#server = server
    this.bucket = bucket
  }

  /** @throws if the gateway takes longer than a client waits. */
  async send({ method, key, query, headers, body }: S3Call): Promise<S3Answer> {
    const target = targetOf(this.bucket, key) + (query === undefined ? '' : `?${query}`)
    const call = {
      method,
      target,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    }
    const retryPolicy = new AbortController()
    const tooLate = wait(retryForMs, 'too late' as const, { signal: retryPolicy.signal })
    const answer = await Promise.race([this.#answerTo(call), tooLate])
    retryPolicy.abort()
    this.onAnswer?.()
    if (answer !== 'too late') return answer
    throw new Error(`${method} ${target} has no answer after ${retryForMs} ms`)
  }

  async #answerTo(call: SignedFetch): Promise<S3Answer> {
    try {
      const answer = await signedFetch(this.#server, call)
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, headers: answer.headers, body: bytes }
    } catch {
      // The gateway closed the connection.
      return { status: 0, headers: new Headers(), body: Buffer.alloc(0) }
    }
  }

  /** Repeats a request until the reply is accepted, and returns the last reply. */
  async sendUntil(isDone: (answer: S3Answer) => boolean, call: S3Call): Promise<S3Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(call)
      if (isDone(answer) || attempt === attempts) return answer
    }
  }
}

export function isSuccess({ status }: S3Answer): boolean {
  return status >= 200 && status < 300
}
