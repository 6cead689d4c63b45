import { bannerText, listeningUrl } from './banner.ts'
import { failureText } from './failure-text.ts'
import { provideSettings } from './first-start.ts'
import { type Log, openLog } from './log.ts'
import { openService } from './service.ts'
import { currentEnvironment } from './settings/environment.ts'
import { readSettings, readTls, type Settings } from './settings/read-settings.ts'
import { sweepRepeatedly } from './sweep.ts'
import { WorkerPool } from './worker-pool.ts'

/** Runs the process that a person starts: it reads the settings, forks, and sweeps. */
export async function runPrimary(): Promise<void> {
  // A banner that can't be shown is no reason not to serve.
  process.stderr.on('error', () => undefined)
  let settings: Settings | undefined
  try {
    const firstStart = await provideSettings(currentEnvironment())
    settings = readSettings(firstStart.environment)
    const { log, flush } = openLog(settings.logLevel)
    const pool = new WorkerPool({
      settings,
      onDeath: (facts) => log.error(facts, 'a worker died and is restarted'),
      onSilence: (facts) => log.error(facts, 'a worker does not answer and is killed'),
    })
    const closeService = settings.workers === 1 ? undefined : await openAndSweep(settings, log)
    const port = await pool.start()
    obeySignals({ pool, log, finish: async () => closeService?.() })
    process.stderr.write(bannerText({ settings, port, firstStart }))
    // Last: whoever waits for this line may send a signal at once.
    log.info({ url: listeningUrl(settings, port), workers: settings.workers }, 'listening')
    flush()
  } catch (error) {
    process.stderr.write(`${failureText(error, settings)}\n`)
    process.exit(1)
  }
}

/**
 * Opens the service before the workers do and sweeps it. A gateway of one worker leaves both to that
 * worker: what it holds in memory cannot be shared, and a small machine need not open it twice.
 */
async function openAndSweep(settings: Settings, log: Log): Promise<() => Promise<void>> {
  const service = await openService(settings, log, { migrate: true })
  const sweeping = sweepRepeatedly(service, log)
  return async () => {
    await sweeping.stop()
    await service.close()
  }
}

interface Running {
  readonly pool: WorkerPool
  readonly log: Log
  readonly finish: () => Promise<void>
}

function obeySignals({ pool, log, finish }: Running): void {
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) {
      // Asked twice: whoever asks does not want to wait.
      pool.kill()
      process.exit(1)
    }
    isStopping = true
    log.info({ signal }, 'stopping')
    await pool.stop()
    await finish()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', () => rereadTls(pool, log))
}

function rereadTls(pool: WorkerPool, log: Log): void {
  try {
    const tls = readTls(currentEnvironment())
    if (tls !== undefined) pool.replaceTls(tls)
    log.info({ hasTls: tls !== undefined }, 'certificate read again')
  } catch (error) {
    log.error({ err: error }, 'the certificate stays as it was')
  }
}
