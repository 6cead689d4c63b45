import { setTimeout as wait } from 'node:timers/promises'
import type { TlsIdentity } from '../../../platform/http/server.ts'
import { onceEach, warnOfUntrustedProxy } from '../../gateway/untrusted-proxies.ts'
import { tlsIdentityOf } from '../../settings/cross-checks.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { readSettings, readTls, type Settings } from '../../settings/read-settings.ts'
import type { Environment } from '../../settings/setting.ts'
import { settingsWarnings } from '../../settings/warnings.ts'
import { logDescriptor } from '../../telemetry/access-log/open-access-log.ts'
import { type Log, openLog } from '../../telemetry/log.ts'
import { type MetricsPort, openMetricsPort } from '../../telemetry/metrics/metrics-handler.ts'
import { createScrape } from '../../telemetry/metrics/scraper.ts'
import { bannerText, listeningUrl } from '../banner.ts'
import { failureText } from '../failure-text.ts'
import {
  type FirstStart,
  makeDataFolder,
  namesFrom,
  provideSettings,
  readAgain,
  withBuckets,
} from '../first-start.ts'
import { openService, type Service } from '../service.ts'
import { checkOpenFiles, serve } from '../serving.ts'
import { endInTime, repeatChores, watchFailures } from './chores.ts'
import { sharedCheck } from './worker-messages.ts'

/** The server: this process itself, or its workers. */
interface Servers {
  readonly port: number
  replaceTls(tls: TlsIdentity): void
  beginStop(): void
  reopenAccessLog(): void
  stop(): Promise<void>
  kill(): void
}

export interface PrimaryOptions {
  /** The environment, with the flags of the command line applied. */
  readonly environment: Environment
  /** ALLOWED_BUCKETS from the command line. Other settings are still generated if it is set. */
  readonly buckets?: string | undefined
  /** Warnings about the command line. */
  readonly warnings?: readonly string[]
}

/** Runs the main process, which reads the settings, serves or forks, and sweeps. */
export async function runPrimary(options: PrimaryOptions): Promise<void> {
  // The gateway serves even if the banner can't be shown.
  process.stderr.on('error', () => undefined)
  const signals = takeSignals()
  let settings: Settings | undefined
  let opened: Service | undefined
  try {
    const { environment, buckets } = options
    const firstStart = await provideSettings(environment)
    const given = withBuckets(firstStart.environment, buckets)
    const fromFile = namesFrom(firstStart, withBuckets(environment, buckets))
    settings = { ...(await readSettings(given, firstStart.file)), fromFile }
    const { log, flush } = openLog(settings.logLevel, logDescriptor(settings))
    watchFailures(log, () => opened?.metrics)
    checkOpenFiles()
    for (const text of warningsAt(options, settings, firstStart)) log.warn(text)
    await makeDataFolder(settings.dataDir, pathsOf(settings))
    const prepared = await preparedFor(settings)
    const service = await openService(settings, log, {
      kind: 'primary',
      onDriveLost: (message) => endAtOnce(log, message),
    })
    opened = service
    await service.makeDefaultBuckets()
    const servers = await startServers(settings, log, { service, prepared })
    const { port } = servers
    const chores = repeatChores(service.chores, { log, metrics: service.metrics })
    const reload = new TlsReload({
      current: tlsIdentityOf(settings),
      readEnvironment: () => readAgain(environment, firstStart.file),
      replace: (tls) => servers.replaceTls(tls),
      log,
    })
    const finish = async () => {
      await chores.stop()
      await service.close()
    }
    obeySignals(signals, { servers, log, reload, finish, settings })
    const isTerminal = process.stderr.isTTY === true
    process.stderr.write(bannerText({ settings, port, firstStart, isTerminal }))
    // Printed last: a process that waits for this line may send a signal at once.
    log.info({ url: listeningUrl(settings, port), workers: settings.workers }, 'listening')
    flush()
  } catch (error) {
    process.stderr.write(`${failureText(error, settings)}\n`)
    // This tells the other gateways that this one has ended.
    if (opened !== undefined) await endInTime(opened.close())
    process.exit(1)
  }
}

/** The effect of SIGTERM and SIGINT. */
interface Signals {
  onEnd: (signal: NodeJS.Signals) => void
}

/**
 * Ends the process at once on a signal, as the default action does: process 1, as in a container, has no
 * default action, and a start can wait for two minutes (drive-owner.ts). Set `onEnd` once requests are served
 * and must finish first. The listeners themselves stay: a signal between removing one and adding another would be lost.
 */
function takeSignals(): Signals {
  const signals: Signals = {
    // The statuses that a shell reports for processes that these signals ended.
    onEnd: (signal) => process.exit(signal === 'SIGINT' ? 130 : 143),
  }
  const end = (signal: NodeJS.Signals) => signals.onEnd(signal)
  process.on('SIGINT', end).on('SIGTERM', end)
  return signals
}

