import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { until } from '../management-client.ts'
import type { Scope } from '../webdav/server-process.ts'
import type { S3Store } from './s3-store.ts'

/** `.ci/run` installs it from PyPI. */
const program = join(import.meta.dirname, '../../../node_modules/.cache/moto/bin/moto_server')

/** Why moto can't be started here, or false: for the `skip` of a test. */
export const absenceOfMoto = () => !existsSync(program) && 'needs moto (.ci/moto)'

/**
 * Starts moto, AWS's S3 in Python, which ends with the scope. It takes parts of any size, so that the contract of
 * drives has short ones.
 */
export async function startMoto(scope: Scope, smallestPart = 0): Promise<S3Store> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const command = ['--pdeathsig=TERM', program, '-H', '127.0.0.1', '-p', String(port)]
  const env = { ...process.env, S3_UPLOAD_PART_MIN_SIZE: String(smallestPart) }
  const server = spawn('setpriv', command, { env, stdio: 'ignore' })
  scope.after(async () => {
    const ended = once(server, 'exit')
    server.kill()
    await ended
  })
  const reset = async () => {
    await (await fetch(`${url}/moto-api/reset`, { method: 'POST' })).arrayBuffer()
  }
  await until(() =>
    reset()
      .then(() => true)
      .catch(() => false),
  )
  return { url, accessKey: 'moto', secretKey: 'moto-secret', reset }
}
