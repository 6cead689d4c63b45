import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Behaviour,
  failing,
  openAiEvents,
  sendEvents,
  streamHead,
} from '../fakes/strict-upstream.ts'
import { holdPauses, saying, startTwo } from '../support/calling.ts'
import type { ManagementClient } from '../support/management-client.ts'

const streaming =
  (...events: string[]): Behaviour =>
  (_, response) =>
    sendEvents(response, events)

const cutOff: Behaviour = (_, response) => {
  response.writeHead(200, streamHead)
  response.write(': comment\n\n')
  setImmediate(() => response.destroy())
}

const destroyed: Behaviour = (_, response) => void response.destroy()

/** Failure → whether the next one is tried, and what is paused then. */
const rows: readonly {
  readonly title: string
  readonly fails: Behaviour
  readonly triesNext: boolean
  readonly pauses: 'nothing' | 'pair' | 'path' | 'connection'
  readonly scope?: string
}[] = [
  {
    title: '400',
    fails: failing(400, { code: 'bad_parameter' }),
    triesNext: false,
    pauses: 'nothing',
  },
  { title: '413', fails: failing(413, {}), triesNext: true, pauses: 'nothing' },
  {
    title: '422',
    fails: failing(422, { type: 'invalid_request_error' }),
    triesNext: false,
    pauses: 'nothing',
  },
  { title: '404', fails: failing(404, { message: 'no' }), triesNext: true, pauses: 'nothing' },
  {
    title: 'an item of another account',
    fails: failing(404, { message: "Item with id 'rs_1' not found." }),
    triesNext: false,
    pauses: 'nothing',
  },
  {
    title: '404 in HTML',
    fails: (_, response) =>
      void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'),
    triesNext: true,
    pauses: 'path',
    scope: 'model',
  },
  {
    title: '404 of the model, in words',
    fails: failing(404, { message: 'The model `big` does not exist.' }),
    triesNext: true,
    pauses: 'path',
    scope: 'model',
  },
  {
    title: '429 about the size of the request',
    fails: failing(429, { message: 'Request too large for big. Limit 30000, Requested 60000.' }),
    triesNext: true,
    pauses: 'nothing',
  },
  {
    title: '403 about the content',
    fails: failing(403, { message: 'Your input was flagged' }),
    triesNext: false,
    pauses: 'nothing',
  },
  {
    title: 'no credit',
    fails: failing(429, { code: 'insufficient_quota' }),
    triesNext: true,
    pauses: 'connection',
    scope: 'quota',
  },
  {
    title: '400 of the model',
    fails: failing(400, { code: 'model_not_supported' }),
    triesNext: true,
    pauses: 'path',
    scope: 'model',
  },
  {
    title: '403 of the model',
    fails: failing(403, { code: 'model_not_found' }),
    triesNext: true,
    pauses: 'path',
    scope: 'model',
  },
  { title: '429', fails: failing(429, {}), triesNext: true, pauses: 'pair', scope: 'quota' },
  { title: '529', fails: failing(529, {}), triesNext: true, pauses: 'pair', scope: 'moment' },
  {
    title: '401',
    fails: failing(401, {}),
    triesNext: true,
    pauses: 'connection',
    scope: 'connection',
  },
  { title: '403', fails: failing(403, {}), triesNext: true, pauses: 'pair', scope: 'connection' },
  { title: '408', fails: failing(408, {}), triesNext: true, pauses: 'pair', scope: 'moment' },
  { title: '500', fails: failing(500, {}), triesNext: true, pauses: 'pair', scope: 'moment' },
  {
    title: '503 in HTML',
    fails: (_, response) =>
      void response.writeHead(503, { 'content-type': 'text/html' }).end('<p>'),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a closed connection',
    fails: destroyed,
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: '200 without a body',
    fails: (_, response) => void response.writeHead(200).end(),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that ends before its first event',
    fails: streaming(': wait\n\n'),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that is only its end',
    fails: streaming('data: [DONE]\n\n'),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that breaks off before its first event',
    fails: cutOff,
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that begins with an error',
    fails: streaming(': a\n\n', 'data: {"error":{"message":"x","code":429}}\n\n'),
    triesNext: true,
    pauses: 'pair',
    scope: 'quota',
  },
  {
    title: 'a stream that begins with an overload',
    fails: streaming(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
    ),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that announces an answer, and then fails',
    fails: streaming(openAiEvents('big')[0] ?? '', 'data: {"error":{"code":502}}\n\n'),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that ends after it was announced',
    fails: streaming(openAiEvents('big')[0] ?? ''),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'an error in place of a stream',
    fails: streaming('{"error":{"message":"x","code":429}}'),
    triesNext: true,
    pauses: 'pair',
    scope: 'quota',
  },
  {
    title: 'an error with status 200',
    fails: failing(200, { code: 429, message: 'x' }),
    triesNext: true,
    pauses: 'pair',
    scope: 'quota',
  },
  {
    title: 'a page with status 200',
    fails: (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    triesNext: true,
    pauses: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that begins with a bad parameter',
    fails: streaming('data: {"error":{"type":"invalid_request_error"}}\n\n'),
    triesNext: false,
    pauses: 'nothing',
  },
]

describe('What follows from a failure', () => {
  for (const { title, fails, triesNext, pauses, scope } of rows) {
    test(`${title}: ${triesNext ? 'the next one is tried' : 'it is passed on'}, ${pauses} is paused`, async (t) => {
      holdPauses(t)
      const calling = await startTwo(t)
      calling.one.behave = fails
      for (const content of ['a', 'b']) await assertTried(calling, content, triesNext)
      await assertListed(calling.management, pauses, scope)
      await assertResting(calling, pauses, scope)
    })
  }
})

/** Calls in a new conversation: `one` fails, and `two` is tried or not. */
async function assertTried(
  { call, one, two }: Awaited<ReturnType<typeof startTwo>>,
  content: string,
  triesNext: boolean,
): Promise<void> {
  const before = [one.calls.length, two.calls.length] as const
  const body = saying(content, { model: 'both', stream: true })
  const { status, headers } = await call('/chat/completions', body)
  assert.equal(two.calls.length - before[1], triesNext ? 1 : 0)
  if (triesNext) assert.equal(status, 200)
  // A failure that is certain pauses everything at once, so the second call has one attempt.
  const attempts = one.calls.length - before[0] + (triesNext ? 1 : 0)
  assert.equal(headers['x-bucketry-attempts'], String(attempts))
}

async function assertListed(
  management: ManagementClient,
  pauses: (typeof rows)[number]['pauses'],
  scope: string | undefined,
): Promise<void> {
  const { pauses: found } = await management.done('GET', '/routing/pauses')
  const expected = { nothing: [], pair: ['big'], path: ['big'], connection: [null] }[pauses]
  assert.deepEqual(
    found.map((rest: { model: unknown }) => rest.model),
    expected,
  )
  for (const rest of found) {
    assert.equal(rest.scope, scope)
    assert.equal(rest.path, pauses === 'path' ? '/chat/completions' : null)
  }
}

/**
 * A paused target is not asked while there is another; other models of the connection are, unless all of it is paused. After the
 * failure of a moment, it is asked if it is the only one.
 */
async function assertResting(
  { call, one }: Awaited<ReturnType<typeof startTwo>>,
  pauses: (typeof rows)[number]['pauses'],
  scope: string | undefined,
): Promise<void> {
  const isAsked = async (path: string, model: string) => {
    const before = one.calls.length
    await call(path, saying('c', { model }))
    return one.calls.length > before
  }
  assert.equal(await isAsked('/chat/completions', 'both'), pauses === 'nothing')
  assert.equal(await isAsked('/chat/completions', 'one/small'), pauses !== 'connection')
  assert.equal(
    await isAsked('/embeddings', 'one/big'),
    pauses === 'nothing' || pauses === 'path' || scope === 'moment',
  )
}
