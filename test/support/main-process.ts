import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { childrenOf } from './process-tree.ts'
import { startArguments } from './start-command.ts'

export interface LogLine {
  readonly msg: string
  readonly pid: number
  readonly [field: string]: unknown
}

export interface MainProcessOptions {
  /** What follows the program's name on the command line. */
  readonly args?: readonly string[]
  /** The limit of descriptors of each of its processes (`ulimit -n`). */
  readonly openFiles?: number
  /** In a PID namespace of its own, so that others take it for a process on another host. Needs root. */
  readonly isElsewhere?: boolean
  /** The file of the network namespace that it runs in (TestHost). Needs root. */
  readonly network?: string
}

const ownNamespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']

/** What `npm start` runs, with nothing in its environment but what the test sets. */
export class MainProcess {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>
  #stdout = ''
  #stderr = ''
  #wake: () => void = () => undefined
  readonly #isElsewhere: boolean

  constructor(
    folder: string,
    settings: Readonly<Record<string, string>>,
    { args = [], openFiles, isElsewhere = false, network }: MainProcessOptions = {},
  ) {
    this.#isElsewhere = isElsewhere
    const limit = ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`]
    const [program = '', ...given] = [
      ...(network === undefined ? [] : ['nsenter', `--net=${network}`]),
      ...(isElsewhere ? ownNamespace : []),
      ...(openFiles === undefined ? [] : limit),
      ...[process.execPath, ...startArguments(), ...args],
    ]
    this.#child = spawn(program, given, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, PORT: '0', ...settings },
    })
    this.#child.stdout?.on('data', (text: Buffer) => {
      this.#stdout += text
      this.#wake()
    })
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#stderr += text
      this.#wake()
    })
    // Workers hold the pipes too: `close` comes when none of the processes runs any more.
    this.#closed = once(this.#child, 'close').finally(() => this.#wake())
  }

  get pid(): number {
    const pid = this.#child.pid ?? 0
    return this.#isElsewhere ? (childrenOf(pid)[0] ?? pid) : pid
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Lines of the log so far. */
  get lines(): LogLine[] {
    return this.#stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }

  get log(): string {
    return this.#stdout
  }

  /** Resolves with the first line of the log that fits; rejects when the process ends before. */
  async line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(fits)
      if (found !== undefined) return found
      if (this.#child.stdout?.readableEnded) {
        throw new Error(`the process ended:\n${this.#stdout}${this.#stderr}`)
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Resolves with the address when it serves. */
  async url(): Promise<string> {
    const { url } = await this.line(({ msg }) => msg === 'listening')
    return String(url)
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name)
  }

  /** Resolves with the exit status when every process of it is gone. */
  async ended(): Promise<number | null> {
    await this.#closed
    return this.#child.exitCode
  }

  /** Ends it whatever state it is in; workers follow their primary. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  /** Process ids of its workers (Linux). */
  workers(): number[] {
    return childrenOf(this.pid)
  }
}
