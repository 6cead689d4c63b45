import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it, type TestContext } from 'node:test'
import { applications, type Container } from '../clients/applications/applications.ts'
import { copyScenarios, replay } from '../clients/applications/replay.ts'
import { absenceOfBoto3 } from '../clients/run-client.ts'
import { diskFolder } from '../support/disk-folder.ts'
import { freePort } from '../support/free-port.ts'
import { image, limits, type Podman, untilHealthy } from './podman.ts'

/**
 * Replays the applications whose libraries CI has, as test/clients/applications.test.ts does, with the image itself:
 * their health checks run the image's curl and mc, and the image's own check passes.
 */
export function itServesApplications(podman: Podman): void {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(diskFolder, 'bucketry-applications-'))
    copyScenarios(folder)
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const application of applications.filter(({ isOnPush }) => isOnPush)) {
    const { registry, scenario } = application.library
    const program = registry === 'npm' ? process.execPath : '/usr/bin/python3'
    const skip = registry === 'npm' ? false : absenceOfBoto3()
    it(`serves ${application.name} in place of MinIO's image`, { skip }, async (t) => {
      const tools = { folder, command: [program, join(folder, scenario)] } as const
      await replay(t, application, tools, (context, container) =>
        startInImage(podman, context, container),
      )
    })
  }
}

/** Runs the image with the variables and the command of a container, which keeps its objects in a new volume. */
async function startInImage(podman: Podman, t: TestContext, container: Container) {
  const port = String(await freePort())
  const name = `application-${port}`
  const ports = [...(container.command.includes('--address') ? [port] : [])]
  const words: string[] = []
  for (const word of container.command) {
    const isPort = word.includes('PORT')
    const given = isPort ? (ports.shift() ?? String(await freePort())) : ''
    words.push(word.replace('FOLDER', '/data').replace('PORT', given))
  }
  const environment = { HOST: '127.0.0.1', PORT: port, ...container.environment }
  const settings = Object.entries(environment).map(([key, value]) => ['--env', `${key}=${value}`])
  podman.run(
    ...['run', '--detach', '--name', name, '--network', 'host', '--read-only', ...limits],
    ...['--volume', `${name}:/data`, ...settings.flat()],
    ...commandWith(container.folders ?? [], words),
  )
  const home = mkdtempSync(join(diskFolder, 'bucketry-home-'))
  podman.removeAfter(t, name)
  t.after(() => rmSync(home, { recursive: true }))
  await untilHealthy(`127.0.0.1:${port}`, () => podman.logs(name))
  podman.run('healthcheck', 'run', name)
  const runInside = (...given: readonly string[]) =>
    Promise.resolve(podman.run('exec', name, ...given))
  return { url: `http://127.0.0.1:${port}`, home, runInside }
}

/** As compose files make folders before the start: by a shell in place of the entry point. */
function commandWith(folders: readonly string[], words: readonly string[]): readonly string[] {
  if (folders.length === 0) return [image, ...words]
  const start = words[0] === 'minio' ? words : ['minio', ...words]
  const made = folders.map((folder) => `/data/${folder}`).join(' ')
  return ['--entrypoint', 'sh', image, '-c', `mkdir -p ${made} && ${start.join(' ')}`]
}
