// The curl of the image: GET and HEAD of one address, for health checks that were written for images with curl. The
// options mean what they mean in curl(1), and so do the exit statuses.
const { writeFileSync } = require('node:fs')
const { parseArgs } = require('node:util')
const { requestUrl } = require('./request-url.cjs')

const options = {
  fail: { type: 'boolean', short: 'f' },
  silent: { type: 'boolean', short: 's' },
  'show-error': { type: 'boolean', short: 'S' },
  head: { type: 'boolean', short: 'I' },
  include: { type: 'boolean', short: 'i' },
  insecure: { type: 'boolean', short: 'k' },
  location: { type: 'boolean', short: 'L' },
  verbose: { type: 'boolean', short: 'v' },
  request: { type: 'string', short: 'X' },
  output: { type: 'string', short: 'o' },
  'write-out': { type: 'string', short: 'w' },
  'max-time': { type: 'string', short: 'm' },
  'connect-timeout': { type: 'string' },
  retry: { type: 'string' },
  'retry-delay': { type: 'string' },
  'retry-connrefused': { type: 'boolean' },
}

const statusOfError = { ENOTFOUND: 6, EAI_AGAIN: 6, ECONNREFUSED: 7, EHOSTUNREACH: 7, TIMEOUT: 28 }
const mostRedirects = 10

function end(status, message, { silent, 'show-error': showError } = {}) {
  if (message && (!silent || showError)) process.stderr.write(`curl: (${status}) ${message}\n`)
  process.exitCode = status
}

function parsed() {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    const message = `${error.message.split('\n')[0]} This image has a small curl for health checks: run others in an image with curl.`
    end(2, message)
    return undefined
  }
}

async function fetchUrl(text, values, redirects = 0) {
  const url = new URL(/^https?:\/\//.test(text) ? text : `http://${text}`)
  const seconds = Number(values['max-time'] ?? values['connect-timeout'] ?? 0)
  const method = values.request ?? (values.head ? 'HEAD' : 'GET')
  const reply = await requestUrl(url, {
    method,
    timeoutMs: seconds * 1_000,
    isInsecure: values.insecure === true,
  })
  const { location } = reply.headers
  if (!values.location || location === undefined || redirects >= mostRedirects) return reply
  return await fetchUrl(new URL(location, url).href, values, redirects + 1)
}

function headText({ status, rawHeaders }) {
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : [],
  )
  return `HTTP/1.1 ${status}\r\n${fields.join('')}\r\n`
}

function write(reply, values) {
  const isFailure = values.fail && reply.status >= 400
  const head = values.head || values.include ? headText(reply) : ''
  const body = Buffer.concat([Buffer.from(head), isFailure ? Buffer.alloc(0) : reply.body])
  if (values.output === undefined || values.output === '-') process.stdout.write(body)
  else writeFileSync(values.output, body)
  const format = (values['write-out'] ?? '').replaceAll('\\n', '\n')
  process.stdout.write(format.replace(/%\{(?:http|response)_code\}/g, String(reply.status)))
  if (isFailure) end(22, `The requested URL returned error: ${reply.status}`, values)
}

/** The exit status for an error of the request. */
function statusOf({ code = '' }) {
  if (code === 'ERR_INVALID_URL') return 3
  return statusOfError[code] ?? (/CERT|SIGN|TLS|SSL/.test(code) ? 60 : 56)
}

async function tryAll(url, values) {
  const delayMs = Number(values['retry-delay'] ?? 1) * 1_000
  for (let left = Number(values.retry ?? 0); ; left -= 1) {
    try {
      return write(await fetchUrl(url, values), values)
    } catch (error) {
      const isFinal = error.code === 'ECONNREFUSED' && !values['retry-connrefused']
      if (left <= 0 || isFinal) return end(statusOf(error), error.message, values)
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
}

function main() {
  const { values, positionals: [url, ...others] = [] } = parsed() ?? {}
  if (values === undefined) return undefined
  if (url === undefined || others.length > 0) return end(2, 'expected one URL', values)
  return tryAll(url, values)
}

void main()
