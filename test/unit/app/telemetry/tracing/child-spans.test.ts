import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { ChildSpans } from '../../../../../src/app/telemetry/tracing/child-spans.ts'
import { recordSpans } from './recorded-spans.ts'

test('Work outside of a request, and work that goes on after its reply, has no span', async () => {
  const { children, request, context, ended } = recordSpans()
  assert.equal(await children.run('outside', {}, async () => 1), 1)
  let background: Promise<number> | undefined
  let finish: () => void = () => undefined
  const replied = new Promise<void>((resolve) => {
    finish = resolve
  })
  await children.within(context, async () => {
    background = replied.then(() => children.run('background', {}, async () => 2))
    await children.run('inside', {}, async () => children.run('nested', {}, async () => 0))
  })
  request.end()
  finish()
  assert.equal(await background, 2)
  assert.deepEqual(
    ended().map(({ name }) => name),
    ['nested', 'inside', 'request'],
  )
})

test('A request that is not sampled has no child spans', async () => {
  const tracer = new TracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('test')
  const children = new ChildSpans(tracer)
  const context = trace.setSpan(ROOT_CONTEXT, tracer.startSpan('request'))
  children.within(context, () => {
    children.run('child', {}, () => assert.equal(children.current, context))
  })
})
