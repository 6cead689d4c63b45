import cluster, { type Worker } from 'node:cluster'
import type { TlsIdentity } from '../../../platform/http/server.ts'
import { nameOfChild, type ProcessName } from '../../../platform/process/identity.ts'
import type { Settings } from '../../settings/read-settings.ts'
import { type WorkerReport, WorkerSnapshots } from '../../telemetry/metrics/worker-snapshots.ts'
import { stopGraceMs } from '../serving.ts'
import { SpreadingChanges } from './change-spread.ts'
import {
  type FromWorker,
  type SharedCheck,
  type ToWorker,
  workerArgument,
} from './worker-messages.ts'

/** The grace time for requests, and some time for a worker to close its files. */
const killAfterMs = stopGraceMs + 5_000

/** Workers that die younger than this are restarted with growing pauses. */
const healthyAgeMs = 10_000
const firstPauseMs = 100
const longestPauseMs = 10_000

/** A worker that leaves this many consecutive pings unanswered is killed: 10 seconds. */
const maxUnanswered = 10
const pingEveryMs = 1_000

/** A worker could not start, for a reason that is shown to the person who starts the program. */
class WorkerStartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WorkerStartError'
  }
}

export interface WorkerPoolOptions {
  readonly settings: Settings
  /** The workers that `prepareWorkers` has started. Default: none. */
  readonly prepared?: readonly Worker[]
  /** Called when a worker died. */
  readonly onDeath: (fields: {
    readonly worker: number | undefined
    readonly code: number | null
    readonly signal: string | null
    readonly restartInMs: number
  }) => void
  /** Called when a worker has ended without being asked to: its locks and leases can be taken over. */
  readonly onProcessDied: (name: ProcessName) => void
  /** Called when a worker does not respond and is killed. Its death follows. */
  readonly onSilence: (fields: { readonly worker: number | undefined }) => void
  /** Milliseconds between two pings. Default: one second. */
  readonly pingEveryMs?: number
  /** Called for each worker separately. */
  readonly onUntrustedProxy: (address: string) => void
  /** Called when a worker has changed what all processes keep copies of. Resolves when this process has read it. */
  readonly onChange?: () => Promise<void>
  /** Called when a worker asks for the metrics of all. */
  readonly onScrape?: () => Promise<string>
}

/**
 * Starts processes that load their modules and wait for a WorkerPool, while the primary opens database and drives. They
 * end with the primary.
 */
export function prepareWorkers(count: number): Worker[] {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ args: [workerArgument] })
  return Array.from({ length: count }, fork)
}

function fork(): Worker {
  const worker = cluster.fork()
  // A message, such as a connection, was sent to a worker that has just died, and whose exit event follows. Or the system
  // has not started the process, which then has no ID.
  worker.on('error', () => undefined)
  return worker
}

/**
 * Worker processes that share one port. The primary accepts connections and deals them out in
 * turn (docs/decisions/): each worker gets its share, however few connections there are.
 */
export class WorkerPool {
  readonly #onDeath: WorkerPoolOptions['onDeath']
  readonly #onProcessDied: WorkerPoolOptions['onProcessDied']
  readonly #onSilence: WorkerPoolOptions['onSilence']
  readonly #pingEveryMs: number
  readonly #onUntrustedProxy: WorkerPoolOptions['onUntrustedProxy']
  readonly #onChange: WorkerPoolOptions['onChange']
  readonly #onScrape: WorkerPoolOptions['onScrape']
  readonly #changes = new SpreadingChanges<Worker>()
  readonly #prepared: readonly Worker[]
  readonly #metrics = new WorkerSnapshots()
  readonly #workers = new Set<Worker>()
  /** Pings since the last answer, for workers that serve: a starting worker may take longer. */
  readonly #unanswered = new Map<Worker, number>()
  #pinging: NodeJS.Timeout | undefined
  #settings: Settings
  /** The port of the workers, once it is known. */
  #port: number | undefined
  #earlyDeaths = 0
  #isBeginningStop = false
  #isStopping = false

  constructor(options: WorkerPoolOptions) {
    this.#settings = options.settings
    this.#onDeath = options.onDeath
    this.#onProcessDied = options.onProcessDied
    this.#onSilence = options.onSilence
    this.#pingEveryMs = options.pingEveryMs ?? pingEveryMs
    this.#onUntrustedProxy = options.onUntrustedProxy
    this.#onChange = options.onChange
    this.#onScrape = options.onScrape
    this.#prepared = options.prepared ?? []
  }

