import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BarePage } from '../bare-chromium.ts'
import { type BenchContext, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const password = 'a password for the bench'
const uploads = 10_000
const uploadBytes = 1_024
const mostUploadRatio = 1.5
const entries = 20_000
const mostFirstMs = 1_000
const mostAllMs = 3_000
const mostMedianMs = 17
const mostP95Ms = 34
const mostTaskMs = 50
const scrollMs = 3_000
const mostSignInMs = 2_500

/** One line of the table. */
interface Figure {
  readonly name: string
  readonly value: number
  readonly most: number
  readonly unit: string
}

/** Tasks of the main thread of more than 50 ms (W3C Long Tasks). */
const watchTasks = `window.benchTasks = []
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) benchTasks.push(duration)
}).observe({ type: 'longtask', buffered: true })`

/** The longest since the last call. */
const longestTask = 'Math.max(0, ...benchTasks.splice(0))'

/** Scrolls the list and returns the milliseconds between frames, sorted. */
const scrollFrames = `(async () => {
  const scroller = document.querySelector('[data-files-grid] > [role="presentation"]')
  const frames = []
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  let last = await frame()
  for (const began = last; last - began < ${scrollMs}; ) {
    scroller.scrollTop += 120
    const now = await frame()
    frames.push(now - last)
    last = now
  }
  return frames.sort((a, b) => a - b)
})()`

/** Resolves at the frame after the list has rows, and says when. */
const rowsShown = `new Promise((resolve) => {
  const look = () =>
    document.querySelectorAll('[data-files-grid] [role="row"][aria-rowindex]').length > 5
      ? resolve(performance.now())
      : requestAnimationFrame(look)
  look()
})`

function writeFiles(folder: string, count: number, bytes: number): void {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < count; index++) {
    writeFileSync(join(folder, `file-${index}.txt`), String(index).padEnd(bytes, 'x'))
  }
}

async function open(page: BarePage, server: RunningServer, path: string): Promise<void> {
  await page.send('Page.navigate', { url: `http://127.0.0.1:${server.port}/-${path}` })
}

/** Types the password into the form that is shown. */
async function signIn(page: BarePage): Promise<void> {
  await page.untilText('Password')
  await page.value(`document.querySelector('input[type=password]').focus()`)
  await page.send('Input.insertText', { text: password })
  const enter = { type: 'keyDown', key: 'Enter', windowsVirtualKeyCode: 13, text: '\r' }
  await page.send('Input.dispatchKeyEvent', enter)
}

async function secondsOf(work: () => unknown): Promise<number> {
  const beganAtMs = performance.now()
  await work()
  return (performance.now() - beganAtMs) / 1_000
}

/** Uploads many small files with the browser, then with aws-cli. */
async function upload(page: BarePage, server: RunningServer, folder: string): Promise<Figure[]> {
  const source = join(folder, 'small')
  writeFiles(source, uploads, uploadBytes)
  await open(page, server, `/files/${bucket}?prefix=browser/`)
  await signIn(page)
  await page.untilText('does not exist')
  await page.value(longestTask)
  const browser = await secondsOf(async () => {
    await page.drop(source)
    await page.untilText(`${uploads.toLocaleString('en')} files uploaded`)
  })
  const task = Number(await page.value(longestTask))
  const { accessKey, secretKey, region } = bucketry.credentials
  const aws = await secondsOf(() =>
    execFileSync(
      'aws',
      [
        ...['s3', 'cp', '--recursive', '--quiet', source, `s3://${bucket}/aws/`],
        ...['--endpoint-url', `http://127.0.0.1:${server.port}`],
      ],
      {
        env: {
          ...process.env,
          AWS_ACCESS_KEY_ID: accessKey,
          AWS_SECRET_ACCESS_KEY: secretKey,
          AWS_DEFAULT_REGION: region,
        },
      },
    ),
  )
  const files = `${uploads.toLocaleString('en')} files of 1 KiB`
  return [
    { name: `${files} by aws s3 cp`, value: aws, most: Number.POSITIVE_INFINITY, unit: 's' },
    { name: `${files} by the browser`, value: browser, most: aws * mostUploadRatio, unit: 's' },
    { name: 'longest task meanwhile', value: task, most: mostTaskMs, unit: 'ms' },
  ]
}

/** Opens a folder with many entries, and scrolls through it. */
async function list(page: BarePage, server: RunningServer): Promise<Figure[]> {
  await open(page, server, `/files/${bucket}?prefix=listed/`)
  const first = Number(await page.value(rowsShown))
  await page.untilText(`${entries.toLocaleString('en')} files`, 20)
  const all = Number(await page.value('performance.now()'))
  const task = Number(await page.value(longestTask))
  const frames = (await page.value(scrollFrames)) as readonly number[]
  const at = (share: number) => frames[Math.floor(frames.length * share)] ?? Number.NaN
  const folder = `a folder of ${entries.toLocaleString('en')} files`
  return [
    { name: `${folder}: first rows`, value: first, most: mostFirstMs, unit: 'ms' },
    { name: `${folder}: all of them`, value: all, most: mostAllMs, unit: 'ms' },
    { name: 'longest task meanwhile', value: task, most: mostTaskMs, unit: 'ms' },
    { name: 'frames while it scrolls, p50', value: at(0.5), most: mostMedianMs, unit: 'ms' },
    { name: 'frames while it scrolls, p95', value: at(0.95), most: mostP95Ms, unit: 'ms' },
  ]
}

/** Slow 4G as DevTools have it (1.6 Mbit/s, 150 ms), with a processor of a quarter of the speed. */
async function firstLoad(page: BarePage, server: RunningServer): Promise<Figure[]> {
  await page.value('localStorage.clear()')
  await page.send('Network.enable')
  await page.send('Network.clearBrowserCache')
  await page.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 150 },
    ...{ downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
  })
  await page.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await open(page, server, '/')
  await page.untilText('Password', 20)
  const value = Number(await page.value('performance.now()'))
  return [{ name: 'sign-in on slow 4G, 4 × CPU', value, most: mostSignInMs, unit: 'ms' }]
}

async function measure(context: BenchContext): Promise<Table> {
  const folder = join(context.folder, 'dashboard')
  rmSync(folder, { recursive: true, force: true })
  const drive = join(folder, 'drive')
  writeFiles(join(drive, bucket, 'listed'), entries, 1)
  const environment = { DASHBOARD_PASSWORD: password }
  const server = await startServer(bucketry, { folder: drive, environment })
  const page = await BarePage.open(join(folder, 'profile'))
  try {
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: watchTasks })
    const figures = [
      ...(await upload(page, server, folder)),
      ...(await list(page, server)),
      ...(await firstLoad(page, server)),
    ]
    const missed = figures.filter(({ value, most }) => value > most)
    const wanted = ({ most, unit }: Figure) =>
      Number.isFinite(most) ? `${most.toFixed(unit === 's' ? 1 : 0)} ${unit}` : ''
    return {
      columns: ['dashboard in Chromium', 'measured', 'at most'],
      rows: figures.map((figure) => {
        const { name, value, unit } = figure
        return [name, `${value.toFixed(unit === 's' ? 1 : 0)} ${unit}`, wanted(figure)]
      }),
      verdict: verdict(`${missed.length} figures above what is wanted`, missed.length === 0),
    }
  } finally {
    await page.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const dashboardScenarios: readonly Scenario[] = [
  {
    name: 'dashboard',
    question: 'How fast is the dashboard with many small files, and with large folders?',
    target: 'each figure at most that of the last column',
    run: measure,
  },
]
