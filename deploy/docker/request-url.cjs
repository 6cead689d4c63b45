// Sends a request for the small curl and mc of the image. No dependency: they start in the time that Node takes.
const http = require('node:http')
const https = require('node:https')

/**
 * Resolves with status, headers and body of the reply; rejects with the error of the system, or with `code` TIMEOUT.
 *
 * @param options method, timeoutMs, isInsecure
 */
function requestUrl(url, { method = 'GET', timeoutMs = 0, isInsecure = false } = {}) {
  const client = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = client.request(url, { method, rejectUnauthorized: !isInsecure }, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        clearTimeout(timer)
        const { statusCode: status, headers, rawHeaders } = response
        resolve({ status, headers, rawHeaders, body: Buffer.concat(pieces) })
      })
    })
    const end = () => request.destroy(Object.assign(new Error('timed out'), { code: 'TIMEOUT' }))
    const timer = timeoutMs > 0 ? setTimeout(end, timeoutMs) : undefined
    request.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    request.end()
  })
}

module.exports = { requestUrl }
