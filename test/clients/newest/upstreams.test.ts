import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { modelsApiKey, startCalling } from '../../support/calling.ts'
import { sampleWav } from '../../support/sample-media.ts'
import { absenceOfRegistry, installAlone } from './installers.ts'

/**
 * An upstream that we did not write: the newest SDKs get the same answers through us as directly, and it gets the same
 * requests. It needs the cached.
 */
const skip = absenceOfRegistry('npm')
const upstreamKey = 'key-of-the-upstream'
const wav = sampleWav(3)
const image = Buffer.alloc(100_000, 'PNG')
const long = 'héllo 🦥 wörld\n\n'.repeat(5_000)

const calls = [
  ...['answer', 'stream', 'bytes', 'tool', 'streamed tool', 'image', 'embedding'],
  ...['response', 'response stream', 'response tool'],
  ...['transcription', 'wrong request', 'message', 'message stream', 'message bytes', 'canceled'],
]

/** What the test uses of aimock. */
interface Mock {
  readonly url: string
  on(match: object, response: object, options?: object): this
  start(): Promise<string>
  stop(): Promise<void>
  getRequests(): readonly { readonly path: string; readonly body: object | null }[]
  clearRequests(): void
}

test('SDKs get the same from aimock through us as directly', { skip }, async (t) => {
  const packages = ['@copilotkit/aimock', 'openai', '@anthropic-ai/sdk'] as const
  const scenario = 'node/call-upstream.mjs'
  const client = { name: packages[0], registry: 'npm', packages, scenario } as const
  const { folder, run } = await installAlone(t, client)
  writeFileSync(join(folder, 'speech.wav'), wav)
  writeFileSync(join(folder, 'image.png'), image)

  const mock = await startMock(t, folder)
  const tap = await startTap(t, Number(new URL(mock.url).port))
  const { url, connect } = await startCalling(t)
  for (const flavour of ['openai', 'anthropic']) {
    await connect(flavour, {
      ...{ kind: `${flavour}-compatible`, apiKey: upstreamKey },
      providerSpecificData: { baseUrl: `${tap.url}/v1`, enabledModels: ['big'] },
    })
  }

  const callsAt = async (environment: Readonly<Record<string, string>>) => {
    mock.clearRequests()
    const files = { WAV: 'speech.wav', IMAGE: 'image.png' }
    const printed = await run({ ...files, CALLS: calls.join(','), ...environment })
    const requests = mock.getRequests().map(({ path, body }) => ({ path, body }))
    return { answers: JSON.parse(printed), requests }
  }
  const directly = await callsAt({
    ...{ ENDPOINT: mock.url, MODELS_KEY: upstreamKey },
    ...{ OPENAI_MODEL: 'big', ANTHROPIC_MODEL: 'big' },
  })
  const throughUs = await callsAt({
    ...{ ENDPOINT: url, MODELS_KEY: modelsApiKey },
    ...{ OPENAI_MODEL: 'openai/big', ANTHROPIC_MODEL: 'anthropic/big' },
  })

  for (const call of calls) assert.deepEqual(throughUs.answers[call], directly.answers[call], call)
  assert.deepEqual(throughUs.requests, directly.requests)
  assert.equal(directly.requests.length, calls.length)
  const { answers } = directly
  assert.equal(answers.answer.choices[0].message.content, 'shört')
  assert.equal(answers.stream.length, long.length)
  assert.equal(answers['message stream'].length, long.length)
  assert.equal(answers.tool.choices[0].message.tool_calls[0].function.name, 'weather')
  assert.equal(answers.response, 'shört')
  assert.equal(answers['response stream'].length, long.length)
  assert.equal(answers['response tool'].at(-1).name, 'weather')
  assert.equal(answers.embedding.data.length, 2)
  assert.equal(answers.transcription.text, 'spöken')
  assert.equal(answers['wrong request'].status, 400)
  const received = Buffer.concat(tap.received)
  assert.ok(received.includes(wav))
  assert.ok(received.includes(image.toString('base64')))
  assert.ok(!received.includes(modelsApiKey))
  assert.equal(await tap.firstToLeave, 'client')
})

/** An aimock whose answers have no random parts. */
async function startMock(t: TestContext, folder: string): Promise<Mock> {
  const module = join(folder, 'node_modules/@copilotkit/aimock/dist/index.js')
  const { LLMock } = await import(pathToFileURL(module).href)
  const options = { port: 0, logLevel: 'silent', auth: { apiKeys: [upstreamKey] } }
  const mock: Mock = new LLMock(options)
  const fixed = { id: 'answer-1', created: 1_700_000_000 }
  const toolCalls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Zürich 🦥"}' }]
  const chat = { endpoint: 'chat' }
  mock
    .on({ ...chat, userMessage: 'short' }, { ...fixed, content: 'shört' })
    .on({ ...chat, userMessage: 'long' }, { ...fixed, content: long }, { chunkSize: 7 })
    .on({ ...chat, userMessage: 'weather' }, { ...fixed, toolCalls })
    .on({ ...chat, userMessage: 'what is this' }, { ...fixed, content: 'a sloth' })
    .on(
      { ...chat, userMessage: 'too hot' },
      { error: { message: 'too hot', type: 'invalid_request_error', code: 'hot' }, status: 400 },
    )
    .on(
      { ...chat, userMessage: 'endless' },
      { ...fixed, content: long },
      { latency: 200, disconnectAfterMs: 10_000 },
    )
    .on({ endpoint: 'embedding' }, { embedding: [0.5, -0.25, 1e-7] })
    .on({ endpoint: 'transcription' }, { transcription: { text: 'spöken' } })
  await mock.start()
  t.after(() => mock.stop())
  return mock
}

/** What stands between us and the upstream: it sees the bytes, and when the canceled call's connection ends. */
async function startTap(t: TestContext, port: number) {
  const received: Buffer[] = []
  const { promise: firstToLeave, resolve } = Promise.withResolvers<'client' | 'upstream'>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connectTo(port, '127.0.0.1')
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined).on('close', () => other.destroy())
      one.pipe(other)
    }
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes)
      if (!bytes.includes('endless')) return
      socket.once('close', () => resolve('client'))
      upstream.once('close', () => resolve('upstream'))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    firstToLeave,
  }
}
