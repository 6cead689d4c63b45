import { parseArgs } from 'node:util'
import { ConnectError } from '../src/connect/connect-error.ts'
import { connectGoogle } from '../src/connect/google/connect-google.ts'
import { openTerminal } from '../src/connect/terminal.ts'
import { currentEnvironment } from '../src/wiring/settings/environment.ts'
import { SettingsError } from '../src/wiring/settings/setting.ts'

/** Connects Bucketry to a cloud drive, as described in docs/google-drive.md. */

const usage = `usage: npm run connect -- google [--file FILE] [--port PORT]
       npm run connect -- google --from-rclone REMOTE [--config RCLONE.CONF] [--file FILE]
`

const terminal = openTerminal(process.stdin, process.stdout)
try {
  process.exitCode = await run()
} catch (error) {
  if (!(error instanceof ConnectError || error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
} finally {
  terminal.close()
}

async function run(): Promise<number> {
  const command = commandLine()
  if (command === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const { file, port, config, 'from-rclone': remote } = command
  await connectGoogle({
    terminal,
    environment: currentEnvironment(),
    folder: process.cwd(),
    file,
    port: Number(port),
    rclone: remote === undefined ? undefined : { remote, config },
  })
  return 0
}

/** Undefined if the arguments are not valid. */
function commandLine() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        file: { type: 'string' },
        port: { type: 'string', default: '0' },
        'from-rclone': { type: 'string' },
        config: { type: 'string' },
      },
    })
    const isPort = /^\d{1,5}$/.test(values.port) && Number(values.port) < 65_536
    return positionals.join(' ') === 'google' && isPort ? values : undefined
  } catch {
    // parseArgs would only name the unknown argument; the usage lists all of them.
    return undefined
  }
}
