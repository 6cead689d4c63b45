import cluster from 'node:cluster'
import type { Settings } from '../../settings/read-settings.ts'
import { logDescriptor } from '../../telemetry/access-log/open-access-log.ts'
import { openLog } from '../../telemetry/log.ts'
import { WorkerScrape } from '../../telemetry/metrics/scraper.ts'
import { failureText } from '../failure-text.ts'
import { openService, type Service } from '../service.ts'
import { type Serving, serve } from '../serving.ts'
import { OwnChanges } from './change-spread.ts'
import { endInTime, watchFailures } from './chores.ts'
import { type FromWorker, ownCheck, type ToWorker } from './worker-messages.ts'

const scrapes = new WorkerScrape(() => tell({ kind: 'scrape' }))
const changes = new OwnChanges((id) => tell({ kind: 'changed', id }))

/**
 * Runs a worker process: it starts, stops and changes certificates when the primary says so. When
 * the primary is gone, node:cluster ends the process, so that no orphan keeps serving.
 */
export function runWorker(): void {
  // A terminal sends these to the whole group; the primary turns them into messages.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  let running: Promise<Running> | undefined
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'ping') tell({ kind: 'pong' })
    else if (message.kind === 'start') running = start(message.settings)
    else if (message.kind === 'scraped') scrapes.receive(message.text)
    else if (message.kind === 'spread') changes.receive(message.id)
    else void obey(running, message)
  })
}

interface Running {
  readonly serving: Serving
  readonly service: Service
}

async function start(settings: Settings): Promise<Running> {
  const { log, flush } = openLog(settings.logLevel, logDescriptor(settings))
  let service: Service | undefined
  watchFailures(log, () => service?.metrics)
  try {
    service = await openService(settings, log, { kind: 'worker', spread: changes.spread })
    const serving = await serve({
      ...{ settings, log, service },
      onUntrustedProxy: (address) => tell({ kind: 'untrusted-proxy', address }),
      scrape: service.metrics && scrapes.scrape,
    })
    tell({ kind: 'serving', port: serving.port })
    return { serving, service }
  } catch (error) {
    log.error({ err: error }, 'worker could not start')
    flush()
    tell({ kind: 'failed', message: failureText(error, settings) })
    // The primary ends this process after reading it: leaving now could lose the message.
    return new Promise(() => undefined)
  }
}

/** Obeys the messages that must wait until the worker serves. */
async function obey(
  running: Promise<Running> | undefined,
  message: Exclude<ToWorker, { readonly kind: 'ping' | 'start' | 'scraped' | 'spread' }>,
): Promise<void> {
  const { serving, service } = (await running) ?? {}
  if (message.kind === 'tls') serving?.replaceTls(message.tls)
  else if (message.kind === 'begin-stop') service?.beginStop()
  else if (message.kind === 'reopen') serving?.reopenAccessLog()
  else if (message.kind === 'revisions') service?.take(ownCheck(message.check))
  else if (message.kind === 'read-change') {
    await service?.lookAgain()
    tell({ kind: 'change-read', id: message.id })
  } else if (message.kind === 'stop') await stop(serving, service)
  else if (service?.metrics !== undefined) {
    tell({ kind: 'metrics', snapshot: service.metrics.snapshot() })
  }
}

async function stop(serving: Serving | undefined, service: Service | undefined): Promise<void> {
  await serving?.stop()
  if (service !== undefined) await endInTime(service.close())
  // Exiting without `disconnect` would lose a connection that the primary is just handing over: it would
  // stay open, unanswered, until the primary ends.
  cluster.worker?.once('disconnect', () => process.exit(0))
  cluster.worker?.disconnect()
}

function tell(message: FromWorker): void {
  process.send?.(message)
}
