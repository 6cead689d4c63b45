import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { TestContext } from 'node:test'
import { StrictUpstream, type StrictUpstreamOptions } from '../fakes/strict-upstream.ts'
import { type GatewayInProcess, startGatewayInProcess } from './gateway-in-process.ts'
import { dashboardPassword, ManagementClient } from './management-client.ts'

export const modelsApiKey = 'models-api-key'

interface CallReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
  /** Whether the answer had its end. */
  readonly isComplete: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came.
  json(): any
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly signal?: AbortSignal
  readonly onData?: (bytes: Buffer) => void
}

/** A gateway with connections to upstreams. */
export interface Calling extends GatewayInProcess {
  readonly management: ManagementClient
  /** Sends a body to a path below /v1, with MODELS_API_KEY unless headers say otherwise. */
  call(path: string, body: object | string | Buffer, options?: CallOptions): Promise<CallReply>
  /** Adds a connection with the prefix `name`; returns its id. */
  connect(name: string, fields: object): Promise<string>
}

export async function startCalling(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<Calling> {
  const gateway = await startGatewayInProcess(t, {
    DASHBOARD_PASSWORD: dashboardPassword,
    MODELS_API_KEY: modelsApiKey,
    ...environment,
  })
  const management = await ManagementClient.signIn(gateway.url)
  return {
    ...gateway,
    management,
    call: (path, body, options) => call(`${gateway.url}/v1${path}`, body, options),
    async connect(
      name,
      { providerSpecificData = {}, ...fields }: { providerSpecificData?: object } = {},
    ) {
      const { id } = await management.done('POST', '/routing/connections', {
        ...{ kind: 'openai-compatible', name, ...fields },
        providerSpecificData: { prefix: name, ...providerSpecificData },
      })
      return String(id)
    },
  }
}

/** A gateway whose model `lab/big` is at one upstream. */
export async function startWithUpstream(
  t: TestContext,
  options: StrictUpstreamOptions = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Calling & { readonly upstream: StrictUpstream; readonly connectionId: string }> {
  const upstream = await StrictUpstream.start(t, options)
  const calling = await startCalling(t, environment)
  const connectionId = await calling.connect('lab', fieldsOf(upstream))
  return { ...calling, upstream, connectionId }
}

/** Two connections, `one` in front of `two`, and a combo of both. */
export async function startTwo(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const one = await StrictUpstream.start(t, { key: 'sk-first-key-aaaaaaaaaaaa' })
  const two = await StrictUpstream.start(t, { key: 'sk-second-key-bbbbbbbbbbb' })
  const calling = await startCalling(t, environment)
  await calling.connect('one', fieldsOf(one))
  await calling.connect('two', fieldsOf(two))
  const models = ['one/big', 'two/big']
  await calling.management.done('POST', '/routing/combos', { name: 'both', models })
  return { ...calling, one, two }
}

/**
 * Slows the clock that pauses end by: the first ones take half a second, and a test on a busy machine takes longer. It still
 * tells a connection that was made before a call from one that was made for it. Call it before the gateway is started, so
 * that the gateway stops with the usual clock.
 */
export function holdPauses(t: TestContext): void {
  let nowMs = performance.now()
  const clock = t.mock.method(performance, 'now', () => {
    nowMs += 0.001
    return nowMs
  })
  t.after(() => clock.mock.restore())
}

/** A body in a conversation of its own, so that it is another request than all others. */
export const saying = (content: string, fields: object) => ({
  ...fields,
  messages: [{ role: 'user', content }],
})

/** The fields of a connection to it. */
export function fieldsOf(upstream: StrictUpstream) {
  return {
    kind: `${upstream.flavour}-compatible`,
    apiKey: upstream.key,
    providerSpecificData: {
      baseUrl: `${upstream.origin}/v1`,
      enabledModels: ['big', 'small', 'gone'],
    },
  }
}

const agent = new Agent({ keepAlive: false })

async function call(
  url: string,
  body: object | string | Buffer,
  { headers = {}, method = 'POST', signal, onData }: CallOptions = {},
): Promise<CallReply> {
  const isPlain = typeof body === 'object' && !Buffer.isBuffer(body)
  const bytes = Buffer.from(isPlain ? JSON.stringify(body) : body)
  const fields = {
    ...{ authorization: `Bearer ${modelsApiKey}`, 'content-type': 'application/json' },
    ...{ 'content-length': String(bytes.length), ...headers },
  }
  return await new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: fields, ...(signal && { signal }) })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        onData?.(piece)
      })
      response.on('error', () => undefined)
      response.on('close', () => {
        const whole = Buffer.concat(pieces)
        const { statusCode: status = 0, headers: given, complete: isComplete } = response
        const text = whole.toString()
        resolve({
          status,
          headers: given,
          body: whole,
          text,
          isComplete,
          json: () => JSON.parse(text),
        })
      })
    })
    sent.end(bytes)
  })
}
