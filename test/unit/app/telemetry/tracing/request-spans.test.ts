import assert from 'node:assert/strict'
import { test } from 'node:test'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { RequestWatch } from '../../../../../src/app/telemetry/requests.ts'
import { ChildSpans } from '../../../../../src/app/telemetry/tracing/call-spans.ts'
import { ServerSpans } from '../../../../../src/app/telemetry/tracing/request-spans.ts'
import type { Outcome } from '../../../../../src/platform/http/exchange.ts'
import type { HttpReply, HttpRequest } from '../../../../../src/platform/http/message.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'
import { requestOf } from '../../start/request-of.ts'

const errorStatus = 2
const reply: HttpReply = { status: 200, headers: [] }
const done: Outcome = {
  status: 200,
  bytesReceived: 300,
  bytesSent: 0,
  durationMs: 1,
  isAborted: false,
  logFields: {},
}

function startSpans() {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('test')
  const clientOf = ({ remoteAddress }: HttpRequest) => remoteAddress
  const spans = new ServerSpans({
    ...{ tracer, children: new ChildSpans(tracer), clientOf },
    propagator: new W3CTraceContextPropagator(),
  })
  const watch = new RequestWatch({ sinks: [], spans, clientOf, notesReplies: false })
  const handler = watch.around(async () => reply)
  const send = async (
    method: string,
    target: string,
    outcome: Partial<Outcome> = {},
    headers: HttpRequest['headers'] = {},
  ) => {
    const request = { ...requestOf(method, target), headers }
    await handler(request)
    watch.onFinish(request, { ...done, ...outcome })
  }
  return { send, ended: () => exporter.getFinishedSpans() }
}

test('A reply of 5xx, and one that broke off, is an error; one of 4xx is not', async () => {
  const { send, ended } = startSpans()
  await send('GET', '/photos/a', { status: 404, logFields: { code: 'NoSuchKey' } })
  await send('GET', '/photos/a', { status: 503, logFields: { code: 'SlowDown' } })
  await send('GET', '/photos/a', { failure: new TypeError('secret'), isAborted: true })
  const [missing, busy, broken] = ended()
  assert.notEqual(missing?.status.code, errorStatus)
  assert.equal(missing?.attributes['bucketry.error_code'], 'NoSuchKey')
  assert.equal(busy?.status.code, errorStatus)
  assert.equal(busy?.attributes['error.type'], 'SlowDown')
  assert.equal(broken?.status.code, errorStatus)
  assert.equal(broken?.attributes['error.type'], 'TypeError')
  assert.equal(broken?.attributes['bucketry.aborted'], true)
})

test('The name of a span has the method and the form of an S3 path, never its key', async () => {
  const { send, ended } = startSpans()
  const targets = ['/', '/photos', '/photos/', '/photos/a/b', '/-/healthz', '/v1/models']
  for (const target of targets) await send('GET', target)
  await send('PROPFIND', '/photos/a')
  assert.deepEqual(
    ended().map(({ name }) => name),
    [
      'GET /',
      'GET /{bucket}',
      'GET /{bucket}',
      'GET /{bucket}/{key}',
      'GET',
      'GET',
      'HTTP /{bucket}/{key}',
    ],
  )
  const { attributes } = ended().at(-1) ?? assert.fail()
  assert.equal(attributes['http.request.method'], '_OTHER')
  assert.equal(attributes['http.request.method_original'], 'PROPFIND')
})

test('A span that waits to be sent does not keep a long request in memory', async () => {
  const { send, ended } = startSpans()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 1_000; count += 1) {
    // As a parser makes it: one flat text for each request.
    const target = Buffer.alloc(60_000, `${count}k`).toString('latin1')
    const logFields = { key: target.slice(0, 256), bucket: target.slice(0, 63) }
    await send(
      'GET',
      `/photos/${target}?${target}`,
      { logFields },
      {
        host: `${'h'.repeat(60)}/${target}`,
        'user-agent': target,
        traceparent: `01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-${target}`,
      },
    )
  }
  collectGarbage()
  const grownMib = (process.memoryUsage().heapUsed - before) / 2 ** 20
  assert.equal(ended().length, 1_000)
  assert.ok(grownMib < 20, `${grownMib} MiB`)
})
