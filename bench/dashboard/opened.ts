import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BarePage } from '../bare-chromium.ts'
import { type BenchContext, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

export const password = 'a password for the bench'

/** One line of a table. */
export interface Figure {
  readonly name: string
  readonly value: number
  /** Infinite: the figure is there for comparison. */
  readonly most: number
  readonly unit: 's' | 'ms' | 'KB' | 'MB' | '%' | ''
}

/** A gateway over an own folder, and a browser. */
export interface Opened {
  readonly server: RunningServer
  readonly page: BarePage
  /** The folder of the bucket. */
  readonly bucketFolder: string
  /** A folder for other files. */
  readonly folder: string
}

/** Tasks of the main thread of more than 50 ms (W3C Long Tasks), and room for what 500 photos load. */
const watch = `window.benchTasks = []
performance.setResourceTimingBufferSize(5000)
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) benchTasks.push(duration)
}).observe({ type: 'longtask', buffered: true })`

/** The longest since the last call. */
export const longestTask = 'Math.max(0, ...benchTasks.splice(0))'

/** Bytes of all replies so far, with their headers. */
export const loadedBytes = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`

export async function open({ page, server }: Opened, path: string): Promise<void> {
  await page.send('Page.navigate', { url: `http://127.0.0.1:${server.port}/-${path}` })
}

/** Types the password into the form that is shown. */
export async function signIn({ page }: Opened): Promise<void> {
  await page.untilText('Password', 20)
  await page.value(`document.querySelector('input[type=password]').focus()`)
  await page.send('Input.insertText', { text: password })
  const enter = { type: 'keyDown', key: 'Enter', windowsVirtualKeyCode: 13, text: '\r' }
  await page.send('Input.dispatchKeyEvent', enter)
}

/** A scenario whose table has a line for each figure. */
export function dashboardScenario(
  name: string,
  question: string,
  measure: (opened: Opened) => Promise<readonly Figure[]>,
): Scenario {
  return {
    name,
    question,
    target: 'each figure at most that of the last column',
    run: async (context) => tableOf(await opened(context, measure)),
  }
}

async function opened<Result>(
  context: BenchContext,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const folder = join(context.folder, 'dashboard')
  rmSync(folder, { recursive: true, force: true })
  const drive = join(folder, 'drive')
  const bucketFolder = join(drive, bucket)
  mkdirSync(bucketFolder, { recursive: true })
  const environment = { DASHBOARD_PASSWORD: password }
  const server = await startServer(bucketry, { folder: drive, environment })
  try {
    return await inBrowser(folder, (page) => work({ server, page, bucketFolder, folder }))
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A new browser without anything in its memory and cache. */
export async function inBrowser<Result>(
  folder: string,
  work: (page: BarePage) => Promise<Result>,
): Promise<Result> {
  const page = await BarePage.open(mkdtempSync(join(folder, 'profile-')))
  try {
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watch })
    const size = { width: 1_440, height: 900, deviceScaleFactor: 1, mobile: false }
    await page.send('Emulation.setDeviceMetricsOverride', size)
    return await work(page)
  } finally {
    await page.close()
  }
}

function tableOf(figures: readonly Figure[]): Table {
  const text = (value: number, { unit, most }: Figure) =>
    `${value.toFixed(unit === 's' || unit === 'MB' || most < 10 ? 1 : 0)} ${unit}`.trim()
  const missed = figures.filter(({ value, most }) => !(value <= most))
  return {
    columns: ['dashboard in Chromium', 'measured', 'at most'],
    rows: figures.map((figure) => [
      figure.name,
      text(figure.value, figure),
      Number.isFinite(figure.most) ? text(figure.most, figure) : '',
    ]),
    verdict: verdict(`${missed.length} figures above what is wanted`, missed.length === 0),
  }
}
