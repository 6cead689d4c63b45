import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { answering, type StubUpstream, startStub } from '../../test/fakes/stub-upstream.ts'
import { RoutingClient } from '../../test/support/models-gateway.ts'
import { generateOpenLoop, prepareRequest, sendRequest } from '../load.ts'
import type { OpenLoopResult } from '../open-loop.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type BenchContext, median, type Scenario, type Table, verdict } from '../scenario.ts'
import { bucketry } from '../server-kinds.ts'
import { type RunningServer, startServer } from '../servers.ts'

const connections = 60
const models = 2_000
const listsPerSecond = 100
const mostListP99Ms = 5

const upstreams = 10
const stalledUpstreams = 5
const mostStalledListMs = 5_300
/** Clients that ask for the list again and again while the GETs are measured. */
const listClients = 4
const readsPerSecond = 200
/** Every list that takes 5 s begins and ends within a measurement. */
const leastReadMs = 6_000
const mostReadRatio = 1.5

const password = 'bench-password'
const warmUpMs = 1_000
const objectBytes = 1024

async function withGateway<Result>(
  context: BenchContext,
  name: string,
  use: (server: RunningServer, routing: RoutingClient) => Promise<Result>,
): Promise<Result> {
  const folder = join(context.folder, name)
  const server = await startServer(bucketry, {
    folder,
    environment: { DASHBOARD_PASSWORD: password },
  })
  try {
    return await use(server, await RoutingClient.signIn(urlOf(server), password))
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function urlOf({ port }: RunningServer): string {
  return `http://127.0.0.1:${port}`
}

interface TimedList {
  readonly milliseconds: number
  readonly models: number
}

async function timedList(server: RunningServer): Promise<TimedList> {
  const startedAtMs = performance.now()
  const reply = await fetch(`${urlOf(server)}/v1/models`)
  const { data } = (await reply.json()) as { readonly data: readonly object[] }
  return { milliseconds: performance.now() - startedAtMs, models: data.length }
}

async function listOfMany(context: BenchContext): Promise<Table> {
  return withGateway(context, 'models-list', async (server, routing) => {
    await routing.done('PUT', '', {
      ...{ combos: [], customModels: [], modelAliases: {} },
      connections: Array.from({ length: connections }, (_, index) => manyModels(index)),
    })
    const { models: listed } = await timedList(server)
    if (listed !== models) throw new Error(`${listed} models are listed, not ${models}`)
    const floor = await startFloor(await (await fetch(`${urlOf(server)}/v1/models`)).text())
    try {
      const cpuBefore = cpuSeconds(server.pid)
      const rows = await measureLists(context, { bucketry: server.port, floor: floor.port })
      const lists = context.rounds * listsPerSecond * (context.seconds + warmUpMs / 1_000)
      const cpuMs = ((cpuSeconds(server.pid) - cpuBefore) * 1_000) / lists
      const p99Ms = median(rows.bucketry.map((row) => row.p99Ms))
      return {
        columns: [
          ...[`${listsPerSecond} requests/s`, 'p50 ms', 'p99 ms', 'longest ms'],
          ...['generator late p99 ms', 'CPU ms/list'],
        ],
        rows: [
          ['bucketry', ...figuresOf(rows.bucketry), cpuMs.toFixed(2)],
          ['node:http sending the same bytes', ...figuresOf(rows.floor), ''],
        ],
        verdict: verdict(`p99 ${p99Ms.toFixed(2)} ms`, p99Ms < mostListP99Ms),
      }
    } finally {
      await floor.close()
    }
  })
}

/** What the machine and the generator take of the time, whatever is asked. */
async function startFloor(body: string) {
  const bytes = Buffer.from(body)
  const server = createServer((_request, response) => {
    response.setHeader('content-length', bytes.length).end(bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function measureLists(
  context: BenchContext,
  ports: Readonly<Record<'bucketry' | 'floor', number>>,
): Promise<Record<'bucketry' | 'floor', OpenLoopResult[]>> {
  const rows: Record<'bucketry' | 'floor', OpenLoopResult[]> = { bucketry: [], floor: [] }
  const durationMs = context.seconds * 1_000
  for (let round = 1; round <= context.rounds; round++) {
    for (const name of ['bucketry', 'floor'] as const) {
      const port = ports[name]
      const head = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
      const job = { port, head, perSecond: listsPerSecond, durationMs, warmUpMs }
      const result = await generateOpenLoop(job)
      rows[name].push(result)
      context.progress(`models-list ${round}/${context.rounds} ${name}: p99 ${result.p99Ms} ms`)
    }
  }
  return rows
}

/** Connection `index` of those that have all models between them. */
function manyModels(index: number) {
  const first = Math.round((index * models) / connections)
  const next = Math.round(((index + 1) * models) / connections)
  return {
    provider: `openai-compatible-number-${index}-x`,
    apiKey: `sk-number-${index}`,
    providerSpecificData: {
      prefix: `number-${index}`,
      enabledModels: Array.from({ length: next - first }, (_, at) => `some-model-${first + at}`),
    },
  }
}

async function listWithStalled(context: BenchContext): Promise<Table> {
  return withGateway(context, 'models-stalled', async (server, routing) => {
    const stubs = await startUpstreams(routing)
    try {
      const body = 'x'.repeat(objectBytes)
      const put = await sendRequest(server, { method: 'PUT', key: 'small', body })
      if (put.status !== 200) throw new Error(`PUT: ${put.status}`)
      const quiet: OpenLoopResult[] = []
      const beside: OpenLoopResult[] = []
      const lists: TimedList[] = []
      for (let round = 1; round <= context.rounds; round++) {
        quiet.push(await measureReads(context, server))
        const listing = listAgainAndAgain(server)
        beside.push(await measureReads(context, server))
        lists.push(...(await listing.end()))
        context.progress(`models-stalled ${round}/${context.rounds}: ${lists.length} lists`)
      }
      return tabulateStalled({ quiet, beside, lists })
    } finally {
      for (const stub of stubs) await stub.close()
    }
  })
}

/** Upstreams; half of them answer immediately, half never. */
async function startUpstreams(routing: RoutingClient): Promise<StubUpstream[]> {
  const stubs: StubUpstream[] = []
  for (let index = 0; index < upstreams; index++) {
    const isStalled = index < stalledUpstreams
    const stub = await startStub(isStalled ? () => undefined : answering([{ id: 'one' }]))
    stubs.push(stub)
    await routing.done('POST', '/connections', {
      ...{ kind: 'openai-compatible', apiKey: `sk-number-${index}` },
      providerSpecificData: { baseUrl: stub.origin, prefix: `number-${index}` },
    })
  }
  return stubs
}

async function measureReads(context: BenchContext, server: RunningServer): Promise<OpenLoopResult> {
  const { port } = server
  const { head } = prepareRequest(server, { method: 'GET', key: 'small' })
  const durationMs = Math.max(leastReadMs, context.seconds * 1_000)
  return generateOpenLoop({ port, head, perSecond: readsPerSecond, durationMs, warmUpMs })
}

/** Clients that each ask for the next list when they have one. */
function listAgainAndAgain(server: RunningServer) {
  let isEnding = false
  const client = async (): Promise<TimedList[]> => {
    const lists: TimedList[] = []
    while (!isEnding) lists.push(await timedList(server))
    return lists
  }
  const clients = Array.from({ length: listClients }, client)
  return {
    async end(): Promise<TimedList[]> {
      isEnding = true
      return (await Promise.all(clients)).flat()
    },
  }
}

interface StalledRun {
  readonly quiet: readonly OpenLoopResult[]
  readonly beside: readonly OpenLoopResult[]
  readonly lists: readonly TimedList[]
}

function tabulateStalled({ quiet, beside, lists }: StalledRun): Table {
  const wrong = lists.find((list) => list.models !== upstreams - stalledUpstreams)
  if (wrong !== undefined) throw new Error(`a list has ${wrong.models} models`)
  const slowestMs = Math.max(...lists.map((list) => list.milliseconds))
  const [quietMs, besideMs] = [quiet, beside].map((rows) => median(rows.map((row) => row.p99Ms)))
  const ratio = (besideMs ?? Number.NaN) / (quietMs ?? Number.NaN)
  const figure = `slowest list ${(slowestMs / 1_000).toFixed(2)} s, GETs p99 × ${ratio.toFixed(2)}`
  return {
    columns: [
      ...['signed GETs of 1 KiB', 'requests/s', 'p50 ms', 'p99 ms', 'longest ms'],
      ...['generator late p99 ms', 'lists', 'slowest list ms'],
    ],
    rows: [
      ['quiet', String(readsPerSecond), ...figuresOf(quiet), '0', ''],
      [
        ...['beside lists', String(readsPerSecond), ...figuresOf(beside)],
        ...[String(lists.length), slowestMs.toFixed(0)],
      ],
    ],
    verdict: verdict(figure, slowestMs < mostStalledListMs && ratio <= mostReadRatio),
  }
}

/** Medians of the rounds: p50, p99, longest, lateness of the generator. */
function figuresOf(rows: readonly OpenLoopResult[]): string[] {
  const medianOf = (field: keyof OpenLoopResult) => median(rows.map((row) => row[field]))
  return (['p50Ms', 'p99Ms', 'maxMs', 'lateP99Ms'] as const).map((field) =>
    medianOf(field).toFixed(2),
  )
}

export const modelScenarios: readonly Scenario[] = [
  {
    name: 'models-list',
    question: `How long does a list of ${connections} connections and ${models} models take?`,
    target: `p99 under ${mostListP99Ms} ms at ${listsPerSecond} requests/s`,
    run: listOfMany,
  },
  {
    name: 'models-stalled',
    question: `How long does a list take if ${stalledUpstreams} of ${upstreams} upstreams never answer?`,
    target: `a list under ${mostStalledListMs / 1_000} s; p99 of GETs beside it at most ${mostReadRatio} × that of a quiet run`,
    run: listWithStalled,
  },
]