/** Workers end with their primary. */
function endAtOnce(log: Log, message: string): never {
  log.fatal(message)
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Forked here, so that workers load their modules while database and drives are opened. */
async function preparedFor({ workers }: Settings) {
  if (workers === 1) return undefined
  // Imported on demand: node:cluster takes a tenth of a start, and one process does not need it.
  const { prepareWorkers, WorkerPool } = await import('./worker-pool.ts')
  return { WorkerPool, workers: prepareWorkers(workers) }
}

type Prepared = Awaited<ReturnType<typeof preparedFor>>

async function startServers(
  settings: Settings,
  log: Log,
  { service, prepared }: { readonly service: Service; readonly prepared: Prepared },
): Promise<Servers> {
  if (prepared === undefined) return await startOne(settings, log, service)
  return await startPool(settings, log, { service, ...prepared })
}

async function startOne(settings: Settings, log: Log, service: Service): Promise<Servers> {
  const { metrics } = service
  const scrape = metrics && createScrape({ metrics })
  const metricsPort = await openMetricsPort({ settings, log, scrape })
  const serving = await serve({ settings, log, service, scrape })
  const beginStop = () => service.beginStop()
  return withMetricsPort({ ...serving, beginStop, kill: () => undefined }, metricsPort)
}

async function startPool(
  settings: Settings,
  log: Log,
  { service, WorkerPool, workers }: { readonly service: Service } & NonNullable<Prepared>,
): Promise<Servers> {
  const { metrics } = service
  const scrape = metrics && createScrape({ metrics, gatherWorkers: () => pool.gatherMetrics() })
  const pool = new WorkerPool({
    settings,
    prepared: workers,
    onDeath: (fields) => log.error(fields, 'a worker died; restarting it'),
    onProcessDied: (name) => service.processDied(name),
    onSilence: (fields) => log.error(fields, 'a worker is not responding; killing it'),
    onChange: () => service.lookAgain(),
    onUntrustedProxy: onceEach((address) => warnOfUntrustedProxy(log, address)),
    ...(scrape && { onScrape: scrape }),
  })
  const metricsPort = await openMetricsPort({ settings, log, scrape })
  const port = await pool.start()
  service.onCheck((check) => pool.tellRevisions(sharedCheck(check)))
  const servers = {
    port,
    replaceTls: (tls: TlsIdentity) => pool.replaceTls(tls),
    beginStop: () => pool.beginStop(),
    reopenAccessLog: () => pool.reopenAccessLog(),
    stop: () => pool.stop(),
    kill: () => pool.kill(),
  }
  return withMetricsPort(servers, metricsPort)
}

/** The servers, with the port for metrics, which serves until all requests have ended. */
function withMetricsPort(servers: Servers, metricsPort: MetricsPort | undefined): Servers {
  if (metricsPort === undefined) return servers
  return {
    ...servers,
    replaceTls(tls) {
      servers.replaceTls(tls)
      metricsPort.replaceTls(tls)
    },
    async stop() {
      await servers.stop()
      await metricsPort.stop()
    },
  }
}

function warningsAt(
  { environment, warnings = [] }: PrimaryOptions,
  settings: Settings,
  { kept }: FirstStart,
): readonly string[] {
  return [...warnings, ...settingsWarnings({ settings, environment, kept })]
}

/** The paths on this machine that the program writes to. */
function pathsOf(settings: Settings): string[] {
  const { drives, database } = settings
  const ofDrives = drives.flatMap(({ drive }) => {
    const { folder, staging } = kindOf(drive)
    return [folder?.(drive), staging?.(settings)].filter((path) => path !== undefined)
  })
  return [...(database.kind === 'sqlite' ? [database.path] : []), ...ofDrives]
}

interface Running {
  readonly servers: Servers
  readonly log: Log
  readonly reload: TlsReload
  readonly finish: () => Promise<void>
  readonly settings: Pick<Settings, 'shutdownDelaySeconds'>
}

function obeySignals(signals: Signals, running: Running): void {
  const { servers, log, reload, finish, settings } = running
  const { shutdownDelaySeconds: delaySeconds } = settings
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) {
      // A second signal ends the wait.
      servers.kill()
      process.exit(1)
    }
    isStopping = true
    servers.beginStop()
    // Ctrl+C comes from a person, not a load balancer: no delay.
    if (signal === 'SIGTERM' && delaySeconds > 0) {
      log.info({ signal, delaySeconds }, 'not ready; requests are still served')
      await wait(delaySeconds * 1_000)
    }
    log.info({ signal }, 'stopping')
    await servers.stop().catch((err: unknown) => log.error({ err }, 'the stop failed'))
    const err = await endInTime(finish())
    if (err !== undefined) log.warn({ err }, 'stopped without waiting for the remaining work')
    log.info('stopped')
    process.exit(0)
  }
  signals.onEnd = (signal) => void stop(signal)
  process.on('SIGHUP', () => {
    servers.reopenAccessLog()
    void reload.run()
  })
}

interface TlsReloadOptions {
  /** Undefined if the port speaks plain HTTP, which only a restart can change. */
  readonly current: TlsIdentity | undefined
  /** The current environment, with the current contents of the first start's file. */
  readonly readEnvironment: () => Promise<Environment>
  readonly replace: (tls: TlsIdentity) => void
  readonly log: Log
}

/** Reloads certificate and key, for SIGHUP. If they can't be read, the old ones stay in use. */
class TlsReload {
  readonly #options: TlsReloadOptions
  #current: TlsIdentity | undefined

  constructor(options: TlsReloadOptions) {
    this.#options = options
    this.#current = options.current
  }

  async run(): Promise<void> {
    const { log } = this.#options
    try {
      const tls = readTls(await this.#options.readEnvironment())
      if (this.#current === undefined && tls === undefined) {
        log.info('SIGHUP: TLS_CERT and TLS_KEY are not set; there is no certificate to reload')
      } else if (this.#current === undefined) {
        log.warn('SIGHUP: TLS_CERT and TLS_KEY are set now; restart to serve HTTPS')
      } else if (tls === undefined) {
        log.warn('SIGHUP: TLS_CERT and TLS_KEY are no longer set; the certificate stays in use')
      } else if (tls.cert === this.#current.cert && tls.key === this.#current.key) {
        log.info('SIGHUP: the certificate is unchanged')
      } else {
        this.#options.replace(tls)
        this.#current = tls
        log.info('certificate reloaded')
      }
    } catch (error) {
      log.error({ err: error }, 'could not reload the certificate; the current one stays in use')
    }
  }
}