  /**
   * Starts the workers. Resolves with the port when all workers serve.
   *
   * @throws WorkerStartError when a worker can't start.
   */
  async start(): Promise<number> {
    this.#pinging = setInterval(() => this.#ping(), this.#pingEveryMs)
    const alive = this.#prepared.filter((worker) => !worker.isDead())
    const others = prepareWorkers(this.#settings.workers - alive.length)
    const [port = 0] = await Promise.all([...alive, ...others].map((one) => this.#begin(one)))
    this.#port = port
    return port
  }

  replaceTls(tls: TlsIdentity): void {
    this.#settings = { ...this.#settings, tlsCert: tls.cert, tlsKey: tls.key }
    for (const worker of this.#workers) send(worker, { kind: 'tls', tls })
  }

  /** Sends the database's answer to the workers that serve. */
  tellRevisions(check: SharedCheck): void {
    for (const worker of this.#unanswered.keys()) send(worker, { kind: 'revisions', check })
  }

  /** The metrics of the workers that serve, and of those that died. */
  gatherMetrics(): Promise<WorkerReport> {
    const serving = new Map([...this.#unanswered.keys()].map((worker) => [worker.id, worker]))
    return this.#metrics.gather([...serving.keys()], (id) => {
      const worker = serving.get(id)
      if (worker !== undefined) send(worker, { kind: 'metrics' })
    })
  }

  /** From now on, no worker is ready, nor is any replacement of a worker. */
  beginStop(): void {
    this.#isBeginningStop = true
    for (const worker of this.#workers) send(worker, { kind: 'begin-stop' })
  }

  reopenAccessLog(): void {
    for (const worker of this.#workers) send(worker, { kind: 'reopen' })
  }

  /** Lets every worker finish its requests. Resolves when all workers have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#pinging)
    await Promise.all([...this.#workers].map(stopWorker))
  }

  /** Ends every worker at once. */
  kill(): void {
    this.#isStopping = true
    clearInterval(this.#pinging)
    for (const worker of this.#workers) worker.process.kill('SIGKILL')
  }

  /** Resolves with the port of the worker when it serves. */
  #begin(worker: Worker): Promise<number> {
    const startedAtMs = performance.now()
    const name = nameOfChild(worker.process.pid ?? 0)
    this.#workers.add(worker)
    closeUnacknowledged(worker)
    send(worker, { kind: 'start', settings: this.#settingsOfNext() })
    if (this.#isBeginningStop) send(worker, { kind: 'begin-stop' })
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        this.#receive(worker, message)
        if (message.kind === 'serving') resolve(message.port)
        else if (message.kind === 'failed') reject(new WorkerStartError(message.message))
      })
      const end = (code: number, signal: string) => {
        this.#workers.delete(worker)
        this.#unanswered.delete(worker)
        this.#changes.left(worker)
        if (name !== undefined && code !== 0) this.#onProcessDied(name)
        if (this.#isStopping) this.#metrics.left(worker.id)
        else this.#metrics.died(worker.id)
        reject(new WorkerStartError(`a worker exited while starting (${signal ?? code})`))
        if (!this.#isStopping) {
          this.#restart({ worker: worker.process.pid, code, signal }, startedAtMs)
        }
      }
      worker.once('exit', end)
      // It has no exit event: processes or memory are used up.
      if (worker.process.pid === undefined) end(1, 'not started by the system')
    })
  }

  /**
   * With PORT=0, node:cluster picks a port when the first worker listens on 0, and later workers share
   * it if they listen on 0 too. If none is left, it would pick another one.
   */
  #settingsOfNext(): Settings {
    if (this.#port !== undefined && this.#unanswered.size === 0) {
      this.#settings = { ...this.#settings, port: this.#port }
    }
    return this.#settings
  }

  /** The last worker with the port died while this one started. */
  #hasOtherPort(port: number): boolean {
    return this.#settings.port === 0 && this.#port !== undefined && port !== this.#port
  }

  #receive(worker: Worker, message: FromWorker): void {
    const { kind } = message
    if (kind === 'untrusted-proxy') this.#onUntrustedProxy(message.address)
    else if (kind === 'metrics') this.#metrics.receive(worker.id, message.snapshot)
    else if (kind === 'scrape') void this.#scrapeFor(worker)
    else if (kind === 'changed') void this.#spreadFor(worker, message.id)
    else if (kind === 'change-read') this.#changes.receive(worker, message.id)
    else if (kind === 'failed' || (kind === 'serving' && this.#hasOtherPort(message.port))) {
      // It sends nothing more. When others serve, it is restarted like one that died.
      worker.process.kill('SIGKILL')
    } else {
      this.#unanswered.set(worker, 0)
    }
  }

  async #spreadFor(worker: Worker, id: number): Promise<void> {
    // Also those that start: they may have read the state before the change.
    const others = [...this.#workers].filter((other) => other !== worker)
    await Promise.all([
      this.#changes.spread(others, (other, id) => send(other, { kind: 'read-change', id })),
      this.#onChange?.(),
    ])
    send(worker, { kind: 'spread', id })
  }

  async #scrapeFor(worker: Worker): Promise<void> {
    const text = await this.#onScrape?.().catch(() => undefined)
    send(worker, { kind: 'scraped', text })
  }

  /**
   * Counts pings, not seconds: a primary that was suspended, alone or with the whole machine, has sent
   * no pings in that time, so that it kills no worker when it wakes.
   */
  #ping(): void {
    for (const [worker, unanswered] of this.#unanswered) {
      if (unanswered < maxUnanswered) {
        this.#unanswered.set(worker, unanswered + 1)
        send(worker, { kind: 'ping' })
        continue
      }
      this.#unanswered.delete(worker)
      this.#onSilence({ worker: worker.process.pid })
      worker.process.kill('SIGKILL')
    }
  }

  #restart(
    death: { readonly worker: number | undefined; readonly code: number; readonly signal: string },
    startedAtMs: number,
  ): void {
    const isYoung = performance.now() - startedAtMs < healthyAgeMs
    this.#earlyDeaths = isYoung ? this.#earlyDeaths + 1 : 0
    const restartInMs = isYoung
      ? Math.min(firstPauseMs * 2 ** (this.#earlyDeaths - 1), longestPauseMs)
      : 0
    this.#onDeath({ ...death, restartInMs })
    setTimeout(() => {
      // The death of that worker calls this again.
      if (!this.#isStopping) this.#begin(fork()).catch(() => undefined)
    }, restartInMs)
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), killAfterMs)
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    send(worker, { kind: 'stop' })
  })
}

/** What node:cluster sends with a connection that it hands to a worker. */
interface NewConnection {
  readonly cmd: 'NODE_CLUSTER'
  readonly act: 'newconn'
  readonly seq: number
}

/** How often to check whether everything that a worker sent has been read. */
const readEveryMs = 20

interface Closable {
  close(): void
}

/**
 * Closes the connection that was being handed to a worker when the worker ended. node:cluster hands
 * over one connection at a time to a worker, forgets it when the worker ends before it has
 * acknowledged it, and never closes it: its client would wait forever.
 *
 * The messages are internal to node (lib/internal/cluster/round_robin_handle.js). If they change, no
 * connection is found here, and test/service/start.test.ts fails.
 */
function closeUnacknowledged(worker: Worker): void {
  const { process } = worker
  const { send } = process
  let handed: { readonly seq: number; readonly connection: Closable } | undefined
  process.send = (...given: unknown[]): boolean => {
    const [message, connection] = given
    if (isNewConnection(message) && isClosable(connection)) {
      handed = { seq: message.seq, connection }
    }
    return Reflect.apply(send, process, given)
  }
  process.on('internalMessage', (message: { readonly ack?: unknown } | undefined) => {
    if (message?.ack === handed?.seq) handed = undefined
  })
  const close = (): void => {
    // The acknowledgement may have been sent but not read yet. No event reports that everything was read:
    // `disconnect` itself waits for the acknowledgement.
    if (process.connected) setTimeout(close, readEveryMs)
    else handed?.connection.close()
  }
  process.once('exit', close)
}

function isNewConnection(message: unknown): message is NewConnection {
  const { cmd, act, seq } = (message ?? {}) as Partial<NewConnection>
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number'
}

function isClosable(connection: unknown): connection is Closable {
  return typeof (connection as Partial<Closable> | undefined)?.close === 'function'
}
