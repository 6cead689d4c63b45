// The mc of the image: `mc alias set NAME URL …` and `mc ready NAME`, for health checks that were written for MinIO's
// image. Only the address of an alias is stored, not its keys.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { dirname, join } = require('node:path')
const { requestUrl } = require('./request-url.cjs')

const timeoutMs = 5_000
const { MC_CONFIG_DIR, PORT = '9000' } = process.env
const aliasFile = join(MC_CONFIG_DIR ?? join(tmpdir(), 'mc'), 'addresses.json')

function readAliases() {
  try {
    return JSON.parse(readFileSync(aliasFile, 'utf8'))
  } catch {
    return {}
  }
}

/** The address of an alias: of `mc alias set`, of the environment as for MinIO's mc, or of this container. */
function addressOf(name) {
  const text = readAliases()[name] ?? process.env[`MC_HOST_${name}`]
  if (text !== undefined) return new URL(text)
  return name === 'local' ? new URL(`http://127.0.0.1:${PORT}`) : undefined
}

async function isReady(address, isInsecure) {
  const url = new URL('/-/readyz', address.origin)
  const { status } = await requestUrl(url, { timeoutMs, isInsecure })
  return status === 200
}

async function ready(name, isInsecure) {
  const address = addressOf(name)
  if (address === undefined) return fail(`There is no alias ${name}: mc alias set ${name} URL`)
  const problem = await isReady(address, isInsecure).then(
    (is) => (is ? undefined : 'is not ready'),
    (error) => `is unreachable: ${error.message}`,
  )
  if (problem !== undefined) return fail(`The cluster '${name}' ${problem}`)
  process.stdout.write(`The cluster '${name}' is ready\n`)
}

function setAlias(name, text) {
  const isUrl = /^https?:\/\//.test(text ?? '') && URL.canParse(text)
  if (!isUrl) return fail('expected mc alias set NAME URL ACCESS_KEY SECRET_KEY')
  try {
    mkdirSync(dirname(aliasFile), { recursive: true })
    writeFileSync(aliasFile, JSON.stringify({ ...readAliases(), [name]: new URL(text).origin }))
  } catch (error) {
    return fail(
      `cannot write ${aliasFile} (${error.code}): set MC_CONFIG_DIR to a folder that can be written`,
    )
  }
  process.stdout.write(`Added \`${name}\` successfully.\n`)
}

function fail(message) {
  process.stderr.write(`mc: <ERROR> ${message}\n`)
  process.exitCode = 1
}

function main() {
  const given = process.argv.slice(2)
  const [first, second, ...others] = given.filter((one) => !one.startsWith('-'))
  if (first === 'ready' && second !== undefined) return ready(second, given.includes('--insecure'))
  const isAlias = first === 'alias' && second === 'set'
  const isOldAlias = first === 'config' && second === 'host' && others[0] === 'add'
  if (isAlias) return setAlias(...others)
  if (isOldAlias) return setAlias(...others.slice(1))
  fail(
    `This image has a small mc for health checks, with mc ready and mc alias set. For mc ${first ?? ''}, run MinIO's mc ` +
      'outside of this container (go install github.com/minio/mc@latest) or aws-cli; DEFAULT_BUCKETS creates buckets.',
  )
}

void main()
