import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import type { RunningServer } from '../servers.ts'
import { type Figure, longestTask, type Opened, open, signIn } from './opened.ts'

const uploads = 5_000
const uploadBytes = 4_096
const mostRatio = 1.1
const rounds = 3
const entries = 30_000
const mostFirstMs = 1_000
const mostAllMs = 3_000
const mostTaskMs = 50
const wheelSteps = 60
const mostSlowFrames = 3
const slowFrameMs = 50

/** The milliseconds between frames, from now on. */
const watchFrames = `window.benchFrames = []
requestAnimationFrame(function next(last) {
  requestAnimationFrame((now) => {
    benchFrames.push(now - last)
    next(now)
  })
})`

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

async function secondsOf(work: () => unknown): Promise<number> {
  const beganAtMs = performance.now()
  await work()
  return (performance.now() - beganAtMs) / 1_000
}

/** Uploads many small files with the browser and with aws-cli, in turn. */
export async function measureUploads(opened: Opened): Promise<readonly Figure[]> {
  const { page, server, folder } = opened
  const source = join(folder, 'small')
  writeFiles(source, uploads, uploadBytes)
  const inBrowser: number[] = []
  const byAws: number[] = []
  let task = 0
  for (let round = 0; round < rounds; round++) {
    await open(opened, `/files/${bucket}?prefix=browser-${round}/`)
    if (round === 0) await signIn(opened)
    await page.untilText('does not exist')
    await page.value(longestTask)
    const upload = async () => {
      await page.drop(source)
      await page.untilText(`${uploads.toLocaleString('en')} files uploaded`)
    }
    inBrowser.push(await secondsOf(upload))
    task = Math.max(task, Number(await page.value(longestTask)))
    byAws.push(await secondsOf(() => copyByAws(server, source, `aws-${round}/`)))
  }
  const files = `${uploads.toLocaleString('en')} files of 4 KiB`
  const [browser, aws] = [median(inBrowser), median(byAws)]
  return [
    { name: `${files} by aws s3 cp`, value: aws, most: Number.POSITIVE_INFINITY, unit: 's' },
    { name: `${files} by the browser`, value: browser, most: aws * mostRatio, unit: 's' },
    { name: 'longest task meanwhile', value: task, most: mostTaskMs, unit: 'ms' },
  ]
}

function copyByAws(server: RunningServer, source: string, prefix: string): void {
  const { accessKey, secretKey, region } = bucketry.credentials
  const endpoint = `http://127.0.0.1:${server.port}`
  const order = ['s3', 'cp', '--recursive', '--quiet', source, `s3://${bucket}/${prefix}`]
  execFileSync('aws', [...order, '--endpoint-url', endpoint], {
    env: {
      ...process.env,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_DEFAULT_REGION: region,
    },
  })
}

/** Opens a folder with many entries, and turns the wheel over it. */
export async function measureList(opened: Opened): Promise<readonly Figure[]> {
  const { page, bucketFolder } = opened
  writeFiles(join(bucketFolder, 'listed'), entries, 1)
  await open(opened, `/files/${bucket}`)
  await signIn(opened)
  await page.untilText('listed')
  await page.value(longestTask)
  await open(opened, `/files/${bucket}?prefix=listed/`)
  const first = Number(await page.value(rowsShown))
  await page.untilText(`${entries.toLocaleString('en')} files`, 20)
  const all = Number(await page.value('performance.now()'))
  const task = Number(await page.value(longestTask))
  await page.value(watchFrames)
  for (let step = 0; step < wheelSteps; step++) {
    const wheel = { type: 'mouseWheel', x: 700, y: 500, deltaX: 0, deltaY: 400 }
    await page.send('Input.dispatchMouseEvent', wheel)
  }
  const frames = (await page.value('benchFrames')) as readonly number[]
  const slow = frames.filter((duration) => duration > slowFrameMs).length
  const name = `a folder of ${entries.toLocaleString('en')} files`
  return [
    { name: `${name}: first rows`, value: first, most: mostFirstMs, unit: 'ms' },
    { name: `${name}: all of them`, value: all, most: mostAllMs, unit: 'ms' },
    { name: 'longest task meanwhile', value: task, most: mostTaskMs, unit: 'ms' },
    {
      name: `frames over ${slowFrameMs} ms of ${frames.length} while the wheel turns`,
      ...{ value: (100 * slow) / frames.length, most: mostSlowFrames, unit: '%' },
    },
  ]
}
