// HEALTHCHECK of the image: exits with 0 if the gateway answers, else with 1 and the reason. Uses only
// HOST and PORT of the environment, so it also runs with every user and with a read-only root.
const http = require('node:http')
const https = require('node:https')

const timeoutMs = 5_000
const anyAddress = new Map([
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])
const { HOST = '', PORT = '9000' } = process.env
const host = anyAddress.get(HOST) ?? HOST

/** Resolves with the status. The certificate is for another name than this address. */
function ask(client, path) {
  return new Promise((resolve, reject) => {
    const options = { host, port: PORT, path, timeout: timeoutMs, rejectUnauthorized: false }
    const request = client.get(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy(new Error(`no reply in ${timeoutMs} ms`)))
    request.on('error', reject)
  })
}

async function main() {
  // A port serves either HTTP or HTTPS, and answers HTTP on an HTTPS port with 400.
  const status = await ask(http, '/-/livez')
  return status === 400 ? ask(https, '/-/livez') : status
}

main().then(
  (status) => {
    if (status !== 200) fail(`/-/livez returned ${status}`)
  },
  (error) => fail(error.message),
)

function fail(reason) {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
}
