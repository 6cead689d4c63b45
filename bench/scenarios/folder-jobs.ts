import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagementClient } from '../../test/support/management-client.ts'
import { generateLoad, prepareRequest } from '../load.ts'
import { cpuSeconds, peakBytes, resetPeak, residentBytes } from '../process-usage.ts'
import {
  type BenchContext,
  inMebibytes,
  median,
  type Scenario,
  type Table,
  verdict,
} from '../scenario.ts'
import { bucket, bucketry } from '../server-kinds.ts'
import { startServer } from '../servers.ts'
import { deepTree } from '../trees.ts'

const tree = deepTree('jobs', 30_000)
const password = 'a password for the bench'
const mostSeconds = 3
const askEveryMs = 50

interface Measured {
  readonly seconds: number
  readonly cpu: number
  readonly aboveIdleBytes: number
}

const jobs = {
  'to the trash': (_: string) => ({ action: 'trash', bucket, paths: ['all/'] }),
  'back from it': (id: string) => ({ action: 'undo', id }),
} as const

async function measureJobs(context: BenchContext): Promise<Table> {
  const folder = join(context.folder, 'folder-jobs')
  const environment = { DASHBOARD_PASSWORD: password }
  const server = await startServer(bucketry, { folder, environment })
  try {
    const keys = Array.from({ length: tree.files }, (_, index) => `all/${tree.keyOf(index)}`)
    const requests = keys.map((key) => prepareRequest(server, { method: 'PUT', key, bodyBytes: 1 }))
    const { port, pid } = server
    await generateLoad({ port, connections: 32, requests, totalRequests: keys.length })
    const client = await ManagementClient.signIn(`http://127.0.0.1:${port}`, password)
    let id = ''
    const measure = async (order: object): Promise<Measured> => {
      const idleBytes = residentBytes(pid)
      resetPeak(pid)
      const [cpuBefore, beganAtMs] = [cpuSeconds(pid), performance.now()]
      let job = await client.done('POST', '/file-jobs', order)
      for (; job.state === 'running'; job = await client.done('GET', `/file-jobs/${job.id}`)) {
        await sleep(askEveryMs)
      }
      const seconds = (performance.now() - beganAtMs) / 1_000
      if (job.done !== keys.length) throw new Error(`${job.state}: ${job.done} of ${keys.length}`)
      id = job.id
      return {
        ...{ seconds, cpu: cpuSeconds(pid) - cpuBefore },
        aboveIdleBytes: peakBytes(pid) - idleBytes,
      }
    }
    const rounds: Measured[][] = []
    for (let round = 1; round <= context.rounds; round++) {
      context.progress(`folder-jobs ${round}/${context.rounds}`)
      const measured: Measured[] = []
      for (const order of Object.values(jobs)) measured.push(await measure(order(id)))
      rounds.push(measured)
    }
    return tableOf(rounds)
  } finally {
    await server.stop()
  }
}

function tableOf(rounds: readonly (readonly Measured[])[]): Table {
  const of = (job: number, field: keyof Measured) =>
    median(rounds.map((round) => round[job]?.[field] ?? Number.NaN))
  const names = Object.keys(jobs)
  const slowest = Math.max(...names.map((_, job) => of(job, 'seconds')))
  return {
    columns: [`${tree.files} objects in one folder`, 'seconds', 'CPU s', 'peak MiB above idle'],
    rows: names.map((name, job) => [
      ...[name, of(job, 'seconds').toFixed(1), of(job, 'cpu').toFixed(2)],
      inMebibytes(of(job, 'aboveIdleBytes')),
    ]),
    verdict: verdict(`${slowest.toFixed(1)} s`, slowest <= mostSeconds),
  }
}

export const folderJobScenarios: readonly Scenario[] = [
  {
    name: 'folder-jobs',
    question: `How long does a folder of ${tree.files} objects take to the trash and back?`,
    target: `${mostSeconds} s each`,
    run: measureJobs,
  },
]
