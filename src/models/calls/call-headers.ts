import type { ActiveConnection } from '../list/stored-rows.ts'
import { anthropicVersion, type UpstreamFlavour } from '../upstream/upstream.ts'
import type { AnswerHeaders } from './failures/asked-wait.ts'

/** Fields of one connection only (RFC 9110 section 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Fields that only this gateway sets, and no connection. */
const onlyOurs: ReadonlySet<string> = new Set([
  ...hopByHop,
  ...['authorization', 'x-api-key', 'cookie', 'forwarded', 'x-real-ip', 'via'],
  // Some servers take the path or the method from these fields instead of from the request line.
  ...[
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
  ],
  // Digests of the body before its model was replaced.
  ...['content-md5', 'content-digest', 'repr-digest', 'digest'],
  ...['host', 'content-encoding', 'content-length', 'content-type', 'expect', 'origin'],
  // Events are read, so they must not be compressed.
  'accept-encoding',
])

/**
 * The fields of a client that are passed on: what it accepts, its name, tracing, what identifies a request or a conversation
 * (OpenAI's and Anthropic's SDKs, Codex, xAI's prompt cache), and the features of the APIs. Any other field could steer an upstream
 * that is a gateway itself (Portkey, Helicone, LiteLLM and Cloudflare take the model, the account and the address from
 * fields), say who pays (Hugging Face), or name another path. A connection can have such fields.
 */
const ofClients =
  /^(?:accept(?:-language)?|user-agent|originator|version|x-app|x-title|http-referer|traceparent|tracestate|baggage|(?:x-)?idempotency-key|x-(?:client-)?request-id|(?:x-)?session[-_](?:id|affinity)|(?:conversation|thread)[-_]id|x-grok-conv-id|x-initiator|x-openrouter-(?:title|categories|metadata)|(?:openai|anthropic|x-(?:stainless|openai|anthropic|claude|codex))-.+)$/

/** Among them, those that choose an account or an address, which is what the connection is for. */
const ofAccounts =
  /^(?:x-)?(?:openai|anthropic)-(?:(?:organization|project|workspace)(?:-id)?|api-?key|auth-?token|(?:api-)?base(?:-?url)?)$/

/** Whether a connection may have the field. The client decides about the content, and what it accepts. */
export function isOfConnections(name: string): boolean {
  const field = name.toLowerCase()
  return !onlyOurs.has(field) && !/^(accept|content-|x-forwarded-)/.test(field)
}

/** Fields that every reply has anyway, and fields that are valid only for the address of the upstream. */
const notForClients: ReadonlySet<string> = new Set([
  ...hopByHop,
  ...['content-length', 'set-cookie', 'server', 'date', 'alt-svc', 'strict-transport-security'],
  ...['x-request-id', 'x-content-type-options', 'cache-control'],
  ...['x-bucketry-attempts', 'x-bucketry-translated', 'x-bucketry-ignored', 'x-bucketry-estimated'],
  // These would make browsers act on the whole origin.
  ...['clear-site-data', 'nel', 'report-to', 'reporting-endpoints', 'service-worker-allowed'],
])

/**
 * The header fields of a client's call, for an upstream.
 *
 * @param rawHeaders name, value, name, value …
 * @param own replace fields with the same name
 * @param ofConnection replace fields of the client with the same name
 * @returns name, value, name, value …
 */
export function headersForUpstream(
  rawHeaders: readonly string[],
  flavour: UpstreamFlavour,
  own: Readonly<Record<string, string>>,
  ofConnection: ActiveConnection['headers'] = [],
): string[] {
  const fields = pairsOf(rawHeaders)
  const named = connectionOptions(
    fields.filter(([name]) => name === 'connection').map(([, value]) => value),
  )
  const passed = fields.filter(
    ([name]) =>
      ofClients.test(name) &&
      !ofAccounts.test(name) &&
      !named.has(name) &&
      !ofConnection.some(([set]) => set === name),
  )
  const kept = [...passed, ...ofConnection]
  const isVersioned = flavour !== 'anthropic' || kept.some(([name]) => name === 'anthropic-version')
  const added = { 'accept-encoding': 'identity', ...(!isVersioned && anthropicVersion), ...own }
  return [...kept, ...Object.entries(added)].flat()
}

/** The fields of a client's call that mean the same in each API: others are of an API, or may change the answer. */
export function ofAnyApi(rawHeaders: readonly string[]): readonly string[] {
  return pairsOf(rawHeaders)
    .filter(([name]) => name === 'user-agent' || name === 'traceparent' || name === 'tracestate')
    .flat()
}

/**
 * The header fields of an upstream's answer, for the client.
 *
 * @param hasKey whether a text contains a key of an upstream; such fields are dropped
 */
export function headersForClient(
  headers: AnswerHeaders,
  hasKey: (text: string) => boolean,
): [name: string, value: string][] {
  const named = connectionOptions([headers.connection ?? []].flat())
  return Object.entries(headers)
    .filter(([name]) => !notForClients.has(name) && !named.has(name))
    .filter(([name]) => !name.startsWith('access-control-'))
    .flatMap(([name, values]) =>
      [values ?? []].flat().map((value): [string, string] => [name, value]),
    )
    .filter(([, value]) => !hasKey(value))
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    (rawHeaders[2 * index] ?? '').toLowerCase(),
    rawHeaders[2 * index + 1] ?? '',
  ])
}

/** The fields that a Connection field restricts to one connection. */
function connectionOptions(values: readonly string[]): ReadonlySet<string> {
  return new Set(
    values.flatMap((value) => value.toLowerCase().split(',')).map((name) => name.trim()),
  )
}
