import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * An upstream of models that takes little time itself. A call gets a small completion, or a stream of events at a fixed
 * rate, each with the time when it was written (CLOCK_MONOTONIC, which all processes share). With `max_tokens`, the stream
 * ends after so many.
 *
 * Usage: node bench/model-upstream.ts; its port is a line on stdout.
 */
const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 }
const small = JSON.stringify({
  ...{ id: 'c', object: 'chat.completion', created: 1_800_000_000, model: 'big' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage,
})
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1_800_000_000, model: 'big' }

function eventOf(delta: object, finish_reason: string | null = null): string {
  const content = { ...chunk, choices: [{ index: 0, delta, finish_reason }] }
  return `data: ${JSON.stringify(content)}\n\n`
}

const end = `${eventOf({}, 'stop')}data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\ndata: [DONE]\n\n`

const [before = '', after = ''] = eventOf({ content: '@' }).split('@')

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  if (!body.includes('"stream":true') && !body.includes('"stream": true')) {
    const headers = { 'content-type': 'application/json', 'content-length': small.length }
    response.writeHead(200, headers).end(small)
    return
  }
  // What gateways pass on unchanged.
  const everyMs = Number(/"top_logprobs": *(\d+)/.exec(body)?.[1] ?? 2)
  let left = Number(/"max_(?:completion_)?tokens": *(\d+)/.exec(body)?.[1] ?? Infinity)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(eventOf({ role: 'assistant', content: '' }))
  let dueAtMs = performance.now() + Math.random() * everyMs
  const send = () => {
    if (response.destroyed) return
    if (left === 0) {
      response.end(end)
      return
    }
    if (!response.writableNeedDrain) {
      response.write(`${before}${process.hrtime.bigint()}${after}`)
      left -= 1
    }
    dueAtMs += everyMs
    setTimeout(send, Math.max(0, dueAtMs - performance.now()))
  }
  setTimeout(send, Math.max(0, dueAtMs - performance.now()))
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy())
}).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port)
})
