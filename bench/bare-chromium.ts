import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromiumPath } from '../test/support/chromium.ts'
import { memoryOf, processTree } from './process-usage.ts'

const pollEveryMs = 250
const flags = ['--headless', '--no-sandbox', '--no-first-run', '--remote-debugging-port=0']

interface Answer {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

interface Evaluation {
  readonly result: { readonly value: unknown }
  readonly exceptionDetails?: object
}

/**
 * A page of Chromium by the DevTools protocol alone: Playwright has every request reported to it,
 * which costs more than a small upload.
 */
export class BarePage {
  readonly #child: ChildProcess
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #nextId = 1

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.#child = child
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = JSON.parse(String(data)) as Answer
      const waiting = id === undefined ? undefined : this.#waiting.get(id)
      if (error === undefined) waiting?.resolve(result)
      else waiting?.reject(new Error(error.message))
    })
  }

  /** Starts a browser that keeps its files in `profile`. */
  static async open(profile: string): Promise<BarePage> {
    const child = spawn(chromiumPath(), [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    const reply = await fetch(`http://127.0.0.1:${await portOf(child)}/json/list`)
    const targets = (await reply.json()) as { type: string; webSocketDebuggerUrl: string }[]
    const target = targets.find(({ type }) => type === 'page')
    if (target === undefined) throw new Error('Chromium has no page')
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await once(socket, 'open')
    const page = new BarePage(child, socket)
    await page.send('Page.enable')
    return page
  }

  /** A command of the Chrome DevTools Protocol. */
  send(method: string, params: object = {}): Promise<unknown> {
    const id = this.#nextId
    this.#nextId += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return waiting.promise.finally(() => this.#waiting.delete(id))
  }

  /** The value of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const options = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = (await this.send(
      'Runtime.evaluate',
      options,
    )) as Evaluation
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }

  /** Waits until the page shows a text. Asks rarely, because that costs the page time. */
  async untilText(text: string, everyMs = pollEveryMs): Promise<void> {
    const expression = `document.body?.innerText.includes(${JSON.stringify(text)})`
    while ((await this.value(expression)) !== true) await sleep(everyMs)
  }

  /** Drops files or folders of the disk, as a desktop does. */
  async drop(...files: readonly string[]): Promise<void> {
    const data = { items: [], files, dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await this.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
    }
  }

  /** The memory of the process of the page; what it shares with other processes counts in part (PSS). */
  rendererBytes(): number {
    const isRenderer = (pid: number) =>
      readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=renderer')
    const renderers = processTree(this.#child.pid ?? 0).filter(isRenderer)
    // Chromium keeps another one ready, without a page.
    return Math.max(...renderers.map((pid) => memoryOf(pid).pss))
  }

  async close(): Promise<void> {
    // Debian's program is a script: a signal to it would leave the browser behind.
    const ended = once(this.#child, 'close')
    this.#socket.send(JSON.stringify({ id: 0, method: 'Browser.close' }))
    await ended
    this.#socket.close()
  }
}

async function portOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Chromium has no stderr')
  for await (const line of createInterface(stderr)) {
    const port = /^DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1]
    if (port !== undefined) return port
  }
  throw new Error('Chromium did not start')
}
